import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { TestsOfMonth } from '@caretaker/contract/lighting.ts'
import { exportAllTests, getAllTests, getTestMonths, getTestOverview } from '@caretaker/contract/lighting.ts'
import { tooManyTestsToSort } from '@caretaker/rules/lighting/tests.ts'
import type { ServerAnswer } from '../../testing/network.ts'
import { answer, exampleOf, refuse } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'

const months = Array.from({ length: 12 }, (_, at) => new Date(Date.UTC(2025, 11 + at)).toISOString().slice(0, 7))
const cell: TestsOfMonth = {
  ...{ month: '2026-11', testType: 'T180', lights: 72, worst: 'Failed', worstLights: 5, corrected: 1, disputed: 1 },
}
const answers = [
  answer(getTestOverview, { months, cells: [cell] }),
  answer(getAllTests, { ...exampleOf(getAllTests), next: null, total: 1 }),
  answer(getTestMonths, { ...exampleOf(getTestMonths), next: null, total: 1 }),
] as const

test('a lighting engineer finds all results in a tab of the test schedules, and a month filters them', async () => {
  const portal = await openPortal('/northgate/EmergencyLightSchedules', { role: 'LightingEngineer', answers })
  await page.getByRole('navigation', { name: 'Sections of this page' }).getByRole('link', { name: 'Results' }).click()
  await expect.poll(portal.address).toBe('/northgate/EmergencyLightSchedules/Results')
  const month = page.getByRole('button', {
    name: 'November 2026, 3-hour test: 5 failed of 72, 1 corrected, 1 disputed',
  })
  await month.click()
  await expect.element(page.getByRole('heading', { name: '3-hour tests (T180) in November 2026' })).toBeVisible()
  await expect
    .poll(() => portal.sentTo(getAllTests).at(-1)!.body)
    .toMatchObject({ testType: 'T180', from: '2026-11-01', to: '2026-11-30' })
  await page.getByRole('button', { name: 'Clear month' }).click()
  await expect.poll(portal.address).not.toContain('from=')
  await page.getByRole('radiogroup', { name: 'Changes' }).getByText('Corrected').click()
  await expect.poll(() => portal.sentTo(getAllTests).at(-1)!.body).toMatchObject({ decision: 'corrected' })
})

test('the months can be filtered by result and downloaded too', async () => {
  const portal = await openPortal('/northgate/EmergencyLightSchedules/Results?view=months&year=2025&result=Failed', {
    role: 'LightingEngineer',
    answers,
  })
  await expect.poll(() => portal.sentTo(getTestMonths).at(-1)?.body).toMatchObject({ year: 2025, result: 'Failed' })
  await page.getByRole('button', { name: 'Download' }).click()
  await expect
    .poll(() => portal.sentTo(exportAllTests).at(-1)?.body)
    .toMatchObject({ from: '2025-01-01', to: '2025-12-31', result: 'Failed' })
})

test('a sort order refused for too many tests shows what to do instead; the file is still written', async () => {
  const refused = refuse(getAllTests, 'invalid', { message: tooManyTestsToSort, fields: { sort: tooManyTestsToSort } })
  const byOrder: ServerAnswer = {
    route: getAllTests,
    respond: (sent) =>
      ((sent.body as unknown as { sort: string }).sort === 'reason' ? refused : answers[1]).respond(sent),
  }
  const portal = await openPortal('/northgate/EmergencyLightSchedules/Results?sort=-reason&result=Failed', {
    role: 'LightingEngineer',
    answers: [answers[0], byOrder],
  })
  await expect.element(page.getByText('Sort by test date, or narrow the filter to at most 10,000 tests.')).toBeVisible()
  await expect.element(page.getByRole('button', { name: 'Retry' })).not.toBeInTheDocument()
  await page.getByRole('button', { name: 'Download' }).click()
  await expect.poll(() => portal.sentTo(exportAllTests).at(-1)?.body).toEqual({ tenant: 'northgate', result: 'Failed' })
  // The alternative is on screen: the table headers.
  await page.getByRole('columnheader', { name: 'Test date' }).getByRole('button').click()
  await expect.poll(portal.address).toContain('sort=testDate')
  await expect.element(page.getByCss('tr[data-row]')).toBeVisible()
})

test('users limited to some lights have no groups beside the results; users without lights have neither', async () => {
  await openPortal('/northgate/EmergencyLightSchedules/Results', { role: 'LightingEngineer', tags: ['east'], answers })
  const tabs = page.getByRole('navigation', { name: 'Sections of this page' })
  await expect.element(tabs.getByRole('link', { name: 'Results' })).toBeVisible()
  await expect.element(tabs.getByRole('link', { name: 'Groups' })).not.toBeInTheDocument()
  await openPortal('/northgate/EmergencyLightSchedules/Results', { role: 'BoilerEngineer', answers })
  await expect.element(page.getByText("You don't have permission.")).toBeVisible()
})

test('the filters of the results take one line on a desktop', async () => {
  await openPortal('/northgate/EmergencyLightSchedules/Results', { role: 'LightingEngineer', answers })
  const filters = page.getByCss('search')
  await expect.element(filters).toBeVisible()
  expect(filters.element().getBoundingClientRect().height).toBeLessThan(60)
})
