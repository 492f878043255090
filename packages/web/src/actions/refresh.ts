import type { QueryClient } from '@tanstack/react-query'

/** Refetches everything shown for a client: a changed device may appear on its page, in a listing and in counts. */
export function refreshTenant(queryClient: QueryClient, tenant: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: [tenant] })
}
