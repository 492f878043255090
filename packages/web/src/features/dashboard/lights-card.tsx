import { IconBulb, IconCalendarX, IconWaveSquare, IconWifiOff } from '../../icons/index.ts'
import type { DashboardData, WorkCase } from '@caretaker/contract/dashboard.ts'
import { connectionStates } from '@caretaker/rules/devices/connection.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { Card } from '../../ui/card.tsx'
import { Donut, StatusLegend, statusSegments } from '../../ui/donut.tsx'
import { AppLink } from '../../ui/link.tsx'
import { Stock } from './family-card.tsx'
import { lightsLink, presetLinks, worklistLink } from './links.ts'
import { LoadingCard } from './loading-card.tsx'
import classes from './dashboard.module.css'

export const lightsFamily = { title: 'Emergency lights', icon: <IconBulb stroke={1.7} aria-hidden /> }
const { title, icon } = lightsFamily

interface LightsCardProps {
  tenant: string
  /** Whether the user may see the lights themselves. */
  mayOpen: boolean
  data: DashboardData | undefined
  /** Lights with an overdue test or without contact, if the user may see them. */
  overdue: WorkCase | undefined
}

/** The largest family: status, connection and tests of the lights. */
export function LightsCard({ tenant, mayOpen, data, overdue }: LightsCardProps) {
  if (!data) return <LoadingCard title={title} icon={icon} ring />
  const counts = data.listings.EmergencyLights
  const links = mayOpen ? presetLinks(tenant, 'EmergencyLights') : {}
  const segments = statusSegments(counts, links)
  const footer = <Stock counts={counts} links={links} />
  const connected = (state: 'offline' | 'intermittent') =>
    mayOpen ? lightsLink(tenant, connectionStates[state]) : undefined
  return (
    <Card title={title} icon={icon} href={links.title} total={counts.total} footer={footer}>
      <div className={classes.chart}>
        <Donut label={title} segments={segments} width={132} />
        <StatusLegend segments={segments} layout="rows" />
      </div>
      <ul className={classes.notes}>
        <Note icon={IconWifiOff} text="Not connected" count={data.lights.notConnected} href={connected('offline')} />
        <Note
          icon={IconWaveSquare}
          text="Intermittent connection"
          count={data.lights.intermittent}
          href={connected('intermittent')}
        />
        {overdue && (
          <Note
            icon={IconCalendarX}
            text="Overdue or without contact"
            count={overdue.count}
            href={worklistLink(tenant, overdue)}
          />
        )}
      </ul>
      {mayOpen && (
        <AppLink className={classes.results} href={pathTo(tenant, 'EmergencyLightSchedules', 'Results')}>
          All test results
        </AppLink>
      )}
    </Card>
  )
}

interface NoteProps {
  icon: typeof IconBulb
  text: string
  count: number
  href: string | undefined
}

function Note({ icon: Icon, text, count, href }: NoteProps) {
  const parts = (
    <>
      <Icon size={16} stroke={1.7} aria-hidden />
      <span>{text}</span>
      <b data-zero={count === 0 || undefined}>{count.toLocaleString('en-GB')}</b>
    </>
  )
  return <li>{href && count > 0 ? <AppLink href={href}>{parts}</AppLink> : <div>{parts}</div>}</li>
}
