import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { getTenantSetup, listTenants } from '@caretaker/contract/tenant-administration.ts'
import { switchFeature } from '@caretaker/contract/tenants.ts'
import { answer, exampleOf } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'
import { button, main, refused, region, tabs } from '../../testing/screen.ts'

const list = '/northgate/Settings/Tenants'
const quarry = { id: 'quarry', name: 'Quarry Homes', timeZone: 'Europe/London', suspension: null, licences: [] }
const setup = answer(getTenantSetup, { ...exampleOf(getTenantSetup), ...quarry })
const flags = region('Features and capabilities').getByRole('switch')

test('an admin can read features and licences but not change them [est-6-13]', async () => {
  await openPortal(`${list}/quarry`, { role: 'Admin', answers: [setup] })
  await expect.element(main.getByText('Read only')).toBeVisible()
  await expect.poll(() => flags.elements().length).toBeGreaterThan(10)
  for (const flag of flags.elements()) expect((flag as HTMLInputElement).disabled).toBe(true)
  await expect.element(button('Add licences')).not.toBeInTheDocument()
  await expect.element(button('Suspend')).toBeVisible()
})

test('a developer can change features and licences', async () => {
  const portal = await openPortal(`${list}/quarry`, { role: 'Developer', answers: [setup] })
  await expect.element(button('Add licences')).toBeVisible()
  await expect.element(main.getByText('Read only')).not.toBeInTheDocument()
  await region('Features and capabilities').getByRole('switch', { name: 'HomeHub' }).click()
  await expect
    .poll(() => portal.sentTo(switchFeature).map(({ params, body }) => [params.tenant, params.feature, body.isEnabled]))
    .toEqual([['quarry', 'HomeHub', true]])
})

test.each(['', '/Add', '/quarry'])(
  'a manager finds no clients, neither among the settings nor at %j [est-6-13]',
  async (at) => {
    const portal = await openPortal('/northgate/Settings')
    await expect.element(tabs.filter({ hasText: /^Tags/ }).first()).toBeVisible()
    await expect.element(tabs.filter({ hasText: 'Tenants' })).not.toBeInTheDocument()
    await portal.go(list + at)
    await expect.element(refused).toBeVisible()
    await expect.element(main.getByRole('textbox')).not.toBeInTheDocument()
    expect([...portal.sentTo(listTenants), ...portal.sentTo(getTenantSetup)]).toEqual([])
    expect(page.getByRole('switch').elements()).toEqual([])
  },
)
