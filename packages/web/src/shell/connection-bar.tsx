import { Button } from '@mantine/core'
import { IconCloudOff } from '../icons/index.ts'
import { reach, useReach } from '../api/reach.ts'
import { TimeOf } from '../ui/zone.tsx'
import classes from './connection-bar.module.css'

/** While the server is unreachable, states the time of the shown data; nothing otherwise. */
export function ConnectionBar() {
  const { lost, heardAt } = useReach()
  return (
    <div className={classes.place} role="status">
      {lost && (
        <div className={classes.bar}>
          <IconCloudOff size={16} aria-hidden />
          <span>
            Connection lost. What you see is from{' '}
            <b>
              <TimeOf at={heardAt} />
            </b>
            ; it is asked for again by itself.
          </span>
          <Button variant="default" className={classes.now} onClick={reach.hurry}>
            Try now
          </Button>
        </div>
      )}
    </div>
  )
}
