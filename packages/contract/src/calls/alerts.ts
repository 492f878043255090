import type { Call } from '../call.ts'

export const getAlertDefinitions = {
  method: 'POST',
  path: '/api/GetAlertDefinitions',
  may: 'see settings',
} as const satisfies Call

export const createAlertDefinition = {
  method: 'POST',
  path: '/api/CreateAlertDefinition',
  may: 'manage alerts',
} as const satisfies Call

export const updateAlertDefinition = {
  method: 'POST',
  path: '/api/UpdateAlertDefinition',
  may: 'manage alerts',
} as const satisfies Call

export const deleteAlertDefinition = {
  method: 'POST',
  path: '/api/DeleteAlertDefinition',
  may: 'manage alerts',
} as const satisfies Call

export const addDefaultAlerts = {
  method: 'POST',
  path: '/api/AddDefaultAlerts',
  may: 'manage alerts',
} as const satisfies Call

export const previewAlertDefinition = {
  method: 'POST',
  path: '/api/PreviewAlertDefinition',
  may: 'see settings',
} as const satisfies Call

export const getAlertPreviews = {
  method: 'POST',
  path: '/api/GetAlertPreviews',
  may: 'see settings',
} as const satisfies Call

/** The most ended alerts that are counted; above that, the response only states that there are more. */
export const mostOver = 1000

export const getAlerts = { method: 'POST', path: '/api/GetAlerts', may: 'enter tenant' } as const satisfies Call

export const sendAlertAgain = {
  method: 'POST',
  path: '/api/SendAlertAgain',
  may: 'manage alerts',
} as const satisfies Call

export const showUnsubscribe = {
  method: 'GET',
  path: '/api/alerts/unsubscribe/{tenant}/{token}',
  may: 'anyone',
  file: 'text/html',
} as const satisfies Call

export const unsubscribeFromAlert = {
  method: 'POST',
  path: '/api/alerts/unsubscribe/{tenant}/{token}',
  may: 'anyone',
  file: 'text/html',
} as const satisfies Call
