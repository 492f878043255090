import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import {
  activateCodecVersion,
  decodeMessagesAgain,
  getCodecVersions,
  getMappingVersions,
  getModelSensors,
  getSensorMapping,
  getSensorModels,
  restoreMappingVersion,
  rollBackCodec,
  saveCodecVersion,
  saveSensorMapping,
  tryCodecVersion,
} from '@caretaker/contract/connections.ts'
import type { ModelSensor } from '@caretaker/contract/connections.ts'
import { aCodec, aMapping, aModel, aTrial } from '../../../testing/examples/connections.ts'
import { card, choose, loading } from '../../../testing/device-screen.ts'
import { idOf } from '../../../testing/examples/devices.ts'
import { expectCount } from '../../../testing/expect.ts'
import { dialog, toast } from '../../../testing/list-screen.ts'
import { answer, answerStatus, refuse } from '../../../testing/network.ts'
import { openPortal } from '../../../testing/portal.tsx'
import { button, main, notFound, refused, tabs } from '../../../testing/screen.ts'

const address = `/northgate/Settings/connections/models/${idOf(200)}`
const table = page.getByRole('table', { name: 'Mapping' })
const rowOf = (path: string) =>
  table.getByRole('row').filter({ has: page.getByRole('rowheader', { name: path, exact: true }) })

async function openMapping(options: Parameters<typeof openPortal>[1] = {}) {
  const portal = await openPortal(address, { answers: [answer(getSensorMapping, aMapping())], ...options })
  await expect.element(table, loading).toBeVisible()
  return portal
}

test('models are listed, and each leads to its mapping', async () => {
  await openPortal('/northgate/Settings/connections/models', {
    answers: [answer(getSensorModels, { results: [aModel()] }), answer(getSensorMapping, aMapping())],
  })
  await main.getByRole('link', { name: 'Milesight AM107' }).click()
  await expect.element(page.getByRole('heading', { name: 'Milesight AM107' }), loading).toBeVisible()
  await expect.element(main.getByText('12 sensors on 2 connections')).toBeVisible()
})

test('the sensors of a model are listed page by page, and each leads to its device', async () => {
  const sensor = (at: number, more: Partial<ModelSensor> = {}): ModelSensor => ({
    ...{ id: idOf(300 + at), connectionId: idOf(1), connectionName: 'ChirpStack, Halifax' },
    ...{ deviceKey: `24E124128C14073${at}`, name: null, messages: 1200, lastMessageAt: null, isIgnored: false },
    device: { deviceId: idOf(400 + at), name: `Climate ${at}`, property: 'NG-0005' },
    ...more,
  })
  await openPortal(`${address}/sensors`, {
    answers: [
      answer(getSensorMapping, aMapping()),
      answer(getModelSensors, ({ query }) =>
        query?.after
          ? { results: [sensor(3)], next: null }
          : { results: [sensor(1), sensor(2, { device: null })], next: idOf(302) },
      ),
    ],
  })
  const grid = page.getByRole('grid', { name: 'Sensors of this model' })
  await expect.element(grid, loading).toMatchTextContent('New sensor')
  await expect
    .element(grid.getByRole('link', { name: 'Climate 1' }))
    .toHaveAttribute('href', `/northgate/ThirdParty/${idOf(401)}`)
  await button('Show more').click()
  await expect.element(grid).toMatchTextContent('Climate 3')
  await expectCount(button('Show more'), 0)
})

test('each path shows its last value and the reading; a value out of range is named with its range', async () => {
  await openMapping()
  await expect.element(rowOf('temperature')).toMatchTextContent('19.4 °C')
  await expect.element(rowOf('co2')).toMatchTextContent('Outside 0–10,000 ppm')
  await expect.element(rowOf('activity')).toMatchTextContent('Suggested: Presence')
  await expect.element(rowOf('infrared')).toMatchTextContent('No metric with this name')
  await expect.element(table.getByText('2 values of this sensor are not used')).toBeVisible()
  await expect.element(button('Save mapping')).toBeDisabled()
})

