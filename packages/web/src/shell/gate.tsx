import { useEffect, useRef } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Outlet, useLocation, useRouter } from '@tanstack/react-router'
import { seesEverything } from '@caretaker/rules/identity/actor.ts'
import { applicationState } from '@caretaker/rules/shell/application-state.ts'
import { signOut, startSession, useSignIn } from '../api/session.ts'
import { reloadRights, stopViewing } from '../api/viewing.ts'
import type { Viewing } from '../api/viewing-store.ts'
import { useViewing } from '../api/viewing-store.ts'
import type { SignIn } from '../api/session.ts'
import { ClientSelection } from './client-selection.tsx'
import { nextStep } from './sign-in-redirect.ts'
import { NoClient } from './no-client.tsx'
import { Opening } from './opening.tsx'
import { PresenceGate } from './presence-gate.tsx'
import { sessionQuery } from './queries.ts'
import { rememberTenant, rememberedTenant } from './remembered-tenant.ts'
import { Suspended } from './suspended.tsx'
import { Welcome } from './welcome.tsx'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The page that a sign-in redirects to after the Dashboard. */
    target?: string | undefined
  }
}

/** Shows what the application state requires; screens exist only behind it. */
export function Gate() {
  const signIn = useSignIn()
  const address = useLocation({ select: (location) => location.href })
  const session = useQuery({ ...sessionQuery, enabled: signIn.state === 'signed in' })
  const now = applicationState({
    provider: signIn.state === 'loading' || signIn.state === 'unreachable' ? 'loading' : 'ready',
    signedIn: signIn.state === 'signed in',
    tenants: session.data?.tenants.map((tenant) => tenant.id),
    address,
    remembered: rememberedTenant(),
  })
  const tenant = now.state === 'app' ? now.tenant : undefined
  useForgetting(signIn, tenant)
  const viewing = useViewing()
  useViewingOf(viewing, tenant)
  const moving = useRedirect(signIn, now.state === 'app' ? now.redirect : undefined)

  if (signIn.state === 'unreachable')
    return <Opening problem="The server cannot be reached." onRetry={() => void startSession()} />
  if (now.state === 'loading' && session.isError)
    return (
      <Opening
        problem="Your clients could not be loaded."
        onRetry={() => void session.refetch()}
        onLogout={() => void signOut()}
      />
    )
  if (now.state === 'login') return <Welcome notice={signIn.state === 'signed out' ? signIn.notice : undefined} />
  if (moving || now.state === 'loading' || !session.data) return <Opening />
  if (!session.data.tenants.length) return <NoClient session={session.data} />
  if (now.state === 'client selection') return <ClientSelection session={session.data} address={address} />
  const client = session.data.tenants.find(({ id }) => id === now.tenant)
  if (client?.suspension && !seesEverything(client)) return <Suspended session={session.data} client={client} />
  return (
    <PresenceGate key={`${now.tenant} ${viewing?.viewingId ?? ''}`} person={session.data} tenant={now.tenant}>
      <Outlet />
    </PresenceGate>
  )
}

/**
 * Ends the view as another user when the client changes; once it has ended, data loaded with those rights is dropped.
 */
function useViewingOf(viewing: Viewing | undefined, tenant: string | undefined): void {
  const queryClient = useQueryClient()
  const last = useRef(viewing)
  useEffect(() => {
    if (viewing && viewing.tenant !== tenant && tenant !== undefined) void stopViewing()
  }, [viewing, tenant])
  useEffect(() => {
    const before = last.current
    last.current = viewing
    if (before && !viewing) void reloadRights(queryClient, before.tenant)
  }, [queryClient, viewing])
}

/** Redirects from a transitional address; true while it is redirecting. */
function useRedirect(signIn: SignIn, redirect: string | undefined): boolean {
  const router = useRouter()
  const pathname = useLocation({ select: (location) => location.pathname })
  const target = useLocation({ select: ({ state }) => state.target })
  const step = nextStep({ signIn, pathname, target, redirect })
  const [href, carried] = [step?.href, step?.target]
  useEffect(() => {
    if (href === undefined) return undefined
    // Each step is a real navigation: two at once would be merged.
    const timer = setTimeout(() => void router.navigate({ href, replace: true, state: { target: carried } }))
    return () => clearTimeout(timer)
  }, [router, href, carried])
  return step !== undefined
}

/** Drops the data of a previous user or client. */
function useForgetting(signIn: SignIn, tenant: string | undefined): void {
  const queryClient = useQueryClient()
  const subject = signIn.state === 'signed in' ? signIn.subject : undefined
  const last = useRef({ subject, tenant })
  useEffect(() => {
    const before = last.current
    last.current = { subject, tenant }
    if (before.subject !== undefined && before.subject !== subject) {
      queryClient.clear()
      rememberTenant(undefined)
    } else if (before.tenant !== undefined && before.tenant !== tenant)
      queryClient.removeQueries({ predicate: (query) => query.queryKey[0] === before.tenant })
    if (tenant !== undefined) rememberTenant(tenant)
  }, [queryClient, subject, tenant])
}
