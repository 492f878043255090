import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Condition } from '@caretaker/contract/conditions.ts'
import {
  endDeviceCondition,
  getDeviceConditions,
  setDeviceCondition,
  updateInterimMeasure,
} from '@caretaker/contract/conditions.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import { card, dialog, loading } from '../testing/device-screen.ts'
import { aLight, idOf, lightPage } from '../testing/examples/devices.ts'
import { expectCount } from '../testing/expect.ts'
import { answer, exampleOf } from '../testing/network.ts'
import { openPortal } from '../testing/portal.tsx'

const why = card('Reasons for the status')
const heading = why.getByRole('heading')

const example = exampleOf(getDeviceConditions).open[0]!
/** A condition with defaults. */
const aCondition = (more: Partial<Condition>): Condition => ({
  ...example,
  conditionId: idOf(1),
  key: '',
  states: null,
  description: null,
  testEventId: null,
  by: null,
  note: null,
  interimMeasure: null,
  repairedBy: null,
  repairedOn: null,
  until: null,
  carriedOver: false,
  endedAt: null,
  ending: null,
  endedBy: null,
  endNote: null,
  mayBeEnded: false,
  ...more,
})
const failedTest = aCondition({ kind: 'testFailed', key: 'T180', states: { Battery: 'Failed' } })

const conditions = (status: DeviceStatus, open: Condition[], ended: Condition[] = []) =>
  answer(getDeviceConditions, { status, since: '2026-11-01T08:00:00Z', open, ended })

async function open(options: Parameters<typeof openPortal>[1] = {}) {
  const portal = await openPortal(`/northgate/EmergencyLights/${idOf(1)}`, {
    ...options,
    answers: [...lightPage(aLight()), conditions('FailedEquipment', [failedTest]), ...(options.answers ?? [])],
  })
  await expect.element(heading, loading).toBeVisible()
  return portal
}

test('a light shows the reasons for its status, since when, what ends it, and earlier reasons', async () => {
  const ended = aCondition({
    ...failedTest,
    conditionId: idOf(2),
    endedAt: '2026-10-02T09:30:00Z',
    ending: 'test passed',
  })
  const untested = aCondition({ kind: 'neverTested', conditionId: idOf(3) })
  await open({ answers: [conditions('Installed', [untested])] })
  await expect.element(heading).toMatchTextContent('Warning: Installed since 01/11/2026')
  await expect.element(why).toMatchTextContent('Never tested')
  await open()
  await expect.element(heading).toMatchTextContent('Failed since')
  await expect.element(why).toMatchTextContent('Battery failed in the 3-hour test (T180)')
  await expect.element(why).toMatchTextContent('Ends with a passed 3-hour test (T180) or when a repair is recorded.')
  await open({ answers: [conditions('Ok', [], [ended, { ...ended, conditionId: idOf(4) }])] })
  await expect.element(heading).toMatchTextContent('Passed since')
  await why.getByText('2 earlier reasons').click()
  await expect.element(why.getByText('A test passed.').first()).toBeVisible()
})

test('an interim measure is edited beside the failure, and read-only for a guest', async () => {
  const portal = await open()
  await why.getByRole('button', { name: 'Edit Interim measure' }).click()
  await why.getByRole('textbox', { name: 'Interim measure' }).fill('Torch by the door')
  const measure = { text: 'Torch by the door', by: 'Priya Nair', at: '2026-11-02T09:30:00Z' }
  const measured = conditions('FailedEquipment', [{ ...failedTest, interimMeasure: measure }])
  portal.use(measured)
  await why.getByRole('button', { name: 'Save' }).click()
  await expect.element(why).toMatchTextContent('Torch by the door')
  const sent = { conditionId: idOf(1), interimMeasure: 'Torch by the door' }
  expect(portal.sentTo(updateInterimMeasure)[0]!.body).toMatchObject(sent)
  await open({ role: 'Guest', answers: [measured] })
  await expect.element(heading).toMatchTextContent('Failed since')
  await expect.element(why).toMatchTextContent('Torch by the door')
  await expectCount(why.getByRole('button'), 0)
})

test('a manager isolates a light with reason, end and interim measure, is not offered non-payment, and ends it', async () => {
  const portal = await open({
    answers: [
      conditions('Ok', []),
      answer(setDeviceCondition, { status: 'DisabledOther' }),
      answer(endDeviceCondition, { status: 'Ok' }),
    ],
  })
  await why.getByRole('button', { name: 'Set status' }).click()
  await page.getByRole('combobox', { name: 'Condition' }).click()
  await expect.element(page.getByRole('option', { name: 'Due for maintenance' })).toBeVisible()
  await expectCount(page.getByRole('option', { name: 'Disabled for non-payment' }), 0)
  await page.getByRole('option', { name: 'Disabled for another reason', exact: true }).click()
  const form = dialog('Set status')
  const send = form.getByRole('button', { name: 'Set', exact: true })
  await form.getByLabelText('Reason').fill('Refurbishment')
  await expect.element(send).toBeDisabled()
  await form.getByLabelText('Last day').fill('31/12/2099')
  await expect.element(send).toBeDisabled()
  await form.getByLabelText('Interim measure').fill('Torch by the door')
  const disabled = aCondition({ kind: 'disabledOther', note: 'Refurbishment', mayBeEnded: true })
  portal.use(conditions('DisabledOther', [disabled]))
  await send.click()
  await expect.element(why).toMatchTextContent('“Refurbishment”')
  await expect.element(heading).toMatchTextContent('Disabled other')
  const set = {
    ...{ condition: 'disabledOther', note: 'Refurbishment', until: '2099-12-31' },
    interimMeasure: 'Torch by the door',
  }
  expect(portal.sentTo(setDeviceCondition)[0]!.body).toMatchObject(set)
  await why.getByRole('button', { name: 'End: Disabled' }).click()
  portal.use(conditions('Ok', []))
  await dialog('End this condition?').getByRole('button', { name: 'End' }).click()
  await expect.element(heading).toMatchTextContent('Passed since')
  expect(portal.sentTo(endDeviceCondition)[0]!.body).toMatchObject({ conditionId: idOf(1) })
})

test('text typed for a status survives Escape and a reload, and is discarded on request', async () => {
  const answers = [conditions('Ok', [])]
  const form = dialog('Set status')
  const begin = async (isReload: boolean) => {
    await open({ answers, isReload })
    await why.getByRole('button', { name: 'Set status' }).click()
  }
  await begin(false)
  await form.getByLabelText('Note').fill('Waiting for parts')
  await expect.element(form).toMatchTextContent('Draft saved in this browser')
  await userEvent.keyboard('{Escape}')
  await expectCount(form, 0)
  await begin(true)
  await expect.element(form.getByLabelText('Note')).toHaveValue('Waiting for parts')
  await form.getByRole('button', { name: 'Discard draft' }).click()
  await expect.element(form.getByLabelText('Note')).toHaveValue('')
  await userEvent.keyboard('{Escape}')
  await begin(true)
  await expect.element(form.getByLabelText('Note')).toHaveValue('')
})
