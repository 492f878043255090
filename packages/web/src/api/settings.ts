import { queryOptions } from '@tanstack/react-query'
import { getClientSettings } from '@caretaker/contract/calls/session.ts'
import { call } from './call.ts'

/** The settings that the server's configuration provides to the web client; the same for all users. */
export const settingsQuery = queryOptions({
  queryKey: [getClientSettings.path],
  queryFn: ({ signal }) => call(getClientSettings, {}, { signal }),
  staleTime: 5 * 60_000,
})
