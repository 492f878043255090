import type { Page } from '@playwright/test'
import type { ViewData } from '@caretaker/contract/devices.ts'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import { statusCategories } from '@caretaker/rules/devices/status.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import { ask } from './fixtures/api.ts'
import { counted } from './fixtures/lists.ts'
import { bend, boilersAddress, rowIds, rows, sidebar, turnFeature } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'
const main = (page: Page) => page.getByRole('main')
const heading = (page: Page) => page.getByRole('heading', { level: 1 })
const refused = (page: Page) => main(page).getByText("You don't have permission.")
const heating = (page: Page) => page.getByRole('button', { name: /^Heating type/ })
/** What the head says of the rows: the heating type they are narrowed to, and how many there are. */
const shown = (page: Page) => main(page).locator('header').getByRole('status')
const filterText = (filter: unknown) => encodeURIComponent(JSON.stringify(filter))

async function view(page: Page, body: Parameters<typeof ask<typeof fetchViewData>>[2]['body']): Promise<ViewData> {
  return (await ask(page, fetchViewData, { body })).data as ViewData
}

/** The page shows what the server answers, which is asked again: others may add a device at this moment. Gives the answer. */
async function expectRows(page: Page, body: Parameters<typeof view>[1]): Promise<ViewData> {
  let expected!: ViewData
  await expect(async () => {
    expected = await view(page, body)
    expect((await rowIds(page)).toSorted()).toEqual(expected.rows.map((row) => row.deviceId).toSorted())
  }).toPass({ timeout: 15_000 })
  return expected
}

for (const [listing, title, ids] of [
  ['HomeHubs', 'Home hubs', 'core-2.4-35'],
  ['VStats', 'V-Stats', 'core-2.4-37 est-2.4-1'],
  ['MultiDots', 'Multi-dots', 'core-2.4-38'],
  ['Bcms', 'Boilers', 'core-2.4-33'],
] as const)
  test(`${listing} shows its devices, 25 a page, and nobody of another client sees them [${ids}]`, async ({
    pageOf,
  }) => {
    const page = await pageOf(manager)
    await page.goto(`/northgate/${listing}`)
    await expect(heading(page)).toHaveText(title)
    const expected = await expectRows(page, { tenant: 'northgate', listing })
    expect(expected.total).toBeGreaterThan(0)
    const products: readonly string[] = listings[listing].products
    for (const row of expected.rows) expect(products).toContain(row.deviceProductId)
    const stranger = await pageOf('manager@harbour.example')
    const asked: unknown[] = []
    stranger.on('request', (request) => {
      if (request.url().endsWith('/api/FetchViewData'))
        asked.push((request.postDataJSON() as { tenant: string }).tenant)
    })
    await stranger.goto(`/northgate/${listing}`)
    await expect(stranger).toHaveURL(new RegExp(`/harbour/${listing}`))
    await expect(heading(stranger).or(refused(stranger))).toBeVisible()
    expect(asked).not.toContain('northgate')
  })

test('home hubs are a feature: without it neither the link nor the page is there [est-6-11]', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/HomeHubs')
  await expect(rows(page)).not.toHaveCount(0)
  await expect(sidebar(page).getByRole('link', { name: 'Home hubs' })).toBeVisible()
  await turnFeature(page, 'HomeHub', false)
  await page.goto('/northgate/HomeHubs')
  await expect(refused(page)).toBeVisible()
  await expect(rows(page)).toHaveCount(0)
  await expect(sidebar(page).getByRole('link', { name: 'Home hubs' })).toHaveCount(0)
})

test('a page has 25, 50 or 100 rows, 25 unless chosen, and the choice is remembered [dev-9const-1]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/Boilers?page=3')
  await expect(page.getByText('51 - 75 of')).toBeVisible()
  await expect(rows(page)).toHaveCount(25)
  const size = page.getByRole('combobox', { name: 'Rows per page' })
  await expect(size.getByRole('option')).toHaveText(['25', '50', '100'])
  await expect(size).toHaveValue('25')
  for (const count of ['100', '50']) {
    await size.selectOption(count)
    await expect(page.getByText(`1 - ${count} of`)).toBeVisible()
    await expect(rows(page)).toHaveCount(Number(count))
  }
  await page.goto('/northgate/Boilers')
  await expect(rows(page)).toHaveCount(50)
  await expect(size).toHaveValue('50')
  // Another grid keeps its own; device listings have 100 and no choice.
  await page.goto('/northgate/HomeHubs')
  await expect(rows(page)).toHaveCount(25)
  await page.goto('/northgate/EmergencyLights')
  await expect(rows(page)).toHaveCount(100)
  await expect(size).toHaveCount(0)
})

