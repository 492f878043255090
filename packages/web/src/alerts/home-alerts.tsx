import { useQuery } from '@tanstack/react-query'
import { useActor } from '../api/actor.ts'
import { AlertEntry } from './entry.tsx'
import { homeAlertsQuery } from './queries.ts'
import classes from './alerts.module.css'

/** The open alerts of a property on its page; nothing if there are none. */
export function HomeAlerts({ propertyId }: { propertyId: string }) {
  const { tenant } = useActor()
  const { data } = useQuery(homeAlertsQuery(tenant, propertyId))
  const alerts = data?.alerts.filter(({ home }) => home?.propertyId === propertyId) ?? []
  if (!alerts.length) return undefined
  return (
    <section className={classes.ofHome} aria-label="Open alerts">
      <h2>Open alerts</h2>
      <ul className={classes.list} aria-label="Open alerts">
        {alerts.map((alert) => (
          <AlertEntry key={alert.alertId} alert={alert} />
        ))}
      </ul>
    </section>
  )
}
