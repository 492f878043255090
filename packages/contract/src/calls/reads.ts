import type { Call } from '../call.ts'

const reads = '/api/tenants/{tenant}/personal-data-reads'
const may = 'see reads of personal data'

export const getPersonalDataReads = { method: 'GET', path: reads, may } as const satisfies Call

export const exportPersonalDataReads = {
  method: 'GET',
  path: `${reads}/file`,
  may,
  file: 'text/csv; charset=utf-8',
} as const satisfies Call
