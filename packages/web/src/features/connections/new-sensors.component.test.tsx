import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import {
  addSensors,
  chooseSensorModel,
  getConnections,
  getNewSensors,
  ignoreSensors,
  importSensors,
  restoreSensors,
  undoAddSensors,
} from '@caretaker/contract/connections.ts'
import { searchEverything } from '@caretaker/contract/search.ts'
import { aConnection, aNewSensor } from '../../testing/examples/connections.ts'
import { act, loading, offeredIn, rowMenu } from '../../testing/device-screen.ts'
import { idOf } from '../../testing/examples/devices.ts'
import { expectCount } from '../../testing/expect.ts'
import { dialog, rows, toast } from '../../testing/list-screen.ts'
import type { ServerAnswer } from '../../testing/network.ts'
import { answer, answerStatus, refuse } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'
import { button, main, rowWith } from '../../testing/screen.ts'

const address = '/northgate/Settings/connections/newSensors'
const unknown = aNewSensor(9, { maker: null, model: null, modelId: null, lastValues: [] })
const sensors = [aNewSensor(1), aNewSensor(2, { model: 'EM300-SLD' }), aNewSensor(3), unknown]
const bar = page.getByRole('toolbar', { name: 'Selected sensors' })
const propertyId = idOf(50)
const nothing = { total: 0, items: [] }

const server: ServerAnswer[] = [
  answer(getConnections, { results: [aConnection()] }),
  answer(getNewSensors, ({ query }) => ({
    results: query?.ignored ? [aNewSensor(7, { isIgnored: true })] : sensors,
    ...{ next: null, total: query?.ignored ? 1 : 4, ignored: 1 },
  })),
  answer(searchEverything, {
    ...{ devices: nothing, buildings: nothing, people: nothing, views: nothing },
    properties: {
      total: 1,
      items: [{ propertyId, propertyReference: 'NG-0005', address: 'Flat 5, Calder Wharf', gasSafety: null }],
    },
  }),
  answer(addSensors, ({ body }) => ({
    added: body.sensors.map(({ sensorId }) => ({ sensorId, deviceId: sensorId, serialNumber: 'ADEY-1' })),
  })),
]

async function open(options: Parameters<typeof openPortal>[1] = {}) {
  const portal = await openPortal(address, { answers: server, ...options })
  await expect.element(page.getByRole('grid', { name: 'New sensors' }), loading).toBeVisible()
  await expectCount(rows, 4)
  return portal
}

async function select(count: number) {
  for (let at = 0; at < count; at++) await rows.nth(at).getByRole('checkbox').click()
}

async function chooseProperty() {
  await dialog.getByRole('combobox', { name: 'Property' }).fill('Calder')
  await page.getByRole('option', { name: /Calder Wharf/ }).click()
}

test('new sensors are listed with model, address, values, signal and messages', async () => {
  await open()
  await expect.element(rows.first()).toMatchTextContent('Milesight AM107')
  await expect.element(rows.first()).toMatchTextContent('24E124128C140731')
  await expect.element(rows.first()).toMatchTextContent('19.4 °C')
  await expect.element(rows.first()).toMatchTextContent('−71 dBm')
  await expect.element(rowWith('Model not known').getByRole('checkbox')).toBeDisabled()
})

test(
  'three sensors are added to one property, the last room is suggested, and Undo takes them back',
  { timeout: 60_000 },
  async () => {
    const portal = await open({ answers: [...server, answer(undoAddSensors, { undone: 3 })] })
    await select(3)
    await expect.element(bar.getByText('3 selected')).toBeVisible()
    await bar.getByRole('button', { name: 'Add to property' }).click()
    const add = dialog.getByRole('button', { name: 'Add 3 sensors' })
    await expect.element(add).toBeDisabled()
    await expect.element(dialog.getByText('Messages received so far are kept.')).toBeVisible()
    await chooseProperty()
    await dialog.getByRole('combobox', { name: 'Room: 24E124128C140731' }).fill('Living room')
    await expect.element(dialog.getByRole('combobox', { name: 'Room: 24E124128C140733' })).toHaveValue('Living room')
    await dialog.getByRole('combobox', { name: 'Room: 24E124128C140732' }).fill('Kitchen')
    await expect.element(dialog.getByRole('combobox', { name: 'Room: 24E124128C140733' })).toHaveValue('Kitchen')
    await userEvent.keyboard('{Tab}')
    await add.click()
    await expect.element(toast('3 sensors added to Flat 5, Calder Wharf')).toBeVisible()
    expect(portal.sentTo(addSensors)).toMatchObject([
      { body: { propertyId, sensors: [{ room: 'Living room' }, { room: 'Kitchen' }, { room: 'Kitchen' }] } },
    ])
    await expect.element(bar).not.toBeInTheDocument()
    await toast('3 sensors added').getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => portal.sentTo(undoAddSensors).at(0)?.body.sensorIds).toHaveLength(3)
  },
)

