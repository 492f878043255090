import type { Call } from '../call.ts'

const lawPath = '/api/tenants/{tenant}/AwaabsLawFigures'

export const getAwaabsLawFigures = { method: 'GET', path: lawPath, may: 'see properties' } as const satisfies Call

export const putAwaabsLawFigures = { method: 'PUT', path: lawPath, may: "manage Awaab's Law" } as const satisfies Call

const ofHome = '/api/tenants/{tenant}/properties/{propertyId}'
const ofCase = `${ofHome}/AwaabsLawCases/{caseId}`
const breaches = '/api/tenants/{tenant}/AwaabsLawBreaches'

export const changeAwaabsLawCase = {
  method: 'POST',
  path: `${ofHome}/AwaabsLawCase`,
  may: "keep case of Awaab's Law",
} as const satisfies Call

export const getCaseRecords = {
  method: 'GET',
  path: `${ofCase}/Records`,
  may: "see Awaab's Law",
} as const satisfies Call

export const addCaseRecord = {
  method: 'POST',
  path: `${ofCase}/Records`,
  may: "keep case of Awaab's Law",
} as const satisfies Call

export const addCaseReadings = {
  method: 'POST',
  path: `${ofCase}/Readings`,
  may: "keep case of Awaab's Law",
} as const satisfies Call

export const getCaseRecordFile = {
  method: 'GET',
  path: `${ofCase}/Records/{recordId}/file`,
  may: "see Awaab's Law",
  file: 'application/octet-stream',
} as const satisfies Call

export const getBreachRegister = { method: 'GET', path: breaches, may: 'see breach register' } as const satisfies Call

export const exportBreachRegister = {
  method: 'GET',
  path: `${breaches}/file`,
  may: 'see breach register',
  file: 'application/octet-stream',
} as const satisfies Call
