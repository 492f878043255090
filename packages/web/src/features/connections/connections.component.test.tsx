import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import {
  addConnection,
  deleteConnection,
  getConnectionMessages,
  getConnections,
  getConnectionTest,
  pauseConnection,
  replaceConnectionKey,
  resumeConnection,
  updateConnection,
} from '@caretaker/contract/connections.ts'
import { aConnection, aMessage } from '../../testing/examples/connections.ts'
import { idOf } from '../../testing/examples/devices.ts'
import { act, card, loading, offeredIn, rowMenu } from '../../testing/device-screen.ts'
import { expectCount } from '../../testing/expect.ts'
import { dialog, rows, toast } from '../../testing/list-screen.ts'
import { answer, answerStatus, refuse } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'
import { button, main, refused, rowWith, tabs } from '../../testing/screen.ts'

const address = '/northgate/Settings/connections'
const working = aConnection()
const failing = aConnection({
  ...{ id: idOf(2), kind: 'the-things-stack', name: 'The Things Stack, Leeds' },
  ...{ state: 'Errors', stateReason: 'Value out of range', messages: 2118, errors: 11 },
  errorsByReason: [
    {
      ...{ reason: 'out of range', text: 'Value out of range', count: 9, last: '2026-11-28T15:33:00Z' },
      detail: 'CO2 65,535 ppm from Landing climate',
    },
    { reason: 'invalid key', text: 'Invalid key', count: 2, last: '2026-11-28T15:10:00Z', detail: null },
  ],
})
const paused = aConnection({
  ...{ id: idOf(3), kind: 'generic-json', name: 'Node-RED trial', state: 'Paused', messages: 0 },
  ...{ stateReason: 'Morgan Ellis paused it', stateSince: '2026-11-20T10:47:00Z', lastMessageAt: null },
})
const silent = aConnection({
  ...{ id: idOf(4), kind: 'zigbee2mqtt', transport: 'mqtt', name: 'Kestrel Court', state: 'No messages' },
  ...{ stateReason: 'Longer than three times the usual interval', webhookPath: null, keyEnding: null },
  broker: {
    ...{ url: 'mqtts://broker.example:8883', topic: 'zigbee2mqtt/#', user: 'caretaker' },
    ...{ hasPassword: true, hasAuthority: false, hasCertificate: false, isConnected: false, error: 'Not authorised' },
  },
})
const list = answer(getConnections, { results: [working, failing, paused, silent] })
const messages = answer(getConnectionMessages, { results: [aMessage(0)], next: null, withRejected: 1 })
const answers = [list, messages]
const field = (name: string) => dialog.getByRole('textbox', { name, exact: true })

async function open(options: Parameters<typeof openPortal>[1] = {}) {
  const portal = await openPortal(address, { answers, ...options })
  await expect.element(page.getByRole('grid', { name: 'Connections' }), loading).toBeVisible()
  return portal
}

test('connections are listed with health, reason and since, counts of 24 h and sensors', async () => {
  await open()
  await expectCount(rows, 4)
  await expect.element(rowWith('ChirpStack, Halifax')).toMatchTextContent('Working')
  await expect.element(rowWith('ChirpStack, Halifax')).toMatchTextContent('3,466')
  await expect.element(rowWith('The Things Stack, Leeds')).toMatchTextContent('Errors')
  await expect.element(rowWith('Node-RED trial')).toMatchTextContent('Morgan Ellis paused it, since 20/11/2026 10:47')
  await expect.element(rowWith('Kestrel Court')).toMatchTextContent('No messages')
  await expect.element(rowWith('Kestrel Court')).toMatchTextContent('Zigbee2MQTT, MQTT client')
  await expect.element(main.getByText(/messages in 24 h, 11 errors/)).toBeVisible()
})

test('the errors by reason and the last messages of a connection are below the list; another row shows its own', async () => {
  const portal = await open()
  // The first connection with errors is shown without being chosen.
  await expect.element(card('Errors by reason')).toMatchTextContent('Value out of range')
  await expect.element(card('Errors by reason')).toMatchTextContent('CO2 65,535 ppm from Landing climate.')
  await expect.element(card('Last messages')).toMatchTextContent('1 of 2 values stored')
  await rowWith('Kestrel Court').getByText('Kestrel Court').click()
  await expect.element(card('Errors by reason')).toMatchTextContent('The broker: Not authorised')
  expect(portal.address()).toContain(`connection=${silent.id}`)
  await card('Last messages').getByRole('link', { name: 'All messages' }).click()
  await expect.element(page.getByRole('heading', { name: 'Messages of Kestrel Court' }), loading).toBeVisible()
})

