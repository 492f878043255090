import type { Page } from '@playwright/test'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import type { Device, ViewData } from '@caretaker/contract/devices.ts'
import { getTenantDashboardData } from '@caretaker/contract/dashboard.ts'
import { fetchViewData, getEmered } from '@caretaker/contract/devices.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { severityOf } from '@caretaker/rules/devices/status.ts'
import { ask } from './fixtures/api.ts'
import { boilersAddress, rowIds, rows } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'
const header = (page: Page, name: string) => page.getByRole('columnheader', { name })
const pages = (page: Page) => page.getByRole('navigation', { name: 'Pages' })
const heading = (page: Page) => page.getByRole('heading', { level: 1 })

const addressOf = (listing: ListingName) => (listing === 'Boilers' ? boilersAddress : `/northgate/${listing}`)

async function view(page: Page, body: Parameters<typeof ask<typeof fetchViewData>>[2]['body']): Promise<ViewData> {
  return (await ask(page, fetchViewData, { body })).data as ViewData
}

/** The address of the listing page that contains a device, by serial number. */
async function pageWith(page: Page, listing: ListingName, deviceId: string): Promise<string> {
  for (let number = 1; ; number++) {
    const { rows: found, total } = await view(page, {
      tenant: 'northgate',
      listing,
      sorts: [{ fieldId: 'serial' }],
      page: number,
    })
    const address = `${addressOf(listing)}?sort=serial${number > 1 ? `&page=${number}` : ''}`
    if (found.some((row) => row.deviceId === deviceId)) return address
    expect(number * 100, 'the device is on one of the pages').toBeLessThan(total)
  }
}

for (const [kind, listing, products] of [
  ['emergency lights', 'EmergencyLights', ['EM', 'EL']],
  ['boiler controllers', 'Boilers', ['BX', 'BC']],
  ['heat pumps', 'Bcms', ['ASHP']],
  ['networking devices', 'NetworkingDevices', ['MG', 'ZG', 'ZR']],
  ['third-party devices', 'ThirdParty', ['ADEY']],
] as const)
  test(`${kind} are found in the listing ${listing} [dev-1purpose-2]`, async ({ pageOf }) => {
    const page = await pageOf(manager)
    await page.goto(addressOf(listing))
    await expect(rows(page)).not.toHaveCount(0)
    for (const product of products) {
      const filters = [{ fieldId: 'product' as const, filterOp: 'equals' as const, value: product }]
      const [wanted] = (await view(page, { tenant: 'northgate', listing, filters })).rows
      expect(wanted, product).toBeDefined()
      await page.getByRole('searchbox', { name: 'Search this view' }).fill(wanted!.deviceSerial)
      await expect(rows(page)).toHaveCount(1)
      await expect(rows(page).first()).toContainText(wanted!.deviceSerial)
      expect(await rowIds(page)).toEqual([wanted!.deviceId])
    }
  })

test('without a chosen order, the most severe come first, across all pages [core-4.1-13 dev-2list-30]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/EmergencyLights')
  await expect(rows(page).first()).toContainText('Failed')
  let total!: number
  // Other tests may add a row, which shifts the following pages.
  await expect(async () => {
    ;({ total } = await view(page, { tenant: 'northgate', listing: 'EmergencyLights' }))
    const all: number[] = []
    for (let number = 1; (number - 1) * 100 < total; number++) {
      const read = await view(page, { tenant: 'northgate', listing: 'EmergencyLights', page: number })
      all.push(...read.rows.map((row) => severityOf(row.deviceStatus)))
    }
    expect(all).toHaveLength(total)
    expect(all).toEqual(all.toSorted((a, b) => b - a))
    expect(new Set(all).size).toBeGreaterThanOrEqual(5)
  }).toPass({ timeout: 15_000 })
  const last = Math.ceil(total / 100)
  await pages(page)
    .getByRole('button', { name: `Page ${last}` })
    .click()
  await expect(async () => {
    ;({ total } = await view(page, { tenant: 'northgate', listing: 'EmergencyLights' }))
    await expect(rows(page)).toHaveCount(total - (last - 1) * 100, { timeout: 2000 })
  }).toPass({ timeout: 15_000 })
  await expect(rows(page).last()).toContainText(/Not installed|Disposed/)
})

