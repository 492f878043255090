import type { QueryClient } from '@tanstack/react-query'

/** Fetches again what is on screen of a client: a changed device may show in its page, a listing, and the counts. */
export function refreshTenant(queryClient: QueryClient, tenant: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: [tenant] })
}
