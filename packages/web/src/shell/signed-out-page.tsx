import type { ReactNode } from 'react'
import type { ClientSettings } from '@caretaker/contract/session.ts'
import { getClientSettings } from '@caretaker/contract/calls/session.ts'
import { redirectToSignIn } from '../api/sign-in-start.ts'
import { drawn } from '../ui/draw.ts'
import { EntranceFrame } from './entrance-frame.tsx'
import { Opening } from './opening.tsx'
import { OutboundNote } from './outbound-note.tsx'
import { nextStep } from './sign-in-redirect.ts'
import { WelcomeStep } from './welcome-step.tsx'

const show = (page: Element, content: ReactNode) => page.replaceChildren(...drawn(content))

/** Shows that the application is loading, or why it could not. */
export function showOpening(page: Element, problem?: string, onRetry?: () => void): void {
  show(page, <Opening {...(problem && { problem })} {...(onRetry && { onRetry })} />)
}

/** The welcome screen of a browser without a signed-in user; it needs neither React nor the application. */
export async function openSignedOutPage(page: Element): Promise<void> {
  const { pathname } = location
  const step = nextStep({ signIn: { state: 'signed out' }, pathname, target: undefined, redirect: undefined })
  if (step) history.replaceState(null, '', step.href)
  showOpening(page)
  const settings = await loadSettings()
  // Another tab has signed in meanwhile, and the application has replaced this page.
  if (!page.isConnected) return
  if (settings) openWelcome(page, settings)
  else showOpening(page, 'The server cannot be reached.', () => void openSignedOutPage(page))
}

async function loadSettings(): Promise<ClientSettings | undefined> {
  try {
    const response = await fetch(getClientSettings.path)
    return response.ok ? ((await response.json()) as ClientSettings) : undefined
  } catch {
    return undefined
  }
}

function openWelcome(page: Element, { oidc, outbound }: ClientSettings): void {
  document.title = 'Welcome – Caretaker'
  const draw = (state: { isLeaving?: boolean; hasFailed?: boolean } = {}) =>
    show(
      page,
      <EntranceFrame pictureOnPhone link="a" note={!outbound && <OutboundNote />}>
        <WelcomeStep
          notice={state.hasFailed ? { kind: 'failed' } : undefined}
          isLeaving={state.isLeaving ?? false}
          onLogin={() => void login()}
        />
      </EntranceFrame>,
    )
  const login = async () => {
    draw({ isLeaving: true })
    const hasFailed = await redirectToSignIn(oidc).then(
      () => false,
      () => true,
    )
    draw({ hasFailed })
    page.querySelector('button')?.focus()
  }
  draw()
}
