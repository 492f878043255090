import { Button } from '@mantine/core'
import { IconRefresh } from '../icons/index.ts'
import classes from './list.module.css'

interface UpdateButtonProps {
  /** Newer data is waiting to be shown. */
  waiting: boolean
  onPress: () => void
}

/** Shows the newest data; a dot indicates that there is some. */
export function UpdateButton({ waiting, onPress }: UpdateButtonProps) {
  return (
    <Button
      variant="default"
      className={classes.update}
      leftSection={<IconRefresh size={16} aria-hidden />}
      title={waiting ? 'Newer data is available' : 'Update'}
      onClick={onPress}
    >
      <span className={classes.word}>Update</span>
      {waiting && (
        <span className={classes.dot} role="status">
          <span className="visually-hidden">Newer data is available</span>
        </span>
      )}
    </Button>
  )
}
