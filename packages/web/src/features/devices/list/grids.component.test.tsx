import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { DeviceRow } from '@caretaker/contract/devices.ts'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { statusCategories } from '@caretaker/rules/devices/status.ts'
import { deviceList, listedDevice, listedDevices } from '../../../testing/examples/device-list.ts'
import { viewDefinitions, viewDocuments } from '../../../testing/examples/views.ts'
import { expectCount, expectTexts } from '../../../testing/expect.ts'
import { dialog, press, rowIds, rows, viewTabs } from '../../../testing/list-screen.ts'
import { clientOf, openPortal } from '../../../testing/portal.tsx'

const main = page.getByRole('main')
const heading = page.getByRole('heading', { level: 1 })
const sidebar = page.getByRole('complementary').getByRole('navigation', { name: 'Main' })
const refused = main.getByText("You don't have permission.")
const heatingType = page.getByRole('button', { name: /^Heating type/ })
const pageSize = page.getByRole('combobox', { name: 'Rows per page' })
/** The header shows the heating type of the rows and their number. */
const shownCount = main.getByCss('header').getByRole('status')
const filterParameter = (filter: unknown) => `filter=${encodeURIComponent(JSON.stringify(filter))}`
const features = ['HomeHub', 'NewListingView'] as const
const idsOf = (...numbers: number[]) => numbers.map((number) => listedDevice(number).deviceId)

type Options = Parameters<typeof openPortal>[1]
const openList = (address: string, devices: readonly DeviceRow[], options: Options = {}) =>
  openPortal(address, {
    features,
    ...options,
    answers: [...deviceList(devices), ...viewDefinitions(), ...viewDocuments()],
  })

for (const [listing, title, ids] of [
  ['HomeHubs', 'Home hubs', 'core-2.4-35'],
  ['VStats', 'V-Stats', 'core-2.4-37 est-2.4-1'],
  ['MultiDots', 'Multi-dots', 'core-2.4-38'],
  ['Bcms', 'Boilers', 'core-2.4-33'],
] as const)
  test(`${listing} shows its devices, 25 per page, and a user of another client is redirected to their own [${ids}]`, async () => {
    const portal = await openList(`/northgate/${listing}`, listedDevices(26))
    await expect.element(heading).toHaveTextContent(title)
    await expect.element(page.getByText('1 - 25 of 26')).toBeVisible()
    expect(rowIds()).toEqual(listedDevices(25).map(({ deviceId }) => deviceId))
    expect(portal.sentTo(fetchViewData).map(({ body }) => body)).toMatchObject([
      { tenant: 'northgate', listing, page: 1, pageSize: 25 },
    ])
    const stranger = await openList(`/northgate/${listing}`, [], { session: { tenants: [clientOf('harbour')] } })
    await expect.poll(stranger.address).toMatch(new RegExp(`^/harbour/${listing}`))
    await expect.element(heading).toHaveTextContent(title)
    expect(stranger.sentTo(fetchViewData).map(({ body }) => body.tenant)).not.toContain('northgate')
  })

test('home hubs are a feature: without it, neither the link nor the page exists [est-6-11]', async () => {
  await openList('/northgate/HomeHubs', listedDevices(2))
  await expectCount(rows, 2)
  await expect.element(sidebar.getByRole('link', { name: 'Home hubs' })).toBeVisible()
  await openList('/northgate/HomeHubs', listedDevices(2), { features: [] })
  await expect.element(refused).toBeVisible()
  await expect.element(rows).not.toBeInTheDocument()
  await expect.element(sidebar.getByRole('link', { name: 'Home hubs' })).not.toBeInTheDocument()
})

test('a page has 25, 50 or 100 rows, 25 unless chosen, and the choice is remembered [dev-9const-1]', async () => {
  const portal = await openList('/northgate/Boilers?page=3', listedDevices(101))
  await expect.element(page.getByText('51 - 75 of 101')).toBeVisible()
  await expectCount(rows, 25)
  await expectTexts(pageSize.getByRole('option'), ['25', '50', '100'])
  await expect.element(pageSize).toHaveValue('25')
  for (const count of ['100', '50']) {
    await pageSize.selectOptions(count)
    await expect.element(page.getByText(`1 - ${count} of 101`)).toBeVisible()
    await expectCount(rows, Number(count))
  }
  await portal.go('/northgate/Support')
  await expect.element(rows).not.toBeInTheDocument()
  await portal.go('/northgate/Boilers')
  await expectCount(rows, 50)
  await expect.element(pageSize).toHaveValue('50')
})

