import { useState } from 'react'
import { ActionIcon } from '@mantine/core'
import { IconMenu2, IconMoon, IconSun } from '../icons/index.ts'
import { Bell } from '../alerts/bell.tsx'
import { useSchemeSwitch } from '../ui/colour-scheme.ts'
import { lazily } from '../ui/lazily.tsx'
import { Brand } from './brand.tsx'
import { PaletteOpener } from './palette/opener.tsx'
import { UserButton } from './user-button.tsx'
import classes from './top-bar.module.css'

// Most visits never open it, so it is loaded on demand.
const UserMenu = lazily(async () => (await import('./user-menu.tsx')).UserMenu)

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
      <WantedUserMenu onChangeClient={onChangeClient} />
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

function WantedUserMenu({ onChangeClient }: { onChangeClient: () => void }) {
  const [wanted, setWanted] = useState(false)
  const button = <UserButton onClick={() => setWanted(true)} onMouseEnter={UserMenu.fetch} onFocus={UserMenu.fetch} />
  return wanted ? <UserMenu onChangeClient={onChangeClient} fallback={button} /> : button
}
