import type { Page } from '@playwright/test'
import type { DeviceRow, ViewData } from '@caretaker/contract/devices.ts'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import { exportListing } from '@caretaker/contract/devices.ts'
import { presetStatuses } from '@caretaker/rules/devices/list.ts'
import { ask } from './fixtures/api.ts'
import { newClient } from './fixtures/client.ts'
import { connectDevice } from './fixtures/device.ts'
import { counted, toast } from './fixtures/lists.ts'
import { addDevices } from './fixtures/operator.ts'
import {
  bend,
  boilersAddress,
  focusedRow,
  focusIn,
  hold,
  rowIds,
  rows,
  stillLists,
  withoutStream,
} from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'
const lights = '/northgate/EmergencyLights'
const main = (page: Page) => page.getByRole('main')
const refused = (page: Page) => main(page).getByText("You don't have permission.")
const header = (page: Page, name: string) => page.getByRole('columnheader', { name })
const headers = (page: Page) => page.locator('th[data-column]:not([data-column^=":"])')
const chips = (page: Page) => page.getByRole('group', { name: 'Filters' })
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search this view' })
const pages = (page: Page) => page.getByRole('navigation', { name: 'Pages' })
const box = (page: Page, at: number) => rows(page).nth(at).getByRole('checkbox')
const bar = (page: Page) => page.getByRole('toolbar', { name: 'Selected devices' })
const select = (page: Page) => page.getByRole('checkbox', { name: 'Select page' })

/** For what is looked at again. */
const soon = { timeout: 5000 }

async function view(page: Page, body: Parameters<typeof ask<typeof fetchViewData>>[2]['body']): Promise<ViewData> {
  return (await ask(page, fetchViewData, { body })).data as ViewData
}

const filtersText = (filters: unknown) => `filters=${encodeURIComponent(JSON.stringify(filters))}`

for (const [listing, root, ids] of [
  ['EmergencyLights', 'emered', 'core-2.4-13 dev-2list-1'],
  ['Boilers', 'boiler', 'core-2.4-29 dev-2list-2'],
  ['NetworkingDevices', 'networking', 'core-2.4-17 dev-2list-3'],
  ['ThirdParty', 'thirdParty', 'core-2.4-41 dev-2list-4'],
] as const)
  test(`an address of ${listing} names the view that is applied [${ids}]`, async ({ pageOf }) => {
    const page = await pageOf(manager)
    for (const preset of ['failed', 'inventory', 'installed'] as const) {
      await page.goto(`/northgate/${listing}/Listing/${root}-${preset}`)
      const filters = [{ fieldId: 'status', filterOp: 'anyof' as const, value: [...presetStatuses[preset]] }]
      await expect(chips(page).getByText('Status')).toBeVisible()
      // Others may add one at this moment.
      await expect(async () => {
        const expected = await view(page, { tenant: 'northgate', listing, filters })
        const { outOf } = expected
        expect(expected.total).toBeLessThan(outOf)
        await expect(page.getByRole('banner').or(main(page)).getByText(`of ${outOf}`).first()).toBeVisible(soon)
        await expect(rows(page)).toHaveCount(Math.min(100, expected.total), soon)
        expect((await rowIds(page)).toSorted()).toEqual(expected.rows.map((row) => row.deviceId).toSorted())
      }).toPass({ timeout: 30_000 })
    }
  })

for (const [email, listing, root] of [
  ['boiler@northgate.example', 'EmergencyLights', 'emered'],
  ['lighting@northgate.example', 'Boilers', 'boiler'],
] as const)
  test(`who may not see ${listing} sees no view of it either`, async ({ pageOf }) => {
    const page = await pageOf(email)
    const asked = counted(page, 'POST', '/api/FetchViewData')
    await page.goto(`/northgate/${listing}/Listing/${root}-failed`)
    await expect(refused(page)).toBeVisible()
    await expect(rows(page)).toHaveCount(0)
    expect(asked()).toBe(0)
  })

