import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { AlertState } from '@caretaker/contract/alerts.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { AlertList, stateWords } from '../../alerts/lists.tsx'
import { alertsQuery } from '../../alerts/queries.ts'
import { usePresence } from '../../api/actor.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { PageHead } from '../../ui/page-head.tsx'
import classes from './alerts-page.module.css'

/** The alerts of visible devices: open, pending and past; the tab is in the address. */
export function AlertsPage() {
  const { actor, client } = usePresence()
  const { state = 'open' } = useSearch({ strict: false }) as { state?: AlertState }
  usePageTitle('Alerts', client.displayName)
  const { data } = useQuery(alertsQuery(actor.tenant, 'open'))
  const address = pathTo(actor.tenant, 'Alerts')
  const tab = (id: AlertState, count?: number, worry = false) => ({
    ...{ id, label: stateWords[id], href: id === 'open' ? address : `${address}?state=${id}` },
    ...(count === undefined ? {} : { count, worry }),
  })
  return (
    <div className={classes.page}>
      <PageHead
        title="Alerts"
        tabs={[
          tab('open', data?.counts.open, (data?.counts.open ?? 0) > 0),
          tab('pending', data?.counts.pending),
          tab('over'),
        ]}
        activeTab={state}
      />
      <AlertList key={state} state={state} />
    </div>
  )
}
