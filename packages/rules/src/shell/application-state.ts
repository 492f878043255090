import { addressInTenant, segmentsOf, tenantInPath } from '../links/places.ts'

/** What is known at a moment about who is there and where. */
export interface Situation {
  /** Whether the identity provider is initialised: its settings are known and the stored sign-in has been read. */
  provider: 'loading' | 'ready'
  signedIn: boolean
  /** Ids of the tenants that the person belongs to; undefined until known. */
  tenants: readonly string[] | undefined
  /** Path, query and fragment of the current address. */
  address: string
  /** The tenant that was selected last in this tab and not left since. */
  remembered?: string | undefined
}

/** The four states of the application, of which it is in exactly one (core specification, section 2.1). */
export type ApplicationState =
  | { state: 'loading' }
  | { state: 'login' }
  | { state: 'client selection' }
  /** `redirect`: the address names no tenant of the person, and this address of theirs opens instead. */
  | { state: 'app'; tenant: string; redirect?: string }

/**
 * Decides the application's state. A tenant in the address that the person belongs to is selected without asking, and so
 * is a person's only tenant; the root leads back to the tenant selected last. Nobody learns whether another tenant exists
 * (core gaps B4).
 */
export function applicationState(now: Situation): ApplicationState {
  if (now.provider === 'loading') return { state: 'loading' }
  if (!now.signedIn) return { state: 'login' }
  if (!now.tenants) return { state: 'loading' }
  const named = tenantInPath(now.address, now.tenants)
  if (named) return { state: 'app', tenant: named }
  const chosen = chosenTenant(now, now.tenants)
  if (chosen) return { state: 'app', tenant: chosen, redirect: addressInTenant(now.address, chosen) }
  return { state: 'client selection' }
}

/** The tenant that needs no asking although the address does not name it: the only one, or at the root the last one. */
function chosenTenant({ address, remembered }: Situation, tenants: readonly string[]): string | undefined {
  if (tenants.length === 1) return tenants[0]
  return segmentsOf(address).length === 0 ? tenants.find((tenant) => tenant === remembered) : undefined
}