test('a view that does not exist, or of another listing, leads to the main one, and it says so', async ({ pageOf }) => {
  const page = await pageOf(manager)
  for (const viewId of ['nothing', 'boiler-failed', crypto.randomUUID()]) {
    await page.goto(`${lights}/Listing/${viewId}`)
    await expect(toast(page, 'There is no such view')).toBeVisible()
    await expect(page).toHaveURL(lights)
    await expect(rows(page)).toHaveCount(100)
  }
})

test("while the views load it says 'Loading Views...' [dev-2list-10]", async ({ pageOf }) => {
  const page = await pageOf(manager)
  const release = await hold(page, '**/api/GetViewDefinitions')
  await page.goto(lights)
  await expect(main(page).getByText('Loading Views...', { exact: true })).toBeVisible()
  release()
  await expect(rows(page)).toHaveCount(100)
  await expect(main(page).getByText('Loading Views...')).toHaveCount(0)
})

test("networking devices without a view read 'No views available', other listings are as they were [dev-2list-9]", async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await bend(page, '**/api/GetViewDefinitions', ({ data }: { data: { views: { root: string }[] } }) => {
    data.views = data.views.filter(({ root }) => root !== 'networking')
  })
  await page.goto('/northgate/NetworkingDevices')
  await expect(main(page).getByText('No views available', { exact: true })).toBeVisible()
  await expect(rows(page)).toHaveCount(0)
  await page.goto(lights)
  await expect(rows(page)).toHaveCount(100)
  await expect(main(page).getByText('No views available')).toHaveCount(0)
})

test('saved views that do not load leave the listing with its own', async ({ pageOf, expectedErrors }) => {
  expectedErrors.push(consoleText(500))
  const page = await pageOf(manager)
  await page.route('**/api/GetViewDefinitions', (route) => route.fulfill({ status: 500, json: {} }))
  await page.goto(`${lights}/Listing/emered-failed`)
  await expect(toast(page, 'The saved views could not be loaded.')).toBeVisible()
  await expect(chips(page).getByText('Failed')).toBeVisible()
  await expect(rows(page)).not.toHaveCount(0)
})

test('rows of API Integration lead nowhere [dev-2list-21]', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/ThirdParty')
  const row = rows(page).first()
  await expect(row).toBeVisible()
  await expect(row.locator('a[data-row-link]')).toHaveCount(0)
  await row.getByRole('gridcell').nth(2).click()
  await focusIn(row)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/northgate/ThirdParty')
  await expect(row).toBeVisible()
})

test('more than eleven pages: three on either side of the current one [dev-2list-32]', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/Boilers')
  const numbers = () =>
    pages(page)
      .getByRole('listitem')
      .evaluateAll((all) => all.map((one) => (one as HTMLElement).innerText.trim()))
  await expect(rows(page)).toHaveCount(25)
  const { total } = await view(page, { tenant: 'northgate', listing: 'Bcms' })
  const last = Math.ceil(total / 25)
  expect(last).toBeGreaterThan(11)
  await page.goto('/northgate/Boilers?page=8')
  await expect(pages(page).getByRole('button', { name: 'Page 8' })).toHaveAttribute('aria-current', 'page')
  expect(await numbers()).toEqual(['1', '…', '5', '6', '7', '8', '9', '10', '11', '…', String(last)])
  // Up to eleven there are all of them.
  await page.goto(lights)
  const { total: few } = await view(page, { tenant: 'northgate', listing: 'EmergencyLights' })
  expect(few).toBeLessThanOrEqual(1100)
  await expect.poll(numbers).toEqual(Array.from({ length: Math.ceil(few / 100) }, (_, at) => String(at + 1)))
})

