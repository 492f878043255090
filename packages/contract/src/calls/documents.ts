import type { Call } from '../call.ts'

const documents = '/api/tenants/{tenant}/documents'

export const getDocuments = { method: 'GET', path: documents, may: 'enter tenant' } as const satisfies Call

export const getDocument = {
  method: 'GET',
  path: `${documents}/{id}`,
  may: 'enter tenant',
  file: 'application/octet-stream',
} as const satisfies Call

export const saveDocument = { method: 'POST', path: documents, may: 'enter tenant' } as const satisfies Call

export const deleteDocument = {
  method: 'DELETE',
  path: `${documents}/{id}`,
  may: 'enter tenant',
} as const satisfies Call