test('a connection is paused with a reason and resumed from its menu', async () => {
  const portal = await open()
  await act(rowMenu(rowWith('ChirpStack, Halifax')), 'Pause')
  await field('Reason').fill('Moving the server')
  await dialog.getByRole('button', { name: 'Pause' }).click()
  await expect.element(toast('ChirpStack, Halifax paused')).toBeVisible()
  expect(portal.sentTo(pauseConnection)).toMatchObject([
    { params: { connectionId: working.id }, body: { reason: 'Moving the server' } },
  ])
  await act(rowMenu(rowWith('Node-RED trial')), 'Resume')
  await expect.element(toast('Node-RED trial resumed')).toBeVisible()
  expect(portal.sentTo(resumeConnection)).toMatchObject([{ params: { connectionId: paused.id } }])
})

test('a new key is created only after the question, and shown once', async () => {
  const portal = await open({
    answers: [...answers, answer(replaceConnectionKey, { connection: working, key: 'ctk_new' })],
  })
  await act(rowMenu(rowWith('ChirpStack, Halifax')), 'Create new key')
  await expect.element(dialog.getByText('The old key stops working at once.')).toBeVisible()
  expect(portal.sentTo(replaceConnectionKey)).toHaveLength(0)
  await dialog.getByRole('button', { name: 'Create new key' }).click()
  await expect.element(dialog.getByText('ctk_new')).toBeVisible()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect.element(page.getByText('ctk_new')).not.toBeInTheDocument()
  // A connection without a webhook has no key.
  expect(await offeredIn(rowMenu(rowWith('Kestrel Court')))).toEqual(['All messages', 'Pause', 'Edit', 'Delete'])
})

test('deleting asks, and an error of the server stays in the question', async () => {
  const portal = await open({ answers: [...answers, answerStatus(deleteConnection, 500)] })
  await act(rowMenu(rowWith('ChirpStack, Halifax')), 'Delete')
  await expect.element(dialog).toMatchTextContent('48 devices and their readings stay')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect.element(dialog.getByRole('alert')).toBeVisible()
  portal.use(answer(deleteConnection, undefined as never))
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect.element(toast('ChirpStack, Halifax deleted')).toBeVisible()
})

test('an empty list shows how to start, and a failed one can be loaded again', async () => {
  await openPortal(address, { answers: [answer(getConnections, { results: [] })] })
  await expect.element(main.getByText('No connections'), loading).toBeVisible()
  const portal = await openPortal(address, { answers: [answerStatus(getConnections, 500)] })
  await expect.element(main.getByText('Failed to Load'), loading).toBeVisible()
  portal.use(...answers)
  await button('Retry').click()
  await expectCount(rows, 4)
})

test('a guest sees connections without changing them, and a user limited to a tag does not see the tab', async () => {
  await open({ role: 'Guest' })
  await expect.element(button('Add connection')).not.toBeInTheDocument()
  expect(await offeredIn(rowMenu(rowWith('ChirpStack, Halifax')))).toEqual(['All messages'])
  await expect.element(tabs.filter({ hasText: 'Connections' })).toBeVisible()
  const limited = await openPortal(address, { tags: [idOf(0)], answers })
  await expect.element(refused, loading).toBeVisible()
  expect(limited.sentTo(getConnections)).toHaveLength(0)
})

