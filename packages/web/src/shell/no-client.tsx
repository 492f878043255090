import { useQuery } from '@tanstack/react-query'
import type { Session } from '@caretaker/contract/session.ts'
import { usePageTitle } from '../api/page-title.ts'
import { settingsQuery } from '../api/settings.ts'
import { dateText } from '../ui/age.ts'
import { SignedInAs } from './client-selection.tsx'
import { Entrance } from './entrance.tsx'
import classes from './client-selection.module.css'

/** For a signed-in user without a client: the reason, and whom to ask. */
export function NoClient({ session }: { session: Session }) {
  usePageTitle('No client')
  const { title, text } = noClientText(session)
  const support = useQuery(settingsQuery).data?.support.email
  return (
    <Entrance>
      <SignedInAs session={session} />
      <h1 className={classes.title}>{title}</h1>
      <p>{text}</p>
      {!session.emailVerified && (
        <p>
          Your sign-in service has not confirmed that <b>{session.email}</b> is your e-mail address. An invitation is
          valid only for a confirmed address: ask the administrator of the sign-in service of your organisation.
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

function noClientText({ removedAt }: Session): { title: string; text: string } {
  if (removedAt === null)
    return {
      title: 'You do not belong to a client yet',
      text: 'Ask the person who invited you, or a manager of the client.',
    }
  const day = dateText(removedAt, Intl.DateTimeFormat().resolvedOptions().timeZone)
  return {
    title: 'You no longer have access',
    text: `You were removed from your last client on ${day}. If that is a mistake, ask a manager there to invite you again.`,
  }
}
