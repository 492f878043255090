import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { colourRules } from '../testing/axe.ts'
import {
  dialog,
  main,
  narrow,
  press,
  region,
  testScreens,
  tooWide,
  turn,
  violations,
} from '../testing/accessible-screens.ts'
import { clientOf, openPortal } from '../testing/portal.tsx'
import { variedAnswers } from '../testing/varied.ts'

const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name })

testScreens([
  {
    name: 'welcome',
    signedOut: true,
    address: '/',
    shows: () => page.getByRole('heading', { name: 'Welcome to Caretaker' }),
  },
  {
    name: 'no client',
    address: '/',
    session: { tenants: [], removedAt: '2026-11-20T10:00:00Z', emailVerified: false },
    shows: () => page.getByRole('heading', { name: 'You no longer have access' }),
  },
  {
    name: 'client selection',
    address: '/',
    session: { tenants: ['northgate', 'harbour', 'meridian'].map((tenant) => clientOf(tenant)) },
    shows: () => page.getByRole('list', { name: 'Clients' }),
  },
  { name: 'dashboard', path: '/$tenant/Dashboard', shows: () => region(/^Boilers/) },
  { name: 'alerts', path: '/$tenant/Alerts', shows: () => page.getByRole('list', { name: 'Open' }) },
  {
    name: 'the alerts behind the bell',
    path: '/$tenant/Support',
    role: 'Manager',
    open: () => press(/^Alerts, \d+ open$/),
    shows: () => page.getByRole('dialog').getByRole('list', { name: 'Open' }).getByRole('listitem').first(),
  },
  { name: 'support', path: '/$tenant/Support', shows: () => page.getByCss('a[href^="mailto:"]').first() },
  { name: 'my account', path: '/$tenant/MyAccount', shows: () => main.getByText('priya@northgate.example').first() },
  { name: 'not found', address: '/northgate/Nothing', shows: () => page.getByText('Not found.') },
  {
    name: 'refused',
    path: '/$tenant/EmergencyLights',
    role: 'BoilerEngineer',
    shows: () => page.getByText("You don't have permission."),
  },
  { name: 'error page', path: '/$tenant/Error', shows: () => heading('Woops') },
])

const phone = { width: 390, height: 844 }

test('the desktop menu and the phone drawer are accessible while open, and fit at 320 px', async () => {
  await openPortal('/northgate/Support', { answers: variedAnswers() })
  const inBoth = async (where: string) => {
    for (const scheme of ['light', 'dark'] as const) {
      await turn(scheme)
      expect.soft(await violations(scheme === 'dark' ? colourRules : undefined), `${where}, ${scheme}`).toEqual([])
    }
  }
  await press(/Logged in as/)
  await expect.element(page.getByRole('menuitem', { name: 'Logout' })).toBeVisible()
  await inBoth('menu')
  await userEvent.keyboard('{Escape}')
  await page.viewport(phone.width, phone.height)
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  await expect.element(dialog('Menu')).toBeVisible()
  await inBoth('drawer')
  await page.viewport(narrow.width, narrow.height)
  await expect.poll(tooWide, { message: 'drawer at 320 px' }).toEqual([])
})
