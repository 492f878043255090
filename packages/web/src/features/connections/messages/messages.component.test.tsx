import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { getConnectionMessages, getConnections, getSensorMessages } from '@caretaker/contract/connections.ts'
import { getThirdPartyDevice } from '@caretaker/contract/devices.ts'
import { aConnection, aMessage } from '../../../testing/examples/connections.ts'
import { loading } from '../../../testing/device-screen.ts'
import { idOf } from '../../../testing/examples/devices.ts'
import { expectCount, textsOf } from '../../../testing/expect.ts'
import type { ServerAnswer } from '../../../testing/network.ts'
import { answer, answerStatus, exampleOf } from '../../../testing/network.ts'
import { openPortal } from '../../../testing/portal.tsx'
import { button, main, refused, tabs } from '../../../testing/screen.ts'

const deviceId = idOf(5)
const address = `/northgate/ThirdParty/${deviceId}/sensorMessages`
const device = {
  ...exampleOf(getThirdPartyDevice),
  deviceId,
  deviceName: 'Living room climate',
  productId: 'ADEY' as const,
}
const list = page.getByRole('list', { name: 'Messages' })
const detail = page.getByRole('region', { name: 'Message', exact: true })
const part = (name: string) => detail.getByRole('list', { name })
const all = [
  aMessage(0),
  aMessage(1, { result: 'Stored', rejected: [], unused: [] }),
  aMessage(2, { result: 'Duplicate', readings: [], rejected: [], unused: [] }),
]

const server: ServerAnswer[] = [
  answer(getThirdPartyDevice, device),
  answer(getSensorMessages, ({ query }) => ({
    results: query?.after ? [aMessage(3)] : query?.rejected ? all.slice(0, 1) : all,
    next: query?.after ? null : `1764344400000-${idOf(9)}`,
    withRejected: 1,
    modelId: idOf(200),
  })),
  answer(getConnections, { results: [aConnection()] }),
]

async function open(options: Parameters<typeof openPortal>[1] = {}) {
  const portal = await openPortal(address, { answers: server, ...options })
  await expect.element(list, loading).toBeVisible()
  return portal
}

test('the newest message of a device shows its bytes, its decoded object and its readings', async () => {
  await open()
  expect(textsOf(tabs)).toEqual(['Info', 'Telemetry', 'History', 'Messages'])
  await expect.element(detail.getByRole('heading', { name: 'Message 4,218' })).toBeVisible()
  await expect.element(detail).toMatchTextContent('28/11/2026 15:34:12 GMT')
  await expect.element(detail).toMatchTextContent('Decoder: Milesight, built in')
  await expect.element(detail).toMatchTextContent('1 value stored, 1 rejected, 1 not used')
  expect(textsOf(part('Bytes').getByRole('button'))).toEqual(['03 67 C2 00', '07 7D FF FF', '06 65'])
  await expect.element(part('Readings')).toMatchTextContent('19.4 °C')
  await expect.element(part('Readings')).toMatchTextContent('Outside 0–10,000 ppm')
  await expect.element(detail.getByRole('link', { name: 'Open mapping' })).toBeVisible()
})

test('the readings of a message that was not stored are not shown as stored', async () => {
  const notStored = (['Waiting', 'Ignored'] as const).map((result, at) =>
    aMessage(at, { result, reason: null, rejected: [], unused: [] }),
  )
  await open({
    answers: [
      ...server,
      answer(getSensorMessages, { results: notStored, next: null, withRejected: 0, modelId: idOf(200) }),
    ],
  })
  await expect.element(part('Readings')).toMatchTextContent('Not stored yet')
  await expect.element(detail.getByRole('heading', { name: 'Readings', exact: true })).toBeVisible()
  await list.getByRole('button').nth(1).click()
  await expect.element(part('Readings')).toMatchTextContent('Not stored')
  expect(textsOf(part('Readings').getByRole('button')).join()).not.toMatch(/yet|(?<!Not s)tored$/)
})

