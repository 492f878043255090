import { Mark } from '../ui/mark.tsx'
import { PlainButton } from './plain-button.tsx'
import classes from './opening.module.css'

interface OpeningProps {
  /** The problem, in one sentence. */
  problem?: string
  onRetry?: () => void
  onLogout?: () => void
}

/** The loading state before it is known whether to show the welcome screen or a client. */
export function Opening({ problem, onRetry, onLogout }: OpeningProps) {
  return (
    <main className={classes.opening} aria-busy={!problem}>
      <Mark size={48} />
      {problem ? (
        <div role="alert" className={classes.problem}>
          <p>{problem}</p>
          <PlainButton onClick={onRetry}>Retry</PlainButton>
          {onLogout && (
            <PlainButton onClick={onLogout} isSecondary>
              Logout
            </PlainButton>
          )}
        </div>
      ) : (
        <p role="status" className={classes.loading}>
          Loading ...
        </p>
      )}
    </main>
  )
}
