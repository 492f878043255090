import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { can } from '@caretaker/rules/rights/can.ts'
import { listingNames, listings } from '@caretaker/rules/devices/list.ts'
import { useActor } from '../api/actor.ts'
import { startPageText, useStartPage } from '../api/start-page.ts'
import { listViewsQuery, viewOfDocument, viewsQuery } from '../api/views.ts'

/** What the person's next sign-in to this client opens in this browser: the Dashboard or a view. */
export function StartPageSelect() {
  const actor = useActor()
  const [chosen, choose] = useStartPage()
  const definitions = useQuery(viewsQuery(actor.tenant))
  const documents = useQuery(listViewsQuery(actor.tenant, actor.memberId))
  const found = [
    ...(definitions.data?.views ?? []),
    ...(documents.data ?? []).map((one) => viewOfDocument(one, actor.memberId)),
  ]
  // A private view of one's own is told of by both calls.
  const views = [...new Map(found.map((view) => [view.viewId, view])).values()]
  const groups = listingNames
    .filter((listing) => can(actor, listings[listing].may))
    .map((listing) => ({
      group: listings[listing].label,
      items: views
        .filter(({ root }) => root === listings[listing].root)
        .map(({ viewId, label }) => ({
          value: startPageText({ listing, viewId }),
          // Several listings have a view of one name.
          label: label === listings[listing].label ? label : `${listings[listing].label} – ${label}`,
        })),
    }))
  const isThere = groups.some(({ items }) => items.some(({ value }) => value === chosen))
  return (
    <Select
      label="Start page"
      description="What opens when you sign in to this client with this browser."
      data={[{ value: 'Dashboard', label: 'Dashboard' }, ...groups.filter(({ items }) => items.length > 0)]}
      searchable
      allowDeselect={false}
      value={isThere ? chosen : 'Dashboard'}
      onChange={(value) => choose(value === null || value === 'Dashboard' ? '' : value)}
      error={definitions.isError || documents.isError ? 'The saved views could not be loaded.' : undefined}
    />
  )
}
