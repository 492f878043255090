import { QueryCache, QueryClient } from '@tanstack/react-query'
import { getSession } from '@caretaker/contract/session.ts'
import { CallError } from '@caretaker/contract/error-texts.ts'

/** Whether asking again may help: the server was not reached, was busy, or is starting. */
function mayPass(error: unknown): boolean {
  return error instanceof CallError && [0, 429, 502, 503, 504].includes(error.status)
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      // What was allowed is no longer: the role or the clients have changed, and the screen should offer what still is.
      if (error instanceof CallError && [403, 404].includes(error.status) && query.queryKey[0] !== getSession.path)
        void queryClient.invalidateQueries({ queryKey: [getSession.path] })
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) => failures < 2 && mayPass(error),
      // The browser's word about being online is unreliable, and the server may be on this very machine.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})
