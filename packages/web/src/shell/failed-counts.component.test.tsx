import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { getTenantDashboardData } from '@caretaker/contract/dashboard.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { listingNames } from '@caretaker/rules/devices/list.ts'
import { expectTexts } from '../testing/expect.ts'
import { answer, exampleOf } from '../testing/network.ts'
import { openPortal } from '../testing/portal.tsx'
import { sidebar } from '../testing/screen.ts'

const none = { total: 9, pass: 9, fail: 0, warn: 0, inventory: 0, installed: 9 }
const counts = answer(getTenantDashboardData, {
  ...exampleOf(getTenantDashboardData),
  listings: {
    ...(Object.fromEntries(listingNames.map((name) => [name, none])) as Record<ListingName, typeof none>),
    ...{ EmergencyLights: { ...none, fail: 20 }, NetworkingDevices: { ...none, fail: 2 } },
    ...{ Boilers: { ...none, fail: 1204 } },
  },
  homesNeedingAttention: 0,
})
const needing = (count: number) =>
  answer(getTenantDashboardData, {
    ...exampleOf(getTenantDashboardData),
    listings: Object.fromEntries(listingNames.map((name) => [name, none])) as Record<ListingName, typeof none>,
    homesNeedingAttention: count,
  })
const link = (name: string) => sidebar.getByRole('link', { name, exact: true })
const figures = sidebar.getByCss('[data-failed]')

test('the sidebar shows the number of failed devices per listing, and the sum for a collapsed group', async () => {
  await openPortal('/northgate/Support', { answers: [counts] })
  await expectTexts(figures, ['22', '1,204'])
  await expect.element(link('Boilers')).toHaveAttribute('aria-description', '1,204 failed')
  await expect.element(link('V-Stats')).not.toHaveAttribute('aria-description')
  await sidebar.getByRole('button', { name: 'Lighting' }).click()
  await expectTexts(figures, ['20', '2', '1,204'])
  await page.getByRole('button', { name: 'Collapse menu' }).click()
  await expect.element(link('Boilers')).toHaveAttribute('title', 'Boilers, 1,204 failed')
})

test('failures are not shown to users without access to the listing', async () => {
  await openPortal('/northgate/Support', { role: 'LightingEngineer', answers: [counts] })
  await sidebar.getByRole('button', { name: 'Lighting' }).click()
  await expectTexts(figures, ['20', '2'])
})

test.each([
  [12, '12 need attention'],
  [1, '1 needs attention'],
])('the sidebar shows how many properties need attention: %i', async (count, words) => {
  await openPortal('/northgate/Support', { features: ['PropertyCentric'], answers: [needing(count)] })
  await expectTexts(figures, [String(count)])
  await expect.element(link('Properties')).toHaveAttribute('aria-description', words)
})

test('the sidebar has no figure if no property needs attention', async () => {
  await openPortal('/northgate/Support', { features: ['PropertyCentric'], answers: [needing(0)] })
  await expect.element(link('Properties')).toBeVisible()
  await expect.element(link('Properties')).not.toHaveAttribute('aria-description')
})
