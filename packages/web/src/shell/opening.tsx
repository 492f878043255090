import { Button } from '@mantine/core'
import { Mark } from '../ui/mark.tsx'
import classes from './opening.module.css'

interface OpeningProps {
  /** What stands in the way, one sentence. */
  problem?: string
  onRetry?: () => void
  onLogout?: () => void
}

/** The loading state: neither the welcome screen nor any screen of a client, until it is known which. */
export function Opening({ problem, onRetry, onLogout }: OpeningProps) {
  return (
    <main className={classes.opening} aria-busy={!problem}>
      <Mark size={48} />
      {problem ? (
        <div role="alert" className={classes.problem}>
          <p>{problem}</p>
          <Button onClick={onRetry}>Retry</Button>
          {onLogout && (
            <Button variant="default" onClick={onLogout}>
              Logout
            </Button>
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
