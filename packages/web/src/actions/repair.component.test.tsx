import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Condition } from '@caretaker/contract/conditions.ts'
import { getDeviceConditions, recordDeviceRepair } from '@caretaker/contract/conditions.ts'
import { getTestNights } from '@caretaker/contract/lighting.ts'
import { addRepairPhoto, getDeviceRepairForms } from '@caretaker/contract/maintenance.ts'
import { stopClock } from '../testing/clock.ts'
import { card, chooseFile, dialog, loading, toast } from '../testing/device-screen.ts'
import { aLight, aRow, idOf, lightPage, listingsOf } from '../testing/examples/devices.ts'
import { expectCount } from '../testing/expect.ts'
import { answer, exampleOf } from '../testing/network.ts'
import { openPortal } from '../testing/portal.tsx'

const failed: Condition = {
  ...exampleOf(getDeviceConditions).open[0]!,
  ...{ conditionId: idOf(1), kind: 'testFailed', key: 'T180', states: { Battery: 'Failed' }, description: null },
  ...{ beganAt: '2026-11-22T04:10:00Z', endedAt: null, ending: null },
}
const night = (startsAt: string, taken = false) => ({
  startsAt,
  taken: taken ? { testType: 'T60' as const, startsAt } : null,
})
const answers = [
  ...lightPage(aLight()),
  answer(getDeviceConditions, { status: 'FailedEquipment', since: failed.beganAt, open: [failed], ended: [] }),
  answer(getDeviceRepairForms, []),
  answer(getTestNights, {
    nights: [night('2026-11-29T02:00:00Z'), night('2026-11-30T02:00:00Z', true), night('2026-12-01T02:00:00Z')],
    ...{ chargedAt: null, planned: null },
  }),
  answer(recordDeviceRepair, {
    ...{ status: 'RepairedEquipment', repairId: idOf(9), testStartsAt: '2026-11-29T02:00:00Z' },
  } as never),
]
async function open(options: Parameters<typeof openPortal>[1] = {}, tab = '') {
  stopClock(new Date('2026-11-28T15:32:00Z'))
  const portal = await openPortal(`/northgate/EmergencyLights/${idOf(1)}${tab}`, { ...options, answers })
  return portal
}
const repair = page.getByRole('button', { name: 'Repair', exact: true })
const form = dialog('Repair Stairwell B')

test('one form records what was replaced and when, and plans the 3-hour test of this light for tonight', async () => {
  const portal = await open()
  await expect.element(repair.first(), loading).toBeVisible()
  await repair.first().click()
  await expect.element(form, loading).toMatchTextContent('Battery failed in the 3-hour test (T180)')
  await expect.element(form.getByLabelText('Battery', { exact: true })).toBeChecked()
  await expect.element(form).toMatchTextContent('22/11/2026 or later')
  await form.getByLabelText('Quantity of battery').fill('2')
  await form.getByLabelText('Model of battery').fill('NiCd stick')
  await form.getByLabelText('Repaired by').fill('Callum Hargreaves')
  await expect.element(form.getByLabelText('3-hour test tonight at 02:00')).toBeChecked()
  await form.getByRole('button', { name: 'Save repair and plan test' }).click()
  await expect.element(toast(/3-hour test planned for Sunday 29 November 2026, 02:00/)).toBeVisible()
  expect(portal.sentTo(recordDeviceRepair)[0]!.body).toMatchObject({
    ...{ parts: [{ part: 'battery', model: 'NiCd stick', quantity: 2 }], repairedBy: 'Callum Hargreaves' },
    ...{ repairedOn: '2026-11-28', repairedTime: '15:32', provingTest: '2026-11-29T02:00' },
  })
})

test('a photo larger than 10 MB is refused, and one that is not goes with the repair', async () => {
  const portal = await open()
  await repair.first().click()
  const photo = form.getByLabelText('Add photo')
  await expect.element(photo).toBeInTheDocument()
  chooseFile(photo, new File([new Uint8Array(10_000_001)], 'large.jpg', { type: 'image/jpeg' }))
  await expect.element(form).toMatchTextContent('Photo is larger than 10 MB. Choose a smaller one.')
  await form.getByRole('button', { name: 'Remove large.jpg' }).click()
  await photo.upload(new File(['a label'], 'battery-label.jpg', { type: 'image/jpeg' }))
  await form.getByRole('button', { name: /^Save repair/ }).click()
  await expectCount(form, 0)
  expect(portal.sentTo(addRepairPhoto)).toHaveLength(1)
})

