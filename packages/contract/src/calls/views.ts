import type { Call } from '../call.ts'

export const getViewDefinitions = {
  method: 'POST',
  path: '/api/GetViewDefinitions',
  may: 'enter tenant',
} as const satisfies Call

export const getAvailableFields = {
  method: 'POST',
  path: '/api/GetAvailableFields',
  may: 'enter tenant',
} as const satisfies Call

export const createViewDefinition = {
  method: 'POST',
  path: '/api/CreateViewDefinition',
  may: 'enter tenant',
} as const satisfies Call

export const updateViewDefinition = {
  method: 'POST',
  path: '/api/UpdateViewDefinition',
  may: 'enter tenant',
} as const satisfies Call

export const deleteViewDefinition = {
  method: 'POST',
  path: '/api/DeleteViewDefinition',
  may: 'enter tenant',
} as const satisfies Call

export const countViews = { method: 'POST', path: '/api/CountViews', may: 'enter tenant' } as const satisfies Call

export const getStartPage = { method: 'POST', path: '/api/GetStartPage', may: 'enter tenant' } as const satisfies Call

export const setStartPage = { method: 'POST', path: '/api/SetStartPage', may: 'enter tenant' } as const satisfies Call

export const countStartPages = {
  method: 'POST',
  path: '/api/CountStartPages',
  may: 'enter tenant',
} as const satisfies Call
