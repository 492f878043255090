import { expect, test } from 'vitest'
import type { Emered } from '@caretaker/contract/devices.ts'
import { getDeviceConditions } from '@caretaker/contract/conditions.ts'
import type { EmergencyTest } from '@caretaker/contract/lighting.ts'
import {
  decideTestDispute,
  disputeTestResult,
  getAllDeviceTests,
  getAllTests,
  updateTestResult,
} from '@caretaker/contract/lighting.ts'
import { page } from 'vitest/browser'
import { card, dialog, loading, toast } from '../../../testing/device-screen.ts'
import { aLight, idOf, lightPage } from '../../../testing/examples/devices.ts'
import { expectCount } from '../../../testing/expect.ts'
import { answer, exampleOf } from '../../../testing/network.ts'
import { openPortal } from '../../../testing/portal.tsx'

const aTest = (more: Partial<EmergencyTest> = {}): EmergencyTest => ({
  ...exampleOf(getAllDeviceTests)[0]!,
  ...{ eventId: idOf(7), deviceId: idOf(1), deviceName: 'Stairwell B', testDate: '2026-11-22T02:00:00Z' },
  ...{ testType: 'T180', result: 'Failed', reason: 'Predicted Failed Components: Battery.' },
  ...{ componentStates: { Battery: 'Failed' }, corrected: null, disputed: null, changes: [], reportedResult: null },
  ruledOut: { passed: 'The readings show 2 h 10 min of 3 h', parts: {} },
  ...more,
})
const disputed = {
  at: '2026-11-23T09:12:00Z',
  by: 'Callum Hargreaves',
  reason: 'See site log',
  countsAs: 'Failed',
} as const
const results = card('Test results')

async function open(one: EmergencyTest, options: Parameters<typeof openPortal>[1] = {}, light: Partial<Emered> = {}) {
  const portal = await openPortal(`/northgate/EmergencyLights/${idOf(1)}/testResults`, {
    ...options,
    answers: [
      ...lightPage({ ...aLight(), ...light }),
      answer(getAllDeviceTests, [one]),
      answer(getAllTests, { tests: [one], next: null, total: 1 }),
      ...(options.answers ?? []),
    ],
  })
  await expect.element(results.getByRole('table'), loading).toBeVisible()
  return portal
}

test('a correction needs a written reason, and cannot be sent if the readings contradict it', async () => {
  const portal = await open(aTest(), { role: 'Admin', answers: [answer(updateTestResult, aTest())] })
  await results.getByRole('button', { name: 'Update T180 of Stairwell B' }).click()
  const form = dialog('Update test result')
  const update = form.getByRole('button', { name: 'Update' })
  await expect.element(form).toMatchTextContent('Give the reason in your own words.')
  await expect.element(update).toBeDisabled()
  const reason = form.getByLabelText('Reason')
  await reason.fill('Predicted Failed Components: Battery. Pack swollen')
  await expect.element(update).toBeEnabled()
  await form.getByRole('group', { name: 'Battery' }).getByLabelText('Ok').click()
  await expect
    .element(form.getByRole('alert').first())
    .toMatchTextContent('The readings show 2 h 10 min of 3 h, so the result cannot become “Passed”.')
  await expect.element(update).toBeDisabled()
  await form.getByRole('group', { name: 'Other' }).getByLabelText('Indeterminate').click()
  await expect.element(reason).toHaveValue('Pack swollen')
  await update.click()
  await expect.element(toast('Request Successful')).toBeVisible()
  expect(portal.sentTo(updateTestResult)).toHaveLength(1)
})

test('a part that the light reports as failed is offered in no better state', async () => {
  const ruledOut = { passed: 'x', parts: { Lamp: 'The light reports its lamp as failed' } }
  await open(aTest({ componentStates: { Lamp: 'Failed' }, ruledOut }), { role: 'Admin' })
  await results.getByRole('button', { name: 'Update T180 of Stairwell B' }).click()
  const lamp = dialog('Update test result').getByRole('group', { name: 'Lamp' })
  await expect.element(lamp.getByLabelText('Ok')).toBeDisabled()
  await expect.element(lamp.getByLabelText('Degraded')).toBeDisabled()
  await expect.element(lamp.getByLabelText('Failed')).toBeEnabled()
})