test('a repair before the fault, in the future or of nothing at all is not sent', async () => {
  const portal = await open()
  await repair.first().click()
  const day = form.getByLabelText('Repaired on')
  await day.fill('21/11/2026')
  await expect.element(form).toMatchTextContent('The repair cannot be before the fault on 22/11/2026')
  await day.fill('29/11/2026')
  await expect.element(form).toMatchTextContent('The date cannot be in the future')
  await day.fill('27/11/2026')
  await form.getByLabelText('Battery', { exact: true }).click()
  await expect.element(form).toMatchTextContent('Choose at least one part or write a note')
  await form.getByRole('button', { name: /^Save repair/ }).click()
  expect(portal.sentTo(recordDeviceRepair)).toHaveLength(0)
  await form.getByLabelText('Note').fill('Contacts cleaned')
  await form.getByLabelText('Another night').click()
  await form.getByRole('combobox', { name: 'Night of the test' }).click()
  // A night taken by another test is not offered.
  await expectCount(page.getByRole('option'), 2)
  await page.getByRole('option', { name: 'Tuesday 1 December 2026, 02:00' }).click()
  await form.getByRole('button', { name: 'Save repair and plan test' }).click()
  await expect
    .poll(() => portal.sentTo(recordDeviceRepair)[0]?.body)
    .toMatchObject({
      ...{ parts: [], note: 'Contacts cleaned', provingTest: '2026-12-01T02:00' },
    })
})

test('typed text survives Escape, the form is the same from Maintenance, and a guest has no form', async () => {
  await open()
  await repair.first().click()
  await form.getByLabelText('Note').fill('Pack swollen')
  await expect.element(form).toMatchTextContent('Draft saved in this browser')
  await userEvent.keyboard('{Escape}')
  await expectCount(form, 0)
  await page.getByRole('link', { name: /^Maintenance/ }).click()
  await card('Repair forms').getByRole('button', { name: 'Repair' }).click()
  await expect.element(form.getByLabelText('Note')).toHaveValue('Pack swollen')
  // The draft survives a reload and is not shown to other users of this browser.
  await open({ isReload: true })
  await repair.first().click()
  await expect.element(form.getByLabelText('Note')).toHaveValue('Pack swollen')
  await open({ isReload: true, session: { userId: idOf(77), name: 'Someone Else' } })
  await repair.first().click()
  await expect.element(form.getByLabelText('Note')).toHaveValue('')
  await open({ isReload: true })
  await repair.first().click()
  await form.getByRole('button', { name: 'Discard draft' }).click()
  await expect.element(form.getByLabelText('Note')).toHaveValue('')
  await open({ role: 'Guest' }, '/maintenance')
  await expect.element(card('Repair forms'), loading).toBeVisible()
  await expectCount(repair, 0)
})

test('the list opens the same form for a failed light only', async () => {
  const rows = [aRow({ deviceId: idOf(1), deviceStatus: 'FailedEquipment' }), aRow({ deviceId: idOf(5) })]
  const answersOfList = [...listingsOf(rows), ...answers]
  await openPortal('/northgate/EmergencyLights', { answers: answersOfList })
  const menu = (name: RegExp) => page.getByRole('button', { name })
  await menu(/^Actions: Light 5/).click()
  await expect.element(page.getByRole('menuitem', { name: 'Flick test' })).toBeVisible()
  await expectCount(page.getByRole('menuitem', { name: 'Repair', exact: true }), 0)
  await userEvent.keyboard('{Escape}')
  await menu(/^Actions: Light 1/).click()
  await page.getByRole('menuitem', { name: 'Repair', exact: true }).click()
  await expect.element(dialog('Repair Light 1'), loading).toMatchTextContent('Battery failed in the 3-hour test (T180)')
  await openPortal('/northgate/EmergencyLights', { role: 'Guest', answers: answersOfList })
  await expect.element(page.getByText('Light 5')).toBeVisible()
  await expectCount(menu(/^Actions: Light 1/), 0)
})
