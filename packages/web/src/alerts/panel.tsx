import { useState } from 'react'
import { Drawer } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { AlertState } from '@caretaker/contract/alerts.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../api/actor.ts'
import { AppLink } from '../ui/link.tsx'
import { AlertEntry } from './entry.tsx'
import { AlertList, overText, stateWords } from './lists.tsx'
import { alertsQuery } from './queries.ts'
import classes from './alerts.module.css'

interface PanelProps {
  open: boolean
  onClose: () => void
}

/** The alert panel: open alerts with pending ones below, and past alerts. */
export function AlertPanel({ open, onClose }: PanelProps) {
  const actor = useActor()
  const { tenant } = actor
  const [state, setState] = useState<AlertState>('open')
  const { data } = useQuery(alertsQuery(tenant, 'open'))
  const count = data?.counts.open
  return (
    <Drawer
      opened={open}
      onClose={onClose}
      position="right"
      size={480}
      title={
        <span className={classes.head}>
          Alerts {count !== undefined && <span className={classes.dimmed}>{count} open</span>}
        </span>
      }
      classNames={{ body: classes.body, content: classes.content }}
      transitionProps={{ duration: 160 }}
    >
      <div className={classes.tabs} role="group" aria-label="Alerts shown">
        {(['open', 'over'] as const).map((one) => (
          <button key={one} type="button" aria-pressed={state === one} onClick={() => setState(one)}>
            {stateWords[one]}
            {one === 'open' && count !== undefined && <b data-worry={count > 0 || undefined}>{count}</b>}
            {one === 'over' && data !== undefined && <b>{overText(data.counts.over)}</b>}
          </button>
        ))}
      </div>
      <div className={classes.scroll}>
        <AlertList key={state} state={state} />
        {state === 'open' && <Pending />}
      </div>
      <footer className={classes.end}>
        <span className={classes.dimmed}>An alert is over when its condition has ended.</span>
        <AppLink href={pathTo(tenant, 'Alerts')} onClick={onClose}>
          All alerts
        </AppLink>
        {can(actor, 'see settings') && (
          <AppLink href={pathTo(tenant, 'Settings')} onClick={onClose}>
            Alerts Settings
          </AppLink>
        )}
      </footer>
    </Drawer>
  )
}

function Pending() {
  const { tenant } = useActor()
  const { data } = useQuery(alertsQuery(tenant, 'pending'))
  if (!data?.alerts.length) return undefined
  return (
    <>
      <p className={classes.divider}>
        <b>Pending</b>: notifies after the delay
      </p>
      <ul className={classes.list} aria-label={stateWords.pending}>
        {data.alerts.map((alert) => (
          <AlertEntry key={alert.alertId} alert={alert} />
        ))}
      </ul>
      {data.hasMore && (
        <p className={classes.more}>
          <AppLink href={`${pathTo(tenant, 'Alerts')}?state=pending`}>All of them</AppLink>
        </p>
      )}
    </>
  )
}
