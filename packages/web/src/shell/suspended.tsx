import { useQuery } from '@tanstack/react-query'
import type { Session } from '@caretaker/contract/session.ts'
import { usePageTitle } from '../api/page-title.ts'
import { settingsQuery } from '../api/settings.ts'
import { dateText } from '../ui/age.ts'
import { AppLink } from '../ui/link.tsx'
import { SignedInAs } from './client-selection.tsx'
import { Entrance } from './entrance.tsx'
import classes from './client-selection.module.css'

interface SuspendedProps {
  session: Session
  client: Session['tenants'][number]
}

/** For a user whose client is suspended: since when, why, and whom to ask. */
export function Suspended({ session, client }: SuspendedProps) {
  usePageTitle('Suspended')
  const support = useQuery(settingsQuery).data?.support.email
  const { since, reason } = client.suspension!
  return (
    <Entrance>
      <SignedInAs session={session} />
      <h1 className={classes.title}>{client.displayName} is suspended</h1>
      <p>
        Since {dateText(since, client.timeZone)}: {reason}
      </p>
      {session.tenants.length > 1 && (
        <p>
          <AppLink href="/Dashboard" className={classes.support}>
            Select another client
          </AppLink>
        </p>
      )}
      {support && (
        <p>
          Support:{' '}
          <a className={classes.support} href={`mailto:${support}`}>
            {support}
          </a>
        </p>
      )}
    </Entrance>
  )
}
