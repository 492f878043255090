import type { Page } from '@playwright/test'
import { dayAt, dayText, wallTime } from '@caretaker/rules/calendar/days.ts'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import type { Device, ViewData } from '@caretaker/contract/devices.ts'
import { getTenantDashboardData } from '@caretaker/contract/dashboard.ts'
import { fetchViewData, getEmered } from '@caretaker/contract/devices.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { severityOf } from '@caretaker/rules/devices/status.ts'
import { ask } from './fixtures/api.ts'
import { newClient } from './fixtures/client.ts'
import { connectDevice } from './fixtures/device.ts'
import { addDevices } from './fixtures/operator.ts'
import { boilersAddress, focusedRow, focusIn, rowIds, rows, stillLists } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'
const header = (page: Page, name: string) => page.getByRole('columnheader', { name })
const pages = (page: Page) => page.getByRole('navigation', { name: 'Pages' })
/** The view that is shown. */
const tab = (page: Page) => page.getByRole('main').locator('a[aria-current="page"]')
const heading = (page: Page) => page.getByRole('heading', { level: 1 })
const phone = { viewport: { width: 390, height: 844 } }

/** For what is looked at again. */
const soon = { timeout: 5000 }

const byText = (a: string, b: string) => (a < b ? -1 : 1)

const addressOf = (listing: ListingName) => (listing === 'Boilers' ? boilersAddress : `/northgate/${listing}`)

async function view(page: Page, body: Parameters<typeof ask<typeof fetchViewData>>[2]['body']): Promise<ViewData> {
  return (await ask(page, fetchViewData, { body })).data as ViewData
}

/** The address of the page on which a device is, by serial number. */
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

for (const [listing, label, ids] of [
  ['EmergencyLights', 'Emergency Lights', 'core-2.4-12 dev-2list-5'],
  ['Boilers', 'Boilers', 'dev-2list-6'],
  ['NetworkingDevices', 'Networking Devices', 'core-2.4-16 dev-2list-7'],
  ['ThirdParty', 'API Integration', 'core-2.4-40 dev-2list-8'],
] as const)
  test(`${label} lists the devices that the server has, each with status and connection, 100 a page [core-1-10 ${ids}]`, async ({
    pageOf,
  }) => {
    const page = await pageOf(manager)
    await page.goto(addressOf(listing))
    await expect(heading(page)).toHaveText(label)
    await expect(tab(page)).toHaveText(`System view: ${label}`)
    // Others may add one at this moment.
    await expect(async () => {
      const { total, rows: first } = await view(page, { tenant: 'northgate', listing })
      const shown = Math.min(100, total)
      await expect(rows(page)).toHaveCount(shown, soon)
      await expect(page.getByText(`1 - ${shown} of ${total.toLocaleString('en-GB')}`)).toBeVisible(soon)
      expect((await rowIds(page)).toSorted()).toEqual(first.map((row) => row.deviceId).toSorted())
    }).toPass({ timeout: 30_000 })
    const texts = await rows(page).allInnerTexts()
    for (const text of texts) {
      expect(text).toMatch(/Passed|Warning|Failed|Device failed|Not installed|Disposed/)
      expect(text).toMatch(/Connected|Not connected|Intermittent|Never connected/)
    }
  })

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

test('without a chosen order the most severe come first, over all pages [core-4.1-13 dev-2list-30]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/EmergencyLights')
  await expect(rows(page).first()).toContainText('Failed')
  let total!: number
  // Others may add one at this moment, which moves those of the next pages.
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
  await expect(rows(page)).toHaveCount(total - (last - 1) * 100)
  await expect(rows(page).last()).toContainText(/Not installed|Disposed/)
})

test('the page is in the address, and back and forward turn the pages', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/EmergencyLights')
  await expect(rows(page)).toHaveCount(100)
  const first = await rowIds(page)
  await expect(page.getByRole('button', { name: 'Previous page' })).toBeDisabled()
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(page).toHaveURL('/northgate/EmergencyLights?page=2')
  await expect(page.getByText('101 - 200 of')).toBeVisible()
  const second = await rowIds(page)
  expect(second.filter((id) => first.includes(id))).toEqual([])
  await page.reload()
  await expect(pages(page).getByRole('button', { name: 'Page 2' })).toHaveAttribute('aria-current', 'page')
  await expect.poll(() => rowIds(page)).toEqual(second)
  await page.goBack()
  await expect(page.getByText('1 - 100 of')).toBeVisible()
  await expect.poll(() => rowIds(page)).toEqual(first)
  // An address that makes no sense is the first page.
  await page.goto('/northgate/EmergencyLights?page=-3&sort=nonsense')
  await expect(page.getByText('1 - 100 of')).toBeVisible()
})