test('a search finds rows as one types, begins at the first page, and is in the address [dev-2list-33]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto(`${lights}?page=3&sort=serial`)
  await expect(page.getByText('201 - 300 of')).toBeVisible()
  const asked = counted(page, 'POST', '/api/FetchViewData')
  await search(page).pressSequentially('stair', { delay: 20 })
  await expect(page).toHaveURL(`${lights}?sort=serial&search=stair`)
  const part = { listing: 'EmergencyLights', search: 'stair', sorts: [{ fieldId: 'serial' }] } as const
  // Others may add one at this moment.
  await expect(async () => {
    const found = await view(page, { tenant: 'northgate', ...part, sorts: [...part.sorts] })
    expect(found.total).toBeGreaterThan(0)
    await expect(page.getByText(`1 - ${Math.min(100, found.total)} of ${found.total}`)).toBeVisible(soon)
    await expect(page.getByText(`${found.total} of ${found.outOf}`)).toBeVisible(soon)
    expect(await rowIds(page)).toEqual(found.rows.map((row) => row.deviceId))
  }).toPass({ timeout: 30_000 })
  expect(asked(), 'not asked for every letter').toBeLessThan(4)
  await search(page).fill('no such light')
  await expect(page.getByText("No devices match 'no such light'")).toBeVisible()
  await page.getByRole('button', { name: 'Clear search' }).click()
  await expect(search(page)).toHaveValue('')
  await expect(page.getByText('1 - 100 of')).toBeVisible()
})

test('with Shift several columns sort, numbered in their order', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await page.goto(lights)
  await expect(rows(page)).toHaveCount(100)
  await header(page, 'Building').getByRole('button').click()
  await header(page, 'Name')
    .getByRole('button')
    .click({ modifiers: ['Shift'] })
  await header(page, 'Name')
    .getByRole('button')
    .click({ modifiers: ['Shift'] })
  await expect(page).toHaveURL(`${lights}?sort=building%2C-name`)
  await expect(header(page, 'Building')).toHaveAttribute('aria-sort', 'ascending')
  await expect(header(page, 'Name')).toHaveAttribute('aria-sort', 'descending')
  await expect(header(page, 'Building')).toContainText('1')
  await expect(header(page, 'Name')).toContainText('2')
  const sorts = [{ fieldId: 'building' }, { fieldId: 'name', descending: true }]
  const expected = await view(page, { tenant: 'northgate', listing: 'EmergencyLights', sorts })
  await expect.poll(() => rowIds(page)).toEqual(expected.rows.map((row) => row.deviceId))
  // Without Shift one column takes the place of all; pressed a third time the order is the view's own again.
  await header(page, 'Serial').getByRole('button').click()
  await expect(page).toHaveURL(`${lights}?sort=serial`)
  await header(page, 'Serial').getByRole('button').click()
  await header(page, 'Serial').getByRole('button').click()
  await expect(page).toHaveURL(lights)
})

test('filters are chips: added by field and values, changed, taken away one by one or all', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await page.goto(`${lights}?page=2`)
  await expect(page.getByText('101 - 200 of')).toBeVisible()
  const editor = page.getByRole('dialog')
  const add = async (field: string) => {
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await editor.getByRole('button', { name: field, exact: true }).click()
  }
  await add('Status')
  await editor.getByRole('checkbox', { name: 'Failed', exact: true }).check()
  await editor.getByRole('checkbox', { name: 'Device failed', exact: true }).check()
  await editor.getByRole('button', { name: 'Apply' }).click()
  await expect(page).toHaveURL(/EmergencyLights\?filters=/)
  await expect(rows(page)).not.toHaveCount(100)
  for (const text of await rows(page).allInnerTexts()) expect(text).toMatch(/Failed|Device failed/)
  const failed = await rows(page).count()

  await add('Building')
  await editor.getByRole('searchbox').fill('beech hill c')
  await expect(editor.getByRole('checkbox')).toHaveCount(1)
  await editor.getByRole('checkbox', { name: 'Beech Hill Court' }).check()
  await editor.getByRole('button', { name: 'Apply' }).click()
  await expect(chips(page)).toContainText('Buildingis any ofBeech Hill Court'.replace('is any of', 'is'))
  await expect(rows(page)).not.toHaveCount(failed)
  for (const text of await rows(page).allInnerTexts()) expect(text).toContain('Beech Hill Court')

  await chips(page)
    .getByRole('button', { name: /^Building/ })
    .click()
  await editor.getByRole('combobox').selectOption({ label: 'is none of' })
  await editor.getByRole('button', { name: 'Apply' }).click()
  await expect(chips(page)).toContainText('Buildingis notBeech Hill Court')
  await expect.poll(async () => (await rows(page).allInnerTexts()).join()).not.toContain('Beech Hill Court')

  await add('Last test')
  await editor.getByLabel('From').fill('2026-11-01')
  await editor.getByLabel('To').fill('2026-10-01')
  await expect(editor.getByText('The end is before the beginning')).toBeVisible()
  await editor.getByLabel('To').fill('2026-11-30')
  await editor.getByRole('button', { name: 'Apply' }).click()
  await expect(chips(page)).toContainText('01/11/2026 – 30/11/2026')

  await add('In wholesale')
  await editor.getByRole('radio', { name: 'No' }).check()
  await editor.getByRole('button', { name: 'Apply' }).click()
  await expect(chips(page)).toContainText('In wholesaleisNo')

  // The link is the list.
  const ids = await rowIds(page)
  await page.reload()
  await expect(chips(page)).toContainText('In wholesaleisNo')
  await expect.poll(() => rowIds(page)).toEqual(ids)
  await page.getByRole('button', { name: 'Remove filter Building' }).click()
  await expect(chips(page)).not.toContainText('Beech Hill Court')
  await page.goBack()
  await expect(chips(page)).toContainText('Beech Hill Court')
  await page.getByRole('button', { name: 'Clear all' }).click()
  await expect(page).toHaveURL(lights)
  await expect(rows(page)).toHaveCount(100)
})

