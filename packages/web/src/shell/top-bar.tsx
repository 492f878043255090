import { lazy, Suspense, useState } from 'react'
import { ActionIcon } from '@mantine/core'
import { IconMenu2, IconMoon, IconSun } from '@tabler/icons-react'
import { Bell } from '../alerts/bell.tsx'
import { useSchemeSwitch } from '../ui/colour-scheme.ts'
import { Brand } from './brand.tsx'
import { PaletteOpener } from './palette/opener.tsx'
import { UserButton } from './user-button.tsx'
import classes from './top-bar.module.css'

const loadUserMenu = () => import('./user-menu.tsx')
const UserMenu = lazy(async () => ({ default: (await loadUserMenu()).UserMenu }))

interface TopBarProps {
  menuOpen: boolean
  onMenu: () => void
  onChangeClient: () => void
}

export function TopBar({ menuOpen, onMenu, onChangeClient }: TopBarProps) {
  return (
    <header className={classes.bar}>
      <Brand />
      <PaletteOpener />
      <span className={classes.bell}>
        <Bell />
      </span>
      <SchemeSwitch />
      <LazyUserMenu onChangeClient={onChangeClient} />
      <ActionIcon
        className={classes.burger}
        size={40}
        aria-label="Menu"
        aria-expanded={menuOpen}
        aria-haspopup="dialog"
        onClick={onMenu}
      >
        <IconMenu2 size={24} />
      </ActionIcon>
    </header>
  )
}

function SchemeSwitch() {
  const { shown, toggle } = useSchemeSwitch()
  return (
    <ActionIcon
      className={classes.scheme}
      size={36}
      onClick={toggle}
      aria-label={shown === 'dark' ? 'Use light colours' : 'Use dark colours'}
    >
      {shown === 'dark' ? <IconSun size={20} /> : <IconMoon size={20} />}
    </ActionIcon>
  )
}

/** Most visits never open it, so its menu is no part of the first script. */
function LazyUserMenu({ onChangeClient }: { onChangeClient: () => void }) {
  const [wanted, setWanted] = useState(false)
  const prepare = () => void loadUserMenu()
  const button = <UserButton onClick={() => setWanted(true)} onMouseEnter={prepare} onFocus={prepare} />
  if (!wanted) return button
  return (
    <Suspense fallback={button}>
      <UserMenu onChangeClient={onChangeClient} />
    </Suspense>
  )
}