test('a column header sorts, again it turns the order round, and the first page is shown [dev-2list-34 dev-2list-35]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  const serials = () =>
    rows(page).evaluateAll((all) => all.map((row) => (row as HTMLTableRowElement).cells[1]!.innerText))
  await page.goto('/northgate/EmergencyLights?page=3')
  await expect(page.getByText('201 - 300 of')).toBeVisible()
  await expect(header(page, 'Serial')).toHaveAttribute('aria-sort', 'none')
  await header(page, 'Serial').getByRole('button').click()
  await expect(page).toHaveURL('/northgate/EmergencyLights?sort=serial')
  await expect(header(page, 'Serial')).toHaveAttribute('aria-sort', 'ascending')
  await expect(page.getByText('1 - 100 of')).toBeVisible()
  const up = await view(page, { tenant: 'northgate', listing: 'EmergencyLights', sorts: [{ fieldId: 'serial' }] })
  await expect.poll(serials).toEqual(up.rows.map((row) => row.deviceSerial))
  const shown = await serials()
  expect(shown).toEqual(shown.toSorted(byText))

  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(page).toHaveURL('/northgate/EmergencyLights?sort=serial&page=2')
  await expect(page.getByText('101 - 200 of')).toBeVisible()
  await header(page, 'Serial').getByRole('button').click()
  await expect(page).toHaveURL('/northgate/EmergencyLights?sort=-serial')
  await expect(header(page, 'Serial')).toHaveAttribute('aria-sort', 'descending')
  await expect(page.getByText('1 - 100 of')).toBeVisible()
  await expect.poll(async () => (await serials())[0]).not.toBe(up.rows[0]?.deviceSerial)
  const down = await serials()
  expect(down).toEqual(down.toSorted(byText).toReversed())
})

test('with 101 devices the second page has one; they refresh in place every 10 s without a reload, and nothing moves [dev-2list-31 dev-2list-39]', async ({
  page,
}) => {
  await page.clock.install()
  const { tenant } = await newClient(page, 'Hundred and One Lettings')
  const devices = await addDevices(tenant, 101, '--product', 'EM')
  const calls: string[] = []
  page.on('request', (request) => {
    if (/ShouldUpdateView|FetchViewData/.test(request.url())) calls.push(request.url().split('/').at(-1)!)
  })
  await page.goto(`/${tenant}/EmergencyLights?page=2&sort=serial`)
  await expect(page.getByText('101 - 101 of 101')).toBeVisible()
  await expect(rows(page)).toHaveCount(1)
  await page.getByRole('button', { name: 'Previous page' }).click()
  await expect(page.getByText('1 - 100 of 101')).toBeVisible()
  await expect(rows(page)).toHaveCount(100)

  const order = await rowIds(page)
  const place = 40
  const watched = rows(page).nth(place)
  await focusIn(watched)
  await expect(watched).toContainText('Never connected')
  const scroller = page.locator('[data-scroll-restoration-id="Emergency Lights"]')
  const scrolled = () => scroller.evaluate((element) => element.scrollTop)
  const before = await scrolled()
  expect(before).toBeGreaterThan(0)

  // Nothing has changed: the question is asked, the rows are not fetched.
  calls.length = 0
  const asked = page.waitForResponse('**/api/ShouldUpdateView')
  await page.clock.runFor(10_000)
  expect(((await (await asked).json()) as { data: unknown }).data).toMatchObject({ shouldUpdate: false })
  expect(calls).toEqual(['ShouldUpdateView'])

  const device = await connectDevice(devices.find(({ deviceId }) => deviceId === order[place])!)
  await device.say('state', { firmware: '1.0.0' })
  const fetched = page.waitForResponse('**/api/FetchViewData')
  await expect(async () => {
    await page.clock.runFor(10_000)
    await expect(watched).not.toContainText('Never connected', { timeout: 1000 })
  }).toPass()
  await fetched
  await expect(watched).toContainText('Connected')
  await expect(rows(page).nth(place + 1)).toContainText('Never connected')
  expect(await rowIds(page)).toEqual(order)
  expect(await focusedRow(page)).toBe(place)
  expect(await scrolled()).toBe(before)
  await device.end()
})

test('a listing that fails to load says so in place of rows, and can be tried again [core-2.7-2 core-8-33 dev-8err-25]', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(500))
  const page = await pageOf(manager)
  await page.route('**/api/FetchViewData', (route) => route.fulfill({ status: 500, json: {} }))
  await page.goto(boilersAddress)
  await expect(page.getByRole('alert').getByText('Failed to Load')).toBeVisible()
  await expect(rows(page)).toHaveCount(0)
  await expect(page.getByText('No devices yet')).toHaveCount(0)
  await page.unroute('**/api/FetchViewData')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(rows(page)).toHaveCount(100)
  await expect(page.getByText('Failed to Load')).toHaveCount(0)
})

