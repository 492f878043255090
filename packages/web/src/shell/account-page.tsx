import { Button } from '@mantine/core'
import { IconBuildingCommunity, IconLogout } from '../icons/index.ts'
import { roleWords } from '@caretaker/rules/tenants/clients.ts'
import { usePresence } from '../api/actor.ts'
import { usePageTitle } from '../api/page-title.ts'
import { signOut } from '../api/session.ts'
import { PageHead } from '../ui/page-head.tsx'
import { AccountSecurity } from './account-security.tsx'
import { AccountSessions } from './account-sessions.tsx'
import { Avatar } from './avatar.tsx'
import { StartPageSelect } from './start-page-select.tsx'
import { useChangeClient } from './use-change-client.ts'
import classes from './account-page.module.css'

/** The signed-in user with the role in this client. */
export function AccountPage() {
  const { user, client, email } = usePresence()
  usePageTitle('My Account', client.displayName)
  const changeClient = useChangeClient()
  return (
    <>
      <PageHead title="My Account" />
      <section className={classes.card} aria-label="My Account">
        <div className={classes.who}>
          <Avatar name={user.name} pictureUrl={user.pictureUrl} />
          <span className={classes.name}>{user.name}</span>
        </div>
        <dl className={classes.facts}>
          <dt>E-mail</dt>
          <dd>{email}</dd>
          <dt>Client</dt>
          <dd>{client.displayName}</dd>
          <dt>Role</dt>
          <dd>{roleWords(client.role)}</dd>
        </dl>
        <div className={classes.start}>
          <StartPageSelect />
        </div>
        <div className={classes.actions}>
          {user.tenants.length > 1 && (
            <Button
              variant="default"
              leftSection={<IconBuildingCommunity size={18} aria-hidden />}
              onClick={changeClient}
            >
              Change Client
            </Button>
          )}
          <Button variant="default" leftSection={<IconLogout size={18} aria-hidden />} onClick={() => void signOut()}>
            Logout
          </Button>
        </div>
      </section>
      <AccountSecurity />
      <AccountSessions />
    </>
  )
}
