import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { getDeviceConditions } from '@caretaker/contract/conditions.ts'
import { getMapPoints } from '@caretaker/contract/devices.ts'
import type { GroupRow } from '@caretaker/contract/groups.ts'
import { getEmeredGroup, getEmeredGroups, getTenantEmeredTestShedules } from '@caretaker/contract/groups.ts'
import { getMapDevices } from '@caretaker/contract/maps.ts'
import { getTestNights } from '@caretaker/contract/lighting.ts'
import { dialog, loading } from '../testing/device-screen.ts'
import { aLight, idOf, lightPage } from '../testing/examples/devices.ts'
import { expectCount } from '../testing/expect.ts'
import { answer, exampleOf } from '../testing/network.ts'
import { openPortal } from '../testing/portal.tsx'

const light = [
  ...lightPage(aLight({ deviceStatus: 'FailedEquipment' })),
  answer(getDeviceConditions, { status: 'FailedEquipment', since: '2026-11-22T04:10:00Z', open: [], ended: [] }),
  answer(getTestNights, { nights: [], chargedAt: null, planned: null }),
]
const repair = page.getByRole('button', { name: 'Repair Stairwell B' })
const form = dialog('Repair Stairwell B')

const group: GroupRow = {
  ...{
    groupId: idOf(5),
    groupName: 'Stairs',
    building: idOf(6),
    buildingName: 'Calder Wharf',
    version: 1,
    address: '',
  },
  ...{
    t180StartDate: '2026-12-05T02:00',
    alsoTypes: [],
    lights: 2,
    passed: 1,
    warning: 0,
    failed: 1,
    next: [],
    missed: null,
  },
}
const member = { deviceId: idOf(1), deviceName: 'Stairwell B', floor: 'Ground floor', floorNumber: 0 }
const groupPage = [
  ...light,
  answer(getEmeredGroups, { groups: [group], collisions: [], ungrouped: 0, hour: '2026-11-28T15:00' }),
  answer(getTenantEmeredTestShedules, []),
  answer(getEmeredGroup, {
    ...exampleOf(getEmeredGroup),
    members: [
      { ...member, deviceStatus: 'FailedEquipment' },
      { ...member, deviceId: idOf(2), deviceName: 'Stairwell C', deviceStatus: 'Ok' },
    ],
  }),
]

test('the page of a group opens the repair form for a failed light only', async () => {
  await openPortal('/northgate/EmergencyLightSchedules', { answers: groupPage })
  await expect.element(repair, loading).toBeVisible()
  await expectCount(page.getByRole('button', { name: /^Repair Stairwell C/ }), 0)
  await repair.click()
  await expect.element(form, loading).toBeVisible()
  await openPortal('/northgate/EmergencyLightSchedules', { role: 'Guest', answers: groupPage })
  await expect.element(page.getByText('Stairwell B'), loading).toBeVisible()
  await expectCount(repair, 0)
})

test('the floor plan opens the repair form from the card of the light', async () => {
  const point = {
    ...exampleOf(getMapPoints).points[0]!,
    ...{ deviceId: idOf(1), deviceName: 'Stairwell B', serialNumber: 'EM000001', productId: 'EM' as const },
    deviceStatus: 'FailedEquipment' as const,
  }
  const answers = [
    ...light,
    answer(getMapPoints, { ...exampleOf(getMapPoints), points: [point] }),
    answer(getMapDevices, { ...exampleOf(getMapDevices), clusters: [], points: [], list: [] }),
  ]
  await openPortal(`/northgate/FloorPlan?deviceId=${idOf(1)}`, { answers })
  await expect.element(repair, loading).toBeVisible()
  await repair.click()
  await expect.element(form, loading).toBeVisible()
})