test('a webhook is added in three steps; its key is shown once and the first message ends the test', async () => {
  const waiting = { state: 'waiting', text: 'Waiting for the first message', at: null, sensor: null } as const
  const since = '2026-11-28T15:30:00Z'
  const portal = await open({
    answers: [
      ...answers,
      answer(addConnection, { connection: working, key: 'ctk_4mZ8sW1xQe7TnVb2LrYd' }),
      answer(getConnectionTest, { ...waiting, since }),
    ],
  })
  await button('Add connection').click()
  await expect.element(dialog.getByRole('button', { name: 'Add connection' })).toBeDisabled()
  await field('Name').fill('ChirpStack, Huddersfield')
  await dialog.getByRole('button', { name: 'Add connection' }).click()
  await expect.element(dialog.getByRole('textbox', { name: 'Key' })).toHaveValue('ctk_4mZ8sW1xQe7TnVb2LrYd')
  await expect
    .element(dialog.getByRole('textbox', { name: 'Webhook address' }))
    .toHaveValue(`${window.location.origin}${working.webhookPath}`)
  await expect.element(dialog.getByText('Waiting for the first message')).toBeVisible()
  await expect.element(dialog.getByRole('button', { name: 'Show new sensors' })).toBeDisabled()
  expect(portal.sentTo(addConnection)).toMatchObject([
    { body: { kind: 'chirpstack', transport: 'webhook', name: 'ChirpStack, Huddersfield' } },
  ])
  const polled = portal.sentTo(getConnectionTest).length
  portal.use(
    answer(getConnectionTest, {
      ...{ state: 'received', text: null, at: '2026-11-28T15:34:12Z', since },
      sensor: {
        ...{ deviceKey: '24E124128C140733', maker: 'Milesight', model: 'AM107' },
        values: [{ path: 't', metric: 'temperature', label: 'Temperature', unit: '°C', value: 19.4 }],
      },
    }),
  )
  await expect.element(dialog.getByText('First message received at 15:34:12'), { timeout: 10_000 }).toBeVisible()
  await expect.element(dialog).toMatchTextContent('Milesight AM107')
  await expect.element(dialog).toMatchTextContent('19.4 °C')
  expect(portal.sentTo(getConnectionTest).length).toBeGreaterThan(polled)
  await dialog.getByRole('button', { name: 'Show new sensors' }).click()
  await expect.element(page.getByRole('grid', { name: 'New sensors' }), loading).toBeVisible()
})

for (const [state, text] of [
  ['invalid key', 'A message arrived with an invalid key'],
  ['wrong kind', 'A message arrived, but it is not from ChirpStack: field deviceInfo is missing'],
  ['no message', 'No message yet. Check the address and the key in ChirpStack.'],
] as const)
  test(`the test shows: ${text}`, async () => {
    await open({
      answers: [
        ...answers,
        answer(addConnection, { connection: working, key: 'ctk_x' }),
        answer(getConnectionTest, { state, text, at: null, since: '2026-11-28T15:30:00Z', sensor: null }),
      ],
    })
    await button('Add connection').click()
    await field('Name').fill('ChirpStack')
    await userEvent.keyboard('{Enter}')
    await expect.element(dialog.getByText(text)).toBeVisible()
    await expect.element(dialog.getByRole('button', { name: 'Test again' })).toBeVisible()
  })

test('MQTT needs the address of the broker', { timeout: 60_000 }, async () => {
  const portal = await open({ answers: [...answers, answer(addConnection, { connection: silent, key: null })] })
  await button('Add connection').click()
  await dialog.getByRole('radio', { name: /Zigbee2MQTT/ }).click()
  await expect.element(field('Topic')).toHaveValue('zigbee2mqtt/#')
  await field('Name').fill('Kestrel Court')
  await field('Address').fill('broker.example')
  await userEvent.keyboard('{Tab}')
  await expect.element(dialog).toMatchTextContent('must be an address such as')
  await field('Address').fill('mqtts://broker.example:8883')
  await expect.element(dialog.getByRole('button', { name: 'Add connection' })).toBeEnabled()
  await dialog.getByRole('button', { name: 'Add connection' }).click()
  await expect.element(dialog.getByText(/Caretaker subscribes to zigbee2mqtt/)).toBeVisible()
  expect(portal.sentTo(addConnection).at(-1)?.body).toEqual({
    ...{ kind: 'zigbee2mqtt', transport: 'mqtt', name: 'Kestrel Court' },
    broker: { url: 'mqtts://broker.example:8883', topic: 'zigbee2mqtt/#' },
  })
})

