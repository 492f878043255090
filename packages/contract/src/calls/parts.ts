import type { Call } from '../call.ts'

/** The most lights that a parts list covers. */
export const mostLightsToRepair = 2000

export const getPartsList = { method: 'POST', path: '/api/GetPartsList', may: 'see lighting' } as const satisfies Call

export const exportPartsList = {
  method: 'POST',
  path: '/api/ExportPartsList',
  may: 'see lighting',
  file: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const satisfies Call