test('another grid has a page size of its own; device listings have 100 rows and no choice [dev-9const-1]', async () => {
  const portal = await openList('/northgate/Boilers', listedDevices(60))
  await pageSize.selectOptions('50')
  await expectCount(rows, 50)
  await portal.go('/northgate/HomeHubs')
  await expectCount(rows, 25)
  await portal.go('/northgate/EmergencyLights')
  await expectCount(rows, 60)
  expect(portal.sentTo(fetchViewData).at(-1)!.body.pageSize).toBe(100)
  await expect.element(pageSize).not.toBeInTheDocument()
})

test('Boilers have this name in both their listings, and a heating-type menu in the newer one [core-2.4-28 dev-2list-11 dev-2list-12 dev-2list-13]', async () => {
  const portal = await openList('/northgate/Boilers', listedDevices(30))
  await expect.element(heading).toHaveTextContent('Boilers')
  await heatingType.click()
  await expectTexts(page.getByRole('menuitem'), ['BCMs', 'Air Source Heat Pumps', 'Boilers', 'Surveyor Cubes'])
  await press('{Escape}')
  await portal.go('/northgate/Boilers/Listing/boiler-main')
  await expectCount(rows, 30)
  await expect.element(heading).toHaveTextContent('Boilers')
  await expect.element(heatingType).not.toBeInTheDocument()

  const older = await openList('/northgate/Boilers', listedDevices(30), { features: [] })
  await expectCount(rows, 30)
  await expect.element(heading).toHaveTextContent('Boilers')
  await expect.element(heatingType).not.toBeInTheDocument()
  expect(older.sentTo(fetchViewData).map(({ body }) => body.listing)).toEqual(['Boilers'])
})

for (const [type, label, monitoring] of [
  ['ASHP', 'Air Source Heat Pumps', 'HeatPump'],
  ['Boiler', 'Boilers', 'Boiler'],
  ['SurveyorCube', 'Surveyor Cubes', 'None'],
] as const)
  test(`the heating type ${type} is in the address as encoded JSON, and such an address restores it; the head, the title and the sidebar show it [dev-2list-14 dev-2dash-29 dev-2dash-30]`, async () => {
    const kinds = ['HeatPump', 'Boiler', 'None'] as const
    const devices = listedDevices(27, (number) => ({ deviceProductId: 'BX', deviceMonitoring: kinds[number % 3]! }))
    const ofType = devices.filter(({ deviceMonitoring }) => deviceMonitoring === monitoring)
    const portal = await openList('/northgate/Boilers?page=2', devices)
    await expect.element(page.getByText('26 - 27 of 27')).toBeVisible()
    await heatingType.click()
    await page.getByRole('menuitem', { name: label, exact: true }).click()
    await expect.poll(portal.address).toBe(`/northgate/Boilers?${filterParameter({ type })}`)
    const expectAll = async () => {
      await expect.poll(rowIds).toEqual(ofType.map(({ deviceId }) => deviceId))
      await expect.element(shownCount).toHaveTextContent(`${label}: 9 of 27`)
      expect(portal.sentTo(fetchViewData).at(-1)!.body.filters).toEqual([
        { fieldId: 'monitoring', filterOp: 'equals', value: monitoring },
      ])
    }
    await expectAll()
    expect(document.title).toMatch(new RegExp(`^Boilers: ${label} – `))
    for (const area of ['Boilers', 'Bcms']) {
      await portal.go('/northgate/Support')
      await portal.go(`/northgate/${area}?${filterParameter({ type })}`)
      await expectAll()
      await expect.element(heatingType).toHaveAccessibleName(`Heating type: ${label}`)
      await expect.element(sidebar.getByRole('link', { name: 'Boilers' })).toHaveAttribute('aria-current', 'page')
    }
  })

