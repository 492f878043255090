import { callbackPath } from '@caretaker/rules/links/places.ts'
import type { SignIn } from '../api/session.ts'

const dashboard = '/Dashboard'

interface Step {
  href: string
  /** The redirect target. */
  target?: string | undefined
}

interface Whereabouts {
  signIn: SignIn
  pathname: string
  /** The redirect target of the current history entry. */
  target: string | undefined
  /** The redirect of the application state, if the address names no client. */
  redirect: string | undefined
}

/**
 * The next step from a transitional address: from the provider's callback to a Dashboard and on to the remembered
 * target, from an address without a client to the automatically selected one, and from the origin (after sign-out) to
 * the Dashboard.
 */
export function nextStep({ signIn, pathname, target, redirect }: Whereabouts): Step | undefined {
  if (signIn.state === 'loading' || signIn.state === 'unreachable') return undefined
  const signedIn = signIn.state === 'signed in'
  if (pathname === callbackPath)
    return signedIn
      ? { href: signIn.landing ?? dashboard, target: signIn.target }
      : { href: signIn.target ?? dashboard }
  if (!signedIn) return pathname === '/' ? { href: dashboard } : undefined
  const href = target ?? redirect
  return href === undefined ? undefined : { href }
}
