import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { getAlertDefinitions } from '@caretaker/contract/alerts.ts'
import { getTenantBuildingSummary } from '@caretaker/contract/buildings.ts'
import { getStandardLuminaires } from '@caretaker/contract/equipment.ts'
import { getEmeredGroups } from '@caretaker/contract/groups.ts'
import { getAllTests, getTestOverview } from '@caretaker/contract/lighting.ts'
import { listUsers } from '@caretaker/contract/people.ts'
import { getReportRuns, getReports, getReportSchedules } from '@caretaker/contract/reports.ts'
import { getResidents } from '@caretaker/contract/residents.ts'
import { getAccessRightsTags, getTenantTags } from '@caretaker/contract/tags.ts'
import { loading } from '../testing/device-screen.ts'
import { expectConsoleError } from '../testing/console.ts'
import { answerStatus, exampleOf, answer } from '../testing/network.ts'
import { openPortal } from '../testing/portal.tsx'

const features = [
  'ReportHistory',
  'ReportScheduling',
  'ReportPageWithTab',
  'ManageResidentAccess',
  'PropertyCentric',
] as const

const months = Array.from({ length: 12 }, (_, at) => new Date(Date.UTC(2025, 11 + at)).toISOString().slice(0, 7))

test.each([
  ['Reporting', getReports],
  ['Reporting/myReports', getReportRuns],
  ['Reporting/mySchedules', getReportSchedules],
  ['Buildings', getTenantBuildingSummary],
  ['EmergencyLightSchedules', getEmeredGroups],
  ['EmergencyTestResults', getAllTests],
  ['Users', listUsers],
  ['Settings', getAlertDefinitions],
  ['Settings/tags', getTenantTags],
  ['Settings/accessRightsTags', getAccessRightsTags],
  ['Settings/luminaire', getStandardLuminaires],
  ['Settings/residents', getResidents],
] as const)(
  "%s reads 'Failed to Load' when its list cannot be loaded, and can be tried again [core-8-33 dev-8err-25 est-8-22]",
  async (address, route) => {
    expectConsoleError('500')
    const failing = answerStatus(route as typeof getReports, 500, '{}')
    const portal = await openPortal(`/northgate/${address}`, {
      role: 'Admin',
      features: [...features],
      answers: [answer(getTestOverview, { months, cells: [] }), failing],
    })
    const alert = page.getByRole('main').getByRole('alert')
    await expect.element(alert.getByText('Failed to Load', { exact: true }), loading).toBeVisible()
    portal.use(answer(route as typeof getReports, exampleOf(route as typeof getReports)))
    await alert.getByRole('button', { name: 'Retry' }).click()
    await expect.element(alert.getByText('Failed to Load')).not.toBeInTheDocument()
  },
)
