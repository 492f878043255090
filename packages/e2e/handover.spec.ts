import type { Locator, Page } from '@playwright/test'
import type { StoriedDevice } from '@caretaker/demo/fixtures.ts'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import type { DeviceRow, ViewData } from '@caretaker/contract/devices.ts'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import { getBcmConnectedDevice, getDeviceBySerial, noAssociatedBcm } from '@caretaker/contract/links.ts'
import { deviceStatuses, statusWords } from '@caretaker/rules/devices/status.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { ask, isCall } from './fixtures/api.ts'
import { bend, boilersAddress, dashboard, focusIn, rows, turnFeature } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'
const main = (page: Page) => page.getByRole('main')
const heading = (page: Page, name: string) => main(page).getByRole('heading', { level: 1, name, exact: true })
const refused = (page: Page) => main(page).getByText("You don't have permission.")
const notFound = (page: Page) => main(page).getByText('Not found.', { exact: true })
const openInApp = (page: Page) => main(page).getByRole('link', { name: 'Open in the mobile app' })
const rowOf = (page: Page, deviceId: string): Locator => page.locator(`tbody tr[data-row="${deviceId}"]`)
const rowLink = (row: Locator): Locator => row.locator('a[data-row-link]')

const { inWholesale, stockLight, stockGateway, stockModule, livelyLight, livelyGateway, livelyBoiler } = demoDevices
const { connectedDot, boilerLockout, allocatedDot, harbourLight, harbourGateway, untaggedLight } = demoDevices
const installOf = (area: string, { serial, deviceId }: StoriedDevice) => `/northgate/${area}/${serial}/${deviceId}`
const connectedInstall = `/northgate/ConnectedDeviceInstall/MultiDot/${livelyBoiler.deviceId}/${allocatedDot.serial}/${allocatedDot.deviceId}`

/** Opens a listing at the page on which the first wanted device stands, in the order of serial numbers. */
async function openListing(
  page: Page,
  listing: ListingName,
  wanted: (row: DeviceRow) => boolean,
): Promise<{ row: Locator; device: DeviceRow; address: string }> {
  for (let at = 1; ; at++) {
    const { data } = await ask(page, fetchViewData, {
      body: { tenant: 'northgate', listing, page: at, sorts: [{ fieldId: 'serial' }] },
    })
    const { rows: found, total } = data as ViewData
    const device = found.find(wanted)
    if (!device && at * 100 >= total) throw new Error(`no such device in ${listing}`)
    if (!device) continue
    const address = `${listing === 'Boilers' ? boilersAddress : `/northgate/${listing}`}?${at > 1 ? `page=${at}&` : ''}sort=serial`
    await page.goto(address)
    const row = rowOf(page, device.deviceId)
    await expect(row).toBeVisible()
    return { row, device, address }
  }
}

const is =
  ({ deviceId }: StoriedDevice) =>
  (row: DeviceRow) =>
    row.deviceId === deviceId

/** What a hand-over page shows of its device, and the way into the mobile app by button and by code. */
async function expectHandover(page: Page, device: StoriedDevice, path: string): Promise<void> {
  await expect(heading(page, device.name)).toBeVisible()
  await expect(main(page).getByText(device.serial).first()).toBeVisible()
  const link = `https://app.caretaker.example${path}`
  await expect(openInApp(page)).toHaveAttribute('href', link)
  await expect(main(page).getByRole('img', { name: `QR code of ${link}` })).toBeVisible()
}

/** The listings as they are without the new listing view. */
const oldListings = (page: Page) => turnFeature(page, 'NewListingView', false)

test('the row of a device in wholesale opens where it is moved to the client, by its serial number [core-2.4-60 core-2.5-1]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  const { row, address } = await openListing(page, 'EmergencyLights', is(inWholesale))
  await row.click()
  await expect(page).toHaveURL(`/northgate/MoveFromWholesale/${inWholesale.serial}`)
  await expectHandover(page, inWholesale, `/northgate/MoveFromWholesale/${inWholesale.serial}`)
  await expect(main(page).getByRole('heading', { name: 'Move to Northgate Homes' })).toBeVisible()
  await expect(main(page).getByText('In wholesale', { exact: true })).toBeVisible()
  await main(page).getByRole('link', { name: 'Emergency Lights' }).click()
  await expect(page).toHaveURL(address)
  await expect(row).toBeVisible()
})

