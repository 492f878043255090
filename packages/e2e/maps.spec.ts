import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import type { Building } from '@caretaker/contract/buildings.ts'
import { addBuilding, getBuilding, getTenantBuildings } from '@caretaker/contract/buildings.ts'
import type { FloorDevice } from '@caretaker/contract/devices.ts'
import { getFloorDevices, updateDeviceBuildingLocation, updateDeviceGeoLocation } from '@caretaker/contract/devices.ts'
import type { Import } from '@caretaker/contract/imports.ts'
import { commitImport, getImport, undoImport, uploadImport } from '@caretaker/contract/imports.ts'
import { ask } from './fixtures/api.ts'
import { newClient } from './fixtures/client.ts'
import { addDevices, caretaker } from './fixtures/operator.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

// These tests change the same demo rows, so they run one after the other.
test.describe.configure({ mode: 'default' })

const manager = 'manager@northgate.example'

/** The map position in the address. */
const lookedAt = (page: Page) => {
  const [lat, lng, zoom] = (new URL(page.url()).searchParams.get('at') ?? '').replaceAll('"', '').split(',').map(Number)
  return { lat, lng, zoom }
}
const zoomOf = (page: Page) => lookedAt(page).zoom
const side = (page: Page) => page.getByRole('complementary', { name: 'Items on the map' })
const rowsOf = (page: Page, list: string) => side(page).getByRole('list', { name: list }).getByRole('button')
const markers = (page: Page) => page.locator('[data-marker]')
const total = (page: Page) => side(page).getByText(/^[\d,]+ of [\d,]+$/)

