import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { addCaseRecord, getCaseRecords } from '@caretaker/contract/awaabs-law.ts'
import type { AwaabsLawCase } from '@caretaker/contract/properties.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { loading } from '../../../testing/device-screen.ts'
import { idOf } from '../../../testing/examples/devices.ts'
import { aHome, homePages } from '../../../testing/examples/homes.ts'
import { expectCount } from '../../../testing/expect.ts'
import { answer, exampleOf } from '../../../testing/network.ts'
import { openPortal } from '../../../testing/portal.tsx'
import { region } from '../../../testing/screen.ts'

const day = (on: string) => ({ on, at: null })
const deadline = (step: 'Investigation' | 'Summary', due: string, done: string) => ({
  ...{ step, isEmergency: false, due: day(due), lawDue: null, otherDue: null, done: day(done), ended: null },
  moved: null,
})
const aCase = (more: Partial<AwaabsLawCase>): AwaabsLawCase => ({
  ...{ caseId: idOf(81), number: 'AL-0001', status: 'None', hazard: 'Damp and mould', aware: day('2026-01-05') },
  ...{ isEmergency: false, closedOn: '2026-03-02', closeReason: 'Works finished', coverage: null },
  ...{ deadlines: [], records: { note: 0, photograph: 0, file: 0, readings: 0 } },
  ...more,
})
const newest = aCase({
  ...{ caseId: idOf(83), number: 'AL-0009', status: 'Investigation', aware: day('2026-11-20') },
  ...{ closedOn: null, closeReason: null },
})
const late = aCase({
  ...{
    caseId: idOf(82),
    number: 'AL-0004',
    hazard: 'Excess cold',
    records: { note: 2, photograph: 1, file: 0, readings: 0 },
  },
  deadlines: [deadline('Investigation', '2026-01-19', '2026-01-21'), deadline('Summary', '2026-01-26', '2026-01-23')],
})
const home = aHome({ awaabsLawStatus: 'Investigation', awaabsLawCases: [newest, late, aCase({})] })
const earlier = page.getByRole('region', { name: 'Earlier cases' })

async function open(role: Role = 'Manager', one = home) {
  const portal = await openPortal(`/northgate/Properties/${one.propertyId}/info`, {
    ...{ features: ['PropertyCentric', 'AwaabsLaw'], role },
    answers: homePages(one),
  })
  await expect.element(region('Awaab’s Law'), loading).toBeVisible()
  return portal
}

test('earlier cases are collapsed, each with missed deadlines, all deadlines and records', async () => {
  const portal = await open()
  const list = earlier.getByRole('list', { name: 'Deadlines of case AL-0004' })
  await expectCount(list, 0)
  await earlier.getByText('Case AL-0004, Excess cold, closed 02/03/2026, 1 deadline missed').click()
  await expect.element(list).toMatchTextContent(/Investigation 2 working days late ?Was due 19\/01\/2026/)
  await expect.element(list).toMatchTextContent('Summary Completed 23/01/2026, due 26/01/2026')
  await expect
    .element(earlier.getByText('Aware since 05/01/2026. Closed 02/03/2026: Works finished.').first())
    .toBeVisible()
  const [record] = exampleOf(getCaseRecords).results
  const note = { ...record!, kind: 'note' as const, text: 'Heater replaced', file: null, readings: null }
  portal.use(answer(getCaseRecords, { results: [note] }))
  await earlier.getByRole('button', { name: '2 notes, 1 photograph, 0 files' }).click()
  const dialog = page.getByRole('dialog', { name: 'Records of case AL-0004' })
  await expect.element(dialog.getByText('Heater replaced')).toBeVisible()
  expect(portal.sentTo(getCaseRecords).at(-1)!.params).toMatchObject({ caseId: late.caseId })
  portal.use(answer(addCaseRecord, note))
  await dialog.getByRole('textbox', { name: 'Note' }).fill('Tenant confirms')
  await dialog.getByRole('button', { name: 'Add note' }).click()
  await expect.poll(() => portal.sentTo(addCaseRecord)[0]?.params).toMatchObject({ caseId: late.caseId })
})

test('a case without a missed deadline shows that, and a guest can read records but not add any', async () => {
  await open('Guest')
  await earlier.getByText('Case AL-0001, Damp and mould, closed 02/03/2026, no deadline missed').click()
  await expect.element(earlier.getByText('The law set no deadline for this case.')).toBeVisible()
  await earlier.getByRole('button', { name: '0 notes, 0 photographs, 0 files' }).click()
  const dialog = page.getByRole('dialog', { name: 'Records of case AL-0001' })
  await expect.element(dialog).toBeVisible()
  await expectCount(dialog.getByRole('button', { name: 'Add note' }), 0)
})

test('a property with one case has no earlier cases', async () => {
  await open('Manager', { ...home, awaabsLawCases: [newest] })
  await expectCount(earlier, 0)
})
