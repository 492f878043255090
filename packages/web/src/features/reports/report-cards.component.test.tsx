import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { getReportRuns, getReports } from '@caretaker/contract/reports.ts'
import { answer } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'
import { variedExampleOf } from '../../testing/varied.ts'

const offer = variedExampleOf(getReports)
const reports = (count: number) =>
  answer(getReports, {
    ...offer,
    today: '2026-11-02',
    reports: (['Overview', 'DampAndMould', 'FuelPoverty', 'GasSafety'] as const)
      .slice(0, count)
      .map((reportType, at) => ({
        ...offer.reports[0]!,
        ...{ reportType, label: reportType, isMonthly: true },
        description: at === 1 ? 'What is in it. '.repeat(12) : 'What is in it.',
      })),
  })
const tops = (name: string) =>
  page
    .getByRole('button', { name })
    .elements()
    .map((one) => Math.round(one.getBoundingClientRect().top))

test('the buttons of adjacent cards are at the same height', async () => {
  const run = variedExampleOf(getReportRuns).runs[0]!
  const written = {
    ...run,
    reportType: 'Overview' as const,
    state: 'done' as const,
    finishedAt: run.askedAt,
    isScheduled: false,
  }
  const answers = [reports(3), answer(getReportRuns, { runs: [written] })]
  await openPortal('/northgate/Reporting', { answers })
  await expect.element(page.getByRole('button', { name: /^Save / })).toBeVisible()
  await expect.poll(() => tops('Customise').length).toBe(3)
  expect(new Set(tops('Customise')).size).toBe(1)
})

test('with four cards, no card is alone in its line', async () => {
  await openPortal('/northgate/Reporting', { answers: [reports(4)] })
  await expect.poll(() => tops('Customise').length).toBe(4)
  const lines = Map.groupBy(tops('Customise'), (top) => top)
  expect([...lines.values()].map((line) => line.length)).toEqual([2, 2])
})
