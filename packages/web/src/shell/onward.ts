import { callbackPath } from '@caretaker/rules/links/places.ts'
import type { SignIn } from '../api/session.ts'

const dashboard = '/Dashboard'

interface Step {
  href: string
  /** Where to go on to from there. */
  target?: string | undefined
}

interface Whereabouts {
  signIn: SignIn
  pathname: string
  /** Where the present entry of the history goes on to. */
  target: string | undefined
  /** Where the application's state leads, when the address names no client. */
  redirect: string | undefined
}

/**
 * The next step from an address that is only on the way: from the provider's callback to a Dashboard and from there to
 * the remembered target, from an address without a client to the one selected by itself, and from the origin, to which
 * signing out leads, to the Dashboard it stands for.
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
