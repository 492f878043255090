import type { ReactNode } from 'react'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { usePresence } from '../../api/actor.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { BreachRegister } from './breach-register.tsx'
import { MyReports } from './my-reports.tsx'
import { MySchedules } from './my-schedules.tsx'
import { ReportCards } from './report-cards.tsx'
import classes from './reports.module.css'

const tabs = [
  { id: 'reports', label: 'Reports', path: undefined, may: 'see reports' },
  { id: 'breachRegister', label: 'Breach register', path: 'breachRegister', may: 'see breach register' },
  { id: 'myReports', label: 'My Reports', path: 'myReports', may: 'see report history' },
  { id: 'mySchedules', label: 'My Schedules', path: 'mySchedules', may: 'schedule reports' },
] as const
type Tab = (typeof tabs)[number]['id']

const contents: Record<Tab, ReactNode> = {
  reports: <ReportCards />,
  breachRegister: <BreachRegister />,
  myReports: <MyReports />,
  mySchedules: <MySchedules />,
}

export const ReportsPage = () => <ReportManager tab="reports" />
export const BreachRegisterPage = () => <ReportManager tab="breachRegister" />
export const MyReportsPage = () => <ReportManager tab="myReports" />
export const MySchedulesPage = () => <ReportManager tab="mySchedules" />

/** Available reports, prepared reports and schedules, as tabs if the client has them. */
function ReportManager({ tab }: { tab: Tab }) {
  const { actor, client } = usePresence()
  usePageTitle('Report Manager', client.displayName)
  const shown = tabs.filter(({ may }) => can(actor, may))
  const withTabs = can(actor, 'see report tabs') && shown.length > 1
  return (
    <div className={classes.page}>
      <PageHead
        title="Report Manager"
        {...(withTabs && {
          tabs: shown.map(({ path, ...one }) => ({ ...one, href: pathTo(actor.tenant, 'Reporting', path) })),
          activeTab: tab,
        })}
      />
      {contents[tab]}
    </div>
  )
}
