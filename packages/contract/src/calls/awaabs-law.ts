import type { Call } from '../call.ts'

const lawPath = '/api/tenants/{tenant}/AwaabsLawFigures'

export const getAwaabsLawFigures = { method: 'GET', path: lawPath, may: 'see properties' } as const satisfies Call

export const putAwaabsLawFigures = { method: 'PUT', path: lawPath, may: "manage Awaab's Law" } as const satisfies Call
