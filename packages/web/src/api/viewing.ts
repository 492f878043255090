import type { QueryClient } from '@tanstack/react-query'
import { endViewing, startViewing } from '@caretaker/contract/calls/people.ts'
import { getSession } from '@caretaker/contract/calls/session.ts'
import { attempt } from './attempt.ts'
import { call } from './call.ts'
import { currentViewing, setViewing } from './viewing-store.ts'

/** Shows a client in this tab as one of its users sees it. */
export async function viewAs(queryClient: QueryClient, tenant: string, id: string): Promise<void> {
  const viewing = await call(startViewing, { params: { tenant, id } })
  setViewing({ tenant, ...viewing })
  await reloadRights(queryClient, tenant)
}

/** Shows the client with the user's own rights again. The server ends the view by itself if this call fails. */
export async function stopViewing(): Promise<void> {
  const viewing = currentViewing()
  if (!viewing) return
  const { tenant, viewingId } = viewing
  setViewing(undefined)
  await attempt(endViewing, { params: { tenant, viewingId } })
}

/** Drops data that was loaded with other rights. */
export async function reloadRights(queryClient: QueryClient, tenant: string): Promise<void> {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] === tenant })
  await queryClient.resetQueries({ queryKey: [getSession.path] })
}
