import { addressInTenant, segmentsOf, tenantInPath } from '../links/places.ts'

/** The known facts about user and location. */
export interface Situation {
  /** 'ready' once the identity provider's settings are known and the stored sign-in has been read. */
  provider: 'loading' | 'ready'
  signedIn: boolean
  /** Ids of the person's tenants; undefined until known. */
  tenants: readonly string[] | undefined
  /** Path, query and fragment of the current URL. */
  address: string
  /** The tenant selected last in this tab, unless the user has left it. */
  remembered?: string | undefined
}

/** The four exclusive states of the application (core specification, section 2.1). */
export type ApplicationState =
  | { state: 'loading' }
  | { state: 'login' }
  | { state: 'client selection' }
  /** `redirect`: the URL to open instead, because the current one names no tenant of the person. */
  | { state: 'app'; tenant: string; redirect?: string }

/**
 * Determines the application's state. A tenant in the URL is selected if the person belongs to it, and so is their only
 * tenant; the root opens the tenant selected last. The result never discloses whether another tenant exists (core gaps
 * B4).
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

/** The tenant to select if the URL names none: the only one, or at the root the last one. */
function chosenTenant({ address, remembered }: Situation, tenants: readonly string[]): string | undefined {
  if (tenants.length === 1) return tenants[0]
  return segmentsOf(address).length === 0 ? tenants.find((tenant) => tenant === remembered) : undefined
}