test('Boilers are called that in both their listings, and have a heating-type menu in the newer one [core-2.4-28 dev-2list-11 dev-2list-12 dev-2list-13]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/Boilers')
  await expect(heading(page)).toHaveText('Boilers')
  await heating(page).click()
  await expect(page.getByRole('menuitem')).toHaveText(['BCMs', 'Air Source Heat Pumps', 'Boilers', 'Surveyor Cubes'])
  await page.keyboard.press('Escape')
  await page.goto(boilersAddress)
  await expect(heading(page)).toHaveText('Boilers')
  await expect(rows(page)).toHaveCount(100)
  await expect(heating(page)).toHaveCount(0)

  await turnFeature(page, 'NewListingView', false)
  await page.goto('/northgate/Boilers')
  await expect(heading(page)).toHaveText('Boilers')
  await expect(rows(page)).toHaveCount(100)
  await expect(heating(page)).toHaveCount(0)
  await expectRows(page, { tenant: 'northgate', listing: 'Boilers' })
})

test('a heating type is in the address as encoded JSON, and such an address restores it; the head and the sidebar say where one is [dev-2list-14 dev-2dash-29 dev-2dash-30]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/Boilers?page=2')
  await expect(page.getByText('26 - 50 of')).toBeVisible()
  for (const [type, label, monitoring] of [
    ['ASHP', 'Air Source Heat Pumps', 'HeatPump'],
    ['Boiler', 'Boilers', 'Boiler'],
    ['SurveyorCube', 'Surveyor Cubes', 'None'],
  ] as const) {
    const ofType = {
      tenant: 'northgate',
      listing: 'Bcms' as const,
      filters: [{ fieldId: 'monitoring', filterOp: 'equals' as const, value: monitoring }],
    }
    await heating(page).click()
    await page.getByRole('menuitem', { name: label, exact: true }).click()
    await expect(page).toHaveURL(`/northgate/Boilers?filter=${filterText({ type })}`)
    const expectAll = async () => {
      const { total, outOf } = await expectRows(page, ofType)
      const figures = [total, outOf].map((count) => count.toLocaleString('en-GB')).join(' of ')
      await expect(shown(page)).toHaveText(`${label}: ${figures}`)
    }
    await expectAll()
    await expect(page).toHaveTitle(new RegExp(`^Boilers: ${label} – `))
    for (const at of ['Boilers', 'Bcms']) {
      await page.goto(`/northgate/${at}?filter=${filterText({ type })}`)
      await expectAll()
      await expect(heating(page)).toHaveAccessibleName(`Heating type: ${label}`)
      await expect(sidebar(page).getByRole('link', { name: 'Boilers' })).toHaveAttribute('aria-current', 'page')
    }
    await page.goto(`/northgate/Boilers?filter=${filterText({ type })}`)
  }
  await page.goto(`/northgate/Boilers?filter=nonsense`)
  await expect(heating(page)).toHaveAccessibleName('Heating type: BCMs')
  await expect(shown(page)).toHaveText(/^[\d,]+$/)
  await expect(page).toHaveTitle(/^Boilers – /)
  await expect(rows(page)).toHaveCount(25)
})

test('Bcms is narrowed by the filter of its address; a status category is that of BCMs [core-2.4-33 core-4.1-21 dev-2dash-31 dev-2dash-32]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  // The category holds devices that are Installed beside those that are Ok; the display group of Ok does not.
  for (const category of ['installed', 'failed', 'inventory', 'warning'] as const) {
    const filter = { type: 'BCM', options: { statusCategory: category } }
    await page.goto(`/northgate/Bcms?filter=${filterText(filter)}`)
    const value = [...statusCategories[category]]
    const expected = await expectRows(page, {
      tenant: 'northgate',
      listing: 'Bcms',
      filters: [{ fieldId: 'status', filterOp: 'anyof', value }],
    })
    expect(expected.total).toBeLessThan(expected.outOf)
    if (category !== 'installed') continue
    const sorted = await view(page, {
      tenant: 'northgate',
      listing: 'Bcms',
      filters: [{ fieldId: 'status', filterOp: 'anyof', value: ['Installed'] }],
    })
    expect(sorted.total).toBeGreaterThan(0)
    expect(expected.rows.map((row) => row.deviceStatus)).toEqual(expect.arrayContaining(['Ok', 'Installed']))
    await expect(rows(page).filter({ hasText: 'Installed' })).not.toHaveCount(0)
    await expect(rows(page).filter({ hasText: 'Passed' })).not.toHaveCount(0)
  }
  const statuses = ['PreventativeMaintenance', 'Installed']
  await page.goto(`/northgate/Bcms?filter=${filterText({ type: 'BCM', options: { statuses } })}`)
  const listed = await expectRows(page, {
    tenant: 'northgate',
    listing: 'Bcms',
    filters: [{ fieldId: 'status', filterOp: 'anyof', value: statuses }],
  })
  expect(listed.total).toBeGreaterThan(0)
  await page.getByRole('button', { name: 'Remove filter Status' }).click()
  await expect(page).toHaveURL(`/northgate/Bcms?filter=${filterText({ type: 'BCM' })}`)
  await expectRows(page, { tenant: 'northgate', listing: 'Bcms' })
})

