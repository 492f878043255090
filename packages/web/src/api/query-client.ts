import { QueryCache, QueryClient } from '@tanstack/react-query'
import { getSession } from '@caretaker/contract/calls/session.ts'
import { CallError } from '@caretaker/contract/error-texts.ts'

/** Whether a retry may help: the server was unreachable, busy or starting. */
function mayPass(error: unknown): boolean {
  return error instanceof CallError && [0, 429, 502, 503, 504].includes(error.status)
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      // A permission was lost: the role or clients have changed, and the screen should offer what is still allowed.
      if (error instanceof CallError && [403, 404].includes(error.status) && query.queryKey[0] !== getSession.path)
        void queryClient.invalidateQueries({ queryKey: [getSession.path] })
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) => failures < 2 && mayPass(error),
      // While the server is unreachable queries are paused, and shown data is refetched when it is back. `reach.ts`
      // decides that, not the browser.
      networkMode: 'online',
      refetchOnReconnect: 'always',
    },
    // A user action runs now or fails now; nothing is queued for later.
    mutations: { networkMode: 'always' },
  },
})
