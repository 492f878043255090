import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { ReportSchedule } from '@caretaker/contract/reports.ts'
import {
  addReportSchedule,
  deleteReportSchedule,
  getReports,
  getReportSchedules,
  updateReportSchedule,
} from '@caretaker/contract/reports.ts'
import { listUsers } from '@caretaker/contract/people.ts'
import { loading } from '../../testing/device-screen.ts'
import { idOf } from '../../testing/examples/devices.ts'
import { expectCount } from '../../testing/expect.ts'
import { answer, exampleOf } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'

const schedule: ReportSchedule = {
  ...{ scheduleId: idOf(70), reportType: 'Overview', tags: [], format: 'csv', day: 3, hour: 7, lastAt: null },
  ...{ recipients: [{ id: idOf(71), name: 'Olive Grant' }], nextAt: '2026-12-03T07:00:00Z' },
}
const stored = { reportType: 'Overview', tagIds: [], format: 'csv', day: 3, hour: 7, recipientIds: [idOf(71)] }
const dialog = page.getByRole('dialog')

async function open() {
  const user = exampleOf(listUsers).results[0]!
  const portal = await openPortal('/northgate/Reporting/mySchedules', {
    features: ['ReportScheduling'],
    answers: [
      answer(getReportSchedules, { schedules: [schedule] }),
      answer(getReports, {
        ...exampleOf(getReports),
        ...{ tags: [], today: '2026-11-29' },
        reports: [
          {
            ...{ reportType: 'Overview', label: 'Overview', description: '', isMonthly: true, isSchedulable: true },
            preview: [],
          },
        ],
      }),
      answer(listUsers, { results: [{ ...user, id: idOf(71), name: 'Olive Grant' }] }),
      answer(addReportSchedule, schedule),
      answer(updateReportSchedule, schedule),
    ],
  })
  await expect.element(page.getByText('You, Olive Grant'), loading).toBeVisible()
  return portal
}

test('deleting a schedule asks first and can be undone', async () => {
  const portal = await open()
  const press = () => page.getByRole('button', { name: 'Delete schedule of Overview' }).click()
  await press()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expectCount(dialog, 0)
  expect(portal.sentTo(deleteReportSchedule)).toEqual([])
  await press()
  await expect.element(dialog.getByText(/^You, Olive Grant no longer get this report each month/)).toBeVisible()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expectCount(dialog, 0)
  expect(portal.sentTo(deleteReportSchedule)).toHaveLength(1)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => portal.sentTo(addReportSchedule).map(({ body }) => body)).toEqual([stored])
})

test('a schedule is edited with its recipients', async () => {
  const portal = await open()
  await page.getByRole('button', { name: 'Edit schedule of Overview' }).click()
  await expect.element(dialog.getByText('Olive Grant').first()).toBeVisible()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expectCount(dialog, 0)
  expect(portal.sentTo(updateReportSchedule).map(({ body }) => body)).toEqual([stored])
})
