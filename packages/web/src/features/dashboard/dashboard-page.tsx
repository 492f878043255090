import { useQuery } from '@tanstack/react-query'
import { IconBulb, IconFlame, IconRouter } from '@tabler/icons-react'
import type { DashboardData } from '@caretaker/contract/devices.ts'
import type { SummaryFamily } from '@caretaker/rules/devices/products.ts'
import type { Actor } from '@caretaker/rules/identity/can.ts'
import { can } from '@caretaker/rules/identity/can.ts'
import type { GeneralAction } from '@caretaker/rules/identity/can.ts'
import type { PlaceArea } from '@caretaker/rules/identity/places.ts'
import { pathTo } from '@caretaker/rules/identity/places.ts'
import { usePresence } from '../../api/actor.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { Card } from '../../ui/card.tsx'
import { StatusBar, StatusLegend, statusSegments } from '../../ui/donut.tsx'
import { Bar, Failed, Loading, LoadingLines } from '../../ui/states.tsx'
import { FamilyCard } from './family-card.tsx'
import { dashboardQuery } from './queries.ts'
import classes from './dashboard.module.css'

interface Widget {
  family: SummaryFamily
  title: string
  icon: typeof IconBulb
  listing: PlaceArea
  /** What makes the title a link. */
  may: GeneralAction
}

const widgets: readonly Widget[] = [
  { family: 'emered', title: 'Emergency lights', icon: IconBulb, listing: 'EmergencyLights', may: 'see lighting' },
  { family: 'boiler', title: 'Boilers', icon: IconFlame, listing: 'Boilers', may: 'see boilers' },
  { family: 'gateway', title: 'Gateways', icon: IconRouter, listing: 'NetworkingDevices', may: 'see networking' },
]

/** The first screen of a client: how its devices are, a widget a family. */
export function DashboardPage() {
  const { actor, client } = usePresence()
  usePageTitle('Dashboard', client.displayName)
  const { data, isError, refetch } = useQuery(dashboardQuery(actor.tenant))
  return (
    <div className={classes.page}>
      <Head data={data} />
      {isError && !data ? <Failed onRetry={() => void refetch()} /> : <Widgets data={data} actor={actor} />}
    </div>
  )
}

function Widgets({ data, actor }: { data: DashboardData | undefined; actor: Actor }) {
  return (
    <div className={classes.grid}>
      {widgets.map(({ family, title, icon: Icon, listing, may }) => {
        const href = can(actor, may) ? pathTo(actor.tenant, listing) : undefined
        const icon = <Icon stroke={1.7} aria-hidden />
        return data ? (
          <FamilyCard key={family} title={title} icon={icon} href={href} counts={data[family]} />
        ) : (
          <LoadingCard key={family} title={title} icon={icon} />
        )
      })}
    </div>
  )
}

function Head({ data }: { data: DashboardData | undefined }) {
  const sum = (count: 'pass' | 'warn' | 'fail' | 'installed') =>
    widgets.reduce((total, { family }) => total + (data?.[family][count] ?? 0), 0)
  const segments = statusSegments({ pass: sum('pass'), warn: sum('warn'), fail: sum('fail') })
  return (
    <header className={classes.head}>
      <div>
        <h1 className={classes.title}>What needs you today</h1>
        <p className={classes.summary}>
          {today()}. {data && <Summary worries={sum('warn') + sum('fail')} fine={sum('pass')} of={sum('installed')} />}
        </p>
      </div>
      {data && (
        <div className={classes.overall}>
          <StatusBar label="All devices" segments={segments} />
          <StatusLegend segments={segments} layout="line" />
        </div>
      )}
    </header>
  )
}

function Summary({ worries, fine, of }: { worries: number; fine: number; of: number }) {
  if (of === 0) return 'No device is installed yet.'
  const inFigures = (count: number) => count.toLocaleString('en-GB')
  return (
    <>
      <b>{worries === 0 ? 'Nothing' : `${inFigures(worries)} ${worries === 1 ? 'thing' : 'things'}`}</b> to look at;{' '}
      {inFigures(fine)} of {inFigures(of)} installed devices are fine.
    </>
  )
}

const dayFormat = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  timeZone: 'Europe/London',
})

function today(): string {
  return dayFormat.format(new Date()).replace(',', '')
}

function LoadingCard({ title, icon }: { title: string; icon: React.ReactNode }) {
  return (
    <Card title={title} icon={icon}>
      <Loading label={`Loading ${title.toLowerCase()}`}>
        <div className={classes.family}>
          <span className={classes.ring} />
          <div className={classes.bars}>
            <LoadingLines lines={3} />
          </div>
        </div>
        <Bar width="70%" />
      </Loading>
    </Card>
  )
}
