import { page } from 'vitest/browser'
import {
  addConnection,
  getCodecVersions,
  getConnectionMessages,
  getConnections,
  getNewSensors,
  getSensorMapping,
  getSensorMessages,
  tryCodecVersion,
} from '@caretaker/contract/connections.ts'
import type { Screen } from '../testing/accessible-screens.ts'
import { dialog, grid, press, region, testScreens } from '../testing/accessible-screens.ts'
import { aCodec, aConnection, aMapping, aMessage, aModel, aNewSensor, aTrial } from '../testing/examples/connections.ts'
import { idOf } from '../testing/examples/devices.ts'
import { answer } from '../testing/network.ts'

const states = ['Working', 'Errors', 'No messages', 'Paused'] as const
const connections = states.map((state, at) =>
  aConnection({
    ...{ id: idOf(at + 1), name: `Connection ${at}`, state, stateReason: 'Value out of range', errors: 9 },
    errorsByReason: [
      {
        ...{ reason: 'out of range', text: 'Value out of range', count: 9, last: '2026-11-28T15:33:00Z' },
        detail: 'CO2 65,535 ppm',
      },
    ],
  }),
)
const page1 = {
  results: [
    aMessage(0, { warnings: ['Unknown type 9'] }),
    aMessage(1, { result: 'Not decoded' }),
    aMessage(2, { result: 'Waiting' }),
  ],
  next: null,
  withRejected: 1,
}
const unknown = aNewSensor(9, { maker: null, model: null, modelId: null })
const codecs = [aCodec(4, { triedAt: '2026-11-28T16:00:00Z' }), aCodec(3, { isActive: true })]
const answers = [
  answer(getConnections, { results: connections }),
  answer(getConnectionMessages, page1),
  answer(getSensorMessages, { ...page1, modelId: idOf(200) }),
  answer(getNewSensors, { results: [aNewSensor(1), unknown], next: null, total: 2, ignored: 1 }),
  answer(getSensorMapping, aMapping()),
  answer(getCodecVersions, { model: aModel({ notDecoded: 4 }), results: codecs }),
  answer(tryCodecVersion, aTrial(4)),
  answer(addConnection, { connection: connections[0]!, key: 'ctk_4mZ8sW1xQe7TnVb2LrYd' }),
]

const screens: Screen[] = [
  { name: 'connections', path: '/$tenant/Settings/connections', shows: () => grid('Connections') },
  {
    name: 'adding a connection to a broker',
    path: '/$tenant/Settings/connections',
    open: async () => {
      await press('Add connection')
      await dialog('Add connection')
        .getByRole('radio', { name: /Zigbee2MQTT/ })
        .click()
    },
    shows: () => dialog('Add connection').getByLabelText('Topic'),
  },
  {
    name: 'the address and the key of a new connection',
    path: '/$tenant/Settings/connections',
    open: async () => {
      await press('Add connection')
      await dialog('Add connection').getByRole('textbox', { name: 'Name' }).fill('ChirpStack')
      await dialog('Add connection').getByRole('button', { name: 'Add connection' }).click()
    },
    shows: () => page.getByRole('textbox', { name: 'Webhook address' }),
  },
  { name: 'new sensors', path: '/$tenant/Settings/connections/newSensors', shows: () => grid('New sensors') },
  {
    name: 'adding a new sensor to a property',
    path: '/$tenant/Settings/connections/newSensors',
    open: async () => {
      await page.getByRole('checkbox', { name: /^Select Milesight/ }).click()
      await press('Add to property')
    },
    shows: () => dialog('Add 1 sensor to a property').getByLabelText('Property'),
  },
  { name: 'sensor models', path: '/$tenant/Settings/connections/models', shows: () => grid('Sensor models') },
  {
    name: 'mapping of a model',
    path: '/$tenant/Settings/connections/models/$modelId/{-$tab}',
    shows: () => page.getByRole('table', { name: 'Mapping' }),
  },
  {
    name: 'codec of a model',
    path: '/$tenant/Settings/connections/models/$modelId/{-$tab}',
    address: `/northgate/Settings/connections/models/${idOf(200)}/codec`,
    open: () => press('Try on the last 100 messages'),
    shows: () => page.getByText('Compared with version 3'),
  },
  {
    name: 'history of a model',
    path: '/$tenant/Settings/connections/models/$modelId/{-$tab}',
    address: `/northgate/Settings/connections/models/${idOf(200)}/history`,
    shows: () => region('Versions of the mapping'),
  },
  {
    name: 'messages of a connection',
    path: '/$tenant/Settings/connections/messages/$connectionId',
    address: `/northgate/Settings/connections/messages/${idOf(1)}`,
    shows: () => page.getByRole('list', { name: 'Messages' }),
  },
  {
    name: 'messages of a third-party device',
    path: '/$tenant/ThirdParty/$deviceId/{-$tab}',
    address: `/northgate/ThirdParty/${idOf(5)}/sensorMessages`,
    shows: () => page.getByRole('list', { name: 'Messages' }),
  },
  {
    name: 'third-party device',
    path: '/$tenant/ThirdParty/$deviceId/{-$tab}',
    shows: () => region('Identity'),
  },
]

testScreens(screens.map((screen) => ({ role: 'Manager', answers, ...screen })))
