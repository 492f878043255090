import { page } from 'vitest/browser'
import type { Boiler, ConnectedDevice } from '@caretaker/contract/boilers.ts'
import { getBoiler } from '@caretaker/contract/boilers.ts'
import { getBoilerFaults } from '@caretaker/contract/faults.ts'
import type { Command } from '@caretaker/contract/lighting.ts'
import { getDeviceCommands } from '@caretaker/contract/lighting.ts'
import { dialog, firstId, inUse, main, press, region, tabsOf, testScreens } from '../testing/accessible-screens.ts'
import { answer } from '../testing/network.ts'
import { variedExampleOf } from '../testing/varied.ts'

const path = '/$tenant/Boilers/$deviceId/{-$tab}'
const heading = () => page.getByRole('heading', { level: 1 })
const varied = variedExampleOf(getBoiler)
const inService = { uninstalledAt: null, inWholesale: false, userHasReadOnlyAccess: false, occupancy: null } as const

const heatPump = answer(getBoiler, {
  ...varied,
  ...inService,
  ...{ productId: 'ASHP', heatingUnit: 'air source heat pump', deviceStatus: 'Ok', fault: null },
})
const fault = { code: 'EA', description: 'Flame not detected', source: 'boiler', isResettable: true } as const
const lockedOut: Boiler = {
  ...varied,
  ...inService,
  ...{ productId: 'BX', heatingUnit: 'boiler', deviceStatus: 'FailedEquipment', remoteResetSupported: true, fault },
}
const lockout = [
  answer(getBoiler, lockedOut),
  answer(getDeviceCommands, []),
  answer(
    getBoilerFaults,
    variedExampleOf(getBoilerFaults).map((one, at) => ({
      ...one,
      ...{ deviceId: lockedOut.deviceId, faultSource: 'boiler' as const, isResettable: true },
      endedAt: at === 0 ? null : '2026-11-02T10:00:00Z',
    })),
  ),
]

const at = '2026-11-02T09:30:00Z'
const refusedCommand: Command = {
  ...{ commandId: 'refused', name: 'setChMax', args: { chSetPoint: 72 }, status: 'failed' },
  ...{ message: 'The burner is cooling', requestedBy: 'Ada Marsh', createdAt: at, sentAt: at, answeredAt: at },
  ...{ expiresAt: at, withdrawnAt: null, withdrawnBy: null, lateAnswer: null, reportedTest: null },
}
const autofill: ConnectedDevice = {
  ...varied.connectedDevices[0]!,
  ...{ productId: 'AF', deviceType: 'Autofill', fault: { ...fault, source: 'autofill' }, status: 'FailedDevice' },
}
/** A lockout since yesterday, so that its table of fills has a row. */
const failedFill = {
  ...variedExampleOf(getBoilerFaults)[0]!,
  ...{ deviceId: autofill.deviceId, faultSource: 'autofill' as const, endedAt: null },
  timestamp: new Date(Date.now() - 86_400_000).toISOString(),
}

testScreens([
  { name: 'boiler', path, answers: lockout, shows: () => region('Right now') },
  { name: 'heat pump', path, answers: [heatPump], shows: () => region('Heat saviour') },
  {
    name: 'telemetry of a boiler',
    path,
    address: `/northgate/Boilers/${firstId}/telemetry`,
    answers: lockout,
    shows: () => main.getByRole('button', { name: 'Download' }).first(),
  },
  {
    name: 'an autofill among the connected devices',
    path,
    address: `/northgate/Boilers/${firstId}/connectedDevices?device=${autofill.deviceId}`,
    answers: [answer(getBoiler, { ...lockedOut, connectedDevices: [autofill] }), answer(getBoilerFaults, [failedFill])],
    shows: () => page.getByRole('table', { name: 'Fills' }),
  },
  {
    name: 'the question of a heat saviour',
    path,
    answers: [heatPump],
    open: () => region('Heat saviour').getByCss('label').first().click(),
    shows: () => dialog(/^Turn/),
  },
  {
    name: 'the question of a reset',
    path,
    answers: lockout,
    open: () =>
      region('Alarm')
        .getByRole('button', { name: /^Reset/ })
        .click(),
    shows: () => dialog(/^Reset boiler/),
  },
  {
    name: 'a setting that was refused',
    path,
    answers: [
      answer(getBoiler, {
        ...lockedOut,
        ...{ chMaxSupported: true, fault: null, deviceStatus: 'Ok' },
        settings: { ...lockedOut.settings, chMax: { desired: 72, reported: 60 } },
      }),
      answer(getDeviceCommands, [refusedCommand]),
    ],
    shows: () => region('Heating settings').getByText(/Refused at .+ Requested by Ada Marsh/),
  },
  ...tabsOf(
    path,
    {
      faultHistory: () => page.getByRole('table', { name: 'All faults' }),
      history: () => page.getByRole('table', { name: 'History' }),
      maintenance: () => page.getByRole('list', { name: 'Repair forms' }),
      compliance: () => region('Records'),
      connectedDevices: heading,
      debug: () => page.getByRole('rowheader', { name: 'deviceId' }),
    },
    { answers: inUse },
  ),
  {
    name: 'changing when gas safety is due',
    path,
    address: `/northgate/Boilers/${firstId}/compliance`,
    answers: inUse,
    open: () => press('Change when gas safety is due'),
    shows: () => dialog('When gas safety is due'),
  },
  {
    name: 'adding a gas safety record',
    path,
    address: `/northgate/Boilers/${firstId}/compliance`,
    answers: lockout,
    open: () => press('Add record'),
    shows: () => page.getByRole('form', { name: /^Add .+ record$/ }),
  },
])
