import { addressInTenant, tenantInPath } from './places.ts'

/** What is known at a moment about who is there and where. */
export interface Situation {
  /** Whether the identity provider is initialised: its settings are known and the stored sign-in has been read. */
  provider: 'loading' | 'ready'
  signedIn: boolean
  /** Ids of the tenants that the person belongs to; undefined until known. */
  tenants: readonly string[] | undefined
  /** Path, query and fragment of the current address. */
  address: string
}

/** The four states of the application, of which it is in exactly one (core specification, section 2.1). */
export type ApplicationState =
  | { state: 'loading' }
  | { state: 'login' }
  | { state: 'client selection' }
  /** `redirect`: the address belongs to no tenant of the person, and their only tenant opens there instead. */
  | { state: 'app'; tenant: string; redirect?: string }

/**
 * Decides the application's state. A tenant in the address that the person belongs to is selected without asking, and so
 * is a person's only tenant; nobody learns whether another tenant exists (core gaps B4).
 */
export function applicationState(now: Situation): ApplicationState {
  if (now.provider === 'loading') return { state: 'loading' }
  if (!now.signedIn) return { state: 'login' }
  if (!now.tenants) return { state: 'loading' }
  const named = tenantInPath(now.address, now.tenants)
  if (named) return { state: 'app', tenant: named }
  const [only, ...others] = now.tenants
  if (only !== undefined && others.length === 0)
    return { state: 'app', tenant: only, redirect: addressInTenant(now.address, only) }
  return { state: 'client selection' }
}
