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
        This needs a sign-in of the last {recentSignInMinutes} minutes. A window opens in which you sign in; then we
        carry on here.
      </p>
    </ConfirmDialog>
  )
}