test('where personal data is hidden there is no address in a listing [core-5-31 dev-2list-42]', async ({ pageOf }) => {
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
  test(`a row of ${listing} opens the device, and back leads to the listing as it was left [${ids}]`, async ({
    pageOf,
  }) => {
    const page = await pageOf(manager)
    const address = await pageWith(page, listing, device.deviceId)
    await page.goto(address)
    const row = page.locator(`tr[data-row="${device.deviceId}"]`)
    await row.scrollIntoViewIfNeeded()
    // Where no text is: the whole row leads there, not its link alone.
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

test('a listing can be worked with the keys alone: arrows move, Enter opens', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await stillLists(page)
  await page.goto('/northgate/EmergencyLights')
  await expect(rows(page)).toHaveCount(100)
  const ids = await rowIds(page)
  await focusIn(rows(page).first())
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  expect(await focusedRow(page)).toBe(2)
  await page.keyboard.press('Control+End')
  expect(await focusedRow(page)).toBe(99)
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('ArrowDown')
  expect(await focusedRow(page)).toBe(0)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/northgate/EmergencyLights/${ids[1]}`)
})

test('five rows can be pinned above the others, a sixth not [core-2.7-3 core-2.7-4]', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await stillLists(page)
  await page.goto(boilersAddress)
  await expect(rows(page)).toHaveCount(100)
  const ids = await rowIds(page)
  const pin = (id: string) => page.locator(`tr[data-row="${id}"]`).getByRole('button', { name: 'Pin row' })
  const chosen = [ids[9], ids[11], ids[13], ids[15], ids[17]] as string[]
  for (const id of chosen) await pin(id).click()
  expect((await rowIds(page)).slice(0, 5)).toEqual(chosen)
  await expect(page.locator('tr[data-pinned]')).toHaveCount(5)
  const sixth = pin(ids[19]!)
  await expect(sixth).toHaveAttribute('aria-disabled', 'true')
  await sixth.click({ force: true })
  await expect(page.locator('tr[data-pinned]')).toHaveCount(5)
  await page.locator(`tr[data-row="${chosen[0]}"]`).getByRole('button', { name: 'Unpin row' }).click()
  await sixth.click()
  await expect(page.locator('tr[data-pinned]')).toHaveCount(5)
  expect((await rowIds(page)).slice(0, 5)).toEqual([...chosen.slice(1), ids[19]])
})

test('columns are dragged wider and narrower, between 60 and 1200 pixels [dev-2list-38]', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/EmergencyLights')
  await expect(rows(page)).toHaveCount(100)
  const column = header(page, 'Name')
  const width = async () => Math.round((await column.boundingBox())!.width)
  const drag = async (by: number) => {
    const { x, y, width: wide, height } = (await column.boundingBox())!
    await page.mouse.move(x + wide - 2, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(x + wide - 2 + by, y + height / 2, { steps: 5 })
    await page.mouse.up()
  }
  const usual = await width()
  await drag(100)
  await expect.poll(width).toBeGreaterThan(usual + 80)
  await drag(-2000)
  await expect.poll(width).toBe(60)
  await page.setViewportSize({ width: 3000, height: 900 })
  await drag(2500)
  await expect.poll(width).toBe(1200)
})

test('on a phone a row is two lines, the table has no head, and nothing scrolls sideways', async ({ pageOf }) => {
  const page = await pageOf(manager, phone)
  await page.goto(await pageWith(page, 'EmergencyLights', demoDevices.livelyLight.deviceId))
  const row = page.locator(`tr[data-row="${demoDevices.livelyLight.deviceId}"]`)
  await expect(row).toContainText(demoDevices.livelyLight.name)
  await expect(row).toContainText('Passed')
  await expect(row).toContainText(/Connected|Not connected|Intermittent/)
  await expect(page.getByRole('columnheader')).toHaveCount(0)
  const { height } = (await row.boundingBox())!
  expect(height).toBeGreaterThan(44)
  expect(height).toBeLessThan(90)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await row.click()
  await expect(heading(page)).toHaveText(demoDevices.livelyLight.name)
})

test('somebody who carries an access rights tag sees its devices and no others, in rows, counts and addresses', async ({
  pageOf,
}) => {
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

test('a client without devices says so', async ({ page }) => {
  const { tenant } = await newClient(page, 'Empty Lettings')
  await page.goto(`/${tenant}/Boilers`)
  await expect(page.getByText('No devices yet')).toBeVisible()
  await expect(page.getByText('Failed to Load')).toHaveCount(0)
})

test("days and clocks are those of the client's zone, wherever the person sits", async ({ browser }) => {
  test.setTimeout(120_000)
  const zone = 'Pacific/Kiritimati'
  const context = await browser.newContext({ timezoneId: 'America/New_York' })
  const page = await context.newPage()
  const { tenant } = await newClient(page, 'Kiritimati Lettings', { timeZone: zone })
  await addDevices(tenant, 1, '--product', 'EM')
  const { data } = await ask(page, fetchViewData, { body: { tenant, listing: 'EmergencyLights' } })
  const since = Date.parse((data as ViewData).rows[0]!.deviceStatusSince)
  await page.goto(`/${tenant}/EmergencyLights?columns=name,statusSince`)
  await expect(rows(page).first()).toContainText(
    `${dayText(dayAt(since, zone))} ${new Date(wallTime(since, zone)).toISOString().slice(11, 16)}`,
  )
  await page.goto(`/${tenant}/Dashboard`)
  const today = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', timeZone: zone })
  await expect(page.getByText(`${today.format().replace(',', '')}.`)).toBeVisible()
  await context.close()
})
