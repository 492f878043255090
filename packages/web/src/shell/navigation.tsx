import { useState } from 'react'
import { IconChevronDown, IconChevronUp } from '../icons/index.ts'
import { useLocation } from '@tanstack/react-router'
import { pathTo } from '@caretaker/rules/links/places.ts'
import type { SidebarGroup, SidebarItem } from '@caretaker/rules/shell/sidebar.ts'
import { isAt, sidebarFor } from '@caretaker/rules/shell/sidebar.ts'
import { useActor } from '../api/actor.ts'
import { AppLink } from '../ui/link.tsx'
import { AreaIcon } from './area-icon.tsx'
import type { AreaCount } from './failed-counts.ts'
import { failed, useFailedCounts } from './failed-counts.ts'
import classes from './navigation.module.css'

interface NavigationProps {
  /**
   * Icons only, with names for assistive technology and as tooltips; groups are expanded, because they have no room for
   * a name.
   */
  folded?: boolean
}

/** The navigation links of the user, in the sidebar and in the drawer. */
export function Navigation({ folded = false }: NavigationProps) {
  const actor = useActor()
  const failedOf = useFailedCounts()
  return (
    <nav className={classes.navigation} aria-label="Main" data-folded={folded || undefined}>
      <ul>
        {sidebarFor(actor).map((entry) =>
          'items' in entry ? (
            <Group key={entry.name} group={entry} folded={folded} failedOf={failedOf} />
          ) : (
            <Item key={entry.name} item={entry} folded={folded} counted={failedOf(entry.area)} />
          ),
        )}
      </ul>
    </nav>
  )
}

interface ItemProps {
  item: SidebarItem
  folded: boolean
  counted: AreaCount
}

function Item({ item, folded, counted }: ItemProps) {
  const { tenant } = useActor()
  const words = counted.count > 0 ? counted.words : undefined
  const here = useLocation({ select: ({ pathname }) => isAt(pathname, item) })
  return (
    <li data-area={item.area}>
      <AppLink
        href={pathTo(tenant, item.area)}
        className={classes.item}
        aria-current={here ? 'page' : undefined}
        aria-description={words}
        title={folded ? [item.name, words].filter(Boolean).join(', ') : words}
      >
        <AreaIcon name={item.area} />
        <span className={classes.name}>{item.name}</span>
        <FailedCount count={counted.count} />
      </AppLink>
    </li>
  )
}

/** The link contains the count as text. */
function FailedCount({ count }: { count: number }) {
  return (
    count > 0 && (
      <span className={classes.failed} data-failed aria-hidden>
        {count.toLocaleString('en-GB')}
      </span>
    )
  )
}

interface GroupProps {
  group: SidebarGroup
  folded: boolean
  failedOf: ReturnType<typeof useFailedCounts>
}

/** Opens automatically on one of its pages; otherwise as last left. */
function Group({ group, folded, failedOf }: GroupProps) {
  const here = useLocation({ select: ({ pathname }) => group.items.some((item) => isAt(pathname, item)) })
  const [open, setOpen] = useState(here)
  const [wasHere, setWasHere] = useState(here)
  if (here !== wasHere) {
    setWasHere(here)
    if (here) setOpen(true)
  }
  const Chevron = open ? IconChevronUp : IconChevronDown
  const items = group.items.map((item) => (
    <Item key={item.area} item={item} folded={folded} counted={failedOf(item.area)} />
  ))
  // When expanded, its items show their own counts.
  const ofAll = failed(open ? 0 : group.items.reduce((sum, { area }) => sum + failedOf(area).count, 0))
  if (folded) return items
  return (
    <li>
      <button
        type="button"
        className={classes.item}
        aria-expanded={open}
        aria-description={ofAll.count > 0 ? ofAll.words : undefined}
        onClick={() => setOpen(!open)}
      >
        <AreaIcon name={group.name} />
        <span className={classes.name}>{group.name}</span>
        <FailedCount count={ofAll.count} />
        <Chevron size={16} className={classes.chevron} aria-hidden />
      </button>
      {open && <ul className={classes.sub}>{items}</ul>}
    </li>
  )
}
