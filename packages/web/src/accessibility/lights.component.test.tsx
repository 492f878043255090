import { page } from 'vitest/browser'
import { getEmered } from '@caretaker/contract/devices.ts'
import { getBatteryLimits } from '@caretaker/contract/equipment.ts'
import { dialog, firstId, inUse, main, press, region, tabsOf, testScreens } from '../testing/accessible-screens.ts'
import { charts } from '../testing/examples/telemetry.ts'
import { answer } from '../testing/network.ts'
import { variedExampleOf } from '../testing/varied.ts'

const path = '/$tenant/EmergencyLights/$deviceId/{-$tab}'
const gateway = '/$tenant/NetworkingDevices/$deviceId/{-$tab}'
const ids = () => page.getByRole('rowheader', { name: 'deviceId' })

testScreens([
  { name: 'emergency light', path, answers: inUse, shows: () => region('Emergency equipment') },
  ...tabsOf(
    path,
    {
      testResults: () => page.getByRole('table', { name: 'Test results' }),
      testSchedules: () => page.getByRole('table').first(),
      history: () => page.getByRole('table', { name: 'History' }),
      maintenance: () => page.getByRole('list', { name: 'Repair forms' }),
      debug: ids,
    },
    { answers: inUse },
  ),
  {
    name: 'a luminaire, half edited',
    path,
    answers: [...inUse, answer(getBatteryLimits, { isWide: false, version: 1 })],
    open: async () => {
      await press('Edit luminaire')
      await page.getByRole('combobox', { name: 'Battery voltage' }).fill('2.4')
    },
    shows: () => page.getByText('Battery Voltage must be greater than 2.6V'),
  },
  {
    name: 'the choice of the monitored LED circuit',
    path,
    answers: inUse,
    open: () => press('Edit Monitored LED circuit'),
    shows: () => page.getByRole('radio', { name: 'Emergency circuit only' }),
  },
  {
    name: 'the correction of a test',
    path,
    address: `/northgate/EmergencyLights/${firstId}/testResults`,
    role: 'Admin',
    answers: inUse,
    open: () => press(/^Update T/),
    shows: () => page.getByRole('radio').first(),
  },
  {
    name: 'the dialog of the inspector’s sheet',
    path,
    address: `/northgate/EmergencyLights/${firstId}/testResults`,
    role: 'Manager',
    answers: [
      ...inUse,
      answer(getEmered, {
        ...variedExampleOf(getEmered),
        ...{ uninstalledAt: null, buildingId: firstId, buildingName: 'Alder House' },
      }),
    ],
    open: () => press('Inspector’s sheet'),
    shows: () => dialog('Inspector’s sheet').getByLabelText('Building').first(),
  },
  { name: 'gateway', path: gateway, answers: [...inUse, charts()], shows: () => main.getByCss('canvas').first() },
  ...tabsOf(gateway, { debug: ids }, { answers: inUse }),
  ...(['EmergencyLights', 'Boilers', 'NetworkingDevices'] as const).map((area) => ({
    name: `messages of ${area}`,
    path: `/$tenant/${area}/$deviceId/{-$tab}` as const,
    address: `/northgate/${area}/${firstId}/messages`,
    answers: inUse,
    open: () => page.getByRole('option').first().click(),
    shows: () => region('Message'),
  })),
])
