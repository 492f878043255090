import { queryOptions } from '@tanstack/react-query'
import { getAccountSecurity, getBrowserSessions } from '@caretaker/contract/calls/account.ts'
import { call } from '../api/call.ts'

/** The second factors of the person who is signed in. */
export const accountSecurityQuery = queryOptions({
  queryKey: ['account', 'security'],
  queryFn: async ({ signal }) => call(getAccountSecurity, {}, { signal }),
})

/** The browsers in which the person is signed in. */
export const browserSessionsQuery = queryOptions({
  queryKey: ['account', 'sessions'],
  queryFn: async ({ signal }) => (await call(getBrowserSessions, {}, { signal })).results,
})