test('a changed unit and factor are explained, saved with the version, and applied to new messages', async () => {
  const portal = await openMapping({
    answers: [
      answer(getSensorMapping, aMapping()),
      answer(saveSensorMapping, ({ body }) =>
        aMapping({ version: 1, savedAt: '2026-11-28T16:00:00Z', savedBy: 'Priya Nair', rows: body.rows }),
      ),
    ],
  })
  await choose('Unit: pressure', 'kPa')
  await page.getByRole('textbox', { name: 'Factor: pressure' }).fill('0')
  await expect.element(table.getByText('Enter a number other than 0')).toBeVisible()
  await expect.element(button('Save mapping')).toBeDisabled()
  await page.getByRole('textbox', { name: 'Factor: pressure' }).fill('0.1')
  await expect.element(rowOf('pressure')).toMatchTextContent('1,021.5 hPa')
  await expect
    .element(card('Effect of the change'))
    .toMatchTextContent('pressure: Air pressure, hPa to Air pressure, kPa, factor 0.1')
  await button('Save mapping').click()
  await expect.element(toast('Mapping saved')).toBeVisible()
  expect(portal.sentTo(saveSensorMapping)[0]?.body).toMatchObject({
    version: 0,
    rows: expect.arrayContaining([
      { path: 'pressure', to: 'metric', metric: 'airPressure', unit: 'kPa', factor: 0.1 },
    ]) as [],
  })
  await expect.element(button('Save mapping')).toBeDisabled()
})

test('all unused values become extra metrics at once, and leaving asks', async () => {
  const portal = await openMapping()
  await button('Keep all 2 as extra metrics').click()
  await expect.element(page.getByRole('textbox', { name: 'Name: infrared' })).toHaveValue('infrared')
  await expect.element(table.getByText(/not used/)).not.toBeInTheDocument()
  await tabs.filter({ hasText: 'History' }).click()
  await expect.element(page.getByText('Leave without saving?')).toBeVisible()
  expect(portal.sentTo(saveSensorMapping)).toHaveLength(0)
})

test('a mapping that someone else changed is refused with the reason', async () => {
  await openMapping({
    answers: [
      answer(getSensorMapping, aMapping()),
      refuse(saveSensorMapping, 'conflict', {
        message: 'Morgan Ellis changed the mapping in the meantime. Review it again.',
      }),
    ],
  })
  await button('Keep all 2 as extra metrics').click()
  await button('Save mapping').click()
  await expect.element(toast('Morgan Ellis changed the mapping in the meantime.')).toBeVisible()
  await expect.element(button('Save mapping')).toBeEnabled()
})

test('an earlier version is restored from the history', async () => {
  const { rows } = aMapping()
  const versions = [
    { version: 2, savedAt: '2026-11-28T16:00:00Z', savedBy: 'Morgan Ellis', rows: rows.slice(0, 2) },
    { version: 1, savedAt: '2026-11-27T16:00:00Z', savedBy: 'Priya Nair', rows },
  ]
  const portal = await openPortal(`${address}/history`, {
    answers: [
      answer(getSensorMapping, aMapping({ version: 2 })),
      answer(getMappingVersions, { results: versions }),
      answer(restoreMappingVersion, aMapping({ version: 3 })),
    ],
  })
  await expect.element(main.getByText('In use'), loading).toBeVisible()
  await button('Restore version 1').click()
  await dialog.getByRole('button', { name: 'Restore' }).click()
  await expect.element(toast('Version 1 restored')).toBeVisible()
  expect(portal.sentTo(restoreMappingVersion)).toMatchObject([{ params: { version: 1 } }])
})

const active = aCodec(3, {
  isActive: true,
  activatedAt: '2026-11-02T09:00:00Z',
  activatedBy: 'Priya Nair',
  triedAt: '2026-11-02T08:00:00Z',
})
const former = aCodec(2, {
  activatedAt: '2026-10-02T09:00:00Z',
  activatedBy: 'Priya Nair',
  triedAt: '2026-10-02T08:00:00Z',
})
const model = aModel({ activeCodec: 3, notDecoded: 12 })

async function openCodec(more: Parameters<typeof openPortal>[1] = {}) {
  let tried = false
  let isActivated = false
  const versions = () => [
    aCodec(4, {
      ...(tried && { triedAt: '2026-11-28T16:00:00Z' }),
      ...(isActivated && { isActive: true, activatedAt: '2026-11-28T16:01:00Z', activatedBy: 'Priya Nair' }),
    }),
    { ...active, isActive: !isActivated },
    former,
  ]
  const portal = await openPortal(`${address}/codec`, {
    answers: [
      answer(getSensorMapping, aMapping({ model })),
      answer(getCodecVersions, () => ({ model, results: versions() })),
      answer(tryCodecVersion, () => {
        tried = true
        return aTrial(4)
      }),
      answer(activateCodecVersion, () => {
        isActivated = true
        return { model, results: versions() }
      }),
      answer(rollBackCodec, { model: { ...model, activeCodec: 2 }, results: versions() }),
      answer(decodeMessagesAgain, ({ query }) =>
        query?.after
          ? { decoded: 4, notDecoded: 1, next: null }
          : { decoded: 6, notDecoded: 1, next: `1764343200000-${idOf(300)}` },
      ),
    ],
    ...more,
  })
  await expect.element(page.getByRole('textbox', { name: 'Codec' }), loading).toBeVisible()
  return portal
}