for (const [listing, area, device, ids] of [
  ['EmergencyLights', 'EmeredInstall', stockLight, 'core-2.4-61 core-2.5-2'],
  ['NetworkingDevices', 'NetworkInstall', stockGateway, 'core-2.4-63 core-2.5-4'],
  ['Boilers', 'BcmInstall', stockModule, 'core-2.4-62 core-2.5-3'],
] as const)
  test(`the row of a device in stock opens ${area}, which hands it over and installs nothing itself [${ids} dev-4status-5]`, async ({
    pageOf,
  }) => {
    const page = await pageOf(manager)
    if (listing === 'Boilers') await oldListings(page)
    const { row } = await openListing(page, listing, is(device))
    await row.click()
    const path = installOf(area, device)
    await expect(page).toHaveURL(path)
    await expectHandover(page, device, path)
    await expect(main(page).getByRole('heading', { name: 'Install', exact: true })).toBeVisible()
    await expect(main(page).locator('form, input, select, textarea')).toHaveCount(0)
    await expect(main(page).getByRole('button')).toHaveCount(0)
    // Without a device there is nothing to hand over: its listing is where one is found.
    await page.goto(`/northgate/${area}`)
    await expect(page).toHaveURL(`/northgate/${listing}`)
    await expect(rows(page)).not.toHaveCount(0)
  })

/** Gives the rows of lights, networking devices or modules every status but Inventory in turn; they are noted by their id. */
async function bendStatuses(page: Page, listing: ListingName): Promise<Map<string, string>> {
  const shown = new Map<string, string>()
  const statuses = deviceStatuses.filter((status) => status !== 'Inventory')
  await bend(page, '**/api/FetchViewData', ({ data }: { data: ViewData }) => {
    const own = data.rows.filter((row) => listing !== 'Boilers' || ['BX', 'BC'].includes(row.deviceProductId))
    for (const row of own.slice(0, statuses.length)) {
      row.deviceStatus = statuses[shown.size % statuses.length]!
      shown.set(row.deviceId, row.deviceStatus)
    }
  })
  return shown
}

for (const [listing, device, ids] of [
  ['EmergencyLights', livelyLight, 'core-2.5-5 dev-2list-15'],
  ['NetworkingDevices', livelyGateway, 'core-2.5-7 dev-2list-16'],
  ['Boilers', livelyBoiler, 'core-2.5-6 dev-2list-17'],
] as const)
  test(`rows of ${listing} that are not in stock open their details [${ids}]`, async ({ pageOf }) => {
    const page = await pageOf(manager)
    if (listing === 'Boilers') await oldListings(page)
    const { row, address } = await openListing(page, listing, is(device))
    await row.click()
    await expect(page).toHaveURL(`/northgate/${listing}/${device.deviceId}`)
    await expect(heading(page, device.name)).toBeVisible()
    // Whatever their state, as long as it is not in stock.
    const shown = await bendStatuses(page, listing)
    await page.goto(address)
    await expect(row).toBeVisible()
    expect(new Set(shown.values())).toEqual(new Set(deviceStatuses.filter((status) => status !== 'Inventory')))
    for (const [deviceId, status] of shown)
      await expect(rowLink(rowOf(page, deviceId)), status).toHaveAttribute('href', `/northgate/${listing}/${deviceId}`)
  })

test('in the new listing view the rows of Boilers open their page, in stock or not [dev-2list-24]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  for (const device of [stockModule, connectedDot]) {
    const { row } = await openListing(page, 'Boilers', is(device))
    await expect(rowLink(row)).toHaveAttribute('href', `/northgate/Boilers/${device.deviceId}`)
  }
  await rowOf(page, connectedDot.deviceId).click()
  await expect(page).toHaveURL(`/northgate/Boilers/${connectedDot.deviceId}`)
})

