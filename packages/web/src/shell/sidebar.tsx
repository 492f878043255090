import { useLocalStorage, useMediaQuery } from '@mantine/hooks'
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand } from '../icons/index.ts'
import { Navigation } from './navigation.tsx'
import classes from './sidebar.module.css'

/** Below this width, lists need the space more than menu texts do. */
const narrow = '(width < 75em)'

/**
 * The permanent sidebar of a desktop. Whether it is collapsed is remembered in this browser, separately for wide and
 * narrow windows; it starts expanded in wide ones.
 */
export function Sidebar() {
  const isNarrow = useMediaQuery(narrow, false, { getInitialValueInEffect: false })
  const wide = useFolded('caretaker.sidebar-folded', false)
  const slim = useFolded('caretaker.sidebar-folded-narrow', true)
  const [folded, setFolded] = isNarrow ? slim : wide
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

function useFolded(key: string, defaultValue: boolean) {
  return useLocalStorage({ key, defaultValue, getInitialValueInEffect: false })
}
