import type { Call } from '../call.ts'

export const uploadImport = { method: 'POST', path: '/api/UploadImport', may: 'import homes' } as const satisfies Call

export const getImports = { method: 'POST', path: '/api/GetImports', may: 'import homes' } as const satisfies Call

export const getImport = { method: 'POST', path: '/api/GetImport', may: 'import homes' } as const satisfies Call

export const planImport = { method: 'POST', path: '/api/PlanImport', may: 'import homes' } as const satisfies Call

export const commitImport = { method: 'POST', path: '/api/CommitImport', may: 'import homes' } as const satisfies Call

export const undoImport = { method: 'POST', path: '/api/UndoImport', may: 'import homes' } as const satisfies Call

export const exportImportFaults = {
  method: 'POST',
  path: '/api/ExportImportFaults',
  may: 'import homes',
  file: 'text/csv; charset=utf-8',
} as const satisfies Call

export const exportMarkedImport = {
  method: 'POST',
  path: '/api/ExportMarkedImport',
  may: 'import homes',
  file: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const satisfies Call

export const makeImportKeys = {
  method: 'POST',
  path: '/api/MakeImportKeys',
  may: 'import homes',
  file: 'text/csv; charset=utf-8',
} as const satisfies Call

export const getImportTemplate = {
  method: 'GET',
  path: '/api/tenants/{tenant}/import-template',
  may: 'import homes',
  file: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const satisfies Call
