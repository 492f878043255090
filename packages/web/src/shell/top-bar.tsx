import { ActionIcon, Menu } from '@mantine/core'
import {
  IconBuildingCommunity,
  IconChevronDown,
  IconLogout,
  IconMenu2,
  IconMoon,
  IconSun,
  IconUser,
} from '@tabler/icons-react'
import { pathTo } from '@caretaker/rules/identity/places.ts'
import { usePresence } from '../api/actor.ts'
import { signOut } from '../api/session.ts'
import { useSchemeSwitch } from '../ui/colour-scheme.ts'
import { AppLink, useGoTo } from '../ui/link.tsx'
import { Mark } from '../ui/mark.tsx'
import { Avatar } from './avatar.tsx'
import classes from './top-bar.module.css'

interface TopBarProps {
  menuOpen: boolean
  onMenu: () => void
  onChangeClient: () => void
}

export function TopBar({ menuOpen, onMenu, onChangeClient }: TopBarProps) {
  const { client } = usePresence()
  return (
    <header className={classes.bar}>
      <AppLink href={pathTo(client.id, 'Dashboard')} className={classes.brand}>
        <Mark />
        <span className={classes.names}>
          <span className={classes.client}>{client.displayName}</span>
          <span className={classes.product}>Caretaker</span>
        </span>
      </AppLink>
      <SchemeSwitch />
      <UserMenu onChangeClient={onChangeClient} />
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

function UserMenu({ onChangeClient }: { onChangeClient: () => void }) {
  const { user, client } = usePresence()
  const goTo = useGoTo()
  return (
    <Menu width={200} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <button type="button" className={classes.user}>
          <Avatar name={user.name} pictureUrl={user.pictureUrl} />
          <span className={classes.names}>
            <span className={classes.loggedIn}>Logged in as</span>
            <span className={classes.person}>{user.name}</span>
          </span>
          <IconChevronDown size={16} aria-hidden />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconUser size={18} />} onClick={() => goTo(pathTo(client.id, 'MyAccount'))}>
          My Account
        </Menu.Item>
        {user.tenants.length > 1 && (
          <Menu.Item leftSection={<IconBuildingCommunity size={18} />} onClick={onChangeClient}>
            Change Client
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconLogout size={18} />} onClick={() => void signOut()}>
          Logout
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