test('what an address names that nothing is called is left out, and it says so', async ({ pageOf }) => {
  const page = await pageOf(manager)
  const filters = filtersText([
    { fieldId: 'colour', value: 'red' },
    { fieldId: 'status', filterOp: 'anyof', value: ['FailedEquipment'] },
  ])
  await page.goto(`${lights}?${filters}&sort=colour,-name&columns=serial,colour,latitude,name&page=-4&size=7`)
  await expect(toast(page, "There is no field 'colour' here")).toBeVisible()
  await expect(chips(page)).toContainText('Failed')
  await expect(header(page, 'Name')).toHaveAttribute('aria-sort', 'descending')
  await expect(headers(page)).toHaveText(['Serial', 'Name'])
  await expect(page).toHaveURL(/columns=serial%2Cname$/)
  for (const nonsense of ['filters=%7B', 'filters=[[[', 'sort=,,,', 'columns=', 'page=1e99', 'search[]=x']) {
    await page.goto(`${lights}?${nonsense}`)
    await expect(rows(page), nonsense).toHaveCount(100)
  }
})

test('columns are shown, hidden, moved by keys and by dragging, and reset; what is no column is not offered [core-3-36]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto(lights)
  await expect(rows(page)).toHaveCount(100)
  const own = await headers(page).allInnerTexts()
  await page.getByRole('button', { name: 'Columns' }).click()
  const menu = page.getByRole('dialog', { name: 'Columns' })
  await expect(menu.getByRole('checkbox', { name: 'Postcode' })).toBeVisible()
  await expect(menu.getByRole('checkbox', { name: /latitude|longitude/i })).toHaveCount(0)
  await menu.getByRole('checkbox', { name: 'Room' }).check()
  await menu.getByRole('checkbox', { name: 'Address' }).uncheck()
  const changed = [...own.filter((name) => name !== 'Address'), 'Room']
  await expect(headers(page)).toHaveText(changed)
  await menu.getByRole('button', { name: 'Move Name' }).press('ArrowUp')
  await expect(headers(page)).toHaveText(['Name', 'Serial', ...changed.slice(2)])
  const grip = (await menu.getByRole('button', { name: 'Move Room' }).boundingBox())!
  const top = (await menu.getByRole('button', { name: 'Move Name' }).boundingBox())!
  await page.mouse.move(grip.x + 8, grip.y + 8)
  await page.mouse.down()
  await page.mouse.move(top.x + 8, top.y + 8, { steps: 8 })
  await page.mouse.up()
  await expect(headers(page)).toHaveText(['Room', 'Name', 'Serial', ...changed.slice(2, -1)])
  await page.keyboard.press('Escape')
  await page.reload()
  await expect(headers(page).first()).toHaveText('Room')
  await page.getByRole('button', { name: 'Columns' }).click()
  await menu.getByRole('button', { name: 'Reset' }).click()
  await expect(headers(page)).toHaveText(own)
  await expect(page).toHaveURL(lights)
})