test('what is connected to a boiler control module opens the page of its module [core-2.4-31 dev-2list-18 dev-2list-25]', async ({
  pageOf,
}) => {
  const page = await pageOf('boiler@northgate.example')
  await oldListings(page)
  const { row, address } = await openListing(page, 'Boilers', is(connectedDot))
  await expect(rowLink(row)).toHaveAttribute('href', `/northgate/BoilerConnectedDevice/${connectedDot.deviceId}`)
  await row.click()
  await expect(page).toHaveURL(
    `/northgate/Boilers/${boilerLockout.deviceId}/connectedDevices?device=${connectedDot.deviceId}`,
  )
  await expect(main(page).getByText(boilerLockout.serial).first()).toBeVisible()
  await expect(page.getByRole('region', { name: connectedDot.name, exact: true })).toBeVisible()
  await page.goBack()
  await expect(page).toHaveURL(address)
})

for (const [status, ids] of [
  ['Inventory', 'dev-2list-19'],
  ['AwaitingRecycling', 'dev-2list-20'],
] as const)
  test(`the row of what connects to a module and is in status ${status} leads nowhere [${ids}]`, async ({ pageOf }) => {
    const page = await pageOf(manager)
    await oldListings(page)
    await bend(page, '**/api/FetchViewData', ({ data }: { data: ViewData }) => {
      for (const one of data.rows.filter(is(connectedDot))) one.deviceStatus = status
    })
    const { row, address } = await openListing(page, 'Boilers', is(connectedDot))
    await expect(row).toContainText(statusWords(status))
    await expect(rowLink(row)).toHaveCount(0)
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await row.click()
    await focusIn(row)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(address)
    await expect(row).toBeVisible()
    expect(asked.filter((url) => url.includes('GetBcmConnectedDevice'))).toEqual([])
  })

test('without a boiler control module it says so and leads back to the listing as it was, or to Boilers [dev-2list-26 dev-2list-27]', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(404), consoleText(400))
  const page = await pageOf(manager)
  const toast = page.getByText(noAssociatedBcm)
  // A gateway speaks through no module; the other two are unknown, and no id at all.
  await page.goto(`/northgate/BoilerConnectedDevice/${livelyGateway.deviceId}`)
  await expect(toast).toBeVisible()
  await expect(page).toHaveURL('/northgate/Boilers')
  await expect(rows(page)).not.toHaveCount(0)
  await page.goto('/northgate/Boilers?sort=-name')
  await expect(rows(page)).not.toHaveCount(0)
  for (const id of [crypto.randomUUID(), 'nothing']) {
    await page.goto(`/northgate/BoilerConnectedDevice/${id}`)
    await expect(toast).toBeVisible()
    await expect(page).toHaveURL('/northgate/Boilers?sort=-name')
  }
  await page.goto('/northgate/BoilerConnectedDevice')
  await expect(page).toHaveURL('/northgate/Boilers')
})

test('a device is connected to its BCM or gateway in the mobile app, with what is known of its place [core-2.4-64]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto(connectedInstall)
  await expectHandover(page, allocatedDot, connectedInstall)
  await expect(main(page).getByText(livelyBoiler.name)).toBeVisible()
  await expect(main(page).getByText(livelyBoiler.serial)).toBeVisible()
  for (const label of ['Location', 'Location details', 'Power clamp 1'])
    await expect(main(page).getByText(label, { exact: true })).toHaveCount(0)
  const known = `${connectedInstall}?location=Bathroom&locationDetails=Above%20the%20door%20%26%20left&powerClamp1=Shower`
  await page.goto(known)
  await expectHandover(page, allocatedDot, known)
  for (const [label, value] of [
    ['Location', 'Bathroom'],
    ['Location details', 'Above the door & left'],
    ['Power clamp 1', 'Shower'],
  ]) {
    await expect(main(page).getByText(label!, { exact: true })).toBeVisible()
    await expect(main(page).getByText(value!, { exact: true })).toBeVisible()
  }
})

