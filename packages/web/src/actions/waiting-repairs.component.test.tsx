import { afterEach, beforeEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { Condition } from '@caretaker/contract/conditions.ts'
import { getDeviceConditions, recordDeviceRepair } from '@caretaker/contract/conditions.ts'
import { getTestNights } from '@caretaker/contract/lighting.ts'
import { addRepairPhoto, getDeviceRepairForms } from '@caretaker/contract/maintenance.ts'
import { stopClock } from '../testing/clock.ts'
import { dialog, loading, toast } from '../testing/device-screen.ts'
import { aLight, idOf, lightPage } from '../testing/examples/devices.ts'
import { expectCount } from '../testing/expect.ts'
import type { ServerAnswer } from '../testing/network.ts'
import { answer, cut, exampleOf, hold, refuse } from '../testing/network.ts'
import { openPortal } from '../testing/portal.tsx'

const failed: Condition = {
  ...exampleOf(getDeviceConditions).open[0]!,
  ...{ conditionId: idOf(1), kind: 'testFailed', key: 'T0', states: { Lamp: 'Failed' }, description: null },
  ...{ beganAt: '2026-11-22T04:10:00Z', endedAt: null, ending: null },
}
const recorded = answer(recordDeviceRepair, {
  ...{ status: 'RepairedEquipment', repairId: idOf(9), testStartsAt: null },
})
const answers: ServerAnswer[] = [
  ...lightPage(aLight()),
  answer(getDeviceConditions, { status: 'FailedEquipment', since: failed.beganAt, open: [failed], ended: [] }),
  answer(getDeviceRepairForms, []),
  answer(getTestNights, { nights: [], chargedAt: null, planned: null }),
]
const form = dialog('Repair Stairwell B')
const bar = page.getByRole('status', { name: 'Repairs to be sent' })
const waiting = 'Repair of Stairwell B: Waiting to be sent. It is sent when the connection is back.'

const forget = () =>
  new Promise<void>((resolve) => {
    const request = indexedDB.open('caretaker-repairs', 1)
    request.addEventListener('upgradeneeded', () =>
      request.result.createObjectStore('waiting', { keyPath: 'requestId' }),
    )
    request.addEventListener('success', () => {
      const cleared = request.result.transaction('waiting', 'readwrite').objectStore('waiting').clear()
      cleared.addEventListener('success', () => resolve())
    })
  })
beforeEach(forget)
afterEach(forget)

async function open(more: ServerAnswer[] = [], options: Parameters<typeof openPortal>[1] = {}) {
  const portal = await openPortal(`/northgate/EmergencyLights/${idOf(1)}`, {
    ...options,
    answers: [...answers, ...more],
  })
  await expect.element(page.getByRole('button', { name: 'Repair', exact: true }).first(), loading).toBeVisible()
  return portal
}

async function enter() {
  await page.getByRole('button', { name: 'Repair', exact: true }).first().click()
  await form.getByLabelText('Note').fill('Lamp replaced')
  await form.getByLabelText('Add photo').upload(new File(['a label'], 'label.jpg', { type: 'image/jpeg' }))
  await form.getByLabelText('Repaired on').fill('23/11/2026')
  await form.getByLabelText('Time').fill('09:15')
  await form.getByRole('button', { name: /^Save repair/ }).click()
  await expectCount(form, 0)
}

test('a repair that cannot be sent waits with its photo, survives a reload, and is sent once with the entered date', async () => {
  const first = await open([cut(recordDeviceRepair)])
  await enter()
  await expect.element(bar).toMatchTextContent(waiting)
  const [lost] = first.sentTo(recordDeviceRepair)
  // The same user on a fresh page, and the server answers again.
  const portal = await open([recorded])
  await expect.element(toast('Device marked as repaired and flick test queued')).toBeVisible()
  await expectCount(bar.getByText('Waiting to be sent'), 0)
  const [sent] = portal.sentTo(recordDeviceRepair)
  expect(sent!.body).toMatchObject({ repairedOn: '2026-11-23', repairedTime: '09:15', note: 'Lamp replaced' })
  // The id lets the server recognise a duplicate.
  expect(sent!.body.requestId).toBe(lost!.body.requestId)
  await expect.poll(() => portal.sentTo(addRepairPhoto).length).toBe(1)
  expect(portal.sentTo(addRepairPhoto)[0]!.form).toMatchObject({ repairId: idOf(9) })
  const later = await open([recorded])
  expect(later.sentTo(recordDeviceRepair)).toHaveLength(0)
})

test('a photo whose upload broke off is sent later, and the repair is not sent again', async () => {
  const first = await open([recorded, cut(addRepairPhoto)])
  await enter()
  await expect.element(bar).toMatchTextContent(waiting)
  expect(first.sentTo(recordDeviceRepair)).toHaveLength(1)
  const portal = await open([recorded])
  await expect.poll(() => portal.sentTo(addRepairPhoto).length).toBe(1)
  await expectCount(bar.getByText('Waiting to be sent'), 0)
  expect(portal.sentTo(recordDeviceRepair)).toHaveLength(0)
  expect(portal.sentTo(addRepairPhoto)[0]!.form.requestId).toBe(first.sentTo(addRepairPhoto)[0]!.form.requestId)
})

test('a repair that the server rejects later shows the reason, opens the form with all entries, and can be discarded', async () => {
  await open([cut(recordDeviceRepair)])
  await enter()
  await expect.element(bar).toMatchTextContent(waiting)
  const message = 'The battery needs 24 h of charging.'
  const portal = await open([refuse(recordDeviceRepair, 'refused', { message })])
  await expect.element(bar).toMatchTextContent(`Repair of Stairwell B was not recorded: ${message}`)
  await bar.getByRole('button', { name: 'Open form' }).click()
  await expect.element(form.getByLabelText('Note')).toHaveValue('Lamp replaced')
  await expect.element(form.getByLabelText('Repaired on')).toHaveValue('23/11/2026')
  await expect.element(form).toMatchTextContent('label.jpg')
  portal.use(recorded)
  await form.getByRole('button', { name: /^Save repair/ }).click()
  await expect.element(toast('Device marked as repaired and flick test queued')).toBeVisible()
  await expectCount(bar.getByText('was not recorded'), 0)
})

test('a repair that the server rejects again is kept with its photo until it is recorded or discarded', async () => {
  await open([cut(recordDeviceRepair)])
  await enter()
  const message = 'The battery needs 24 h of charging.'
  const portal = await open([refuse(recordDeviceRepair, 'refused', { message })])
  await expect.element(bar).toMatchTextContent(`Repair of Stairwell B was not recorded: ${message}`)
  await bar.getByRole('button', { name: 'Open form' }).click()
  await form.getByRole('button', { name: /^Save repair/ }).click()
  await expect.poll(() => portal.sentTo(recordDeviceRepair).length).toBe(2)
  await open([refuse(recordDeviceRepair, 'refused', { message })])
  await expect.element(bar).toMatchTextContent('was not recorded')
  await bar.getByRole('button', { name: 'Open form' }).click()
  await expect.element(form.getByLabelText('Note')).toHaveValue('Lamp replaced')
  await expect.element(form).toMatchTextContent('label.jpg')
})

test('another person who signs in sees that a repair waits for its author, and does not send it', async () => {
  await open([cut(recordDeviceRepair)])
  await enter()
  await expect.element(bar).toMatchTextContent(waiting)
  const portal = await openPortal(`/northgate/EmergencyLights/${idOf(1)}`, {
    answers: [...answers, recorded],
    session: { userId: idOf(77), name: 'Someone Else' },
  })
  await expect.element(bar).toMatchTextContent('A repair by another user is waiting until they sign in.')
  expect(portal.sentTo(recordDeviceRepair)).toHaveLength(0)
})

/** Sends the form and reloads the page before the server answers, so that the draft is restored. */
async function reloadWhileSending() {
  const held = hold(recordDeviceRepair, cut(recordDeviceRepair))
  const first = await open([held])
  await page.getByRole('button', { name: 'Repair', exact: true }).first().click()
  await form.getByLabelText('Note').fill('Lamp replaced')
  await form.getByRole('button', { name: /^Save repair/ }).click()
  await expect.poll(() => first.sentTo(recordDeviceRepair).length).toBe(1)
  const stored = { ...localStorage }
  held.release()
  await expectCount(form, 0)
  for (const [key, value] of Object.entries(stored)) localStorage.setItem(key, value)
  return first.sentTo(recordDeviceRepair)[0]!.body.requestId
}

test('a form that a reload interrupted while it was sent shows that, and its draft is deleted once the repair is recorded', async () => {
  const requestId = await reloadWhileSending()
  await open([cut(recordDeviceRepair)], { isReload: true })
  await expect.element(bar).toMatchTextContent(waiting)
  await page.getByRole('button', { name: 'Repair', exact: true }).first().click()
  await expect.element(form).toMatchTextContent('This repair was submitted before the page was reloaded')
  await expectCount(form.getByRole('button', { name: /^Save repair/ }), 0)
  const again = await open([recorded], { isReload: true })
  await expect.poll(() => again.sentTo(recordDeviceRepair).length).toBe(1)
  expect(again.sentTo(recordDeviceRepair)[0]!.body.requestId).toBe(requestId)
  await expectCount(bar.getByText('Waiting to be sent'), 0)
  await page.getByRole('button', { name: 'Repair', exact: true }).first().click()
  await expect.element(form.getByLabelText('Note')).toHaveValue('')
})

test('where the browser keeps no queue, the draft of an interrupted repair is sent under the same id', async () => {
  const requestId = await reloadWhileSending()
  await forget()
  const portal = await open([recorded], { isReload: true })
  await page.getByRole('button', { name: 'Repair', exact: true }).first().click()
  await expect.element(form.getByLabelText('Note')).toHaveValue('Lamp replaced')
  await form.getByRole('button', { name: /^Save repair/ }).click()
  await expectCount(form, 0)
  expect(portal.sentTo(recordDeviceRepair)[0]!.body.requestId).toBe(requestId)
})

test('a photo is not sent once another person has signed in, in another tab', async () => {
  const key = () => Object.keys(localStorage).find((one) => one.startsWith('oidc.user:'))!
  let own = ''
  const first = await open([
    answer(recordDeviceRepair, () => {
      own = localStorage.getItem(key())!
      localStorage.setItem(key(), own.replace('"sub":"person"', '"sub":"someone else"'))
      return { status: 'RepairedEquipment', repairId: idOf(9), testStartsAt: null }
    }),
  ])
  await enter()
  await expect.element(bar).toMatchTextContent(waiting)
  await expect.element(bar).toMatchTextContent('This browser keeps its photo until then.')
  expect(first.sentTo(addRepairPhoto)).toHaveLength(0)
  localStorage.setItem(key(), own)
  const portal = await open([recorded], { isReload: true })
  await expect.poll(() => portal.sentTo(addRepairPhoto).length).toBe(1)
  expect(portal.sentTo(recordDeviceRepair)).toHaveLength(0)
})

test('a photo that the server refuses is kept for 30 days, with the reason, and then deleted', async () => {
  stopClock(new Date('2026-11-28T15:32:00Z'))
  const message = 'The picture has more than 100 million pixels.'
  await open([recorded, refuse(addRepairPhoto, 'invalid', { message })])
  await enter()
  await expect.element(bar).toMatchTextContent(`Repair of Stairwell B is recorded without its photo: ${message}`)
  await expect.element(bar).toMatchTextContent('This browser keeps it until 28/12/2026.')
  await expect.element(bar.getByRole('button', { name: 'Download photo' })).toBeVisible()
  const portal = await open([recorded])
  await expect.element(bar).toMatchTextContent('This browser keeps it until 28/12/2026.')
  expect(portal.sentTo(recordDeviceRepair)).toHaveLength(0)
  stopClock(new Date('2026-12-29T15:32:00Z'))
  await open([recorded])
  await expectCount(bar.getByText('is recorded without'), 0)
})

test('a refused repair is discarded after a question that names its photo', async () => {
  await open([cut(recordDeviceRepair)])
  await enter()
  await open([refuse(recordDeviceRepair, 'refused', { message: 'The battery needs 24 h of charging.' })])
  await bar.getByRole('button', { name: 'Discard repair' }).click()
  const question = dialog('Discard repair of Stairwell B?')
  await expect.element(question).toMatchTextContent('Its entries and its photo are deleted from this browser.')
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect.element(bar).toMatchTextContent('was not recorded')
  await bar.getByRole('button', { name: 'Discard repair' }).click()
  await question.getByRole('button', { name: 'Discard repair' }).click()
  await expectCount(bar.getByText('was not recorded'), 0)
})