test('a version is activated only after it was tried; the trial compares it with the active one', async () => {
  const portal = await openCodec()
  await expect.element(button('Activate version 4')).toBeDisabled()
  await button('Try on the last 100 messages').click()
  const result = card('Last 100 messages')
  await expect.element(result).toMatchTextContent('95 decoded')
  await expect.element(result).toMatchTextContent('4 with a warning')
  await expect.element(result).toMatchTextContent('Slowest message: 4 ms of 50 ms')
  await expect.element(result).toMatchTextContent('Compared with version 3')
  await expect.element(result).toMatchTextContent('Changed: battery 36 is now 3.6')
  await expect.element(page.getByText('Warnings or errors come from line 2.')).toBeInTheDocument()
  await result.getByRole('button', { name: /Unknown type 9/ }).click()
  await expect.element(dialog.getByRole('region', { name: 'Version 3' })).toMatchTextContent('36')
  await expect.element(dialog.getByRole('region', { name: 'Version 4' })).toMatchTextContent('3.6')
  await userEvent.keyboard('{Escape}')
  await button('Activate version 4').click()
  await expect.element(toast('Version 4 activated')).toBeVisible()
  expect(portal.sentTo(activateCodecVersion)).toMatchObject([{ params: { version: 4 } }])
})

test('an edited source is kept as a draft, saved as a new version and cannot be activated before', async () => {
  const portal = await openCodec()
  const source = 'function decodeUplink() {\n  return { data: {} }\n}'
  portal.use(answer(saveCodecVersion, aCodec(5, { source })))
  await page.getByRole('textbox', { name: 'Codec' }).fill(source)
  await expect.element(main.getByText('Draft saved in this browser')).toBeVisible()
  await expect.element(button('Activate version 4')).toBeDisabled()
  await expect.element(button('Try on the last 100 messages')).toBeDisabled()
  await button('Save as version 5').click()
  await expect.element(toast('Version 5 saved')).toBeVisible()
  expect(portal.sentTo(saveCodecVersion)).toMatchObject([{ body: { source } }])
})

test('the source has colours for its parts, which follow the text sideways', async () => {
  await openCodec()
  const editor = page.getByRole('textbox', { name: 'Codec' })
  const source = `// ${'wide '.repeat(100)}\nreturn 'text' + 17`
  await editor.fill(source)
  const field = editor.element() as HTMLTextAreaElement
  const colours = field.parentElement!.querySelector('pre')!
  expect(colours.textContent).toBe(source)
  expect(colours.getAttribute('aria-hidden')).not.toBeNull()
  const parts = [...colours.querySelectorAll('[data-part]')].map((part) => getComputedStyle(part).color)
  expect(new Set(parts).size).toBe(4)
  // Each coloured character lies over the same character of the field.
  const [over, under] = [getComputedStyle(colours), getComputedStyle(field)]
  for (const property of ['font', 'lineHeight', 'letterSpacing', 'tabSize', 'padding', 'borderWidth'] as const)
    expect(over[property], property).toBe(under[property])
  field.scrollLeft = 200
  await expect.poll(() => colours.getBoundingClientRect().left - field.getBoundingClientRect().left).toBe(-200)
})

test('the version before is rolled back to, and messages are decoded again', async () => {
  await openCodec()
  await button('Roll back to version 2').click()
  await expect.element(toast('Rolled back to version 2')).toBeVisible()
  await expect.element(main.getByText(/12 messages were not decoded/)).toBeVisible()
  await button('Decode again').click()
  await expect.element(toast('10 messages decoded, 2 not decoded')).toBeVisible()
})

test('a guest reads the mapping without changing it, and does not see the codec', async () => {
  await openMapping({ role: 'Guest' })
  await expect.element(button(/^(Save|Restore|Keep)/)).not.toBeInTheDocument()
  await expect.element(page.getByRole('combobox', { name: 'Unit: pressure' })).toBeDisabled()
  await expectCount(tabs.filter({ hasText: 'Codec' }), 0)
  const guest = await openPortal(`${address}/codec`, {
    role: 'Guest',
    answers: [answer(getSensorMapping, aMapping())],
  })
  await expect.element(refused, loading).toBeVisible()
  expect(guest.sentTo(getCodecVersions)).toHaveLength(0)
})

test('an unknown model is not found, and a failed load can be repeated', async () => {
  const portal = await openPortal(address, { answers: [answerStatus(getSensorMapping, 500)] })
  await expect.element(main.getByText('Failed to Load'), loading).toBeVisible()
  portal.use(answer(getSensorMapping, aMapping()))
  await button('Retry').click()
  await expect.element(table).toBeVisible()
  await openPortal(address, { answers: [refuse(getSensorMapping, 'not found')] })
  await expect.element(notFound, loading).toBeVisible()
})
