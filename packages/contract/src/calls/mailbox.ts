import type { Call } from '../call.ts'

export const getMailbox = {
  method: 'GET',
  path: '/api/tenants/{tenant}/mailbox',
  may: 'see mailbox',
} as const satisfies Call
