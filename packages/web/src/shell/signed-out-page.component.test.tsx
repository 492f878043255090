import { createRoot } from 'react-dom/client'
import { flushSync } from 'react-dom'
import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { getClientSettings, getSession } from '@caretaker/contract/session.ts'
import { expectNoViolations } from '../testing/axe.ts'
import { expectCount } from '../testing/expect.ts'
import type { ServerAnswer } from '../testing/network.ts'
import { answer, cut, hold, startServer } from '../testing/network.ts'
import { closePortal, settings } from '../testing/portal.tsx'
import { applyStoredScheme } from '../ui/stored-scheme.ts'
import { drawn } from '../ui/draw.ts'
import { writeTokens } from '../ui/write-tokens.ts'
import { EntranceFrame } from './entrance-frame.tsx'
import { OutboundNote } from './outbound-note.tsx'
import { openSignedOutPage } from './signed-out-page.tsx'
import { WelcomeStep } from './welcome-step.tsx'

const login = page.getByRole('button', { name: 'Login' })
const welcome = page.getByRole('heading', { name: 'Welcome to Caretaker' })

let host: HTMLElement | undefined

/** Opens the welcome screen that is shown without the application. */
async function open(address: string, ...answers: ServerAnswer[]) {
  await closePortal()
  const server = startServer(answers)
  history.replaceState(null, '', address)
  writeTokens()
  applyStoredScheme()
  host = document.createElement('div')
  host.id = 'root'
  document.body.append(host)
  void openSignedOutPage(host)
  return server
}

afterEach(() => {
  host?.remove()
  document.head.lastElementChild?.remove()
})

test.each(['/', '/northgate/Boilers?page=2#row', '/nowhere/at/all'])(
  'at %s the welcome screen with Login needs no application and asks for nothing of a client [core-2.1-3 core-2.1-4]',
  async (address) => {
    const server = await open(address, answer(getClientSettings, settings))
    await expect.element(welcome).toBeVisible()
    await expect.element(login).toBeEnabled()
    await expectCount(page.getByText(/northgate/i), 0)
    await expectCount(page.getByRole('note'), 0)
    expect(server.sentTo(getSession)).toEqual([])
    expect(document.title).toBe('Welcome – Caretaker')
    expect(location.pathname + location.search + location.hash).toBe(address === '/' ? '/Dashboard' : address)
    await expectNoViolations()
  },
)

test('until it is known where to sign in there is a loading state [core-2.1-2]', async () => {
  const pending = hold(getClientSettings, answer(getClientSettings, { ...settings, outbound: false }))
  await open('/northgate/Dashboard', pending)
  await expect.element(page.getByText('Loading ...')).toBeVisible()
  await expectCount(login, 0)
  pending.release()
  await expect.element(login).toBeVisible()
  await expect.element(page.getByRole('note', { name: 'Outbound messages' })).toBeVisible()
})

test('without a connection the page shows that and tries again', async () => {
  const server = await open('/', cut(getClientSettings))
  await expect.element(page.getByText('The server cannot be reached.')).toBeVisible()
  await expectCount(login, 0)
  server.use(answer(getClientSettings, settings))
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect.element(login).toBeVisible()
})

test('a sign-in that cannot start is reported, and Login works again', async () => {
  await open(
    '/northgate/Boilers',
    answer(getClientSettings, { ...settings, oidc: { ...settings.oidc, issuer: 'no address' } }),
  )
  await login.click()
  await expect.element(page.getByRole('status')).toHaveTextContent('Signing in did not work. Please try again.')
  await expect.element(login).toBeEnabled()
  await expect.element(login).toHaveFocus()
  expect(location.pathname).toBe('/northgate/Boilers')
})

test('it looks as in the application', () => {
  const content = (
    <EntranceFrame pictureOnPhone link="a" note={<OutboundNote />}>
      <WelcomeStep notice={{ kind: 'failed', reason: 'locked' }} isLeaving={false} onLogin={() => undefined} />
    </EntranceFrame>
  )
  host = document.createElement('div')
  const [byReact, byUs] = [document.createElement('div'), document.createElement('div')]
  const root = createRoot(byReact)
  flushSync(() => root.render(content))
  byUs.append(...drawn(content))
  expect(byUs.isEqualNode(byReact), byUs.innerHTML).toBe(true)
  root.unmount()
})