for (const [name, listing, device, id] of [
  ['EmeredDetails', 'EmergencyLights', livelyLight, 'core-2.4-67'],
  ['BcmDetails', 'Boilers', livelyBoiler, 'core-2.4-68'],
  ['NetworkDetails', 'NetworkingDevices', livelyGateway, 'core-2.4-69'],
] as const)
  test(`${name} opens the details of a device, and its listing without one [${id}]`, async ({ pageOf }) => {
    const page = await pageOf(manager)
    await page.goto(`/northgate/${name}/${device.deviceId}`)
    await expect(page).toHaveURL(`/northgate/${listing}/${device.deviceId}`)
    await expect(heading(page, device.name)).toBeVisible()
    await page.goto(`/northgate/${name}`)
    await expect(page).toHaveURL(`/northgate/${listing}`)
    await expect(rows(page)).not.toHaveCount(0)
    // Whoever may not see the area is refused behind the other name as well.
    const other = await pageOf(listing === 'Boilers' ? 'lighting@northgate.example' : 'boiler@northgate.example')
    await other.goto(`/northgate/${name}/${device.deviceId}`)
    await expect(listing === 'NetworkingDevices' ? heading(other, device.name) : refused(other)).toBeVisible()
  })

const handovers = [
  `/northgate/MoveFromWholesale/${inWholesale.serial}`,
  installOf('EmeredInstall', stockLight),
  installOf('BcmInstall', stockModule),
  installOf('NetworkInstall', stockGateway),
  connectedInstall,
]

for (const [email, addresses] of [
  ['guest@northgate.example', handovers],
  ['lighting@northgate.example', [handovers[2]!]],
  ['boiler@northgate.example', [handovers[1]!]],
] as const)
  test(`${email} hands over nothing that is not theirs to install, and the server is not asked`, async ({ pageOf }) => {
    const page = await pageOf(email)
    const asked: string[] = []
    page.on('request', (request) => isCall(request) && asked.push(new URL(request.url()).pathname))
    for (const address of addresses) {
      await page.goto(address)
      await expect(refused(page)).toBeVisible()
      await expect(openInApp(page)).toHaveCount(0)
      await expect(main(page).getByRole('img', { name: /QR/ })).toHaveCount(0)
    }
    expect(asked.filter((path) => path.includes('GetDeviceBySerial'))).toEqual([])
  })

test('an engineer hands over what is of the own area, and is refused what may only be read', async ({ pageOf }) => {
  const page = await pageOf('lighting@northgate.example')
  await page.goto(handovers[1]!)
  await expectHandover(page, stockLight, handovers[1]!)
  await page.goto(connectedInstall.replace(livelyBoiler.deviceId, livelyGateway.deviceId))
  await expect(refused(page)).toBeVisible()
  await expect(openInApp(page)).toHaveCount(0)
})

for (const [what, addresses] of [
  [
    'does not exist',
    [
      '/northgate/MoveFromWholesale/EM9999999X',
      `/northgate/MoveFromWholesale/${'x'.repeat(80)}`,
      installOf('EmeredInstall', { ...stockLight, deviceId: livelyLight.deviceId }),
      installOf('EmeredInstall', { ...stockLight, deviceId: 'nothing' }),
    ],
  ],
  [
    'is of another client',
    [
      `/northgate/MoveFromWholesale/${harbourLight.serial}`,
      installOf('EmeredInstall', harbourLight),
      connectedInstall.replace(livelyBoiler.deviceId, harbourGateway.deviceId),
    ],
  ],
  [
    'is of another kind',
    [
      installOf('NetworkInstall', stockLight),
      connectedInstall.replace('MultiDot', 'EnviroDot'),
      connectedInstall.replace(livelyBoiler.deviceId, livelyLight.deviceId),
    ],
  ],
] as const)
  test(`a hand-over of what ${what} is not found`, async ({ pageOf, expectedErrors }) => {
    expectedErrors.push(consoleText(404), consoleText(400))
    const page = await pageOf(manager)
    for (const address of addresses) {
      await page.goto(address)
      await expect(notFound(page), address).toBeVisible()
      await expect(openInApp(page)).toHaveCount(0)
    }
  })

