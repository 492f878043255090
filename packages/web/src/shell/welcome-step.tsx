import { IconAlertCircle } from '../icons/alert-circle.ts'
import { IconClockOff } from '../icons/clock-off.ts'
import type { Notice as Why } from '../api/session.ts'
import { PlainButton } from './plain-button.tsx'
import classes from './welcome-step.module.css'

const notices = {
  ended: { icon: IconClockOff, text: 'Your session has ended. Log in again to continue where you left off.' },
  failed: { icon: IconAlertCircle, text: 'Signing in did not work. Please try again.' },
  refused: { icon: IconAlertCircle, text: 'Caretaker did not accept your sign-in.' },
}

const unnamed = 'The operator of Caretaker can find the reason in the server log.'

interface WelcomeStepProps {
  notice?: Why | undefined
  /** Whether the browser is on its way to the provider. */
  isLeaving: boolean
  onLogin: () => void
}

/** The content of the welcome screen. */
export function WelcomeStep({ notice, isLeaving, onLogin }: WelcomeStepProps) {
  return (
    <>
      {notice && <Notice why={notice} />}
      <h1 className={classes.title}>Welcome to Caretaker</h1>
      <p className={classes.text}>
        The lights, boilers, sensors and gateways of your buildings: what works, what needs attention and what to do
        about it.
      </p>
      <PlainButton className={classes.login} onClick={onLogin} isBusy={isLeaving}>
        Login
      </PlainButton>
    </>
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
