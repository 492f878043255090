import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { getBuilding, getTenantBuildings, previewFloorPlan, uploadFloorPlan } from '@caretaker/contract/buildings.ts'
import type { FloorDevice } from '@caretaker/contract/devices.ts'
import { getFloorDevices, updateDeviceGeoLocation } from '@caretaker/contract/devices.ts'
import { dialog } from '../../testing/list-screen.ts'
import type { ServerAnswer } from '../../testing/network.ts'
import { answer, exampleOf } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'
import { button, main } from '../../testing/screen.ts'

const building = '11111111-1111-4111-8111-111111111111'
const floor = '33333333-3333-4333-8333-333333333333'

const storedBuilding = {
  ...{
    building,
    name: 'Calder Wharf',
    lat: 53.68,
    lng: -1.49,
    defaultFloor: floor,
    address: '1 Mill Lane',
    version: 1,
  },
  floors: [
    {
      ...{ floor, number: 0, name: 'Ground floor', lat: 53.68, lng: -1.49, width: 30, height: 15, rotation: 0 },
      ...{ image: 'ground.svg', hasFloorPlan: true, planId: null, version: 1 },
    },
  ],
}

const device = (at: number, more: Partial<FloorDevice>): FloorDevice => ({
  ...{ deviceId: `44444444-4444-4444-8444-44444444444${at}`, deviceName: `Light ${at}`, serialNumber: `EM${at}` },
  ...{ deviceType: 'Emergency light', productId: 'EM', deviceStatus: 'Ok', connectionStatus: 'Connected', room: null },
  ...{ lat: null, long: null, isRoughlyPlaced: false, mayPlace: true, ...more },
})

const answers: ServerAnswer[] = [
  answer(getTenantBuildings, [storedBuilding]),
  answer(getBuilding, {
    ...storedBuilding,
    counts: [{ floor, devices: 4, failed: 1, warning: 0, offline: 0, notPlaced: 3, notPlacedFailed: 1, listing: null }],
  }),
  answer(getFloorDevices, [
    device(1, { lat: 53.68, long: -1.49, isRoughlyPlaced: true }),
    device(2, {}),
    device(3, { deviceStatus: 'FailedEquipment' }),
    device(4, {}),
  ]),
]

test('unplaced devices are counted, and a rough place is confirmed with one click', async () => {
  const portal = await openPortal(`/northgate/FloorPlan/Place?building=${building}&floor=0`, { answers })
  const panel = page.getByRole('complementary', { name: 'Devices of this floor' })
  await expect.element(panel.getByText('1 of 4 placed, 1 of them roughly')).toBeVisible()
  await expect.element(panel.getByText('3 not placed, 1 of them failed')).toBeVisible()
  await panel.getByRole('button', { name: 'Confirm the position: Light 1' }).click()
  await expect.poll(() => portal.sentTo(updateDeviceGeoLocation).length).toBe(1)
  const { body } = portal.sentTo(updateDeviceGeoLocation)[0]!
  expect(body).toMatchObject({ latitude: 53.68, longitude: -1.49 })
  expect(body.isRough).toBeUndefined()
})

test('devices that are arranged automatically are saved as roughly placed', async () => {
  const portal = await openPortal(`/northgate/FloorPlan/Place?building=${building}&floor=0`, { answers })
  await page.getByLabelText('Select all', { exact: true }).click()
  await button('Lay out 3').click()
  await expect.poll(() => portal.sentTo(updateDeviceGeoLocation).length).toBe(3)
  for (const { body } of portal.sentTo(updateDeviceGeoLocation)) expect(body.isRough).toBe(true)
})

test('a building shows how many devices of each floor are not placed', async () => {
  await openPortal(`/northgate/Buildings/${building}`, { answers })
  await expect.element(main.getByText('3 not placed, 1 of them failed')).toBeVisible()
})

test('a plan of another shape asks for confirmation before it replaces the plan of the floor', async () => {
  const message = 'The new plan has a different shape (1.00 : 1) than the floor (2.00 : 1).'
  const asking = { source: 'picture' as const, pages: 1, drawing: null, leftOut: [], fault: null, shape: message }
  const portal = await openPortal(`/northgate/Buildings/${building}`, {
    answers: [...answers, answer(previewFloorPlan, asking), answer(uploadFloorPlan, exampleOf(uploadFloorPlan))],
  })
  const file = new File(['<svg xmlns="http://www.w3.org/2000/svg"/>'], 'ground.svg', { type: 'image/svg+xml' })
  await page.getByLabelText('Floor plan of Ground floor').upload(file)
  await expect.element(dialog.getByText(message)).toBeVisible()
  expect(portal.sentTo(uploadFloorPlan)).toEqual([])
  await dialog.getByRole('button', { name: 'Fit the floor to the plan' }).click()
  await expect.poll(() => portal.sentTo(uploadFloorPlan).map(({ form }) => form.shape)).toEqual(['fit'])
})

test('Find me asks the browser, shows the position of the user, and explains what to do if access is denied', async () => {
  const original = navigator.geolocation.getCurrentPosition
  const give = (with_: typeof navigator.geolocation.getCurrentPosition) => {
    navigator.geolocation.getCurrentPosition = with_
  }
  try {
    await openPortal(`/northgate/FloorPlan/Place?building=${building}&floor=0`, { answers })
    give((_, refused) => refused?.({ code: 1 } as GeolocationPositionError))
    await button('Find me').click()
    await expect
      .element(page.getByText('The browser does not allow this page to read your position.', { exact: false }))
      .toBeVisible()
    give((found) => found({ coords: { latitude: 53.68, longitude: -1.49, accuracy: 11.2 } } as GeolocationPosition))
    await button('Find me').click()
    await expect.element(page.getByRole('img', { name: 'You are here, to within 12 m' })).toBeInTheDocument()
  } finally {
    give(original)
  }
})
