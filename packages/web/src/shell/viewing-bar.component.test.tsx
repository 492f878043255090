import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { viewingEndedText, viewingHeader } from '@caretaker/contract/calls/people.ts'
import type { User } from '@caretaker/contract/people.ts'
import { endViewing, listUsers, startViewing } from '@caretaker/contract/people.ts'
import { getSession } from '@caretaker/contract/session.ts'
import { currentViewing, setViewing } from '../api/viewing-store.ts'
import { expectNoViolations } from '../testing/axe.ts'
import { answer, exampleOf, refuse } from '../testing/network.ts'
import { openPortal } from '../testing/portal.tsx'
import { button, sidebar } from '../testing/screen.ts'

const greta: User = {
  ...{ id: 'greta', name: 'Greta Vale', email: 'greta@mill.example', role: 'Guest', tags: [], accessRightsTag: null },
  ...{ canChange: true, isVendorStaff: false, hasSignedIn: true, isProvisioned: false },
}
const ada: User = { ...greta, id: 'ada', name: 'Ada Marsh', role: 'Manager' }
const viewing = { viewingId: 'v1', name: 'Greta Vale', role: 'Guest' as const, endsAt: '2099-01-01T00:00:00.000Z' }
const bar = page.getByText('You are viewing the portal as Greta Vale (Guest). Nothing can be changed.')
const stop = button('Stop viewing as')

const asGuest = (memberId: string) => {
  const session = exampleOf(getSession)
  const client = {
    ...session.tenants[0]!,
    id: 'northgate',
    name: 'northgate',
    displayName: 'Northgate',
    timeZone: 'Europe/London',
    suspension: null,
  }
  return answer(getSession, { ...session, tenants: [{ ...client, memberId, role: 'Guest' as const, tags: [] }] })
}

test('a manager views the portal as a user with lower rights, and stops by keyboard', async () => {
  const portal = await openPortal('/northgate/Users', {
    answers: [answer(listUsers, { results: [ada, greta] }), answer(startViewing, viewing)],
  })
  await button('More actions: Ada Marsh').click()
  await expect.element(page.getByRole('menuitem', { name: 'View as' })).not.toBeInTheDocument()
  await userEvent.keyboard('{Escape}')
  portal.use(asGuest('greta'))
  await button('More actions: Greta Vale').click()
  await page.getByRole('menuitem', { name: 'View as' }).click()
  await expect.element(bar).toBeVisible()
  await expect.element(sidebar.getByRole('link', { name: 'Dashboard' })).toBeVisible()
  await expect.element(sidebar.getByRole('link', { name: 'Users' })).not.toBeInTheDocument()
  expect(portal.sentTo(startViewing)).toHaveLength(1)
  stop.element().focus()
  await userEvent.keyboard('{Enter}')
  await expect.element(bar).not.toBeInTheDocument()
  expect(portal.sentTo(endViewing).map(({ params }) => params)).toEqual([{ tenant: 'northgate', viewingId: 'v1' }])
  expect(currentViewing()).toBeUndefined()
})

test.each(['light', 'dark'] as const)('the bar is accessible in %s colours and at 320 pixels', async (colourScheme) => {
  setViewing(undefined)
  await openPortal('/northgate/Dashboard', { role: 'Guest', colourScheme, viewport: { width: 320, height: 700 } })
  setViewing({ tenant: 'northgate', ...viewing })
  await expect.element(bar).toBeVisible()
  await expect.element(stop).toBeVisible()
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(320)
  const { bottom } = stop.element().getBoundingClientRect()
  expect(bar.element().scrollHeight).toBeLessThanOrEqual(bar.element().clientHeight + 1)
  expect(bottom).toBeGreaterThan(0)
  await expectNoViolations()
})

test('each call names the view; once the server has ended it, the bar is gone', async () => {
  const portal = await openPortal('/northgate/Dashboard', { role: 'Guest' })
  setViewing({ tenant: 'northgate', ...viewing })
  await expect.element(bar).toBeVisible()
  portal.use(refuse(listUsers, 'forbidden', { message: viewingEndedText }))
  await portal.go('/northgate/Dashboard')
  const { call } = await import('../api/call.ts')
  await expect(call(listUsers, { params: { tenant: 'northgate' } })).rejects.toThrow(viewingEndedText)
  await expect.element(bar).not.toBeInTheDocument()
  expect(viewingHeader).toBe('x-viewing-as')
})

test('a view of another client, and one that is over, end by themselves', async () => {
  const portal = await openPortal('/northgate/Dashboard')
  setViewing({ tenant: 'elsewhere', ...viewing })
  await expect.poll(() => portal.sentTo(endViewing).length).toBe(1)
  expect(currentViewing()).toBeUndefined()
  setViewing({ tenant: 'northgate', ...viewing, endsAt: new Date(Date.now() + 200).toISOString() })
  await expect.poll(() => portal.sentTo(endViewing).length).toBe(2)
})
