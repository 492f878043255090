import type { Root } from 'react-dom/client'
import { createRoot } from 'react-dom/client'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { cdp, page } from 'vitest/browser'
import { boilerReset } from '@caretaker/contract/calls/actions.ts'
import type { Session } from '@caretaker/contract/session.ts'
import { getClientSettings, getSession } from '@caretaker/contract/session.ts'
import { getCapabilities, getFeatures } from '@caretaker/contract/tenants.ts'
import type { Feature } from '@caretaker/rules/identity/features.ts'
import { featureGroups } from '@caretaker/rules/identity/features.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { openAction } from '../actions/open.ts'
import { forgetUndo } from '../actions/undo.ts'
import { queryClient } from '../api/query-client.ts'
import { reach } from '../api/reach.ts'
import { startSession } from '../api/session.ts'
import { forgetKept } from '../lists/kept.ts'
import { createPortalRouter } from '../router.tsx'
import { UiProvider } from '../ui/provider.tsx'
import { unexpectedErrors } from './console.ts'
import type { ServerAnswer, TestServer } from './network.ts'
import { answer, startServer, stopServer } from './network.ts'

interface Options {
  /** The role in the client of the address; 'Manager' by default. */
  role?: Role
  /** Access rights tags of the user, who is then restricted to them. */
  tags?: string[]
  /** Enabled features; none by default. */
  features?: readonly Feature[]
  capabilities?: { editAccessRightsTags?: boolean; viewProperties?: boolean }
  /** Overrides of the session, for example its clients. */
  session?: Partial<Session>
  signedOut?: boolean
  answers?: readonly ServerAnswer[]
  /** CSS pixels; 1440 by 960 by default. */
  viewport?: { width: number; height: number }
  colourScheme?: 'light' | 'dark'
  /** Keeps the browser storage, as a reload does. */
  isReload?: boolean
  /** Enables animations. */
  hasMotion?: boolean
}

export interface Portal extends TestServer {
  /** Navigates to another address of the portal, like a link. */
  go(address: string): Promise<void>
  /** The path, query and fragment of the portal. */
  address(): string
}

const issuer = 'https://issuer.example'
const clientId = 'portal'

let root: Root | undefined
let host: HTMLElement | undefined

/**
 * Opens the whole portal at an address as a signed-in user: the real router, providers and pages. Calls get the given
 * answers, otherwise the contract's examples. Nothing of a previous test is left.
 */
export async function openPortal(address: string, options: Options = {}): Promise<Portal> {
  await closePortal({ isReload: options.isReload ?? false })
  const { width, height } = options.viewport ?? { width: 1440, height: 960 }
  await page.viewport(width, height)
  await emulateScheme(options.colourScheme ?? 'light', options.hasMotion ? 'no-preference' : 'reduce')
  const server = startServer([...defaultAnswers(address, options), ...(options.answers ?? [])])
  if (!options.signedOut) rememberSignIn()
  history.replaceState(null, '', address)
  const router = createPortalRouter()
  host = document.createElement('div')
  host.id = 'root'
  document.body.append(host)
  root = createRoot(host)
  void startSession()
  root.render(
    <UiProvider>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </UiProvider>,
  )
  return {
    ...server,
    go: (to) => router.navigate({ href: to }),
    address: () => router.state.location.href,
  }
}

/** Removes everything a test has left: page, requests, storage and announcements. */
export async function closePortal({ isReload = false } = {}): Promise<void> {
  root?.unmount()
  host?.remove()
  root = host = undefined
  const errors = [...stopServer(), ...unexpectedErrors()]
  queryClient.cancelQueries().catch(() => undefined)
  queryClient.clear()
  forgetKept()
  openAction(undefined)
  forgetUndo()
  reach.heard()
  if (!isReload) {
    localStorage.clear()
    sessionStorage.clear()
  }
  const { notifications } = await import('@mantine/notifications')
  notifications.cleanQueue()
  notifications.clean()
  if (errors.length) throw new Error(errors.join('\n'))
}

function rememberSignIn(): void {
  const user = {
    access_token: 'token',
    refresh_token: 'refresh',
    token_type: 'Bearer',
    profile: { sub: 'person', iss: issuer, aud: clientId, exp: 4_102_444_800, iat: 0 },
    expires_at: 4_102_444_800,
  }
  localStorage.setItem(`oidc.user:${issuer}:${clientId}`, JSON.stringify(user))
}

/** The calls that the portal makes before it shows a page. */
function defaultAnswers(address: string, options: Options): ServerAnswer[] {
  const tenant = address.split(/[/?#]/)[1] || 'northgate'
  const on = new Set<string>(options.features)
  const areas = Object.entries(featureGroups).map(([name, features]) => ({
    name,
    features: features.map((feature) => ({ name: feature, isEnabled: on.has(feature) })),
  }))
  const { editAccessRightsTags = true, viewProperties = true } = options.capabilities ?? {}
  return [
    answer(getClientSettings, settings),
    answer(getSession, { ...sessionIn(tenant, options), ...options.session }),
    answer(getFeatures, { areas } as never),
    answer(getCapabilities, {
      devices: { EditAccessRightsTags: editAccessRightsTags },
      properties: { ViewProperties: viewProperties },
    }),
  ]
}

/** The settings of the page, for tests that change some. */
export const settings = {
  oidc: { issuer, clientId, audience: 'https://caretaker.example' },
  appUrl: null,
  resetUrl: boilerReset.path,
  support: { email: 'support@caretaker.example', phone: '0113 496 0000', videos: 'https://caretaker.example/videos' },
  outbound: true,
  map: { styleUrl: null, roadmapTiles: [], satelliteTiles: [], pmtiles: null, attribution: '', sketch: false },
}

/** A client of the session, for tests with several. */
export function clientOf(id: string, more: Partial<Session['tenants'][number]> = {}): Session['tenants'][number] {
  const displayName = `${id.charAt(0).toUpperCase()}${id.slice(1)} Homes`
  const { role = 'Manager', tags = [], ...rest } = more
  return {
    id,
    name: id,
    displayName,
    timeZone: 'Europe/London',
    memberId: 'member',
    role,
    tags,
    suspension: null,
    ...rest,
  }
}

const sessionIn = (tenant: string, { role = 'Manager', tags = [] }: Options): Session => ({
  userId: 'person',
  name: 'Priya Nair',
  email: 'priya@northgate.example',
  pictureUrl: null,
  emailVerified: true,
  removedAt: null,
  tenants: [clientOf(tenant, { role, tags })],
})

export async function emulateScheme(value: 'light' | 'dark', motion = 'reduce'): Promise<void> {
  const features = [
    { name: 'prefers-color-scheme', value },
    { name: 'prefers-reduced-motion', value: motion },
  ]
  await (cdp() as unknown as { send(method: string, sent: object): Promise<void> }).send('Emulation.setEmulatedMedia', {
    features,
  })
}