test('generic JSON needs the path of the sensor id', async () => {
  const portal = await open({ answers: [...answers, answer(addConnection, { connection: working, key: 'ctk_x' })] })
  await button('Add connection').click()
  await dialog.getByRole('radio', { name: /Generic JSON/ }).click()
  await field('Name').fill('Meters')
  await expect.element(dialog.getByRole('button', { name: 'Add connection' })).toBeDisabled()
  await field('Sensor id').fill('device.id')
  await field('Items').fill('readings')
  await dialog.getByRole('button', { name: 'Add connection' }).click()
  await expect
    .poll(() => portal.sentTo(addConnection).at(-1)?.body)
    .toEqual({
      ...{ kind: 'generic-json', transport: 'webhook', name: 'Meters' },
      paths: { deviceKey: 'device.id', items: 'readings' },
    })
})

test('generic JSON by MQTT takes a topic and a message for set points, but no topic that it receives itself', async () => {
  const portal = await open({ answers: [...answers, answer(addConnection, { connection: working, key: null })] })
  await button('Add connection').click()
  await dialog.getByRole('radio', { name: /Generic JSON/ }).click()
  await dialog.getByText('MQTT client').click()
  await field('Name').fill('Heating')
  await field('Sensor id').fill('id')
  await dialog.getByRole('textbox', { name: 'Address' }).fill('mqtts://broker.example:8883')
  await dialog.getByRole('textbox', { name: 'Topic', exact: true }).fill('heating/#')
  await dialog.getByText('Set points of thermostats').click()
  await field('Topic for set points').fill('heating/{sensor}/set')
  await field('Message').fill('{"target":1}')
  await field('Name').fill('Heating 2')
  await expect.element(dialog.getByText(/^The connection would receive its own commands/)).toBeVisible()
  await expect.element(dialog.getByText('must contain "{setPoint}"')).toBeVisible()
  await field('Topic for set points').fill('commands/{sensor}')
  await field('Message').fill('{"target":"{setPoint}"}')
  await dialog.getByRole('button', { name: 'Add connection' }).click()
  await expect
    .poll(() => portal.sentTo(addConnection).at(-1)?.body)
    .toMatchObject({
      broker: { url: 'mqtts://broker.example:8883', topic: 'heating/#' },
      downlink: { topic: 'commands/{sensor}', template: '{"target":"{setPoint}"}' },
    })
})

test('editing keeps a stored password that is not typed again, and a refused name is shown at its field', async () => {
  const portal = await open({
    answers: [
      ...answers,
      refuse(updateConnection, 'invalid', { fields: { 'body.name': 'Another connection has this name.' } }),
    ],
  })
  await act(rowMenu(rowWith('Kestrel Court')), 'Edit')
  await expect.element(dialog.getByText('Leave empty to keep the stored password.')).toBeVisible()
  await field('Name').fill('Kestrel House')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect.element(dialog.getByText('Another connection has this name.')).toBeVisible()
  expect(portal.sentTo(updateConnection).at(-1)?.body).toEqual({
    name: 'Kestrel House',
    broker: { url: 'mqtts://broker.example:8883', topic: 'zigbee2mqtt/#', user: 'caretaker' },
  })
})

test('the API of a network server is entered for set points, and its stored token is kept', async () => {
  const downlink = { url: 'https://chirpstack.example', hasToken: true, topic: null, template: null }
  const thermostats = aConnection({ downlink })
  const portal = await open({
    answers: [
      answer(getConnections, { results: [failing, thermostats, paused, silent] }),
      answer(updateConnection, thermostats),
    ],
  })
  await act(rowMenu(rowWith(thermostats.name)), 'Edit')
  await expect.element(dialog.getByText('Leave empty to keep the stored token.')).toBeVisible()
  await field('API address').fill('chirpstack')
  await field('Name').fill('Thermostats')
  await expect.element(dialog.getByText(/^must be an address such as/)).toBeVisible()
  await field('API address').fill('https://other.example')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(() => portal.sentTo(updateConnection).at(-1)?.body)
    .toEqual({ name: 'Thermostats', downlink: { url: 'https://other.example' } })
})

test('the drawer asks before typed text is lost', async () => {
  await open()
  await button('Add connection').click()
  await field('Name').fill('Half typed')
  await userEvent.keyboard('{Escape}')
  await expect.element(page.getByText('Discard what you have typed?')).toBeVisible()
})