test('a lighting engineer disputes a failed result with a reason; a guest is not offered it', async () => {
  const portal = await open(aTest(), {
    role: 'LightingEngineer',
    answers: [answer(disputeTestResult, aTest({ result: 'AwaitingReview', disputed }))],
  })
  await expectCount(results.getByRole('button', { name: 'Update T180 of Stairwell B' }), 0)
  await results.getByRole('button', { name: 'Dispute T180 of Stairwell B' }).click()
  const form = dialog('Dispute result')
  await expect.element(form.getByRole('button', { name: 'Dispute' })).toBeDisabled()
  await form.getByLabelText('Reason').fill('Mains was switched back on')
  await form.getByRole('button', { name: 'Dispute' }).click()
  await expect.element(toast('Result disputed.')).toBeVisible()
  expect(portal.sentTo(disputeTestResult)[0]!.body).toMatchObject({
    ...{ deviceId: idOf(1), eventId: idOf(7), reason: 'Mains was switched back on' },
  })
  await open(aTest(), { role: 'Guest' })
  await expectCount(results.getByRole('button', { name: 'Dispute T180 of Stairwell B' }), 0)
})

test('the old result, author and time are shown beside a result, and the reasons with its chart', async () => {
  const corrected = { at: '2026-11-24T10:00:00Z', by: 'Priya Nair', reason: 'Riser work' }
  const was = { result: 'Failed', reason: 'Went out', componentStates: {} } as const
  const changes = [{ kind: 'corrected', was: 'Failed', now: 'Indeterminate', ...corrected } as const]
  await open(aTest({ result: 'Indeterminate', corrected: { ...corrected, was }, changes }))
  await expect.element(results).toMatchTextContent('Corrected Was Failed. Priya Nair, 24/11/2026')
  await results.getByRole('button', { name: 'Chart of T180 of Stairwell B' }).click()
  await expect
    .element(page.getByRole('list', { name: 'Decisions about this result' }))
    .toMatchTextContent('Corrected from Failed to Indeterminate by Priya Nair')
})

test('a disputed result is a banner on the page of its light, which administrators decide and others only read', async () => {
  const test = aTest({ result: 'AwaitingReview', disputed })
  const light: Partial<Emered> = {
    latestTests: [
      {
        ...{ eventId: idOf(7), testType: 'T180', testDate: test.testDate, result: 'AwaitingReview', reason: '-' },
        ...{ componentStates: { Battery: 'Failed' }, lasted: 7800, evidenceEnd: 'dark', sameBattery: null, disputed },
      } as const,
    ],
  }
  const failed = {
    ...exampleOf(getDeviceConditions).open[0]!,
    ...({
      kind: 'testFailed',
      key: 'T180',
      testEventId: idOf(7),
      states: { Battery: 'Failed' },
      endedAt: null,
    } as const),
  }
  const answers = [
    answer(getDeviceConditions, { status: 'FailedEquipment', since: test.testDate, open: [failed], ended: [] }),
    answer(decideTestDispute, aTest()),
  ]
  const portal = await open(test, { role: 'Admin', answers }, light)
  const banner = page.getByRole('region', { name: 'Alarm' })
  await expect.element(banner).toMatchTextContent('Disputed result: awaiting an administrator’s decision')
  await expect.element(banner).toMatchTextContent('“See site log”')
  await banner.getByRole('button', { name: 'Keep as Failed' }).click()
  await dialog('Keep as Failed').getByLabelText('Reason').fill('Site log says otherwise')
  await dialog('Keep as Failed').getByRole('button', { name: 'Keep' }).click()
  await expect.element(toast('Result kept as Failed.')).toBeVisible()
  expect(portal.sentTo(decideTestDispute)[0]!.body).toMatchObject({ decision: 'keep', eventId: idOf(7) })
  await open(test, { role: 'LightingEngineer', answers }, light)
  await expect.element(banner).toMatchTextContent('Disputed result')
  await expectCount(banner.getByRole('button'), 0)
})

test('the dialogs of a test result are 120rem wide, that of its chart and that of its correction [dev-4tests-16] [est-9-2]', async () => {
  await open(aTest(), { role: 'Admin', viewport: { width: 1440, height: 900 } })
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize)
  const widthOf = (name: string) => Math.round(dialog(name).element().getBoundingClientRect().width)
  await results.getByRole('button', { name: 'Chart of T180 of Stairwell B' }).click()
  await expect.element(dialog('T180 of Stairwell B')).toBeVisible()
  await expect.poll(() => widthOf('T180 of Stairwell B')).toBe(120 * rem)
  await dialog('T180 of Stairwell B').getByRole('button', { name: 'Close' }).click()
  await results.getByRole('button', { name: 'Update T180 of Stairwell B' }).click()
  await expect.element(dialog('Update test result')).toBeVisible()
  await expect.poll(() => widthOf('Update test result')).toBe(120 * rem)
})
