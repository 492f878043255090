import type { Call } from '../call.ts'

const endpoints = '/api/tenants/{tenant}/webhooks'
const may = 'manage webhooks'

export const getWebhooks = { method: 'GET', path: endpoints, may } as const satisfies Call

export const addWebhook = { method: 'POST', path: endpoints, may } as const satisfies Call

export const updateWebhook = { method: 'PUT', path: `${endpoints}/{endpointId}`, may } as const satisfies Call

export const deleteWebhook = { method: 'DELETE', path: `${endpoints}/{endpointId}`, may } as const satisfies Call

export const rotateWebhookSecret = {
  method: 'POST',
  path: `${endpoints}/{endpointId}/secret`,
  may: may,
} as const satisfies Call

export const tryWebhook = { method: 'POST', path: `${endpoints}/{endpointId}/trial`, may } as const satisfies Call

export const getWebhookDeliveries = {
  method: 'GET',
  path: `${endpoints}/{endpointId}/deliveries`,
  may: may,
} as const satisfies Call

export const sendWebhookAgain = {
  method: 'POST',
  path: `${endpoints}/{endpointId}/deliveries/{messageId}/again`,
  may: may,
} as const satisfies Call

export const replayWebhook = {
  method: 'POST',
  path: `${endpoints}/{endpointId}/replay`,
  may: may,
} as const satisfies Call
