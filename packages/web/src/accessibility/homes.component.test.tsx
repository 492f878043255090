import { page } from 'vitest/browser'
import { getReports, getReportSchedules } from '@caretaker/contract/reports.ts'
import { dialog, firstId, grid, press, region, tabsOf, testScreens } from '../testing/accessible-screens.ts'
import { answer } from '../testing/network.ts'
import { variedExampleOf } from '../testing/varied.ts'

const path = '/$tenant/Properties/$propertyId/{-$tab}'
const heading = () => page.getByRole('heading', { level: 1 })

testScreens([
  {
    name: 'a home with damp and mould risk',
    path,
    address: `/northgate/Properties/${firstId}/info`,
    shows: () => page.getByRole('list', { name: 'Damp and mould risk of each room' }),
  },
  ...tabsOf(path, {
    services: () => grid('Device Packages'),
    devices: () => grid('Devices'),
    telemetry: heading,
    thermoScheduler: heading,
    propertyRecords: heading,
    propertyAudit: () => grid('Audit'),
  }),
  {
    name: 'reports, with one customised',
    path: '/$tenant/Reporting',
    answers: [answer(getReports, { ...variedExampleOf(getReports), today: '2026-11-02' })],
    open: () => press('Customise'),
    shows: () => region(/^Customise /),
  },
  {
    name: 'adding a schedule of a report',
    path: '/$tenant/Reporting/mySchedules',
    answers: [
      answer(getReports, { ...variedExampleOf(getReports), today: '2026-11-02' }),
      answer(getReportSchedules, { schedules: [] }),
    ],
    open: () => press('Add schedule'),
    shows: () => dialog('Add schedule'),
  },
])