test('where personal data is hidden neither address nor postcode can be a column or a filter [core-5-31 core-5-32]', async ({
  pageOf,
}) => {
  for (const [email, tenant, isHidden] of [
    ['manager@meridian.example', 'meridian', true],
    [manager, 'northgate', false],
  ] as const) {
    const page = await pageOf(email)
    await page.goto(`/${tenant}/EmergencyLights?columns=serial,postcode,address`)
    await expect(headers(page)).toHaveText(isHidden ? ['Serial'] : ['Serial', 'Postcode', 'Address'])
    await page.getByRole('button', { name: 'Columns' }).click()
    const menu = page.getByRole('dialog', { name: 'Columns' })
    await expect(menu.getByRole('checkbox', { name: 'Building' })).toBeVisible()
    for (const name of ['Postcode', 'Address'])
      await expect(menu.getByRole('checkbox', { name })).toHaveCount(isHidden ? 0 : 1)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    for (const name of ['Postcode', 'Address'])
      await expect(page.getByRole('dialog').getByRole('button', { name })).toHaveCount(isHidden ? 0 : 1)
  }
})

test('rows stay selected over pages, orders and a device page; Shift selects a run, and all of the listing can be [dev-2list-36]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto(`${lights}?sort=serial`)
  await expect(rows(page)).toHaveCount(100)
  const ids = await rowIds(page)
  await box(page, 1).click()
  await box(page, 4).click({ modifiers: ['Shift'] })
  await expect(bar(page)).toContainText('4 selected')
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(page.getByText('101 - 200 of')).toBeVisible()
  await expect(page.locator('tr[aria-selected="true"]')).toHaveCount(0)
  await box(page, 0).click()
  await expect(bar(page)).toContainText('5 selected')
  await page.getByRole('button', { name: 'Previous page' }).click()
  await expect(page.locator('tr[aria-selected="true"]')).toHaveCount(4)
  expect(
    await page
      .locator('tr[aria-selected="true"]')
      .evaluateAll((all) => all.map((row) => (row as HTMLElement).dataset['row'])),
  ).toEqual(ids.slice(1, 5))
  // There and back again.
  await rows(page).nth(8).getByRole('link').click()
  await expect(page).toHaveURL(`${lights}/${ids[8]}`)
  await page.goBack()
  await expect(bar(page)).toContainText('5 selected')
  await expect(box(page, 3)).toBeChecked()
  await select(page).check()
  await expect(bar(page)).toContainText('101 selected')
  const { total } = await view(page, { tenant: 'northgate', listing: 'EmergencyLights' })
  await page.getByRole('button', { name: `Select all ${total}` }).click()
  await expect(bar(page)).toContainText(`${total} selected`)
  await select(page).uncheck()
  await expect(bar(page)).toContainText(`${total - 100} selected`)
  await bar(page).getByRole('button', { name: 'Clear selection' }).click()
  await expect(bar(page)).toHaveCount(0)
})

test('a row that one may only read cannot be selected, by box, key or page [dev-2list-37]', async ({ pageOf }) => {
  const page = await pageOf('boiler@northgate.example')
  await page.goto(`${boilersAddress}?sort=propertyReference`)
  await expect(rows(page)).toHaveCount(100)
  const sorts = [{ fieldId: 'propertyReference' }]
  const { rows: read } = await view(page, { tenant: 'northgate', listing: 'Boilers', sorts })
  const readOnly = read.filter((row) => row.userHasReadOnlyAccess)
  const own = read.filter((row) => !row.userHasReadOnlyAccess)
  expect(readOnly.length).toBeGreaterThan(0)
  expect(own.length).toBeGreaterThan(0)
  const row = (one: DeviceRow) => page.locator(`tr[data-row="${one.deviceId}"]`)
  await expect(row(readOnly[0]!).getByRole('checkbox')).toBeDisabled()
  await expect(row(own[0]!).getByRole('checkbox')).toBeEnabled()
  await row(readOnly[0]!).getByRole('checkbox').click({ force: true })
  await focusIn(row(readOnly[0]!))
  await page.keyboard.press(' ')
  await expect(page.locator('tr[aria-selected="true"]')).toHaveCount(0)
  await select(page).check()
  await expect(bar(page)).toContainText(`${own.length} selected`)
  await expect(page.locator('tr[aria-selected="true"]')).toHaveCount(own.length)
  // A guest can change none of them: there is nothing to select by.
  const guest = await pageOf('guest@northgate.example')
  await guest.goto(boilersAddress)
  await expect(rows(guest)).toHaveCount(100)
  await expect(guest.getByRole('checkbox')).toHaveCount(0)
})