test('a user finds a building on the map, browses its floors, and returns [est-2.1-58] [est-2.1-62] [est-2.1-63] [est-2.1-64] [est-2.1-65] [est-2.1-66] [est-2.1-67] [est-2.1-68] [est-2.1-69] [est-2.1-70] [est-2.1-71] [est-2.1-72] [est-4-8] [est-4-9] [est-4-11] [est-4-13] [est-4-14] [est-4-15] [est-4-16] [est-4-18] [est-9-4] [est-9-10]', async ({
  pageOf,
}) => {
  test.setTimeout(240_000)
  const page = await pageOf(manager)
  await page.goto('/northgate/Dashboard')
  await page.goto('/northgate/BuildingMap')
  // With several buildings, none is chosen, and all are on the map, alone or in clusters.
  await expect(rowsOf(page, 'Buildings here').first()).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Building map')
  await expect(page.getByRole('navigation', { name: 'Floors' })).toHaveCount(0)
  const cluster = page.getByRole('button', { name: /^[\d,]+ buildings, .*Zoom in$/ }).first()
  await expect(cluster).toBeVisible()
  await expect.poll(() => zoomOf(page)).toBeGreaterThan(1)
  const before = zoomOf(page)!
  await cluster.click()
  await expect.poll(() => zoomOf(page)).toBeGreaterThan(before)

  // List and map share one selection.
  await rowsOf(page, 'Buildings here').first().click()
  const heading = page.getByRole('heading', { level: 1 })
  await expect(heading).toHaveText(/^Building map: ./)
  const name = (await heading.innerText()).replace('Building map: ', '')
  const card = page.getByRole('region', { name, exact: true })
  await expect(card).toBeVisible()
  await expect.poll(() => zoomOf(page)).toBe(19)
  await expect(markers(page).and(page.locator('[aria-pressed=true]'))).toHaveAccessibleName(new RegExp(`^${name}`))

  // Clicking the pin has the same effect.
  const id = new URL(page.url()).searchParams.get('building')!
  await card.getByRole('button', { name: 'Close' }).click()
  await expect(card).toHaveCount(0)
  await page.locator(`[data-marker="${id}"]`).click()
  await expect(heading).toHaveText(`Building map: ${name}`)
  await expect(card).toBeVisible()
  await expect(side(page).locator('button[aria-current]')).toContainText(name)

  // The zoom buttons, and the choice between roadmap and satellite images.
  await page.getByRole('button', { name: 'Zoom in', exact: true }).click()
  await expect.poll(() => zoomOf(page)).toBe(20)
  await page.getByRole('button', { name: 'Zoom out', exact: true }).click()
  await expect.poll(() => zoomOf(page)).toBe(19)
  const chosen = markers(page).and(page.locator('[aria-pressed=true]'))
  const pinWidth = async () => (await chosen.boundingBox())!.width
  const near = await pinWidth()
  for (let press = 0; press < 2; press++) await page.getByRole('button', { name: 'Zoom out', exact: true }).click()
  await expect.poll(() => zoomOf(page)).toBe(17)
  await expect.poll(pinWidth).toBeLessThan(near)
  for (let press = 0; press < 2; press++) await page.getByRole('button', { name: 'Zoom in', exact: true }).click()
  await expect.poll(() => zoomOf(page)).toBe(19)
  const land = page.getByRole('radiogroup', { name: 'Map', exact: true })
  await land.getByText('Satellite').click()
  await expect(page.getByText('Satellite images are not set up')).toBeVisible()
  await land.getByText('Roadmap').click()
  await expect(page.getByText('Satellite images are not set up')).toHaveCount(0)
  await expect(page.getByText('Sketch: streets and houses are not real')).toBeVisible()

  // The building opens on its default floor, and leads to the next and the previous floor.
  const floors = page.getByRole('navigation', { name: 'Floors' })
  const count = await floors.getByRole('listitem').count()
  expect(count).toBeGreaterThan(1)
  await card.getByRole('button', { name: 'Open floor plan' }).click()
  // Only their names, because the status counts change meanwhile.
  const shown = floors.locator('[aria-current] > span:first-child')
  await expect(shown).toHaveCount(1)
  const names = await floors.locator('li button > span:first-child').allInnerTexts()
  const opened = await shown.innerText()
  await expect(page.getByRole('region', { name: 'Map of devices' })).toBeVisible()
  await expect(rowsOf(page, 'Buildings here')).toHaveCount(0)
  // Exactly the devices of this floor are shown, each alone or in a stack.
  const opens = new URL(page.url()).searchParams.get('floor')
  const { floors: storeys } = (await ask(page, getBuilding, { body: { tenant: 'northgate', building: id } }))
    .data as Building
  const floorQuery = { tenant: 'northgate', building: id, floor: storeys[Number(opens)]!.floor }
  const devices = (await ask(page, getFloorDevices, { body: floorQuery })).data as FloorDevice[]
  const placed = devices.filter(({ lat }) => lat !== null).map(({ deviceId }) => deviceId)
  expect(placed.length).toBeGreaterThan(0)
  const shownIds = () => markers(page).evaluateAll((all) => all.map((one) => one.getAttribute('data-marker')!))
  await expect.poll(async () => (await shownIds()).toSorted()).toEqual(placed.toSorted())
  await expect(total(page)).toHaveText(`${placed.length} of ${placed.length}`)
  // Pin and row highlight each other.
  const [worst] = (await shownIds()) as [string]
  await page.locator(`[data-marker="${worst}"]`).click()
  await expect(page).toHaveURL(new RegExp(`deviceId=${worst}`))
  const marked = side(page).locator('button[aria-current]')
  const { serialNumber } = devices.find(({ deviceId }) => deviceId === worst)!
  await expect(marked).toContainText(serialNumber)
  await side(page).getByRole('list').first().getByRole('button').last().click()
  await expect(marked).not.toContainText(serialNumber)
  await expect(page.locator(`[data-marker="${worst}"]`)).toHaveAttribute('aria-pressed', 'false')
  await page.reload()
  await expect(shown).toHaveText(opened)
  await page.getByRole('button', { name: 'Next floor' }).click()
  await expect(shown).not.toHaveText(opened)
  await page.getByRole('button', { name: 'Previous floor' }).click()
  await expect(shown).toHaveText(opened)
  for (let at = 0; at < names.length; at++) await page.getByRole('button', { name: 'Next floor' }).click()
  await expect(shown).toHaveText(opened)
  await floors.getByRole('listitem').getByRole('button').first().click()
  await expect(shown).toHaveText(names[0]!)

  // Problems on other floors are listed, with links.
  const elsewhere = side(page).getByRole('list', { name: 'On other floors' })
  const storey = floors.getByRole('listitem').getByRole('button')
  const withoutFailures = floors.getByRole('listitem').getByRole('button', { name: /: (?!\d+ failed$)/ })
  // If all floors have failures, each floor lists the others.
  await ((await withoutFailures.count()) ? withoutFailures : storey).first().click()
  await expect(elsewhere.getByRole('button').first()).toBeVisible()
  const other = await elsewhere.getByRole('button').locator('b').first().innerText()
  await elsewhere.getByRole('button').first().click()
  await expect.poll(async () => other.endsWith(await shown.innerText())).toBe(true)
  await floors.getByRole('listitem').getByRole('button').first().click()
  await expect(shown).toHaveText(names[0]!)

  // Colouring by connection changes the colours everywhere.
  await page.getByRole('radiogroup', { name: 'Colour by' }).getByText('Connection').click()
  await expect(page).toHaveURL(/by=connection/)
  await expect(page.getByRole('list', { name: 'Legend' })).not.toContainText('Passed')

  // Back deselects, then leaves.
  await page.getByRole('button', { name: 'Back', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Building map')
  await expect(floors).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Map of buildings' })).toBeVisible()
  // With nothing selected, Back returns to the previously shown floor.
  await page.getByRole('button', { name: 'Back', exact: true }).click()
  await expect(shown).toHaveText(names[0]!)

  // A floor with a plan links to placing its devices, and a floor without one links to adding a plan.
  for (const [floor, link, target] of [
    [2, 'Place devices', /\/FloorPlan\/Place\?building=.+&floor=2$/],
    [5, 'Upload a floor plan', /\/Buildings\/.+$/],
  ] as const) {
    await page.goto(`/northgate/FloorPlan?building=beech-hill-court&floor=${floor}`)
    await expect(page.getByRole('link', { name: link })).toHaveAttribute('href', target)
  }
})

test('the floor plan opens on the requested device, between zoom 20 and 21, also without a map below [est-2.1-61] [est-9-5] [est-9-6] [dev-2detail-29]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  const { livelyLight } = demoDevices
  // Pins are shown even if map rendering is disabled.
  await page.addInitScript(() => {
    HTMLCanvasElement.prototype.getContext = () => null
  })
  // The list can load everything that is on the map, in parts.
  await page.goto('/northgate/FloorPlan')
  await expect(rowsOf(page, 'Devices here')).toHaveCount(100)
  await side(page).getByRole('button', { name: 'Show more' }).click()
  await expect(rowsOf(page, 'Devices here')).toHaveCount(200)
  await page.goto(`/northgate/FloorPlan?deviceId=${livelyLight.deviceId}`)
  await expect(page.getByText('This browser cannot draw the background map')).toBeVisible()
  const card = page.getByRole('region', { name: livelyLight.name, exact: true })
  await expect(card).toContainText(livelyLight.serial)
  await expect(page.locator(`[data-marker="${livelyLight.deviceId}"]`)).toHaveAttribute('aria-pressed', 'true')
  await expect.poll(() => zoomOf(page)).toBe(20)
  // The device is shown on the plan of its floor, among the others.
  await expect(page).toHaveURL(new RegExp(`building=[0-9a-f-]{36}&.*floor=\\d`))
  await expect(page.locator('[data-plan]')).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Floors' }).locator('[aria-current]')).toHaveCount(1)
  await expect(card.getByRole('button', { name: 'Show on its floor' })).toHaveCount(0)
  for (let press = 0; press < 3; press++) await page.getByRole('button', { name: 'Zoom in', exact: true }).click()
  await expect.poll(() => zoomOf(page)).toBe(21)
  await expect(total(page)).toBeVisible()
  // Choosing a device on the overall map does not open its floor; 'Show on its floor' does.
  await page.getByRole('button', { name: 'Back', exact: true }).click()
  await expect(page.getByRole('region', { name: 'Map of devices' })).toBeVisible()
  await expect(page.locator('[data-plan]')).toHaveCount(0)
  await side(page).getByRole('searchbox').fill(livelyLight.serial)
  await expect(rowsOf(page, 'Devices found')).toHaveCount(1)
  await rowsOf(page, 'Devices found').click()
  await expect(card).toBeVisible()
  await expect(page.locator('[data-plan]')).toHaveCount(0)
  await card.getByRole('button', { name: 'Show on its floor' }).click()
  await expect(page.locator('[data-plan]')).toBeVisible()
  await expect(page).toHaveURL(new RegExp(`deviceId=${livelyLight.deviceId}`))
})

test('devices with coordinates are on the floor plan, coloured by status or connection; a building opens on its default floor, or on the first with devices [core-2.4-43] [dev-2detail-38] [est-1-7] [est-2.1-59] [est-2.1-60] [est-4-5] [est-4-7] [est-4-17] [est-4-18] [est-9-13] [est-9-14]', async ({
  page,
  expectedErrors,
}) => {
  test.slow()
  const { tenant } = await newClient(page, 'Map Homes')
  // Without positions, the map shows the world from its centre.
  await page.goto(`/${tenant}/FloorPlan`)
  await expect(side(page)).toContainText('No device has coordinates')
  // The address contains the map position once the map has moved there and something has changed.
  let tall = 960
  await expect
    .poll(async () => {
      await page.setViewportSize({ width: 1440, height: ++tall })
      return lookedAt(page)
    })
    .toEqual({ lat: 0, lng: 0, zoom: 1 })
  const [placed, other] = await addDevices(tenant, 2, '--product', 'EM')
  const body = { tenant, deviceId: placed!.deviceId, latitude: 51.5, longitude: -0.12 }
  expect((await ask(page, updateDeviceGeoLocation, { body })).status).toBe(200)
  await page.goto(`/${tenant}/FloorPlan`)
  await expect(markers(page)).toHaveCount(1)
  await expect(markers(page)).toHaveAttribute('data-marker', placed!.deviceId)
  await expect(side(page)).toContainText(placed!.serial)
  await expect(side(page)).not.toContainText(other!.serial)

  const byStatus = await markers(page).innerHTML()
  await page.getByRole('radiogroup', { name: 'Colour by' }).getByText('Connection').click()
  await expect.poll(() => markers(page).innerHTML()).not.toBe(byStatus)
  await page.getByRole('radiogroup', { name: 'Colour by' }).getByText('Device').click()
  await expect.poll(() => markers(page).innerHTML()).toBe(byStatus)

  // A pin reacts to a pointer up to 15 pixels from its centre, which is more than its drawn size.
  const { x, y, width, height } = (await markers(page).boundingBox())!
  const reacts = async (away: number) => {
    await page.mouse.move(x + width / 2 + away, y + height / 2)
    return markers(page).evaluate((marker) => marker.matches(':hover'))
  }
  expect([await reacts(13.5), await reacts(16.5), await reacts(-13.5), await reacts(-16.5)]).toEqual([
    ...[true, false, true, false],
  ])

  // Without a floor in its address, a building opens on its default floor, or on the first floor with devices if that has none.
  const building = { name: 'Storeyed House', lat: 51.5, lng: -0.12, defaultFloor: '1' }
  const made = await ask(page, addBuilding, {
    body: { tenant, building: { ...building, floors: ['0', '1', '2'].map((name) => ({ name })) } },
  })
  const { building: id, floors } = made.data as Building
  const placeDevice = async (deviceId: string, at: number) => {
    const body = { tenant, deviceId, buildingId: id, floorId: floors[at]!.floor }
    expect((await ask(page, updateDeviceBuildingLocation, { body })).status).toBe(200)
  }
  await placeDevice(placed!.deviceId, 2)
  // The floor address used in other documents works too.
  await page.goto(`/${tenant}/Floor?building=${id}`)
  await expect(page).toHaveURL(new RegExp(`/${tenant}/FloorPlan\\?.*\\bfloor=2\\b`))
  await expect(page.getByRole('region', { name: 'Storeyed House' })).toHaveCount(0)
  await placeDevice(placed!.deviceId, 0)
  await placeDevice(other!.deviceId, 1)
  await page.goto(`/${tenant}/Buildings/${id}`)
  await page.getByRole('button', { name: 'Floor plan', exact: true }).click()
  await expect(page).toHaveURL(/[?&]floor=1\b/)
  await expect(page.getByRole('navigation', { name: 'Floors' }).locator('[aria-current]')).toHaveAttribute(
    'aria-label',
    /^1: /,
  )
  // The link leads to the same devices in the listing.
  const link = side(page).getByRole('link', { name: 'Open in the listing' })
  await expect(link).toHaveAttribute('href', /EmergencyLights\?filters=/)

  // A building that someone deletes meanwhile is gone, and the next request reports this.
  await caretaker('feature', 'set', '--tenant', tenant, '--name', 'PropertyCentric', '--on')
  await caretaker('capability', 'set', '--tenant', tenant, '--name', 'ViewProperties', '--on')
  const buffer = Buffer.from('Building name,Post code,Floor\nShort Stay,SW1A 1AA,G')
  const file = { name: 'buildings.csv', mimeType: 'text/csv', buffer }
  const uploaded = await ask(page, uploadImport, { form: { tenant, file: file as never } })
  const { importId } = uploaded.data as { importId: string }
  const ready = async (state: string) => {
    const readImport = async () => (await ask(page, getImport, { body: { tenant, importId } })).data as Import
    await expect.poll(async () => (await readImport()).state).toBe(state)
    return readImport()
  }
  const { revision } = await ready('planned')
  expect((await ask(page, commitImport, { body: { tenant, importId, revision } })).status).toBe(200)
  await ready('done')
  const all = (await ask(page, getTenantBuildings, { body: { tenant } })).data as Building[]
  const short = all.find(({ name }) => name === 'Short Stay')!
  await page.goto(`/${tenant}/FloorPlan?building=${short.building}&floor=0`)
  await expect(page.getByRole('navigation', { name: 'Floors' })).toBeVisible()
  await expect(page.getByText('Building not found.')).toHaveCount(0)
  expectedErrors.push(consoleText(404))
  expect((await ask(page, undoImport, { body: { tenant, importId } })).status).toBe(200)
  await expect(page.getByText('Building not found.')).toBeVisible({ timeout: 15_000 })
})

test('devices at one position open as a list, by pointer and by keys, and the list can be searched everywhere', async ({
  page,
}) => {
  const { tenant } = await newClient(page, 'Stacked Homes')
  const [first, second, far] = await addDevices(tenant, 3, '--product', 'EM')
  for (const [device, latitude] of [
    [first!, 51.5],
    [second!, 51.5],
    [far!, 52.5],
  ] as const) {
    const body = { tenant, deviceId: device.deviceId, latitude, longitude: -0.12 }
    expect((await ask(page, updateDeviceGeoLocation, { body })).status).toBe(200)
  }
  await page.goto(`/${tenant}/FloorPlan?at=51.5,-0.12,19`)
  await expect(total(page)).toHaveText('2 of 3')
  const pile = page.getByRole('button', { name: /^2 devices, .*Show the list$/ })
  await expect(markers(page)).toHaveCount(1)
  await pile.focus()
  await page.keyboard.press('Enter')
  const list = page.getByRole('list', { name: '2 devices on this spot' })
  await expect(list.getByRole('button')).toHaveCount(2)
  await expect(list.getByRole('button').first()).toBeFocused()
  await page.getByRole('button', { name: 'Close' }).click()
  await expect(list).toHaveCount(0)
  await expect(pile).toBeFocused()
  await pile.click()
  await list.getByRole('button', { name: second!.serial }).click()
  await expect(page).toHaveURL(new RegExp(`deviceId=${second!.deviceId}`))
  // The selected device is shown separately, above the other.
  await expect(markers(page)).toHaveCount(2)
  await expect(page.locator('[aria-pressed=true]')).toHaveAttribute('data-marker', second!.deviceId)

  const find = side(page).getByRole('searchbox', { name: 'Find a device or building' })
  await find.fill(far!.serial.toLowerCase())
  await expect(rowsOf(page, 'Devices found')).toHaveCount(1)
  await expect(side(page).getByRole('heading', { name: 'No building' })).toBeVisible()
  await rowsOf(page, 'Devices found').click()
  await expect.poll(() => Math.round(lookedAt(page).lat! * 10)).toBe(525)
  await find.fill('no such thing')
  await expect(side(page)).toContainText('No matches on the map.')
  await side(page).getByRole('button', { name: 'Clear' }).click()
  await expect(rowsOf(page, 'Devices here')).toHaveCount(1)
})

test('a restricted user has no map of buildings, and sees a plan only under their own devices', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(404))
  const page = await pageOf('limited@northgate.example')
  await page.goto('/northgate/BuildingMap')
  await expect(page.getByText("You don't have permission.")).toBeVisible()
  await expect(markers(page)).toHaveCount(0)
  const { livelyLight } = demoDevices
  await page.goto(`/northgate/FloorPlan?deviceId=${livelyLight.deviceId}`)
  await expect(page.locator('[data-plan]')).toBeVisible()
  await expect(page.locator(`[data-marker="${livelyLight.deviceId}"]`)).toHaveAttribute('aria-pressed', 'true')
  const theirs = new URL(page.url()).searchParams.get('building')!
  await expect(page.getByRole('link', { name: 'Place devices' })).toHaveCount(0)
  // A missing building and another client's building show the same message and a way back.
  await page.goto(`/northgate/FloorPlan?building=${randomUUID()}`)
  await expect(page.getByText('Building not found.')).toBeVisible()
  await page.getByRole('main').getByRole('link', { name: 'Floor Plan' }).click()
  await expect(page.getByRole('region', { name: 'Map of devices' })).toBeVisible()
  const other = await pageOf('contractor@multi.example')
  await other.goto(`/meridian/FloorPlan?building=${theirs}&floor=0`)
  await expect(other.getByText('Building not found.')).toBeVisible()
  await expect(other.locator('[data-plan]')).toHaveCount(0)
})

