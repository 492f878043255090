import { Button } from '@mantine/core'
import { IconCircleXFilled, IconRefresh } from '../icons/index.ts'
import classes from './failed-image.module.css'

/** The placeholder for a picture that failed to load or is invalid. */
export function FailedImage({ onRetry }: { onRetry: () => void }) {
  return (
    <div className={classes.failed} role="alert">
      <p>
        <IconCircleXFilled size={18} aria-hidden />
        Failed to load image
      </p>
      <Button variant="default" leftSection={<IconRefresh size={16} aria-hidden />} onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}
