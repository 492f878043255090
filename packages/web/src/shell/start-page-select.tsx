import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { can } from '@caretaker/rules/rights/can.ts'
import { allLists, listNames } from '@caretaker/rules/views/lists.ts'
import { useActor } from '../api/actor.ts'
import { showCallError } from '../api/errors.ts'
import { useStartPage } from '../api/start-page.ts'
import { viewsQuery } from '../api/views.ts'

/** The start page of the user in this client: the Dashboard or a view of any list. */
export function StartPageSelect() {
  const actor = useActor()
  const [chosen, choose] = useStartPage()
  const views = useQuery(viewsQuery(actor.tenant))
  const groups = listNames
    .map((name) => allLists[name])
    .filter((list) => can(actor, list.may))
    .map((list) => ({
      group: list.label,
      items: (views.data?.views ?? [])
        .filter(({ root }) => root === list.root)
        .map(({ viewId, label }) => ({
          value: viewId,
          // Several lists have views with the same name.
          label: label === list.label ? label : `${list.label} – ${label}`,
        })),
    }))
  const isThere = groups.some(({ items }) => items.some(({ value }) => value === chosen))
  return (
    <Select
      label="Start page"
      description="The page that opens when you sign in to this client."
      data={[{ value: 'Dashboard', label: 'Dashboard' }, ...groups.filter(({ items }) => items.length > 0)]}
      searchable
      allowDeselect={false}
      value={isThere ? chosen : 'Dashboard'}
      onChange={(value) => void choose(value === 'Dashboard' ? null : value).catch(showCallError)}
      error={views.isError ? 'The saved views could not be loaded.' : undefined}
    />
  )
}
