import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { Condition } from '@caretaker/contract/conditions.ts'
import { getDeviceConditions } from '@caretaker/contract/conditions.ts'
import { getTestNights, runTest, withdrawTest } from '@caretaker/contract/lighting.ts'
import { stopClock } from '../../testing/clock.ts'
import { dialog, loading, toast } from '../../testing/device-screen.ts'
import { aLight, idOf, lightPage } from '../../testing/examples/devices.ts'
import { expectCount } from '../../testing/expect.ts'
import { answer, exampleOf } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'

const condition = (more: Partial<Condition>): Condition => ({
  ...exampleOf(getDeviceConditions).open[0]!,
  ...{ conditionId: idOf(1), kind: 'testFailed', key: 'T180', states: { Battery: 'Failed' }, description: null },
  ...{ beganAt: '2026-11-22T04:10:00Z', endedAt: null, ending: null, testEventId: null, repairedBy: null },
  ...more,
})
const failed = condition({})
const repaired = condition({
  ...{ conditionId: idOf(2), kind: 'equipmentRepaired', states: null, repairedBy: 'Callum Hargreaves' },
  repairedOn: '2026-11-27',
})
const nights = (days: readonly string[], planned?: string) =>
  answer(getTestNights, {
    nights: days.map((day) => ({ startsAt: `${day}T02:00:00Z`, taken: null })),
    chargedAt: null,
    planned: planned ? { runId: idOf(7), testType: 'T180', startsAt: `${planned}T02:00:00Z` } : null,
  })
const conditions = (open: Condition[], ended: Condition[] = []) =>
  answer(getDeviceConditions, { status: 'FailedEquipment', since: failed.beganAt, open, ended })

const alarm = page.getByRole('region', { name: 'Alarm' })

async function open(
  answers: Parameters<typeof openPortal>[1],
  role: 'LightingEngineer' | 'Guest' = 'LightingEngineer',
) {
  stopClock(new Date('2026-11-28T15:32:00Z'))
  const light = aLight({ floorName: 'Floor 2', buildingName: 'Beech Hill Court' })
  const portal = await openPortal(`/northgate/EmergencyLights/${idOf(1)}`, {
    role,
    answers: [...lightPage(light), ...(answers?.answers ?? [])],
  })
  await expect.element(alarm, loading).toBeVisible()
  return portal
}

test('the banner of a failed battery plans the 3-hour test of this light tonight, after a confirmation that names light and floor', async () => {
  const portal = await open({ answers: [conditions([failed]), nights(['2026-11-29', '2026-11-30'])] })
  await alarm.getByRole('button', { name: '3-hour test tonight at 02:00' }).click()
  const question = dialog('Plan a 3-hour test?')
  await expect.element(question).toMatchTextContent('Stairwell B (Floor 2, Beech Hill Court)')
  await expect.element(question).toMatchTextContent('This light only, until 05:00 GMT.')
  expect(portal.sentTo(runTest)).toHaveLength(0)
  await question.getByRole('button', { name: 'Plan test' }).click()
  await expect.element(toast('3-hour test planned for Sunday 29 November 2026, 02:00.')).toBeVisible()
  expect(portal.sentTo(runTest)[0]!.body).toMatchObject({
    ...{ deviceId: idOf(1), testType: 'T180', startsAt: '2026-11-29T02:00', isDayConfirmed: false },
  })
})

test('a battery that is still charging shows its first possible night', async () => {
  await open({ answers: [conditions([failed]), nights(['2026-11-30'])] })
  await expect.element(alarm.getByRole('button', { name: '3-hour test on 30/11 at 02:00' })).toBeVisible()
})

test('a repaired light shows which test will prove it; its date can be changed or the test withdrawn', async () => {
  const ended = condition({ endedAt: '2026-11-27T15:10:00Z', ending: 'repair recorded' })
  const answers = [conditions([repaired], [ended]), nights(['2026-11-29', '2026-11-30'], '2026-11-29')]
  const portal = await open({ answers })
  await expect.element(alarm).toMatchTextContent('Repaired, not yet proven')
  await expect.element(alarm).toMatchTextContent('Repaired on 27/11/2026 by Callum Hargreaves.')
  await expect.element(alarm).toMatchTextContent('3-hour test (T180) planned for Sunday 29 November 2026, 02:00.')
  await expect.element(alarm).toMatchTextContent('Fault: 3-hour test (T180) failed: battery, 22/11/2026')
  await alarm.getByRole('button', { name: 'Change test date' }).click()
  const question = dialog('Change the 3-hour test?')
  await question.getByRole('button', { name: 'Change date' }).click()
  await expect.element(toast('3-hour test planned for Monday 30 November 2026, 02:00.')).toBeVisible()
  expect(portal.sentTo(runTest)[0]!.body).toMatchObject({ startsAt: '2026-11-30T02:00' })
  await alarm.getByRole('button', { name: 'Change test date' }).click()
  await question.getByRole('button', { name: 'Withdraw test' }).click()
  await expect.element(toast('The 3-hour test is withdrawn.')).toBeVisible()
  expect(portal.sentTo(withdrawTest)[0]!.body).toMatchObject({ deviceId: idOf(1), runId: idOf(7) })
})

test('a guest is offered no test, and a lamp that failed a function test needs no 3-hour test', async () => {
  await open({ answers: [conditions([failed]), nights(['2026-11-29'])] }, 'Guest')
  await expectCount(page.getByRole('button', { name: /^3-hour test/ }), 0)
  const lamp = condition({ key: 'T0', states: { Lamp: 'Failed' } })
  const portal = await open({ answers: [conditions([lamp]), nights(['2026-11-29'])] })
  await expectCount(page.getByRole('button', { name: /^3-hour test/ }), 0)
  expect(portal.sentTo(getTestNights)).toHaveLength(0)
})

test('a label that contradicts all readings is questioned beside the condition, and the link opens the label for authorised users', async () => {
  const low = condition({ kind: 'batteryLow', key: '', states: null })
  const battery = { type: 'Nickel Cadmium' as const, voltage: 12, capacity: 4, installedDate: null }
  const of = async (role: 'LightingEngineer' | 'Guest', voltage: number) => {
    stopClock(new Date('2026-11-28T15:32:00Z'))
    const light = aLight({
      equipment: { ...aLight().equipment, batteries: [battery] },
      highestVoltage: { voltage, since: '2026-10-01T00:00:00Z' },
    })
    return openPortal(`/northgate/EmergencyLights/${idOf(1)}`, {
      role,
      answers: [...lightPage(light), conditions([low]), nights(['2026-11-29'])],
    })
  }
  const why = page.getByRole('region', { name: 'Reasons for the status' })
  const edit = page.getByRole('link', { name: 'Edit the label' })
  await of('LightingEngineer', 3.7)
  const doubt = 'The label says 12 V, but the light has never reported more than 3.7 V. Check the label.'
  await expect.element(why, loading).toMatchTextContent(doubt)
  await edit.click()
  await expect.element(page.getByRole('form', { name: 'Luminaire' })).toBeVisible()
  await of('Guest', 3.7)
  await expect.element(why, loading).toMatchTextContent(doubt)
  await expectCount(edit, 0)
  await of('LightingEngineer', 13.4)
  await expect.element(why, loading).toMatchTextContent('The battery is too low to light the lamp')
  await expectCount(page.getByText('Check the label'), 0)
})
