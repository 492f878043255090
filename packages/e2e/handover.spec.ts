import type { Locator, Page } from '@playwright/test'
import type { StoriedDevice } from '@caretaker/demo/fixtures.ts'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import type { DeviceRow, ViewData } from '@caretaker/contract/devices.ts'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import { getBcmConnectedDevice, getDeviceBySerial } from '@caretaker/contract/links.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { ask } from './fixtures/api.ts'
import { dashboard } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'
const main = (page: Page) => page.getByRole('main')
const heading = (page: Page, name: string) => main(page).getByRole('heading', { level: 1, name, exact: true })
const refused = (page: Page) => main(page).getByText("You don't have permission.")
const notFound = (page: Page) => main(page).getByText('Not found.', { exact: true })
const openInApp = (page: Page) => main(page).getByRole('link', { name: 'Open in the mobile app' })
const rowOf = (page: Page, deviceId: string): Locator => page.locator(`tbody tr[data-row="${deviceId}"]`)

const { inWholesale, stockLight, stockModule, livelyLight, livelyBoiler } = demoDevices
const { connectedDot, allocatedDot, harbourLight, harbourGateway, untaggedLight } = demoDevices
const installOf = (area: string, { serial, deviceId }: StoriedDevice) => `/northgate/${area}/${serial}/${deviceId}`
const connectedInstall = `/northgate/ConnectedDeviceInstall/MultiDot/${livelyBoiler.deviceId}/${allocatedDot.serial}/${allocatedDot.deviceId}`

/** Opens the listing page that contains the first matching device, sorted by serial number. */
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
    const address = `/northgate/${listing}?${at > 1 ? `page=${at}&` : ''}sort=serial`
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

/** Checks that a hand-over page shows its device, and links to the mobile app by button and by code. */
async function expectHandover(page: Page, device: StoriedDevice, path: string): Promise<void> {
  await expect(heading(page, device.name)).toBeVisible()
  await expect(main(page).getByText(device.serial).first()).toBeVisible()
  const link = `https://app.caretaker.example${path}`
  await expect(openInApp(page)).toHaveAttribute('href', link)
  await expect(main(page).getByRole('img', { name: `QR code of ${link}` })).toBeVisible()
}

test('the row of a device in wholesale opens its move to the client, by serial number [core-2.4-60 core-2.5-1]', async ({
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

for (const [what, addresses] of [
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
  test(`a hand-over page for a device that ${what} is not found`, async ({ pageOf, expectedErrors }) => {
    expectedErrors.push(consoleText(404), consoleText(400))
    const page = await pageOf(manager)
    for (const address of addresses) {
      await page.goto(address)
      await expect(notFound(page), address).toBeVisible()
      await expect(openInApp(page)).toHaveCount(0)
    }
  })

test('for users of another client and restricted users, the device of a hand-over does not exist', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(404))
  const limited = await pageOf('limited@northgate.example')
  await limited.goto(installOf('EmeredInstall', untaggedLight))
  await expect(notFound(limited)).toBeVisible()
  const foreignManager = await pageOf('manager@harbour.example')
  await foreignManager.goto(`/northgate/MoveFromWholesale/${inWholesale.serial}`)
  await expect(foreignManager).toHaveURL('/harbour/Dashboard')
  await expect(dashboard(foreignManager)).toBeVisible()

  // Also by direct call.
  const bySerial = (page: Page, { serial }: StoriedDevice) =>
    ask(page, getDeviceBySerial, { body: { tenant: 'northgate', serialNumber: serial } })
  const bcmOf = (page: Page) =>
    ask(page, getBcmConnectedDevice, { body: { tenant: 'northgate', deviceId: connectedDot.deviceId } })
  expect(await bySerial(limited, untaggedLight)).toMatchObject({ status: 404 })
  expect(await bySerial(foreignManager, inWholesale)).toMatchObject({ status: 404 })
  expect(await bcmOf(foreignManager)).toMatchObject({ status: 404 })
})

test('a lighting engineer is refused boiler modules, by address and by direct call [core-2.4-32]', async ({
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
