import type { ReactNode } from 'react'
import { notifications, Notifications } from '@mantine/notifications'
import { IconAlertCircleFilled, IconCircleCheckFilled, IconInfoCircleFilled } from '@tabler/icons-react'
import classes from './toasts.module.css'

/** Milliseconds after which a toast goes by itself (core specification, 4.4). */
export const toastDuration = 4_000

/** Where toasts appear; stands once, in the provider. */
export function Toasts() {
  return <Notifications position="bottom-right" autoClose={toastDuration} limit={4} transitionDuration={200} />
}

let shown = 0

function show(icon: ReactNode, message: ReactNode, tone: string, autoClose: number | false): void {
  const id = `toast-${++shown}`
  notifications.show({
    id,
    message,
    icon,
    autoClose,
    withBorder: true,
    className: classes.toast,
    role: tone === 'failed' ? 'alert' : 'status',
    // Anywhere on the toast dismisses it, and so does its close button for the keyboard.
    onClick: () => notifications.hide(id),
    'data-tone': tone,
  })
}

export function showError(text: string): void {
  show(<IconAlertCircleFilled aria-hidden />, text, 'failed', toastDuration)
}

export function showSuccess(text: string): void {
  show(<IconCircleCheckFilled aria-hidden />, text, 'passed', toastDuration)
}

/** A toast that stays until it is dismissed, with one way on if there is one. */
export function showSticky(text: string, action?: { label: string; onPress: () => void }): void {
  const message = (
    <span className={classes.sticky}>
      {text}
      {action && (
        <button type="button" className={classes.action} onClick={action.onPress}>
          {action.label}
        </button>
      )}
    </span>
  )
  show(<IconInfoCircleFilled aria-hidden />, message, 'info', false)
}