test('on a phone the list is a sheet that is pulled up over the map, and the legend is visible', async ({ pageOf }) => {
  const page = await pageOf(manager, { viewport: { width: 390, height: 844 } })
  await page.goto('/northgate/FloorPlan?building=beech-hill-court&floor=2')
  await expect(page.locator('[data-plan]')).toBeVisible()
  const legend = page.getByRole('list', { name: 'Legend' })
  await expect(legend.getByRole('listitem').first()).toBeInViewport({ ratio: 1 })
  const row = side(page).getByRole('list').getByRole('button').first()
  await expect(row).not.toBeInViewport({ ratio: 1 })
  const grip = page.getByRole('button', { name: 'Expand the list' })
  const { x, y, width, height } = (await grip.boundingBox())!
  await page.mouse.move(x + width / 2, y + height / 2)
  await page.mouse.down()
  await page.mouse.move(x + width / 2, y - 200, { steps: 4 })
  await page.mouse.up()
  await expect(row).toBeInViewport({ ratio: 1 })
  await page.getByRole('button', { name: 'Collapse the list' }).click()
  await expect(row).not.toBeInViewport({ ratio: 1 })
  await grip.click()
  const name = await row.locator('b').innerText()
  await row.click()
  // After a selection, the list is collapsed again, so that the selected device is visible.
  await expect(page.getByRole('button', { name: 'Expand the list' })).toBeVisible()
  await expect(page.getByRole('region', { name, exact: true })).toBeInViewport({ ratio: 1 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
})
