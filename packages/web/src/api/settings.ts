import { queryOptions } from '@tanstack/react-query'
import { getClientSettings } from '@caretaker/contract/calls/session.ts'
import { call } from './call.ts'

/** What the server's configuration tells the web; the same for everybody. */
export const settingsQuery = queryOptions({
  queryKey: [getClientSettings.path],
  queryFn: ({ signal }) => call(getClientSettings, {}, { signal }),
  staleTime: 5 * 60_000,
})