test('a pinned row stays at the top on every page', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await stillLists(page)
  await page.goto(`${lights}?sort=serial`)
  await expect(rows(page)).toHaveCount(100)
  const id = (await rowIds(page))[6]!
  await rows(page).nth(6).getByRole('button', { name: 'Pin row' }).click()
  await expect(rows(page).first()).toHaveAttribute('data-row', id)
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(page.getByText('101 - 200 of')).toBeVisible()
  await expect(rows(page)).toHaveCount(101)
  await expect(rows(page).first()).toHaveAttribute('data-row', id)
  await rows(page).first().getByRole('button', { name: 'Unpin row' }).click()
  await expect(rows(page)).toHaveCount(100)
})

test('the keys select and leaf: space, Shift and space, page up and down', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await stillLists(page)
  await page.goto(lights)
  await expect(rows(page)).toHaveCount(100)
  await focusIn(rows(page).first())
  await page.keyboard.press(' ')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Shift+ ')
  await expect(bar(page)).toContainText('3 selected')
  await page.keyboard.press('PageDown')
  const at = () => focusedRow(page)
  const down = await at()
  expect(down).toBeGreaterThan(8)
  await page.keyboard.press('PageUp')
  expect(await at()).toBe(2)
  await page.keyboard.press('Control+End')
  await page.keyboard.press('PageDown')
  expect(await at()).toBe(99)
})

test('while rows are selected or a dialog is open newer data waits behind a dot, and is shown when asked for or when idle [dev-2list-36 dev-2list-39 dev-2list-41]', async ({
  page,
}) => {
  await page.clock.install()
  await withoutStream(page)
  const { tenant } = await newClient(page, 'Waiting Lettings')
  const devices = await addDevices(tenant, 3, '--product', 'EM')
  await page.goto(`/${tenant}/EmergencyLights?sort=serial`)
  await expect(rows(page)).toHaveCount(3)
  const order = await rowIds(page)
  const dot = page.getByText('Newer data is waiting')
  const device = await connectDevice(devices.find(({ deviceId }) => deviceId === order[1])!)
  // What a device is, is derived a moment after it spoke: the page polls until it was told that only so many never did.
  const refresh = async (silent: number) => {
    await expect(async () => {
      const fetched = page.waitForResponse('**/api/FetchViewData', { timeout: 5000 })
      await page.clock.runFor(10_000)
      expect((await (await fetched).text()).match(/"neverconnected"/g)).toHaveLength(silent)
    }).toPass()
  }
  await expect(dot).toHaveCount(0)
  await box(page, 0).click()
  await device.say('state', { firmware: '1.0.0' })
  await refresh(2)
  await expect(dot).toHaveCount(1)
  await expect(rows(page).nth(1)).toContainText('Never connected')
  await page.getByRole('button', { name: 'Update' }).click()
  await expect(dot).toHaveCount(0)
  await expect(rows(page).nth(1)).not.toContainText('Never connected')
  await expect(box(page, 0)).toBeChecked()

  // Idle again: what waited is there by itself.
  await device.end()
  const other = await connectDevice(devices.find(({ deviceId }) => deviceId === order[2])!)
  await other.say('state', { firmware: '1.0.0' })
  await refresh(1)
  await expect(dot).toHaveCount(1)
  await expect(rows(page).nth(2)).toContainText('Never connected')
  await bar(page).getByRole('button', { name: 'Clear selection' }).click()
  await expect(rows(page).nth(2)).not.toContainText('Never connected')
  await expect(dot).toHaveCount(0)
  await other.end()
})