test('a value that is pointed at, focused or pressed is marked in all three parts', async () => {
  await open()
  const marked = page.getByCss('[data-marked]')
  await part('Bytes').getByRole('button', { name: '07 7D FF FF' }).hover()
  await expectCount(marked, 3)
  await part('Decoded values')
    .getByRole('button', { name: /temperature/ })
    .click()
  await expect.element(part('Bytes').getByRole('button', { name: '03 67 C2 00' })).toHaveAttribute('data-marked')
  await expect.element(part('Readings').getByRole('button', { name: /Temperature/ })).toHaveAttribute('data-marked')
  await userEvent.keyboard('{Tab}')
  await expect.element(part('Bytes').getByRole('button', { name: '07 7D FF FF' })).toHaveAttribute('data-marked')
})

test('messages are chosen by click and arrow keys, filtered, and older ones loaded', async () => {
  const portal = await open()
  await list.getByRole('button').nth(1).click()
  await expect.element(detail.getByRole('heading', { name: 'Message 4,217' })).toBeVisible()
  await userEvent.keyboard('{ArrowDown}')
  await expect.element(detail).toMatchTextContent('This message arrived before. Nothing was stored again.')
  await button('Load older').click()
  await expectCount(list.getByRole('button'), 4)
  await button(/^Rejected values/).click()
  await expectCount(list.getByRole('button'), 1)
  await page.getByRole('searchbox', { name: 'Search messages' }).fill('4218')
  await expect
    .poll(() => portal.sentTo(getSensorMessages).at(-1)?.query)
    .toMatchObject({ search: '4218', rejected: true })
  expect(portal.address()).toContain('search=')
})

test('a payload that was not decoded is shown as bytes, and a message without bytes as it arrived', async () => {
  const undecoded = aMessage(0, {
    ...{ result: 'Not decoded', reason: 'Codec stopped after 50 ms', decoded: null, decoder: null, segments: null },
    ...{ readings: [], rejected: [], unused: [] },
  })
  const plain = { ...undecoded, id: idOf(399), bytes: null, payload: '{"temperature":"hot"}', counter: null }
  await open({
    answers: [
      ...server,
      answer(getSensorMessages, { results: [undecoded, plain], next: null, withRejected: 0, modelId: null }),
    ],
  })
  await expect.element(detail).toMatchTextContent('Codec stopped after 50 ms')
  await expect.element(part('Bytes')).toMatchTextContent('03 67 C2 00 07 7D FF FF')
  await list.getByRole('button').nth(1).click()
  await expect.element(detail).toMatchTextContent('"temperature": "hot"')
})

test('on a phone the list comes first, and a message has tabs with the stored readings first', async () => {
  await open({ viewport: { width: 390, height: 844 } })
  await expect.element(detail).not.toBeInTheDocument()
  await list.getByRole('button').first().click()
  await expect.element(part('Readings')).toBeVisible()
  await expect.element(part('Bytes')).not.toBeInTheDocument()
  await detail.getByText('Raw bytes').click()
  await expect.element(part('Bytes')).toBeVisible()
  await button('All messages').click()
  await expect.element(list).toBeVisible()
})

test('the messages of a connection name their sensors; without its right the page is refused', async () => {
  const messages = answer(getConnectionMessages, { results: all, next: null, withRejected: 1 })
  const path = `/northgate/Settings/connections/messages/${idOf(1)}`
  await openPortal(path, { answers: [...server, messages] })
  await expect.element(list.getByRole('button').first(), loading).toMatchTextContent('Living room climate')
  const limited = await openPortal(path, { tags: [idOf(0)], answers: [...server, messages] })
  await expect.element(refused, loading).toBeVisible()
  expect(limited.sentTo(getConnectionMessages)).toHaveLength(0)
})

test('no messages and a failed load are shown as such', async () => {
  const empty = answer(getSensorMessages, { results: [], next: null, withRejected: 0, modelId: null })
  await openPortal(address, { answers: [...server, empty] })
  await expect.element(main.getByText('No messages kept'), loading).toBeVisible()
  const portal = await openPortal(address, { answers: [...server, answerStatus(getSensorMessages, 500)] })
  await expect.element(main.getByText('Failed to Load'), loading).toBeVisible()
  portal.use(...server)
  await button('Retry').click()
  await expect.element(list).toBeVisible()
})
