import { Button, Drawer } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconBuildingCommunity, IconLogout, IconUser } from '../icons/index.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { usePresence } from '../api/actor.ts'
import { signOut } from '../api/session.ts'
import { useGoTo } from '../ui/link.tsx'
import { Avatar } from './avatar.tsx'
import { Navigation } from './navigation.tsx'
import classes from './mobile-drawer.module.css'

interface MobileDrawerProps {
  open: boolean
  onClose: () => void
  onChangeClient: () => void
}

/** The sidebar of a phone or landscape tablet: a drawer from the right, with the user's entries at its end. */
export function MobileDrawer({ open, onClose, onChangeClient }: MobileDrawerProps) {
  const { user, client } = usePresence()
  const goTo = useGoTo()
  const andClose = (action: () => void) => {
    onClose()
    action()
  }
  const narrow = useMediaQuery('(width < 64em)', false, { getInitialValueInEffect: false })
  return (
    <Drawer
      opened={open && narrow}
      onClose={onClose}
      title="Menu"
      classNames={{ body: classes.body, content: classes.content, header: classes.header }}
      transitionProps={{ duration: 160 }}
    >
      <Navigation />
      <div className={classes.person}>
        <div className={classes.who}>
          <Avatar name={user.name} pictureUrl={user.pictureUrl} />
          <span>
            <span className={classes.label}>Logged in as</span>
            <b>{user.name}</b>
          </span>
        </div>
        <Button
          variant="default"
          leftSection={<IconUser size={18} aria-hidden />}
          onClick={() => andClose(() => goTo(pathTo(client.id, 'MyAccount')))}
        >
          My Account
        </Button>
        {user.tenants.length > 1 && (
          <Button variant="default" leftSection={<IconBuildingCommunity size={18} />} onClick={onChangeClient}>
            Change Client
          </Button>
        )}
        <Button variant="default" leftSection={<IconLogout size={18} />} onClick={() => andClose(() => void signOut())}>
          Logout
        </Button>
      </div>
    </Drawer>
  )
}
