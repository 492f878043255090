import { QueryCache, QueryClient } from '@tanstack/react-query'
import { getSession } from '@caretaker/contract/calls/session.ts'
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
      // While the server cannot be reached nothing is asked, and all that is shown is when it is back. Whether it can be is
      // not for the browser to say (`reach.ts`).
      networkMode: 'online',
      refetchOnReconnect: 'always',
    },
    // What somebody does is done now or fails now: nothing is to happen minutes later, behind their back.
    mutations: { networkMode: 'always' },
  },
})
