import { useQuery } from '@tanstack/react-query'
import { IconCertificate, IconHomeSignal } from '../../icons/index.ts'
import type { DashboardData } from '@caretaker/contract/dashboard.ts'
import { managedServiceSegments } from '@caretaker/rules/properties/licences.ts'
import type { ManagedServices, ManagedServiceType } from '@caretaker/rules/properties/licences.ts'
import { licencesQuery } from '../../api/licences.ts'
import { Card } from '../../ui/card.tsx'
import type { Segment } from '../../ui/donut.tsx'
import { StatusBar, StatusLegend } from '../../ui/donut.tsx'
import { Failed } from '../../ui/states.tsx'
import { managedServiceLink } from './links.ts'
import { LoadingCard } from './loading-card.tsx'
import classes from './dashboard.module.css'

/** Expiring licences are part of those assigned: the figures count them in both, while the parts of the bar make up the total. */
const parts: Record<ManagedServiceType, { figure: string; part: string; tone: Segment['tone'] }> = {
  assigned: { figure: 'Assigned', part: 'Assigned for 12 months or longer', tone: 'accent' },
  expiring: { figure: 'of these expiring within 12 months', part: 'Expiring within 12 months', tone: 'warning' },
  available: { figure: 'Available', part: 'Available', tone: 'muted' },
}

/** The licences of the managed service: assigned, expiring and free. */
export function ManagedServicesCard({ tenant }: { tenant: string }) {
  const { data, isError, refetch } = useQuery(licencesQuery(tenant))
  const title = 'Managed services'
  const icon = <IconCertificate stroke={1.7} aria-hidden />
  if (isError && !data)
    return (
      <Card title={title} icon={icon}>
        <Failed onRetry={() => void refetch()} />
      </Card>
    )
  if (!data) return <LoadingCard title={title} icon={icon} />
  const legend = (Object.keys(parts) as ManagedServiceType[]).map((id) => ({
    id,
    label: parts[id].figure,
    tone: parts[id].tone,
    count: figureOf(data, id),
    href: managedServiceLink(tenant, id),
  }))
  const bar = managedServiceSegments(data).map(({ id, count }) => ({
    id,
    label: parts[id].part,
    tone: parts[id].tone,
    count,
  }))
  return (
    <Card title={title} icon={icon} total={data.total} className={classes.small}>
      <StatusBar label={title} segments={bar} />
      <StatusLegend segments={legend} layout="line" />
    </Card>
  )
}

function figureOf(figures: ManagedServices, type: ManagedServiceType): number {
  return type === 'expiring' ? figures.expiringInUnder12Months : figures[type]
}

export const hubsFamily = { title: 'Home hubs', icon: <IconHomeSignal stroke={1.7} aria-hidden /> }

interface HomeHubsCardProps {
  /** The link of the title. */
  href: string | undefined
  data: DashboardData | undefined
}

/** Home hubs by connection status. */
export function HomeHubsCard({ href, data }: HomeHubsCardProps) {
  const { title, icon } = hubsFamily
  if (!data) return <LoadingCard title={title} icon={icon} />
  const segments: Segment[] = [
    { id: 'online', label: 'Online', count: data.homeHubs.online, tone: 'passed' },
    { id: 'offline', label: 'Offline', count: data.homeHubs.offline, tone: 'failed' },
  ]
  return (
    <Card title={title} icon={icon} href={href} total={data.listings.HomeHubs.total} className={classes.small}>
      <StatusBar label={title} segments={segments} />
      <StatusLegend segments={segments} layout="columns" />
    </Card>
  )
}
