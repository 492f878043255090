import { answerConfirmation, signInAgain } from '../api/session.ts'
import { recentSignInMinutes } from '@caretaker/rules/identity/sign-in-policy.ts'
import { ConfirmDialog } from '../ui/dialog.tsx'

/** Asks a person to sign in again before something that needs a recent sign-in. */
export function SignInAgainDialog() {
  const confirm = async () => {
    try {
      await signInAgain()
      return true as const
    } catch {
      return ['You were not signed in again. Please try once more.']
    }
  }
  return (
    <ConfirmDialog
      title="Confirm that it is you"
      verb="Sign in again"
      onConfirm={confirm}
      onDone={() => answerConfirmation(true)}
      onClose={() => answerConfirmation(false)}
    >
      <p>
        You last signed in more than {recentSignInMinutes} minutes ago. Sign in again in the window that opens; then you
        can continue here.
      </p>
    </ConfirmDialog>
  )
}
