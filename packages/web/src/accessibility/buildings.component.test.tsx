import { page } from 'vitest/browser'
import type { Building } from '@caretaker/contract/buildings.ts'
import { getBuilding, getFloorPlan } from '@caretaker/contract/buildings.ts'
import { getFloorDevices } from '@caretaker/contract/devices.ts'
import { getMapBuilding } from '@caretaker/contract/maps.ts'
import { dialog, firstId, grid, main, press, testScreens } from '../testing/accessible-screens.ts'
import { idOf } from '../testing/examples/devices.ts'
import { answer } from '../testing/network.ts'
import { variedExampleOf } from '../testing/varied.ts'

const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 200"><rect width="400" height="200" fill="#fff"/></svg>`
const varied = variedExampleOf(getBuilding)
const place = { lat: 53.7213, lng: -1.8625 }
const building = {
  ...varied,
  ...place,
  building: firstId,
  floors: varied.floors.map((floor) => ({
    ...floor,
    ...place,
    width: 40,
    height: 20,
    rotation: 0,
    hasFloorPlan: true,
    planId: firstId,
  })),
} satisfies Building & { counts: unknown }
const onMap = variedExampleOf(getMapBuilding)
const floor = [
  answer(getBuilding, building),
  answer(getMapBuilding, {
    ...onMap,
    ...place,
    building: firstId,
    floors: onMap.floors.map((one, index) => ({ ...one, ...building.floors[0]!, floor: one.floor, index })),
  }),
  answer(getFloorPlan, new File([drawing], 'ground.svg', { type: 'image/svg+xml' }) as never),
  // Far enough apart that their pins do not overlap.
  answer(
    getFloorDevices,
    variedExampleOf(getFloorDevices).map((device, at) => ({
      ...{ ...device, deviceId: idOf(at + 1), mayPlace: true },
      ...(at === 3 ? { lat: null, long: null } : { lat: place.lat, long: place.lng + (at - 1) * 0.0001 }),
    })),
  ),
]

testScreens([
  { name: 'buildings with their map', path: '/$tenant/Buildings', shows: () => grid('Buildings') },
  {
    name: 'building',
    path: '/$tenant/Buildings/$building',
    shows: () => page.getByRole('button', { name: /^Edit name/ }).first(),
  },
  {
    name: 'adding a building, and where it is',
    path: '/$tenant/Buildings/Add',
    open: async () => {
      await page.getByLabelText('Post code').fill('HX1 5TX')
      await press('Check Post Code')
      await press('Position Building')
    },
    shows: () => dialog('Position Building').getByCss('[data-marker]'),
  },
  {
    name: 'building map',
    path: '/$tenant/BuildingMap',
    shows: () => page.getByRole('list', { name: 'Buildings here' }).getByRole('button').first(),
  },
  {
    name: 'floor plan',
    path: '/$tenant/FloorPlan',
    address: `/northgate/FloorPlan?building=${firstId}&floor=0`,
    answers: floor,
    shows: () => page.getByCss('[data-plan]').first(),
  },
  {
    name: 'editor of floor plans',
    path: '/$tenant/PositionFloor',
    address: `/northgate/PositionFloor?building=${firstId}&floor=0`,
    answers: floor,
    shows: () => page.getByRole('application', { name: /^Plan of/ }),
  },
  {
    name: 'placing devices',
    path: '/$tenant/FloorPlan/Place',
    address: `/northgate/FloorPlan/Place?building=${firstId}&floor=0`,
    answers: floor,
    shows: () => main.getByCss('[data-row]').first(),
  },
])
