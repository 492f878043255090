import { useQuery } from '@tanstack/react-query'
import { settingsQuery } from '../api/settings.ts'
import { IconAlertTriangle } from '../icons/index.ts'
import classes from './outbound-bar.module.css'

/** States on every page that nothing leaves this installation; nothing in others. */
export function OutboundBar() {
  // The start of the session has loaded the settings.
  const { data } = useQuery({ ...settingsQuery, enabled: false })
  if (data?.outbound !== false) return null
  return (
    <div className={classes.bar} role="note" aria-label="Outbound messages">
      <IconAlertTriangle size={16} aria-hidden />
      <span>
        Trial installation: e-mails, webhooks and commands to devices are not sent (CARETAKER_OUTBOUND is off).
      </span>
    </div>
  )
}