test("to somebody of another client, and to those with restrictions, a hand-over's device does not exist", async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(404))
  const limited = await pageOf('limited@northgate.example')
  await limited.goto(installOf('EmeredInstall', untaggedLight))
  await expect(notFound(limited)).toBeVisible()
  const stranger = await pageOf('manager@harbour.example')
  await stranger.goto(handovers[0]!)
  await expect(stranger).toHaveURL('/harbour/Dashboard')
  await expect(dashboard(stranger)).toBeVisible()

  // And by hand.
  const bySerial = (page: Page, { serial }: StoriedDevice) =>
    ask(page, getDeviceBySerial, { body: { tenant: 'northgate', serialNumber: serial } })
  const bcmOf = (page: Page) =>
    ask(page, getBcmConnectedDevice, { body: { tenant: 'northgate', deviceId: connectedDot.deviceId } })
  expect(await bySerial(limited, untaggedLight)).toMatchObject({ status: 404 })
  expect(await bySerial(stranger, inWholesale)).toMatchObject({ status: 404 })
  expect(await bcmOf(stranger)).toMatchObject({ status: 404 })
})

test('a lighting engineer is refused the modules of boilers, by address and by hand [core-2.4-32]', async ({
  pageOf,
}) => {
  const page = await pageOf('lighting@northgate.example')
  for (const address of ['BoilerConnectedDevice', `BoilerConnectedDevice/${connectedDot.deviceId}`]) {
    await page.goto(`/northgate/${address}`)
    await expect(refused(page)).toBeVisible()
  }
  const serialNumber = stockModule.serial
  expect(await ask(page, getDeviceBySerial, { body: { tenant: 'northgate', serialNumber } })).toMatchObject({
    status: 404,
  })
  const { deviceId } = connectedDot
  expect(await ask(page, getBcmConnectedDevice, { body: { tenant: 'northgate', deviceId } })).toMatchObject({
    status: 403,
  })
})

test('what is installed, in wholesale or claimed already is told so, with the way on and none into the app', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  for (const [address, text, link, leadsTo] of [
    [
      installOf('EmeredInstall', livelyLight),
      'This device is installed.',
      'Open its page',
      `/northgate/EmergencyLights/${livelyLight.deviceId}`,
    ],
    [
      installOf('EmeredInstall', inWholesale),
      'This device is in wholesale.',
      'Move it from wholesale',
      `/northgate/MoveFromWholesale/${inWholesale.serial}`,
    ],
    [
      `/northgate/MoveFromWholesale/${stockLight.serial}`,
      'This device is not in wholesale: it is with Northgate Homes already.',
      'Open its page',
      `/northgate/EmergencyLights/${stockLight.deviceId}`,
    ],
  ] as const) {
    await page.goto(address)
    await expect(main(page).getByText(text)).toBeVisible()
    await expect(openInApp(page)).toHaveCount(0)
    await expect(main(page).getByRole('link', { name: link })).toHaveAttribute('href', leadsTo)
  }
})

test('without an address of the mobile app there is no link to it, but the serial number to look for', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await bend(page, '**/api/settings', (settings: { appUrl: string | null }) => (settings.appUrl = null))
  await page.goto(handovers[1]!)
  await expect(main(page).getByText(`look for the serial number ${stockLight.serial} there.`)).toBeVisible()
  await expect(openInApp(page)).toHaveCount(0)
  await expect(main(page).getByRole('img', { name: /QR/ })).toHaveCount(0)
})

// What axe finds of both is looked at with every other screen (accessibility.spec.ts).
for (const [screen, address, device] of [
  ['move from wholesale', handovers[0]!, inWholesale],
  ['installation of a connected device', `${connectedInstall}?location=Bathroom`, allocatedDot],
] as const)
  test(`the ${screen} can be read and used by everybody, on a desktop and on a phone`, async ({ pageOf }) => {
    const page = await pageOf(manager)
    await page.goto(address)
    for (const viewport of [
      { width: 1440, height: 960 },
      { width: 390, height: 844 },
    ]) {
      await page.setViewportSize(viewport)
      await expectHandover(page, device, address)
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width)
    }
    const button = await openInApp(page).boundingBox()
    expect(button!.height).toBeGreaterThanOrEqual(40)
    await openInApp(page).focus()
    await expect(openInApp(page)).toBeFocused()
  })
