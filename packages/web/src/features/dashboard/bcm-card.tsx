import { useId } from 'react'
import { ActionIcon } from '@mantine/core'
import { IconActivityHeartbeat, IconChevronDown } from '../../icons/index.ts'
import type { DashboardData } from '@caretaker/contract/dashboard.ts'
import type { DeviceSummary } from '@caretaker/rules/devices/status.ts'
import { displayGroupWords } from '@caretaker/rules/devices/status.ts'
import type { BcmType, Monitoring } from '@caretaker/rules/devices/monitoring.ts'
import { usePreference } from '../../api/use-preference.ts'
import { Card } from '../../ui/card.tsx'
import type { Segment } from '../../ui/donut.tsx'
import { Donut, StatusLegend, statusSegments } from '../../ui/donut.tsx'
import { AppLink } from '../../ui/link.tsx'
import { Stock } from './family-card.tsx'
import type { SummaryLinks } from './links.ts'
import { bcmLinks } from './links.ts'
import { LoadingCard } from './loading-card.tsx'
import classes from './dashboard.module.css'

export const heatingFamily = {
  title: 'Boilers by heating type',
  icon: <IconActivityHeartbeat stroke={1.7} aria-hidden />,
}
const { title, icon } = heatingFamily

/** One ring per kind of monitoring. Unassigned devices have no page. */
const kinds: readonly { monitoring: Monitoring; title: string; type?: BcmType }[] = [
  { monitoring: 'Boiler', title: 'Boilers', type: 'Boiler' },
  { monitoring: 'HeatPump', title: 'Heat pumps', type: 'ASHP' },
  { monitoring: 'None', title: 'Surveyor cubes', type: 'SurveyorCube' },
  { monitoring: 'Unknown', title: 'Not yet assigned' },
]

interface BcmCardProps {
  tenant: string
  /** Whether the user may open the Bcms page. */
  mayOpen: boolean
  data: DashboardData | undefined
}

/** Heating monitoring by kind; collapsed, only the counts. The state is remembered. */
export function BcmCard({ tenant, mayOpen, data }: BcmCardProps) {
  const [closed, setClosed] = usePreference('closedBcms')
  const region = useId()
  if (!data) return <LoadingCard title={title} icon={icon} ring />
  const linksTo = (type?: BcmType): SummaryLinks => (mayOpen && type ? bcmLinks(tenant, type) : {})
  const counts = data.listings.Bcms
  const links = linksTo('BCM')
  const toggle = (
    <ActionIcon
      aria-label={title}
      aria-expanded={!closed}
      aria-controls={region}
      title={closed ? 'Open' : 'Close'}
      onClick={() => setClosed(!closed)}
    >
      <IconChevronDown size={18} className={classes.chevron} data-open={!closed || undefined} aria-hidden />
    </ActionIcon>
  )
  return (
    <Card
      title={title}
      icon={icon}
      href={links.title}
      total={counts.total}
      aside={<StatusLegend segments={statusSegments(counts, links)} layout="line" />}
      actions={toggle}
      className={closed ? classes.closed : undefined}
      footer={!closed && <Stock counts={counts} links={links} />}
    >
      <div id={region} className={classes.kinds} hidden={closed}>
        {kinds.map(({ monitoring, title: kind, type }) => (
          <Kind key={monitoring} title={kind} counts={data.monitoring[monitoring]} links={linksTo(type)} />
        ))}
      </div>
    </Card>
  )
}

function Kind({ title, counts, links }: { title: string; counts: DeviceSummary; links: SummaryLinks }) {
  const segments: Segment[] = [
    ...statusSegments(counts, links),
    {
      id: 'rest',
      label: displayGroupWords.NotInstalled,
      count: counts.total - counts.installed,
      tone: 'not-installed',
    },
  ]
  // A ring shows the share of devices that passed, or that none is installed.
  const [first, rest] = [segments[0]!, segments.at(-1)!]
  const shown = counts.installed === 0 && rest.count > 0 ? [rest] : segments
  return (
    <div className={classes.kind}>
      <h3>
        {links.title && counts.total > 0 ? <AppLink href={links.title}>{title}</AppLink> : title}
        <span>{counts.total.toLocaleString('en-GB')}</span>
      </h3>
      <Donut label={title} segments={shown.length === 1 ? shown : [first, ...segments.slice(1)]} width={104} />
      <StatusLegend segments={segments} layout="rows" />
    </div>
  )
}
