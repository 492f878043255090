import type { Locator, Page } from '@playwright/test'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import { searchEverything } from '@caretaker/contract/search.ts'
import { ask } from './fixtures/api.ts'
import { dashboard, hold, rows } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'
const { livelyLight, untaggedLight } = demoDevices
const label = 'Search devices, buildings and people'
const searchPath = searchEverything.path

const field = (page: Page): Locator => page.getByRole('combobox', { name: label })
const palette = (page: Page): Locator => page.getByRole('dialog', { name: 'Search' })

test('text typed before the palette has loaded is not lost', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/Users')
  await expect(rows(page)).not.toHaveCount(0)
  // The palette's script has not been requested yet.
  const release = await hold(page, '**/assets/palette-*.js')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('ald')
  release()
  await expect(field(page)).toBeFocused()
  await page.keyboard.type('er')
  await expect(field(page)).toHaveValue('alder')
})

for (const [who, tenant, text, why] of [
  ['limited@northgate.example', 'northgate', untaggedLight.serial, 'nothing without one of their access rights tags'],
  ['manager@harbour.example', 'harbour', livelyLight.serial, 'nothing of another client'],
] as const)
  test(`${who} finds ${why}`, async ({ pageOf }) => {
    const page = await pageOf(who)
    const answer = page.waitForResponse(`**${searchPath}`)
    await page.goto(`/${tenant}/Dashboard`)
    await expect(dashboard(page)).toBeVisible()
    await page.keyboard.press('Control+k')
    await field(page).fill(text)
    const { data } = (await (await answer).json()) as { data: { devices: { items: unknown[] } } }
    expect(data.devices.items).toEqual([])
    await expect(palette(page).getByText(`Nothing found for ‘${text}’`)).toBeVisible()
    await expect(palette(page).getByRole('option')).toHaveCount(0)
  })

test('the search of another client is refused to users outside it', async ({ pageOf }) => {
  const page = await pageOf('manager@harbour.example')
  const { status } = await ask(page, searchEverything, { body: { tenant: 'northgate', search: livelyLight.serial } })
  expect([403, 404]).toContain(status)
})
