import type { DashboardData, WorkCase } from '@caretaker/contract/dashboard.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../api/actor.ts'
import { AppLink } from '../../ui/link.tsx'
import { StatusBar, StatusLegend, statusSegments } from '../../ui/donut.tsx'
import { useZone } from '../../ui/zone.tsx'
import { wholes } from './wholes.ts'
import classes from './dashboard.module.css'

interface HeadProps {
  data: DashboardData | undefined
  cases: readonly WorkCase[] | undefined
  /** Whether home hubs count among the devices here. */
  hasHubs: boolean
}

/** The day, how many things need somebody, and how all devices are. */
export function Head({ data, cases, hasHubs }: HeadProps) {
  const shown = wholes(hasHubs)
  const sum = (count: 'pass' | 'warn' | 'fail' | 'installed') =>
    shown.reduce((total, listing) => total + (data?.listings[listing][count] ?? 0), 0)
  const zone = useZone()
  const segments = statusSegments({ pass: sum('pass'), warn: sum('warn'), fail: sum('fail') })
  return (
    <header className={classes.head}>
      <div>
        <h1 className={classes.title}>What needs you today</h1>
        <p className={classes.summary}>
          {today(zone)}.{' '}
          {data && cases && (
            <Summary
              things={cases.reduce((total, { count }) => total + count, 0)}
              fine={sum('pass')}
              of={sum('installed')}
            />
          )}
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

function Summary({ things, fine, of }: { things: number; fine: number; of: number }) {
  const actor = useActor()
  if (of === 0)
    return (
      <>
        No device is installed yet.
        {can(actor, 'import homes') && (
          <>
            {' '}
            <AppLink href={pathTo(actor.tenant, 'Properties', 'Import')}>Import a list of homes or devices</AppLink> to
            begin.
          </>
        )}
      </>
    )
  const inFigures = (count: number) => count.toLocaleString('en-GB')
  return (
    <>
      <b>{things === 0 ? 'Nothing' : `${inFigures(things)} ${things === 1 ? 'thing' : 'things'}`}</b> to look at;{' '}
      {inFigures(fine)} of {inFigures(of)} installed devices are fine.
    </>
  )
}

function today(zone: string): string {
  const words = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', timeZone: zone })
  return words.format(new Date()).replace(',', '')
}
