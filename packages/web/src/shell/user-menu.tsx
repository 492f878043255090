import { useEffect, useRef, useState } from 'react'
import { Menu } from '@mantine/core'
import { IconBuildingCommunity, IconListCheck, IconLogout, IconUser } from '../icons/index.ts'
import { bulkActions, mayDoInBulk } from '@caretaker/rules/actions/actions.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { usePresence } from '../api/actor.ts'
import { signOut } from '../api/session.ts'
import { useGoTo } from '../ui/link.tsx'
import { UserButton } from './user-button.tsx'

/** The user menu, loaded on first use and opened at once. */
export function UserMenu({ onChangeClient }: { onChangeClient: () => void }) {
  const { user, actor, client } = usePresence()
  const goTo = useGoTo()
  const button = useRef<HTMLButtonElement>(null)
  const [opened, setOpened] = useState(false)
  useEffect(() => {
    // The clicked button no longer exists; closing the menu returns the focus to this one.
    button.current?.focus()
    // oxlint-disable-next-line react/set-state-in-effect -- only once the focus is where the menu will give it back
    setOpened(true)
  }, [])
  return (
    <Menu width={200} withInitialFocusPlaceholder={false} opened={opened} onChange={setOpened}>
      <Menu.Target>
        <UserButton ref={button} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconUser size={18} />} onClick={() => goTo(pathTo(client.id, 'MyAccount'))}>
          My Account
        </Menu.Item>
        {bulkActions.some((action) => mayDoInBulk(actor, action)) && (
          <Menu.Item leftSection={<IconListCheck size={18} />} onClick={() => goTo(pathTo(client.id, 'BulkActions'))}>
            My bulk actions
          </Menu.Item>
        )}
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