test('at 1440 pixels no table scrolls sideways by the columns of its main view, and the grid of BCMs cuts no name off', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  for (const address of [
    ...['EmergencyLights', 'NetworkingDevices', 'ThirdParty', 'Bcms', 'HomeHubs', 'VStats', 'MultiDots'].map(
      (listing) => `/northgate/${listing}`,
    ),
    boilersAddress,
  ]) {
    await page.goto(address)
    await expect(rows(page)).not.toHaveCount(0)
    const sideways = await page
      .getByRole('grid')
      .evaluate(({ parentElement }) => parentElement!.scrollWidth - parentElement!.clientWidth)
    expect(sideways, address).toBe(0)
    if (!address.endsWith('Bcms')) continue
    const cut = await page
      .locator('td[data-named]')
      .evaluateAll((cells) =>
        cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent),
      )
    expect(cut).toEqual([])
  }
})

test('Bcms is for who sees boilers [core-2.4-34]', async ({ pageOf }) => {
  const page = await pageOf('lighting@northgate.example')
  const asked = counted(page, 'POST', '/api/FetchViewData')
  for (const address of ['Bcms', `Bcms?filter=${filterText({ type: 'ASHP' })}`, 'Boilers']) {
    await page.goto(`/northgate/${address}`)
    await expect(refused(page)).toBeVisible()
  }
  expect(asked()).toBe(0)
})

for (const [listing, tab, ids] of [
  ['HomeHubs', 'info', ' [dev-2list-22] [est-2.3-21]'],
  ['MultiDots', 'telemetry', ' [dev-2list-23] [est-2.3-22]'],
  ['VStats', 'thermoScheduler', ' [est-2.4-6] [est-2.4-7]'],
] as const satisfies [ListingName, string, string][])
  test(`a row of ${listing} opens the home it is in, and one in no home leads nowhere${ids}`, async ({ pageOf }) => {
    const page = await pageOf(manager)
    let home = ''
    await bend(page, '**/api/FetchViewData', ({ data }: { data: ViewData }) => {
      home = data.rows[0]!.devicePropertyId!
      data.rows[1]!.devicePropertyId = null
    })
    await page.goto(`/northgate/${listing}`)
    await expect(rows(page).nth(1)).toBeVisible()
    expect(home).not.toBe('')
    await expect(rows(page).nth(1).locator('a[data-row-link]')).toHaveCount(0)
    await rows(page).nth(1).getByRole('gridcell').nth(3).click()
    await expect(page).toHaveURL(`/northgate/${listing}`)
    await rows(page).first().getByRole('gridcell').nth(3).click()
    await expect(page).toHaveURL(`/northgate/Properties/${home}/${tab}`)
  })

test('V-Stats show four columns and more when asked; they are selected, kept as a view of one’s own, and tell no address where it is hidden [est-1-19] [est-2.4-2] [est-2.4-3] [est-2.4-4] [est-2.4-8] [est-2.4-9] [est-2.4-10] [est-2.4-11]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/Dashboard')
  await sidebar(page).getByRole('link', { name: 'V-Stats' }).click()
  await expect(rows(page)).toHaveCount(25)
  const size = page.getByRole('combobox', { name: 'Rows per page' })
  await expect(size).toHaveValue('25')
  await expect(size.getByRole('option')).toHaveText(['25', '50', '100'])
  const heads = page.getByRole('columnheader').filter({ hasText: /./, hasNotText: 'Actions' })
  const shown = ['Property REF', 'Device Status', 'Serial Number', 'Product Id']
  await expect(heads).toHaveText(shown)
  await expect(rows(page).first()).toContainText('TH')

  await rows(page).first().getByRole('checkbox').check()
  await expect(page.getByText('1 selected')).toBeVisible()
  await rows(page).first().getByRole('checkbox').uncheck()

  const hidden = [
    'Product',
    'Postcode',
    'Address',
    'Device Id',
    'Location',
    'Location Details',
    'Tags',
    'Firmware Version',
    'Access Right Tag',
    'Connection Status',
  ]
  const columns = page.getByRole('button', { name: 'Columns' })
  const menu = page.getByRole('dialog', { name: 'Columns' })
  const offered = (name: string) => menu.getByRole('checkbox', { name, exact: true })
  await columns.click()
  await expect(menu.getByRole('checkbox')).toHaveCount(shown.length + hidden.length)
  for (const name of shown) await expect(offered(name)).toBeChecked()
  for (const name of hidden) await expect(offered(name)).not.toBeChecked()
  await offered('Location').check()
  await page.keyboard.press('Escape')
  await expect(heads).toHaveText([...shown, 'Location'])
  const name = `Thermostats ${Date.now()}`
  await page.getByRole('button', { name: 'Save As' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill(name)
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('navigation', { name: 'Views' })).toContainText(name)

  await turnFeature(page, 'HideCustomerPersonalData', true)
  await page.goto('/northgate/VStats')
  await expect(heads).toHaveText(shown)
  await columns.click()
  await expect(offered('Location')).toBeVisible()
  for (const personal of ['Postcode', 'Address']) await expect(offered(personal)).toHaveCount(0)
})
