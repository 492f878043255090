import type { Call } from '../call.ts'

export const logBookText = 200

export const getLogBook = { method: 'POST', path: '/api/GetLogBook', may: 'see lighting' } as const satisfies Call

export const updateLogBook = {
  method: 'POST',
  path: '/api/UpdateLogBook',
  may: 'edit buildings',
} as const satisfies Call

export const startInspectionSheets = {
  method: 'POST',
  path: '/api/StartInspectionSheets',
  may: 'see reports',
} as const satisfies Call

export const exportInspectionSheet = {
  method: 'POST',
  path: '/api/ExportInspectionSheet',
  may: 'see lighting',
  file: 'application/octet-stream',
} as const satisfies Call