test('a refused addition stays in the dialog with the reason', async () => {
  await open({ answers: [...server, refuse(addSensors, 'refused', { message: 'The property is archived.' })] })
  await act(rowMenu(rows.first()), 'Add to property')
  await chooseProperty()
  await dialog.getByRole('combobox', { name: /^Room/ }).fill('Hall')
  await userEvent.keyboard('{Enter}')
  await dialog.getByRole('button', { name: 'Add 1 sensor' }).click()
  await expect.element(dialog.getByText('The property is archived.')).toBeVisible()
})

test('a sensor is ignored with Undo, and ignored ones are shown on request and restored', async () => {
  const portal = await open({
    answers: [...server, answer(ignoreSensors, { ignored: 1 }), answer(restoreSensors, { restored: 1 })],
  })
  await act(rowMenu(rows.first()), 'Ignore')
  await expect.element(toast('1 sensor ignored')).toBeVisible()
  await toast('1 sensor ignored').getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => portal.sentTo(restoreSensors)).toHaveLength(1)
  await main.getByRole('switch', { name: 'Show ignored (1)' }).click()
  await expectCount(rows, 1)
  expect(await offeredIn(rowMenu(rows.first()))).toEqual(['Restore'])
  expect(portal.address()).toContain('ignored=true')
})

test('an unknown model is chosen before the sensor can be added', async () => {
  const portal = await open({ answers: [...server, answer(chooseSensorModel, { modelId: idOf(201) })] })
  await rowWith('Model not known')
    .getByRole('button', { name: /^Choose model/ })
    .click()
  await dialog.getByRole('combobox', { name: 'Maker' }).fill('Dragino')
  await expect.element(dialog.getByRole('button', { name: 'Save' })).toBeDisabled()
  await dialog.getByRole('combobox', { name: 'Model' }).fill('LHT65N')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect.element(toast('24E124128C140739 is Dragino LHT65N')).toBeVisible()
  expect(portal.sentTo(chooseSensorModel)).toMatchObject([{ body: { maker: 'Dragino', model: 'LHT65N' } }])
})

test('a list of DevEUIs is imported, and a wrong line is named', async () => {
  const portal = await open({ answers: [...server, answer(importSensors, { added: [] })] })
  await button('Import DevEUI list').click()
  const list = dialog.getByRole('textbox', { name: 'Sensors' })
  await list.fill('24E124128C140733, Milesight, AM107')
  await expect.element(dialog.getByText('Line 1: Property reference, Room missing')).toBeVisible()
  await list.fill('DevEUI,Maker,Model\n24E124128C140733, Milesight, AM107, NG-0005, Hall')
  await dialog.getByRole('button', { name: 'Import 1 sensor' }).click()
  await expect
    .poll(() => portal.sentTo(importSensors).at(0)?.body.sensors)
    .toEqual([
      { deviceKey: '24E124128C140733', maker: 'Milesight', model: 'AM107', propertyReference: 'NG-0005', room: 'Hall' },
    ])
})

test('a guest can neither select nor change new sensors; an empty and a failed list are shown as such', async () => {
  await open({ role: 'Guest' })
  await expect.element(rows.first().getByRole('checkbox')).not.toBeInTheDocument()
  await expect.element(button(/^(Actions|Choose model|Import)/)).not.toBeInTheDocument()
  await openPortal(address, { answers: [answer(getNewSensors, { results: [], next: null, total: 0, ignored: 0 })] })
  await expect.element(main.getByText('No new sensors'), loading).toBeVisible()
  await openPortal(address, { answers: [answerStatus(getNewSensors, 500)] })
  await expect.element(main.getByText('Failed to Load'), loading).toBeVisible()
})
