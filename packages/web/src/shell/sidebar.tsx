import { useLocalStorage } from '@mantine/hooks'
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand } from '@tabler/icons-react'
import { Navigation } from './navigation.tsx'
import classes from './sidebar.module.css'

/** The permanent drawer of a desktop. Whether it is folded is remembered in this browser; it starts open. */
export function Sidebar() {
  const [folded, setFolded] = useLocalStorage({
    key: 'caretaker.sidebar-folded',
    defaultValue: false,
    getInitialValueInEffect: false,
  })
  const label = folded ? 'Expand' : 'Collapse'
  const Icon = folded ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse
  return (
    <aside className={classes.sidebar} data-folded={folded || undefined}>
      <Navigation folded={folded} />
      <div className={classes.foot}>
        <button
          type="button"
          className={classes.toggle}
          aria-expanded={!folded}
          aria-label={`${label} menu`}
          title={folded ? label : undefined}
          onClick={() => setFolded(!folded)}
        >
          <Icon size={20} stroke={1.7} aria-hidden />
          {!folded && label}
        </button>
      </div>
    </aside>
  )
}