test('an address without a known heating type shows all BCMs [dev-2list-14]', async () => {
  await openList('/northgate/Boilers?filter=nonsense', listedDevices(27))
  await expect.element(heatingType).toHaveAccessibleName('Heating type: BCMs')
  await expect.element(shownCount).toHaveTextContent('27')
  expect(document.title).toMatch(/^Boilers – /)
  await expectCount(rows, 25)
})

test('Bcms is narrowed by the filter of its address; a status category is that of BCMs [core-2.4-33 core-4.1-21 dev-2dash-31 dev-2dash-32]', async () => {
  const statuses = ['Ok', 'Installed', 'FailedDevice', 'Inventory', 'PreventativeMaintenance', 'DISPOSED'] as const
  const devices = listedDevices(6, (number) => ({ deviceProductId: 'BX', deviceStatus: statuses[number - 1]! }))
  const portal = await openList('/northgate/Support', devices)
  // The category contains Installed devices as well as Ok ones; the display group of Ok does not.
  for (const [category, numbers] of [
    ['installed', [1, 2]],
    ['failed', [3]],
    ['inventory', [4]],
    ['warning', [5]],
  ] as const) {
    const filter = { type: 'BCM', options: { statusCategory: category } }
    await portal.go(`/northgate/Bcms?${filterParameter(filter)}`)
    await expect.poll(rowIds).toEqual(idsOf(...numbers))
    expect(portal.sentTo(fetchViewData).at(-1)!.body.filters).toEqual([
      { fieldId: 'status', filterOp: 'anyof', value: [...statusCategories[category]] },
    ])
    if (category === 'installed') {
      await expectCount(rows.filter({ hasText: 'Installed' }), 1)
      await expectCount(rows.filter({ hasText: 'Passed' }), 1)
    }
  }
  const filter = { type: 'BCM', options: { statuses: ['PreventativeMaintenance', 'Installed'] } }
  await portal.go(`/northgate/Bcms?${filterParameter(filter)}`)
  await expect.poll(rowIds).toEqual(idsOf(2, 5))
  await page.getByRole('button', { name: 'Remove filter Status' }).click()
  await expect.poll(portal.address).toBe(`/northgate/Bcms?${filterParameter({ type: 'BCM' })}`)
  await expect.poll(rowIds).toEqual(idsOf(1, 2, 3, 4, 5, 6))
})

test('at 1440 pixels no table scrolls sideways with the columns of its main view, and the grid of BCMs cuts off no name', async () => {
  const devices = listedDevices(3, (number) => ({
    deviceDisplayName: `Boiler of flat ${number}`,
    deviceStatus: 'FailedDevice',
    deviceStatusReason: 'Lockout',
    deviceConnectionState: 'NotConnected',
    deviceBuildingName: 'Beech Hill Court',
    deviceBuildingAddress: '14 Beech Hill Road, Northgate',
    devicePropertyReference: 'NG-0123-B',
    deviceLocation: 'Airing cupboard',
    deviceMonitoring: 'HeatPump',
  }))
  const portal = await openList('/northgate/Support', devices)
  const listings = ['EmergencyLights', 'NetworkingDevices', 'ThirdParty', 'Bcms', 'HomeHubs', 'VStats', 'MultiDots']
  for (const listing of [...listings, 'Boilers/Listing/boiler-main']) {
    await portal.go(`/northgate/${listing}`)
    await expectCount(rows, 3)
    const { scrollWidth, clientWidth } = page.getByRole('grid').element().parentElement!
    expect(scrollWidth, listing).toBe(clientWidth)
    if (listing !== 'Bcms') continue
    const named = [...document.querySelectorAll('td[data-named]')]
    expect(named).toHaveLength(3)
    expect(named.filter((cell) => cell.scrollWidth > cell.clientWidth)).toEqual([])
  }
})