test('a listing is saved as CSV in the columns that are shown, all of its rows and no others [core-7.1-24 core-7.1-25]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto(`${lights}/Listing/emered-warning?columns=name,serial,status&sort=serial`)
  await expect(rows(page)).not.toHaveCount(0)
  const inAll = async () => {
    const filters = [{ fieldId: 'status' as const, filterOp: 'anyof' as const, value: [...presetStatuses.warning] }]
    return (await view(page, { tenant: 'northgate', listing: 'EmergencyLights', filters })).total
  }
  const before = await inAll()
  await page.getByRole('button', { name: 'Export' }).click()
  const download = page.waitForEvent('download')
  const answer = page.waitForResponse(`**${exportListing.path}`)
  await page.getByRole('menuitem', { name: 'CSV' }).click()
  const file = await download
  const response = await answer
  expect(response.request().postDataJSON()).toMatchObject({ tenant: 'northgate' })
  const name = /filename="(.+)"/.exec(response.headers()['content-disposition']!)![1]!
  expect(name).toMatch(/^\d{4}-\d{2}-\d{2}-EmergencyLights\.csv$/)
  expect(file.suggestedFilename()).toBe(name)
  const { readFile } = await import('node:fs/promises')
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n')
  expect(lines[0]).toContain('Name')
  // Others may add one at this moment.
  expect([before, await inAll()]).toContain(lines.length - 1)
  const serials = await rows(page).evaluateAll((all) =>
    all.map((row) => (row as HTMLTableRowElement).cells[2]!.innerText),
  )
  for (const [at, serial] of serials.entries()) expect(lines[at + 1]).toContain(serial)
})

test('on a phone filters are in a drawer, and it fits 320 pixels', async ({ pageOf }) => {
  const page = await pageOf(manager, { viewport: { width: 320, height: 700 }, hasTouch: true })
  await page.goto(lights)
  await expect(rows(page)).toHaveCount(100)
  await page.getByRole('button', { name: 'Filters' }).click()
  const drawer = page.getByRole('dialog', { name: 'Filters' })
  await drawer.getByRole('checkbox', { name: 'Failed', exact: true }).check()
  const { total } = await view(page, {
    tenant: 'northgate',
    listing: 'EmergencyLights',
    filters: [{ fieldId: 'status', filterOp: 'anyof', value: ['FailedEquipment'] }],
  })
  await drawer.getByRole('button', { name: `Show ${total}`, exact: true }).click()
  await expect(drawer).toHaveCount(0)
  await expect(rows(page)).toHaveCount(total)
  await expect(page.getByRole('button', { name: 'Filters' })).toContainText('1')
  await rows(page).first().getByRole('checkbox').check()
  await expect(bar(page)).toContainText('1 selected')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
  for (const name of ['Filters', 'Update', 'Export'])
    expect((await page.getByRole('button', { name }).boundingBox())!.height).toBeGreaterThanOrEqual(40)
})

test('back restores page, filters and scroll of a listing', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await stillLists(page)
  const filters = filtersText([{ fieldId: 'status', filterOp: 'anyof', value: ['Ok'] }])
  await page.goto(`${lights}?${filters}&sort=-serial&page=2`)
  await expect(page.getByText('101 - 200 of')).toBeVisible()
  const scroller = page.locator('[data-scroll-restoration-id]')
  await rows(page).nth(70).scrollIntoViewIfNeeded()
  const before = await scroller.evaluate((element) => element.scrollTop)
  expect(before).toBeGreaterThan(500)
  const row = rows(page).nth(70)
  const id = await row.getAttribute('data-row')
  await row.getByRole('link').click()
  await expect(page).toHaveURL(`${lights}/${id}`)
  await page.goBack()
  await expect(row).toHaveAttribute('data-row', id!)
  await expect.poll(() => scroller.evaluate((element) => element.scrollTop)).toBe(before)
  await expect(chips(page)).toContainText('Passed')
  // Another page begins at its top.
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(page.getByText('201 - 300 of')).toBeVisible()
  await expect.poll(() => scroller.evaluate((element) => element.scrollTop)).toBe(0)
})
