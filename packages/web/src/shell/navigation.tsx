import { useState } from 'react'
import { IconChevronDown, IconChevronUp } from '../icons/index.ts'
import { useLocation } from '@tanstack/react-router'
import { pathTo } from '@caretaker/rules/links/places.ts'
import type { SidebarGroup, SidebarItem } from '@caretaker/rules/shell/sidebar.ts'
import { isAt, sidebarFor } from '@caretaker/rules/shell/sidebar.ts'
import { useActor } from '../api/actor.ts'
import { AppLink } from '../ui/link.tsx'
import { AreaIcon } from './area-icon.tsx'
import classes from './navigation.module.css'

interface NavigationProps {
  /** Icons only, names for assistive technology and as tooltips; groups lie open, because they have no room for a name. */
  folded?: boolean
}

/** The links of the application that the person may use, in the sidebar and in the drawer. */
export function Navigation({ folded = false }: NavigationProps) {
  const actor = useActor()
  return (
    <nav className={classes.navigation} aria-label="Main" data-folded={folded || undefined}>
      <ul>
        {sidebarFor(actor).map((entry) =>
          'items' in entry ? (
            <Group key={entry.name} group={entry} folded={folded} />
          ) : (
            <Item key={entry.name} item={entry} folded={folded} />
          ),
        )}
      </ul>
    </nav>
  )
}

function Item({ item, folded }: { item: SidebarItem; folded: boolean }) {
  const { tenant } = useActor()
  const here = useLocation({ select: ({ pathname }) => isAt(pathname, item) })
  return (
    <li data-area={item.area}>
      <AppLink
        href={pathTo(tenant, item.area)}
        className={classes.item}
        aria-current={here ? 'page' : undefined}
        title={folded ? item.name : undefined}
      >
        <AreaIcon name={item.area} />
        <span className={classes.name}>{item.name}</span>
      </AppLink>
    </li>
  )
}

/** Opens by itself when the person comes to one of its items; otherwise as it was left. */
function Group({ group, folded }: { group: SidebarGroup; folded: boolean }) {
  const here = useLocation({ select: ({ pathname }) => group.items.some((item) => isAt(pathname, item)) })
  const [open, setOpen] = useState(here)
  const [wasHere, setWasHere] = useState(here)
  if (here !== wasHere) {
    setWasHere(here)
    if (here) setOpen(true)
  }
  const Chevron = open ? IconChevronUp : IconChevronDown
  const items = group.items.map((item) => <Item key={item.area} item={item} folded={folded} />)
  if (folded) return items
  return (
    <li>
      <button type="button" className={classes.item} aria-expanded={open} onClick={() => setOpen(!open)}>
        <AreaIcon name={group.name} />
        <span className={classes.name}>{group.name}</span>
        <Chevron size={16} className={classes.chevron} aria-hidden />
      </button>
      {open && <ul className={classes.sub}>{items}</ul>}
    </li>
  )
}
