import type { Locator, Page } from '@playwright/test'
import { addBuilding, getBuilding, updateFloorPosition, uploadFloorPlan } from '@caretaker/contract/buildings.ts'
import { getFloorDevices, updateDeviceBuildingLocation, updateDeviceGeoLocation } from '@caretaker/contract/devices.ts'
import type { FloorDevice } from '@caretaker/contract/devices.ts'
import type { Building, Floor } from '@caretaker/contract/buildings.ts'
import { gridOn, placeOf, spotOf } from '@caretaker/rules/buildings/geometry.ts'
import { pixelsOfMetre } from '@caretaker/rules/maps/mercator.ts'
import { ask } from './fixtures/api.ts'
import { counted } from './fixtures/lists.ts'
import type { Credentials } from './fixtures/operator.ts'
import { answerOnce } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 200">
  <rect x="4" y="4" width="392" height="192" fill="#fff" stroke="#3a4250" stroke-width="8"/>
  <path d="M4 100h392M130 4v96M260 100v96" stroke="#3a4250" stroke-width="4"/></svg>`

interface NewPlan {
  building: string
  floors: Floor[]
}

/** A building with two floors, the lower of which has a plan. */
async function newBuilding(page: Page, tenant: string, place: Partial<Floor> = {}): Promise<NewPlan> {
  const name = 'Weaver House'
  const floors = [{ name: '0' }, { name: '1', width: 46.8, height: 21.4, rotation: 347 }]
  const made = await ask(page, addBuilding, {
    body: { tenant, building: { name, lat: 55.8617, lng: -4.2583, floors } },
  })
  const { building, floors: all } = made.data as Building
  const floor = all[0]!.floor
  const file = { name: `${name}.svg`, mimeType: 'image/svg+xml', buffer: Buffer.from(drawing) }
  const uploaded = await ask(page, uploadFloorPlan, { form: { tenant, building, floor, file: file as never } })
  expect([made.status, uploaded.status]).toEqual([200, 200])
  const { lat, lng, width, height, rotation } = { ...all[0]!, ...place }
  const body = { tenant, building, floor, lat: lat!, long: lng!, width, height, rotation }
  if (Object.keys(place).length) expect((await ask(page, updateFloorPosition, { body })).status).toBe(200)
  return { building, floors: await floorsOf(page, tenant, building) }
}

const floorsOf = async (page: Page, tenant: string, building: string) =>
  ((await ask(page, getBuilding, { body: { tenant, building } })).data as Building).floors

const editor = (tenant: string, building: string) => `/${tenant}/PositionFloor?building=${building}&floor=0`
const frame = (page: Page) => page.getByRole('application', { name: /^Plan of/ })
const image = (page: Page) => page.locator('img[data-plan]')
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
const middle = async (of: Locator) => {
  const { x, y, width, height } = (await of.boundingBox())!
  return { x: x + width / 2, y: y + height / 2 }
}
const numberIn = async (of: Locator) => Number(await of.inputValue())

/** The centre of the magenta pixels in a screenshot of the page, without the pins. */
async function dotIn(page: Page): Promise<{ x: number; y: number } | undefined> {
  const picture = await page.screenshot({ style: '[data-marker] { visibility: hidden }' })
  // A page without a content security policy opens the picture.
  const reader = await page.context().newPage()
  const found = await reader.evaluate(async (data) => {
    const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob())
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')!
    context.drawImage(bitmap, 0, 0)
    const { data: pixels } = context.getImageData(0, 0, bitmap.width, bitmap.height)
    const sum = { x: 0, y: 0, count: 0 }
    for (let at = 0; at < pixels.length; at += 4) {
      if (pixels[at]! < 220 || pixels[at + 1]! > 60 || pixels[at + 2]! < 220) continue
      sum.x += (at / 4) % bitmap.width
      sum.y += Math.floor(at / 4 / bitmap.width)
      sum.count++
    }
    return sum
  }, picture.toString('base64'))
  await reader.close()
  return found.count ? { x: found.x / found.count + 0.5, y: found.y / found.count + 0.5 } : undefined
}

async function dragged(page: Page, from: { x: number; y: number }, by: { x: number; y: number }): Promise<void> {
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(from.x + by.x / 2, from.y + by.y / 2, { steps: 3 })
  await page.mouse.move(from.x + by.x, from.y + by.y, { steps: 3 })
  await page.mouse.up()
  // The latest move is drawn two frames later.
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
}

test('a manager positions a floor plan with the mouse, keys and numbers, and finds it there again [core-2.4-44 core-5-28 core-5-29 core-5-30 est-1-6 est-2.1-49 est-2.1-50 est-2.1-51 est-2.1-52 est-2.1-54 est-2.1-55 est-2.1-56 est-4-25 est-5-57 est-5-58 est-5-59 est-9-12]', async ({
  newClient,
  expectedErrors,
}) => {
  test.slow()
  const client = await newClient()
  const { tenant } = client
  const page = await client.pageOf('Manager')
  const { building, floors } = await newBuilding(page, tenant)
  await page.goto(editor(tenant, building))
  const [width, height, rotation] = ['Width', 'Height', 'Rotation'].map((name) => field(page, name)) as [
    Locator,
    Locator,
    Locator,
  ]
  const [latitude, longitude] = [field(page, 'Latitude'), field(page, 'Longitude')]
  await expect(width).toHaveValue('30')
  // Its drawing is twice as wide as high.
  await expect(height).toHaveValue('15')
  await expect(rotation).toHaveValue('0')
  await expect(latitude).toHaveValue('55.861700')
  await expect(longitude).toHaveValue('-4.258300')
  for (const one of [latitude, longitude]) expect(await one.getAttribute('readonly')).not.toBeNull()

  // The map opens at zoom 19, which determines how many pixels a metre has.
  await expect(image(page)).toBeVisible()
  await expect
    .poll(async () => (await image(page).boundingBox())!.width)
    .toBeCloseTo(30 * pixelsOfMetre({ lat: 55.8617, zoom: 19 }), 0)
  const imageBox = (await image(page).boundingBox())!
  const frameBox = (await frame(page).boundingBox())!
  // Handles never cover a corner.
  expect(imageBox.x - frameBox.x).toBeCloseTo(9, 0)
  expect(frameBox.height - imageBox.height).toBeCloseTo(18, 0)

  // An emptied field counts as 0, which is not allowed; the buttons stop at the limits.
  await width.fill('')
  await expect(width).toHaveValue('0')
  await expect(page.getByText('Between 0.5 and 1000 m')).toBeVisible()
  await width.fill('999.95')
  await page.getByRole('button', { name: 'Increase Width' }).click()
  await expect(width).toHaveValue('1000')
  await expect(page.getByRole('button', { name: 'Increase Width' })).toBeDisabled()
  await rotation.fill('-179.5')
  await page.getByRole('button', { name: 'Decrease Rotation' }).click()
  await expect(rotation).toHaveValue('-180')
  await expect(page.getByRole('button', { name: 'Decrease Rotation' })).toBeDisabled()
  await rotation.fill('0')
  await width.fill('40')
  await height.fill('20')
  // With this option, one side follows the other.
  const keeping = page.getByRole('switch', { name: 'Keep proportions' })
  await keeping.check()
  await width.fill('30')
  await expect(height).toHaveValue('15')
  await height.fill('20')
  await expect(width).toHaveValue('40')
  await keeping.uncheck()

  // The mouse moves it by the expected number of metres.
  const metre = pixelsOfMetre({ lat: 55.8617, zoom: 19 })
  const at = await middle(frame(page))
  await dragged(page, at, { x: 60, y: -40 })
  await expect.poll(async () => (await middle(frame(page))).x - at.x).toBeCloseTo(60, 0)
  await expect.poll(async () => (await middle(frame(page))).y - at.y).toBeCloseTo(-40, 0)
  await expect(longitude).not.toHaveValue('-4.258300')
  expect(((await numberIn(latitude)) - 55.8617) * 111_319.49).toBeCloseTo(40 / metre, 0)
  await expect(
    page.getByRole('status').filter({ hasText: /^Moved .* m north, .* m east and made 40 × 20 m/ }),
  ).toBeVisible()

  // Keys move it by ten centimetres or a metre and turn it by a degree.
  await frame(page).focus()
  const before = await numberIn(latitude)
  await page.keyboard.press('Shift+ArrowUp')
  await expect(latitude).toHaveValue((before + 0.000009).toFixed(6))
  // The keys work wherever the focus is.
  await page.getByRole('slider', { name: 'Plan over map' }).focus()
  await page.keyboard.press('Control+z')
  await expect(latitude).toHaveValue(before.toFixed(6))
  await frame(page).focus()
  for (let press = 0; press < 10; press++) await page.keyboard.press('ArrowUp')
  await expect(latitude).toHaveValue((before + 0.000009).toFixed(6))
  await page.keyboard.press(']')
  await expect(rotation).toHaveValue('1')
  await page.keyboard.press('[')
  await page.keyboard.press('[')
  await expect(rotation).toHaveValue('-1')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(rotation).toHaveValue('0')

  // The handle on the right edge leaves the left edge in place; the handle above rotates.
  const left = (await frame(page).boundingBox())!.x
  await dragged(page, await middle(page.locator('[data-handle="1 0"]')), { x: 30, y: 5 })
  expect(await numberIn(width)).toBeCloseTo(40 + 30 / metre, 1)
  expect((await frame(page).boundingBox())!.x).toBeCloseTo(left, 0)
  const centre = await middle(frame(page))
  const turn = await middle(page.locator('[data-handle="turn"]'))
  // The rotation handle belongs to the plan: a quarter turn moves it from above the centre to the right.
  const radius = centre.y - turn.y
  await dragged(page, turn, { x: radius, y: radius })
  expect(Math.abs((await numberIn(rotation)) - 90)).toBeLessThan(25)

  // The outline of another floor, for alignment.
  await page.getByRole('combobox', { name: 'Outline of another floor' }).click()
  await page.getByRole('option', { name: 'Floor 1' }).click()
  await expect(page.getByText('Outline of Floor 1')).toBeVisible()
  await page.getByRole('button', { name: 'Match' }).click()
  await expect(width).toHaveValue('46.8')
  await expect(rotation).toHaveValue('-13')
  await expect(longitude).toHaveValue('-4.258300')

  // Cancel stores nothing and Save does. Opened by its address, the editor leads back to its building.
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page).toHaveURL(`/${tenant}/Buildings/${building}`)
  expect((await floorsOf(page, tenant, building))[0]).toMatchObject({ width: 30, version: floors[0]!.version })
  await page.goto(editor(tenant, building))
  await width.fill('46.8')
  await height.fill('21.4')
  await rotation.fill('-13')
  await page.keyboard.press('Tab')
  await dragged(page, await middle(frame(page)), { x: 25, y: 10 })
  const stored = [await latitude.inputValue(), await longitude.inputValue()] as const
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page).toHaveURL(`/${tenant}/Buildings/${building}`)
  await page.goto(editor(tenant, building))
  await expect(width).toHaveValue('46.8')
  await expect(height).toHaveValue('21.4')
  await expect(rotation).toHaveValue('-13')
  await expect(latitude).toHaveValue(stored[0])
  await expect(longitude).toHaveValue(stored[1])

  // If someone else moves it meanwhile, the page shows a message and overwrites nothing.
  await height.fill('25')
  const now = (await floorsOf(page, tenant, building))[0]!
  const theirs = {
    ...{ tenant, building, floor: now.floor, width: 33, height: 22 },
    ...{ rotation: 5, lat: now.lat!, long: now.lng! },
  }
  expect((await ask(page, updateFloorPosition, { body: theirs })).status).toBe(200)
  await expect(page.getByRole('alert')).toContainText('Someone else has moved this floor plan.')
  expectedErrors.push(consoleText(409))
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(async () => (await floorsOf(page, tenant, building))[0]).toMatchObject({ width: 33, height: 22 })
  await page.getByRole('button', { name: 'Show the current position' }).click()
  await expect(width).toHaveValue('33')
  await expect(height).toHaveValue('22')
})

test('a finger moves the plan and nothing else [est-2.1-57]', async ({ newClient }) => {
  const client = await newClient()
  const { tenant } = client
  const page = await client.pageOf('Manager', { hasTouch: true, viewport: { width: 390, height: 844 } })
  const { building } = await newBuilding(page, tenant)
  await page.goto(editor(tenant, building))
  await expect(image(page)).toBeVisible()
  // The map has reached its position.
  let place = ''
  await expect
    .poll(async () => {
      const before = place
      place = JSON.stringify(await frame(page).boundingBox())
      return place === before
    })
    .toBe(true)
  const at = await middle(frame(page))
  const session = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x: number, y: number) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] })
  await touch('touchStart', at.x, at.y)
  for (const step of [10, 20, 30, 40]) await touch('touchMove', at.x + step, at.y + step / 2)
  await touch('touchEnd', 0, 0)
  await expect(field(page, 'Longitude')).not.toHaveValue('-4.258300')
  await expect.poll(async () => (await middle(frame(page))).x - at.x).toBeCloseTo(40, 0)
  await expect.poll(async () => (await middle(frame(page))).y - at.y).toBeCloseTo(20, 0)
  expect(await page.evaluate(() => scrollY)).toBe(0)
})

test('thirty lights are placed on a rotated plan: laid out, dragged, moved by keys and undone, and each pin is at its position on the plan', async ({
  newClient,
  expectedErrors,
}) => {
  test.slow()
  const client = await newClient()
  const { tenant } = client
  const page = await client.pageOf('Manager')
  const { building, floors } = await newBuilding(page, tenant, {
    width: 40,
    height: 20,
    rotation: 30,
  })
  const plan = { ...floors[0]!, lat: floors[0]!.lat!, lng: floors[0]!.lng! }
  const { floor } = plan
  const withFloors = await client.call(getBuilding, { body: { tenant, building } })
  await client.devices('EM', 29, { building: withFloors, floor: plan.name })
  const [last] = (await client.devices('EM', 5)) as [Credentials]
  const stored = async () =>
    (await ask(page, getFloorDevices, { body: { tenant, building, floor } })).data as FloorDevice[]
  await page.goto(`/${tenant}/FloorPlan/Place?building=${building}&floor=0`)
  await expect(page.getByText('0 of 29 placed')).toBeVisible()
  // A device without a floor is added to this one.
  await page.getByRole('button', { name: 'Add devices' }).click()
  const offered = page.getByRole('region', { name: 'Not on a floor yet' })
  const find = page.getByRole('searchbox', { name: 'Find a light or serial number' })
  // Shift selects and deselects a range.
  const boxes = offered.getByRole('listitem').getByRole('checkbox')
  await boxes.nth(4).click()
  await boxes.nth(1).click({ modifiers: ['Shift'] })
  await expect(page.getByRole('button', { name: 'Put 4 here' })).toBeVisible()
  await boxes.nth(4).click({ modifiers: ['Shift'] })
  await expect(page.getByRole('button', { name: /^Put \d/ })).toHaveCount(0)
  await find.fill(last.serial)
  await expect(offered.getByRole('listitem')).toHaveCount(1)
  const put = async () => {
    await offered.getByRole('listitem').getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Put 1 here' }).click()
    await expect(page.getByText('1 device put on this floor').last()).toBeVisible()
  }
  await put()
  await page.getByRole('button', { name: 'Undo placing 1 here' }).click()
  await expect(page.getByText('1 device taken off this floor')).toBeVisible()
  await expect(offered.getByRole('listitem')).toHaveCount(1)
  await put()
  // The added devices are focused for placing.
  await expect(page.getByRole('region', { name: 'Not on the plan' }).getByRole('checkbox').first()).toBeFocused()
  await find.fill('')
  await page.getByRole('button', { name: 'Hide devices without a floor' }).click()
  await expect(page.getByText('0 of 30 placed')).toBeVisible()
  await page.getByRole('checkbox', { name: 'Select all', exact: true }).check()
  await page.getByRole('button', { name: 'Lay out 30' }).click()
  await expect(page.getByText('30 of 30 placed')).toBeVisible()
  await expect(page.getByText('Device geo location updated successfully')).toBeVisible()
  await expect.poll(async () => (await stored()).filter(({ lat }) => lat !== null).length).toBe(30)

  // A position on the drawing and the pin placed there are the same point.
  const devices = await stored()
  const shares = gridOn(plan, 30).map((place) => {
    const { right, down } = spotOf(plan, place)
    return { x: 0.5 + right / plan.width, y: 0.5 + down / plan.height }
  })
  const drawn = await image(page).evaluate((element, all) => {
    const picture = element as HTMLImageElement
    const matrix = new DOMMatrix(getComputedStyle(picture).transform)
    const origin = picture.offsetParent!.getBoundingClientRect()
    return all.map(({ x, y }) => {
      const point = matrix.transformPoint({ x: x * picture.offsetWidth, y: y * picture.offsetHeight })
      return { x: origin.x + point.x, y: origin.y + point.y }
    })
  }, shares)
  for (const { deviceId, lat, long } of devices) {
    const nearest = gridOn(plan, 30).findIndex(
      (place) => Math.abs(place.lat - lat!) + Math.abs(place.lng - long!) < 1e-6,
    )
    const pin = await middle(page.locator(`[data-marker="${deviceId}"]`))
    expect(Math.hypot(pin.x - drawn[nearest]!.x, pin.y - drawn[nearest]!.y)).toBeLessThan(1.5)
  }

  const start = await middle(page.locator(`[data-marker="${devices[0]!.deviceId}"]`))

  // The same in a screenshot, at any rotation: a dot of the drawing is under the pin at its position.
  const spot = { right: 0.35, down: -0.3 }
  const dotted = drawing.replace('</svg>', '<circle cx="340" cy="40" r="5" fill="#ff00ff"/></svg>')
  const file = { name: 'dotted.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(dotted) }
  expect((await ask(page, uploadFloorPlan, { form: { tenant, building, floor, file: file as never } })).status).toBe(
    200,
  )
  for (const rotation of [0, 30, 90, 197.5]) {
    const turned = { ...plan, rotation }
    const { lat, lng, width, height } = plan
    const body = { tenant, building, floor, lat, long: lng, width, height, rotation }
    expect((await ask(page, updateFloorPosition, { body })).status).toBe(200)
    const there = placeOf(turned, { right: spot.right * width, down: spot.down * height })
    const put = { tenant, deviceId: devices[0]!.deviceId, latitude: there.lat, longitude: there.lng }
    expect((await ask(page, updateDeviceGeoLocation, { body: put })).status).toBe(200)
    await expect
      .poll(async () => {
        const dot = await dotIn(page)
        const pin = await middle(page.locator(`[data-marker="${devices[0]!.deviceId}"]`))
        return dot ? Math.hypot(pin.x - dot.x, pin.y - dot.y) : Infinity
      })
      .toBeLessThan(1.5)
  }
  const { lat, lng, width, height, rotation } = plan
  await ask(page, updateFloorPosition, { body: { tenant, building, floor, lat, long: lng, width, height, rotation } })
  const home = { latitude: devices[0]!.lat, longitude: devices[0]!.long }
  await ask(page, updateDeviceGeoLocation, { body: { tenant, deviceId: devices[0]!.deviceId, ...home } })
  // The page has received the change.
  await expect
    .poll(async () => {
      const pin = await middle(page.locator(`[data-marker="${devices[0]!.deviceId}"]`))
      return Math.hypot(pin.x - start.x, pin.y - start.y)
    })
    .toBeLessThan(1.5)

  // No device is outside the plan.
  await expect(page.getByText(/^30 of 30 placed, \d+ of them roughly$/)).toBeVisible()

  // By keyboard, a device is chosen in the list, moved a metre east and dropped, and the move is undone.
  const [first, second] = devices as [FloorDevice, FloorDevice]
  const row = page.locator(`[data-row="${first.deviceId}"]`)
  await row.focus()
  await page.keyboard.press('Enter')
  const carried = page.getByRole('button', { name: /, being placed\./ })
  await expect(carried).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Escape')
  await expect(row).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(carried).toBeFocused()
  await page.keyboard.press('Shift+ArrowUp')
  await page.keyboard.press('Enter')
  const latitudeOf = async () => (await stored()).find(({ deviceId }) => deviceId === first.deviceId)!.lat!
  await expect.poll(async () => (await latitudeOf()) - first.lat!).toBeCloseTo(1 / 111_319.49, 7)
  await page.getByRole('button', { name: 'Undo the last move' }).press('Enter')
  await expect.poll(latitudeOf).toBe(first.lat)

  // Enter picks up a pin, arrows move it, and Enter drops and saves it once; Escape puts it back.
  const pin = page.locator(`[data-marker="${first.deviceId}"]`)
  await expect(page.locator('[data-marker][tabindex="0"]')).toHaveCount(1)
  const sent = counted(page, 'POST', /\/api\/UpdateDeviceGeoLocation$/)
  await pin.focus()
  await page.keyboard.press('Enter')
  await expect(carried).toBeFocused()
  for (let press = 0; press < 5; press++) await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Escape')
  await expect(pin).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Shift+ArrowUp')
  await page.keyboard.press('Shift+ArrowUp')
  expect(sent()).toBe(0)
  await page.keyboard.press('Enter')
  await expect(pin).toBeFocused()
  await expect.poll(async () => (await latitudeOf()) - first.lat!).toBeCloseTo(2 / 111_319.49, 7)
  expect(sent()).toBe(1)
  await page.getByRole('button', { name: 'Undo the last move' }).press('Enter')
  await expect.poll(latitudeOf).toBe(first.lat)

  // The usual undo keys work while no text field is focused.
  await pin.focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Shift+ArrowUp')
  await page.keyboard.press('Enter')
  await expect.poll(latitudeOf).not.toBe(first.lat)
  await find.focus()
  await page.keyboard.press('Control+z')
  await find.fill('')
  await expect.poll(latitudeOf).not.toBe(first.lat)
  await pin.focus()
  await page.keyboard.press('Control+z')
  await expect.poll(latitudeOf).toBe(first.lat)

  // A device outside the plan keeps its position and is labelled so.
  await dragged(page, await middle(pin), { x: 0, y: -320 })
  await expect(page.getByText(/^30 of 30 placed, \d+ of them roughly, 1 outside the plan$/)).toBeVisible()
  await expect(page.getByRole('region', { name: 'Not on the plan' })).toContainText('Outside the plan')
  await page.keyboard.press('Control+z')
  await expect(page.getByText(/^30 of 30 placed, \d+ of them roughly$/)).toBeVisible()
  await expect.poll(latitudeOf).toBe(first.lat)

  // With the mouse, a pin is dragged, and a device that was removed from the map is dragged from the list.
  const from = await middle(pin)
  await dragged(page, from, { x: 24, y: 0 })
  await expect
    .poll(async () => (await stored()).find(({ deviceId }) => deviceId === first.deviceId)!.long)
    .not.toBe(first.long)
  await ask(page, updateDeviceGeoLocation, {
    body: { tenant, deviceId: first.deviceId, latitude: null, longitude: null },
  })
  await expect(page.getByText('29 of 30 placed')).toBeVisible()
  const grip = await middle(page.locator('[data-grip]'))
  await dragged(page, grip, { x: from.x - grip.x, y: from.y - grip.y })
  await expect(page.getByText('30 of 30 placed')).toBeVisible()
  await expect.poll(latitudeOf).toBeCloseTo(first.lat!, 5)
  // It can also be dragged by its name, which then does not count as a click.
  await page.keyboard.press('Control+z')
  await expect(page.getByText('29 of 30 placed')).toBeVisible()
  const name = await middle(row)
  await dragged(page, name, { x: from.x - name.x, y: from.y - name.y })
  await expect(page.getByText('30 of 30 placed')).toBeVisible()
  await expect(carried).toHaveCount(0)
  await expect.poll(latitudeOf).toBeCloseTo(first.lat!, 5)

  // Several selected devices move together: they are placed side by side where they are dropped, and one undo reverts
  // the move.
  const two = [first, second]
  for (const { deviceId } of two)
    await ask(page, updateDeviceGeoLocation, {
      body: { tenant, deviceId, latitude: null, longitude: null },
    })
  await expect(page.getByText('28 of 30 placed')).toBeVisible()
  const offPlan = page.getByRole('region', { name: 'Not on the plan' })
  await offPlan.getByRole('listitem').nth(0).getByRole('checkbox').check()
  await offPlan.getByRole('listitem').nth(1).getByRole('checkbox').check()
  const held = await middle(page.locator('[data-grip]').nth(1))
  const centre = await middle(image(page))
  await dragged(page, held, { x: centre.x - held.x, y: centre.y - held.y })
  await expect(page.getByText('30 of 30 placed')).toBeVisible()
  // The message covers no button.
  const undoing = (await page.getByRole('button', { name: 'Undo the last move' }).boundingBox())!
  const savedToast = page.getByRole('status').filter({ hasText: 'Device geo location updated successfully' })
  await expect(savedToast.last()).toBeVisible()
  // When all have arrived.
  await expect
    .poll(() => savedToast.evaluateAll((all) => Math.min(...all.map((one) => one.getBoundingClientRect().height))))
    .toBeGreaterThan(40)
  const lowest = await savedToast.evaluateAll((all) =>
    Math.max(...all.map((one) => one.getBoundingClientRect().bottom)),
  )
  expect(lowest).toBeLessThan(undoing.y)
  const [left, right] = await Promise.all(
    two.map(({ deviceId }) => middle(page.locator(`[data-marker="${deviceId}"]`))),
  )
  expect(Math.hypot(left!.x - centre.x, left!.y - centre.y)).toBeLessThan(3)
  expect(Math.hypot(right!.x - left!.x, right!.y - left!.y)).toBeCloseTo(36, 0)
  await expect.poll(async () => (await stored()).filter(({ lat }) => lat !== null).length).toBe(30)
  await page.getByRole('button', { name: 'Undo the last move' }).click()
  await expect(page.getByText('28 of 30 placed')).toBeVisible()
  await expect.poll(async () => (await stored()).filter(({ lat }) => lat !== null).length).toBe(28)
  // They are still selected.
  await page.getByRole('button', { name: 'Lay out 2' }).click()
  await expect(page.getByText('30 of 30 placed')).toBeVisible()
  await expect.poll(async () => (await stored()).filter(({ lat }) => lat !== null).length).toBe(30)

  // If the call fails, the pin returns.
  expectedErrors.push(consoleText(500))
  await page.route('**/api/UpdateDeviceGeoLocation', (route) => route.fulfill({ status: 500, body: '{}' }))
  const rest = await middle(pin)
  await dragged(page, rest, { x: 0, y: 30 })
  await expect(page.getByText('There was an error updating device geo location')).toBeVisible()
  await expect.poll(async () => Math.abs((await middle(pin)).y - rest.y)).toBeLessThan(1.5)
  await page.unroute('**/api/UpdateDeviceGeoLocation')

  // If someone else was faster, their position stays and a message appears.
  expectedErrors.push(consoleText(409))
  const theirs = { latitude: plan.lat, longitude: plan.lng }
  await answerOnce(page, '**/api/UpdateDeviceGeoLocation', async (route) => {
    await ask(page, updateDeviceGeoLocation, { body: { tenant, deviceId: first.deviceId, ...theirs } })
    await route.continue()
  })
  await dragged(page, await middle(pin), { x: 0, y: 30 })
  await expect(page.getByText('Someone else has moved this device in the meantime.')).toBeVisible()
  await expect.poll(latitudeOf).toBe(theirs.latitude)
})

test('devices that are still being saved can be laid out and undone, a distant device starts on the plan, and a drag may end outside', async ({
  newClient,
  expectedErrors,
}) => {
  const client = await newClient()
  const { tenant } = client
  const page = await client.pageOf('Manager')
  const { building, floors } = await newBuilding(page, tenant)
  const { floor } = floors[0]!
  const lights = await client.devices('EM', 2)
  const ids = lights.map(({ deviceId }) => deviceId)
  for (const deviceId of ids)
    await ask(page, updateDeviceBuildingLocation, { body: { tenant, deviceId, buildingId: building, floorId: null } })
  const placed = async () =>
    ((await ask(page, getFloorDevices, { body: { tenant, building, floor } })).data as FloorDevice[]).filter(
      ({ lat }) => lat !== null,
    ).length
  const moveTo = (deviceId: string, latitude: number | null, longitude: number | null) =>
    ask(page, updateDeviceGeoLocation, { body: { tenant, deviceId, latitude, longitude } })
  await page.goto(`/${tenant}/Buildings/${building}`)
  await page.getByRole('link', { name: 'Place devices: 0' }).click()

  // The devices are added to the floor and laid out before the first calls have finished.
  const put = Promise.withResolvers<void>()
  await page.route('**/api/UpdateDeviceBuildingLocation', async (route) => {
    await put.promise
    await route.continue()
  })
  const offered = page.getByRole('region', { name: 'Not on a floor yet' }).getByRole('listitem')
  const offeredOnes = lights.map(({ serial }) => offered.filter({ hasText: serial }))
  for (const one of offeredOnes) await one.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Put 2 here' }).click()
  await page.getByRole('button', { name: 'Lay out 2' }).click()
  await expect(page.getByText('2 of 2 placed')).toBeVisible()
  for (const one of offeredOnes) await expect(one).toHaveCount(0)
  put.resolve()
  const savedToast = page.getByText('Device geo location updated successfully')
  await expect(savedToast).toBeVisible()
  await expect.poll(placed).toBe(2)
  for (const deviceId of ids)
    await ask(page, updateDeviceBuildingLocation, { body: { tenant, deviceId, floorId: null } })
  for (const one of offeredOnes) await expect(one.getByRole('checkbox')).not.toBeChecked()
  for (const deviceId of ids) {
    await ask(page, updateDeviceBuildingLocation, { body: { tenant, deviceId, buildingId: building, floorId: floor } })
    await moveTo(deviceId, null, null)
  }

  // The layout is undone while pending, and one of its two calls fails: there is nothing to undo for that call, and
  // nothing is reported as done.
  await expect(page.getByText('0 of 2 placed')).toBeVisible()
  await expect(savedToast).toHaveCount(0)
  expectedErrors.push(consoleText(500))
  const laid = Promise.withResolvers<void>()
  let calls = 0
  await page.route('**/api/UpdateDeviceGeoLocation', async (route) => {
    const isRefused = ++calls === 1
    await laid.promise
    await (isRefused ? route.fulfill({ status: 500, body: '{}' }) : route.continue())
  })
  const back = page.waitForResponse(
    (response) =>
      response.url().endsWith('/UpdateDeviceGeoLocation') &&
      response.request().postData()!.includes('"latitude":null,"longitude":null'),
  )
  await page.getByRole('checkbox', { name: 'Select all', exact: true }).check()
  await page.getByRole('button', { name: 'Lay out 2' }).click()
  await expect.poll(() => calls).toBe(2)
  await page.keyboard.press('Control+z')
  await expect(page.getByText('0 of 2 placed')).toBeVisible()
  laid.resolve()
  await back
  await expect(page.getByText('There was an error updating device geo location')).toBeVisible()
  expect(await savedToast.count()).toBe(0)
  await expect.poll(placed).toBe(0)
  await expect(page.getByText('Someone else has moved this device in the meantime.')).toHaveCount(0)
  expect(calls).toBe(3)

  // A device that is kilometres away starts in the middle of the plan when it is chosen in the list.
  await moveTo(ids[0]!, 55.9, -4.2)
  await expect(page.getByText('1 of 2 placed, 1 outside the plan')).toBeVisible()
  await page.locator(`[data-row="${ids[0]}"]`).click()
  const carried = page.getByRole('button', { name: /, being placed\./ })
  const centre = await middle(image(page))
  await expect.poll(async () => Math.abs((await middle(carried)).x - centre.x)).toBeLessThan(3)
  await page.keyboard.press('Escape')

  // Leaving the page during a drag drops nothing.
  const grip = await middle(page.locator('[data-grip]').first())
  await page.mouse.move(grip.x, grip.y)
  await page.mouse.down()
  await page.mouse.move(centre.x, centre.y, { steps: 3 })
  await page.goBack()
  await expect(page.getByRole('table', { name: 'Floors' })).toBeVisible()
  await page.mouse.up()
})

test('a building with three floors and its lights is set up: plans are matched to floors, one position fits all, and lights are placed in groups and move with their plan', async ({
  newClient,
}) => {
  test.slow()
  const client = await newClient()
  const { tenant } = client
  const { building } = await client.building({ floors: ['0', '1', '2'], at: { latitude: 53.7236, longitude: -1.8772 } })
  for (const level of [0, 1, 2]) await client.devices('EM', 12, { name: `Level ${level}, corridor` })
  const page = await client.pageOf('Manager')
  const known = async () => ((await ask(page, getBuilding, { body: { tenant, building } })).data as Building).floors
  const devicesOn = async (floor: string) =>
    (await ask(page, getFloorDevices, { body: { tenant, building, floor } })).data as FloorDevice[]

  await page.goto(`/${tenant}/Buildings/${building}`)
  const file = (called: string) => ({
    ...{ name: called, mimeType: 'image/svg+xml' },
    buffer: Buffer.from(drawing),
  })
  const rows = page.getByRole('table', { name: 'Floors' }).locator('tbody tr')
  await page
    .getByLabel('Floor plans', { exact: true })
    .setInputFiles(['ground floor.svg', 'level 1.svg', 'attic.svg', '2.svg'].map(file))
  await expect(rows.nth(0)).toContainText('ground floor.svg')
  await expect(rows.nth(1)).toContainText('level 1.svg')
  await expect(rows.nth(2)).toContainText('2.svg')
  await expect(page.getByText('attic.svg does not match exactly one floor by name')).toBeVisible()
  // A device dropped on a row is assigned to its floor.
  const dropped = await page.evaluateHandle((text) => {
    const transfer = new DataTransfer()
    transfer.items.add(new File([text], 'attic.svg', { type: 'image/svg+xml' }))
    return transfer
  }, drawing)
  await rows.nth(2).dispatchEvent('drop', { dataTransfer: dropped })
  await expect(rows.nth(2)).toContainText('attic.svg')
  await expect(page.getByText('does not match exactly one floor by name')).toHaveCount(0)

  // The other floors without a position get the same position, unless that option is turned off.
  await rows.nth(0).getByRole('link', { name: 'Position: 0' }).click()
  await expect(page.getByRole('switch', { name: 'Position 2 other floors the same way' })).toBeChecked()
  await field(page, 'Rotation').fill('30')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page).toHaveURL(`/${tenant}/Buildings/${building}`)
  expect((await known()).map(({ rotation }) => rotation)).toEqual([30, 30, 30])

  const placed: FloorDevice[] = []
  await rows.nth(0).getByRole('link', { name: 'Place devices: 0' }).click()
  const offered = page.getByRole('region', { name: 'Not on a floor yet' })
  for (const [level, { floor }] of (await known()).entries()) {
    if (level > 0) {
      await page.getByRole('combobox', { name: 'Floor' }).click()
      await page.getByRole('option', { name: `Floor ${level}` }).click()
    }
    await expect(image(page)).toBeVisible()
    // The search also covers serial numbers, so a digit alone would match lights of other levels.
    await page.getByRole('searchbox', { name: 'Find a light or serial number' }).fill('level')
    const ofLevel = offered.getByRole('listitem').filter({ hasText: `Level ${level},` })
    await expect(ofLevel).toHaveCount(12)
    if (level === 2) await offered.getByRole('checkbox', { name: 'Select all without a floor' }).check()
    else for (const light of await ofLevel.all()) await light.getByRole('checkbox').check()
    const held = ofLevel.first().locator('[data-grip]')
    await held.scrollIntoViewIfNeeded()
    const grip = await middle(held)
    const plan = await middle(image(page))
    await dragged(page, grip, { x: plan.x - 60 - grip.x, y: plan.y - 20 - grip.y })
    await expect(page.getByText('12 of 12 placed')).toBeVisible()
    await expect(ofLevel).toHaveCount(0)
    await expect.poll(async () => (await devicesOn(floor)).filter(({ lat }) => lat !== null).length).toBe(12)
    placed.push(...(await devicesOn(floor)))
  }
  // Each has its own position inside the plan.
  const [lowest] = (await known()) as [Floor]
  const plan = { ...lowest, lat: lowest.lat!, lng: lowest.lng! }
  const spots = placed.map(({ lat, long }) => spotOf(plan, { lat: lat!, lng: long! }))
  for (const { right, down } of spots)
    expect(Math.max(Math.abs(right) / plan.width, Math.abs(down) / plan.height)).toBeLessThan(0.5)
  const nearest = (at: number) =>
    Math.min(
      ...spots
        .slice(0, 12)
        .flatMap(({ right, down }, other) =>
          other === at ? [] : Math.hypot(right - spots[at]!.right, down - spots[at]!.down),
        ),
    )
  expect(Math.min(...Array.from({ length: 12 }, (_, at) => nearest(at)))).toBeGreaterThan(0.5)
  // One click returns the last group to no floor.
  await page.getByRole('button', { name: 'Undo the last move' }).click()
  await expect(offered.getByRole('listitem')).toHaveCount(12)
  await expect.poll(async () => (await devicesOn((await known())[2]!.floor)).length).toBe(0)

  // Undo is available on a phone too.
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(page.getByRole('button', { name: 'Done' })).toBeVisible()
  await page.setViewportSize({ width: 1440, height: 900 })

  // A plan that is moved leaves its devices in place, or moves them too.
  await page.goto(`/${tenant}/PositionFloor?building=${building}&floor=0`)
  await expect(frame(page)).toBeVisible()
  await expect(page.getByRole('switch', { name: /^Take/ })).toHaveCount(0)
  await frame(page).focus()
  await page.keyboard.press('Shift+ArrowUp')
  await page.keyboard.press(']')
  const takes = page.getByRole('switch', { name: 'Take 12 devices along' })
  await expect(page.getByText('They keep their places on the map')).toBeVisible()
  await takes.check()
  await expect(page.getByRole('switch', { name: 'Pins of this floor 12' })).toBeChecked()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page).toHaveURL(`/${tenant}/Buildings/${building}`)
  const [moved] = (await known()) as [Floor]
  expect(moved.rotation).toBe(31)
  const now = await devicesOn(moved.floor)
  for (const [at, { deviceId }] of placed.slice(0, 12).entries()) {
    const { lat, long } = now.find((device) => device.deviceId === deviceId)!
    const { right, down } = spotOf({ ...moved, lat: moved.lat!, lng: moved.lng! }, { lat: lat!, lng: long! })
    expect(Math.hypot(right - spots[at]!.right, down - spots[at]!.down)).toBeLessThan(0.01)
  }
})
