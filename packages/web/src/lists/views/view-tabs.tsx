import type { View } from '@caretaker/rules/views/view.ts'
import { presetViewId } from '@caretaker/rules/views/view.ts'
import { viewAddress } from '../../api/listing-address.ts'
import { useActor } from '../../api/actor.ts'
import { AppLink } from '../../ui/link.tsx'
import type { ListState } from '../list-state.ts'
import { useRecentViews } from './recent-views.ts'
import { ViewIcon } from './view-icon.tsx'
import classes from './views.module.css'

/** The main view, fixed tabs, recently used views and the shown one, each one click away. */
export function ViewTabs({ state }: { state: ListState }) {
  const { tenant } = useActor()
  const { source, area, view, views, changed } = state
  const { list, tabs = [] } = source
  const recent = useRecentViews(tenant, list.name, view)
  const ids = [...new Set([...['main', ...tabs].map((preset) => presetViewId(list, preset)), ...recent, view.viewId])]
  const shown = ids.flatMap((id): View[] => views.filter(({ viewId }) => viewId === id))
  return (
    <nav className={classes.tabs} aria-label="Views">
      {shown.map((one) => {
        const isHere = one.viewId === view.viewId
        return (
          <AppLink
            key={one.viewId}
            className={classes.tab}
            href={viewAddress(tenant, list, one.viewId, { area })}
            aria-current={isHere ? 'page' : undefined}
          >
            <ViewIcon view={one} />
            <span className={classes.name}>{one.label}</span>
            {isHere && changed && <span className={classes.edited}>edited</span>}
          </AppLink>
        )
      })}
    </nav>
  )
}
