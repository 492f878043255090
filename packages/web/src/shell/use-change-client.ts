import { useRouter } from '@tanstack/react-router'
import { addressWithoutTenant } from '@caretaker/rules/links/places.ts'
import { rememberTenant } from './remembered-tenant.ts'

/** Returns to the client selection; the area stays in the address, so that the next client opens there. */
export function useChangeClient(): () => void {
  const router = useRouter()
  return () => {
    rememberTenant(undefined)
    void router.navigate({ href: addressWithoutTenant(router.state.location.pathname) })
  }
}
