import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { BrowserSession } from '@caretaker/contract/account.ts'
import { endBrowserSession, endOtherBrowserSessions } from '@caretaker/contract/calls/account.ts'
import { call } from '../api/call.ts'
import { textsOf } from '../api/errors.ts'
import { dateTimeText } from '../ui/age.ts'
import { Card } from '../ui/card.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { useZone } from '../ui/zone.tsx'
import { accountSecurityQuery, browserSessionsQuery } from './account-queries.ts'
import classes from './account-security.module.css'

/** The browsers in which the person is signed in. */
export function AccountSessions() {
  const zone = useZone()
  const queryClient = useQueryClient()
  const { data: security } = useQuery(accountSecurityQuery)
  const { data: sessions } = useQuery({ ...browserSessionsQuery, enabled: security?.isAvailable === true })
  const [ending, setEnding] = useState<BrowserSession | 'others'>()
  if (!sessions) return undefined
  const end = async () => {
    const ended =
      ending === 'others'
        ? call(endOtherBrowserSessions, {})
        : call(endBrowserSession, { params: { sessionId: ending!.id } })
    try {
      await ended
      await queryClient.invalidateQueries({ queryKey: browserSessionsQuery.queryKey })
      return true as const
    } catch (error) {
      return textsOf(error)
    }
  }
  return (
    <Card title="Where you are signed in" className={classes.card}>
      <ul className={classes.list}>
        {sessions.map((session) => (
          <li key={session.id} className={classes.row}>
            <span className={classes.what}>
              <b>
                {session.browser}
                {session.isCurrent && ' (this session)'}
              </b>
              <span className={classes.dimmed}>
                Network {session.network}, signed in {dateTimeText(session.signedInAt, zone)}, last used{' '}
                {dateTimeText(session.lastUsedAt, zone)}
              </span>
            </span>
            {!session.isCurrent && (
              <Button
                variant="default"
                aria-label={`Sign out of ${session.browser}, last used ${dateTimeText(session.lastUsedAt, zone)}`}
                onClick={() => setEnding(session)}
              >
                Sign out
              </Button>
            )}
          </li>
        ))}
      </ul>
      {sessions.length > 1 && (
        <div className={classes.actions}>
          <Button variant="default" onClick={() => setEnding('others')}>
            Sign out of all others
          </Button>
        </div>
      )}
      {ending && (
        <ConfirmDialog
          title={ending === 'others' ? 'Sign out of all other browsers' : `Sign out of ${ending.browser}`}
          verb="Sign out"
          onConfirm={end}
          onClose={() => setEnding(undefined)}
        >
          <p>Open pages there lose access within a minute.</p>
          <p>
            Remembered browsers are forgotten: all of them need your second factor at the next sign-in, including this
            one.
          </p>
        </ConfirmDialog>
      )}
    </Card>
  )
}
