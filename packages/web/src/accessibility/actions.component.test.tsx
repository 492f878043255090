import { page } from 'vitest/browser'
import { getBulkActionAnswers, startBulkAction } from '@caretaker/contract/actions.ts'
import { getDeviceBySerial } from '@caretaker/contract/links.ts'
import type { HandoverDevice } from '@caretaker/contract/links.ts'
import { runT0Test } from '@caretaker/contract/lighting.ts'
import { getClientSettings } from '@caretaker/contract/session.ts'
import { getTenantTags } from '@caretaker/contract/tags.ts'
import { noAnswers } from '@caretaker/rules/commands/answers.ts'
import type { Screen } from '../testing/accessible-screens.ts'
import { dialog, firstId, firstRow, testScreens } from '../testing/accessible-screens.ts'
import { act, bulkBar, choose, rowMenu, selectRows } from '../testing/device-screen.ts'
import { idOf, listingsOf, rowsOf } from '../testing/examples/devices.ts'
import { answer, exampleOf } from '../testing/network.ts'
import { settings } from '../testing/portal.tsx'

const path = '/$tenant/EmergencyLights'
const lights = [
  ...listingsOf(rowsOf(5)),
  answer(getTenantTags, { tags: [{ id: idOf(11), name: 'NightTest' }], alerts: [] }),
]

/** Starts a bulk action with the first three rows. */
async function begin(action: string): Promise<void> {
  await selectRows(3)
  await bulkBar.getByRole('button', { name: action, exact: true }).click()
}

let asked = 0
/** A flick test of three lights: one confirmed, one failed and one without an answer. */
const testInPart = [
  answer(startBulkAction, {
    ...exampleOf(startBulkAction),
    ...{ bulkActionId: idOf(77), action: 'flick test', total: 3, done: 0, failed: 0, finishedAt: null },
  }),
  answer(getBulkActionAnswers, { counts: noAnswers, devices: [] }),
  answer(runT0Test, () => {
    asked++
    if (asked > 2) return new Promise<never>(() => {})
    return { status: asked === 1 ? ('queued' as const) : ('failed' as const), commandId: '' }
  }),
]

const handedOver: HandoverDevice = {
  ...{ deviceId: firstId, deviceName: 'Stairwell east', deviceType: 'Emergency light', productId: 'EM' },
  ...{ serialNumber: 'EM1X', deviceStatus: 'Inventory', inWholesale: false, userHasReadOnlyAccess: false },
  bcmOrGateway: null,
}
const module = { deviceId: idOf(9), deviceName: 'Plant room', serialNumber: 'BX9X', productId: 'BX' } as const
const code = () => page.getByRole('img', { name: /^QR code/ })
const withApp = answer(getClientSettings, { ...settings, appUrl: 'https://app.caretaker.example' })
const handovers: Screen[] = [
  {
    name: 'handing a device over',
    path: '/$tenant/EmeredInstall/$serialNumber/$deviceId',
    answers: [withApp, answer(getDeviceBySerial, handedOver)],
    shows: code,
  },
  {
    name: 'moving a device from wholesale',
    path: '/$tenant/MoveFromWholesale/$serialNumber',
    answers: [withApp, answer(getDeviceBySerial, { ...handedOver, inWholesale: true })],
    shows: code,
  },
  {
    name: 'connecting a device to its module',
    path: '/$tenant/ConnectedDeviceInstall/$deviceKind/$bcmOrGatewayId/$serialNumber/$deviceId',
    address: `/northgate/ConnectedDeviceInstall/MultiDot/${idOf(9)}/MD1X/${firstId}?location=Bathroom`,
    answers: [
      withApp,
      answer(getDeviceBySerial, { ...handedOver, productId: 'MD', serialNumber: 'MD1X', bcmOrGateway: module }),
    ],
    shows: code,
  },
]

testScreens([
  {
    name: 'uninstalling a device',
    path,
    open: () => act(rowMenu(firstRow()), 'Uninstall'),
    shows: () => dialog(/^Uninstall/),
  },
  {
    name: 'changing the tags of a device',
    ...{ path, role: 'Manager', answers: lights },
    open: () => act(rowMenu(), 'Update tags'),
    shows: () => dialog(/^Update tags/).getByRole('combobox', { name: 'Tags' }),
  },
  {
    name: 'choosing tags for many devices',
    ...{ path, role: 'Manager', answers: lights },
    open: async () => {
      await begin('Add tags')
      await choose('Tags', 'NightTest')
    },
    shows: () => dialog('Add tags to 3 devices').getByText('NightTest').first(),
  },
  {
    name: 'progress of a bulk action',
    ...{ path, role: 'Manager', answers: [...lights, ...testInPart] },
    open: async () => {
      asked = 0
      await begin('Flick Test')
      await dialog('Flick test 3 devices').getByRole('button', { name: 'Flick test' }).click()
    },
    shows: () => dialog('Flick test 3 devices').getByText('2 of 3', { exact: true }),
  },
  ...handovers,
])