test('Bcms is only for people who see boilers [core-2.4-34]', async () => {
  const portal = await openList('/northgate/Support', listedDevices(2), { role: 'LightingEngineer' })
  for (const address of ['Bcms', `Bcms?${filterParameter({ type: 'ASHP' })}`, 'Boilers']) {
    await portal.go('/northgate/Support')
    await expect.element(refused).not.toBeInTheDocument()
    await portal.go(`/northgate/${address}`)
    await expect.element(refused).toBeVisible()
  }
  expect(portal.sentTo(fetchViewData)).toHaveLength(0)
})

for (const [listing, tab, ids] of [
  ['HomeHubs', 'info', ' [dev-2list-22] [est-2.3-21]'],
  ['MultiDots', 'telemetry', ' [dev-2list-23] [est-2.3-22]'],
  ['VStats', 'thermoScheduler', ' [est-2.4-6] [est-2.4-7]'],
] as const satisfies [ListingName, string, string][])
  test(`a row of ${listing} opens the home of its device, and a device without a home leads nowhere${ids}`, async () => {
    const devices = listedDevices(2, (number) => ({ devicePropertyId: number === 1 ? 'a-home' : null }))
    const portal = await openList(`/northgate/${listing}`, devices, { features: [...features, 'PropertyCentric'] })
    await expectCount(rows, 2)
    await expect.element(rows.nth(1).getByCss('a[data-row-link]')).not.toBeInTheDocument()
    await rows.nth(1).getByRole('gridcell').nth(3).click()
    expect(portal.address()).toBe(`/northgate/${listing}`)
    await rows.first().getByRole('gridcell').nth(3).click()
    await expect.poll(portal.address).toBe(`/northgate/Properties/a-home/${tab}`)
  })

const heads = page.getByCss('th[data-column]:not([data-column^=":"])')
const shown = ['Property REF', 'Device Status', 'Serial Number', 'Product Id']
const columnsButton = page.getByRole('button', { name: 'Columns' })
const menu = page.getByRole('dialog', { name: 'Columns' })
const offered = (name: string) => menu.getByRole('checkbox', { name, exact: true })

test('V-Stats are listed, 25 a page, in four columns, and can be selected [est-1-19] [est-2.4-2] [est-2.4-3] [est-2.4-11]', async () => {
  const devices = listedDevices(26, () => ({ deviceProductId: 'TH' }))
  await openList('/northgate/Dashboard', devices)
  await sidebar.getByRole('link', { name: 'V-Stats' }).click()
  await expectCount(rows, 25)
  await expect.element(pageSize).toHaveValue('25')
  await expectTexts(pageSize.getByRole('option'), ['25', '50', '100'])
  await expectTexts(heads, shown)
  await expect.element(rows.first()).toMatchTextContent('TH')

  await rows.first().getByRole('checkbox').click()
  await expect.element(page.getByText('1 selected')).toBeVisible()
  await rows.first().getByRole('checkbox').click()
  await expect.element(rows.first().getByRole('checkbox')).not.toBeChecked()
})

test('V-Stats show more columns when chosen, and are saved as a view [est-2.4-4] [est-2.4-8] [est-2.4-10] [est-2.4-11]', async () => {
  await openList(
    '/northgate/VStats',
    listedDevices(3, () => ({ deviceProductId: 'TH' })),
  )
  await expectTexts(heads, shown)

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
  await columnsButton.click()
  await expectCount(menu.getByRole('checkbox'), shown.length + hidden.length)
  for (const name of shown) await expect.element(offered(name)).toBeChecked()
  for (const name of hidden) await expect.element(offered(name)).not.toBeChecked()
  await offered('Location').click()
  await press('{Escape}')
  await expectTexts(heads, [...shown, 'Location'])
  await page.getByRole('button', { name: 'Save As' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Thermostats')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect.element(viewTabs).toMatchTextContent('Thermostats')
})

test('V-Stats offer no address where personal data are hidden [est-2.4-9]', async () => {
  const devices = listedDevices(3, () => ({ deviceProductId: 'TH' }))
  await openList('/northgate/VStats', devices, { features: ['HideCustomerPersonalData'] })
  await expectTexts(heads, shown)
  await columnsButton.click()
  await expect.element(offered('Location')).toBeVisible()
  for (const personal of ['Postcode', 'Address']) await expect.element(offered(personal)).not.toBeInTheDocument()
})
