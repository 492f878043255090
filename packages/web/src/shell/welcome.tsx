import { useState } from 'react'
import { Button } from '@mantine/core'
import { IconAlertCircle, IconClockOff } from '../icons/index.ts'
import { signIn } from '../api/session.ts'
import type { Notice as Why } from '../api/session.ts'
import { Entrance } from './entrance.tsx'
import { usePageTitle } from '../api/page-title.ts'
import classes from './welcome.module.css'

const notices = {
  ended: { icon: IconClockOff, text: 'Your session has ended. Log in again to continue where you left off.' },
  failed: { icon: IconAlertCircle, text: 'Signing in did not work. Please try again.' },
  refused: { icon: IconAlertCircle, text: 'Caretaker did not accept your sign-in.' },
}

const unnamed = 'The operator of Caretaker can find the reason in the server log.'

/** The welcome screen for a signed-out user. */
export function Welcome({ notice }: { notice?: Why | undefined }) {
  usePageTitle('Welcome')
  const [leaving, setLeaving] = useState(false)
  const login = () => {
    setLeaving(true)
    void signIn().finally(() => setLeaving(false))
  }
  return (
    <Entrance pictureOnPhone>
      {notice && <Notice why={notice} />}
      <h1 className={classes.title}>Welcome to Caretaker</h1>
      <p className={classes.text}>
        The lights, boilers, sensors and gateways of your buildings: what works, what needs attention and what to do
        about it.
      </p>
      <Button className={classes.login} size="md" onClick={login} loading={leaving}>
        Login
      </Button>
    </Entrance>
  )
}

function Notice({ why }: { why: Why }) {
  const { icon: Icon, text } = notices[why.kind]
  const reason = why.kind === 'ended' ? undefined : why.reason
  return (
    <div className={classes.notice} role="status">
      <Icon size={20} aria-hidden />
      <div>
        {text}
        {reason && why.kind === 'failed' && (
          <p className={classes.reason}>Reason given by the sign-in page: “{reason}”</p>
        )}
        {why.kind === 'refused' && <p className={classes.reason}>{reason ?? unnamed}</p>}
      </div>
    </div>
  )
}
