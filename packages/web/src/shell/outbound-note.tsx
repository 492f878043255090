import { IconAlertTriangle } from '../icons/alert-triangle.ts'
import classes from './outbound-note.module.css'

/** States that nothing leaves this installation. */
export function OutboundNote() {
  return (
    <div className={classes.bar} role="note" aria-label="Outbound messages">
      <IconAlertTriangle size={16} aria-hidden />
      <span>
        Trial installation: e-mails, webhooks and commands to devices are not sent (CARETAKER_OUTBOUND is off).
      </span>
    </div>
  )
}