test('if personal data is hidden, listings show no address [core-5-31 dev-2list-42]', async ({ pageOf }) => {
  const address = /\d+ [A-Z][a-z]+ [A-Z][a-z]+, [A-Z][a-z]+/
  for (const [email, tenant, isHidden] of [
    ['manager@meridian.example', 'meridian', true],
    [manager, 'northgate', false],
  ] as const) {
    const page = await pageOf(email)
    await page.goto(`/${tenant}/Boilers/Listing/boiler-main`)
    await expect(rows(page)).not.toHaveCount(0)
    await expect(header(page, 'Serial')).toBeVisible()
    await expect(header(page, 'Address')).toHaveCount(isHidden ? 0 : 1)
    const shown = (await rows(page).allInnerTexts()).join()
    if (isHidden) expect(shown).not.toMatch(address)
    else expect(shown).toMatch(address)
    const { rows: sent } = await view(page, { tenant, listing: 'Boilers' })
    expect(sent.every((row) => row.deviceBuildingAddress === null)).toBe(isHidden)
  }
})

for (const [listing, device, ids] of [
  ['EmergencyLights', demoDevices.failedT180, 'core-2.5-5 dev-2list-15 dev-2detail-24'],
  ['Boilers', demoDevices.boilerLockout, 'core-2.5-6 dev-2list-17 dev-2list-24 dev-2detail-24'],
  ['NetworkingDevices', demoDevices.offlineGateway, 'core-2.5-7 dev-2list-16 dev-2detail-24'],
] as const)
  test(`a row of ${listing} opens the device, and going back restores the listing as it was [${ids}]`, async ({
    pageOf,
  }) => {
    const page = await pageOf(manager)
    const address = await pageWith(page, listing, device.deviceId)
    await page.goto(address)
    const row = page.locator(`tr[data-row="${device.deviceId}"]`)
    await row.scrollIntoViewIfNeeded()
    // An empty part of the row is clickable too, not only its link.
    await row
      .getByRole('gridcell')
      .nth(4)
      .click({ position: { x: 3, y: 3 } })
    await expect(page).toHaveURL(`/northgate/${listing}/${device.deviceId}`)
    await expect(heading(page)).toHaveText(device.name)
    await page.goBack()
    await expect(page).toHaveURL(address)
    await expect(row).toBeInViewport()
    await row.getByRole('link').click()
    await expect(heading(page)).toHaveText(device.name)
    await page.getByRole('main').getByRole('link').first().click()
    await expect(page).toHaveURL(address)
    await expect(row).toBeVisible()
  })

test('a user with an access rights tag sees only its devices, in rows, counts and addresses', async ({ pageOf }) => {
  const page = await pageOf('limited@northgate.example')
  const { livelyLight, untaggedLight } = demoDevices
  await page.goto(await pageWith(page, 'EmergencyLights', livelyLight.deviceId))
  await expect(page.locator(`tr[data-row="${livelyLight.deviceId}"]`)).toBeVisible()
  await expect(page.locator(`tr[data-row="${untaggedLight.deviceId}"]`)).toHaveCount(0)
  const limited = await view(page, { tenant: 'northgate', listing: 'EmergencyLights' })
  const everybody = await pageOf(manager)
  await everybody.goto(await pageWith(everybody, 'EmergencyLights', untaggedLight.deviceId))
  await expect(everybody.locator(`tr[data-row="${untaggedLight.deviceId}"]`)).toBeVisible()
  const unlimited = await view(everybody, { tenant: 'northgate', listing: 'EmergencyLights' })
  expect(limited.total).toBeGreaterThan(0)
  expect(limited.total).toBeLessThan(unlimited.total)
  const ids = await rowIds(page)
  for (const deviceId of [ids[0]!, ids.at(-1)!]) {
    const { data } = await ask(page, getEmered, { body: { tenant: 'northgate', deviceId } })
    expect((data as Device).accessRightsTag?.displayName).toBe('East Patch')
  }
  const { data: counts } = await ask(page, getTenantDashboardData, { body: { tenant: 'northgate' } })
  expect(counts).toMatchObject({ emered: { total: limited.total } })
})
