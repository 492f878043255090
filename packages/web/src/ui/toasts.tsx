import type { ComponentType, ReactNode } from 'react'
import type { notifications as Notices, NotificationsProps } from '@mantine/notifications'
import {
  IconAlertCircleFilled,
  IconAlertTriangleFilled,
  IconCircleCheckFilled,
  IconInfoCircleFilled,
} from '../icons/index.ts'
import { lazily } from './lazily.tsx'
import classes from './toasts.module.css'

/** Milliseconds after which a toast goes by itself (core specification, 4.4). */
export const toastDuration = 4_000

/** Milliseconds of the animation with which a toast goes (estate specification, section 9). */
const removalTime = 550

/** Comes beside the page, which waits for none of it: it is there long before anything can go wrong or well. */
const library = import('@mantine/notifications')
const Notifications = lazily<NotificationsProps>(() =>
  library.then(
    ({ Notifications: shelf }) => shelf as ComponentType<NotificationsProps>,
    // Without it nothing is said, and the page works.
    () => () => null,
  ),
)

/** Says something as soon as there is a place for it, in the order in which it is said. */
function say(what: (notices: typeof Notices) => void): void {
  void library.then(({ notifications }) => what(notifications)).catch(() => undefined)
}

/** Where toasts appear; stands once, in the provider. */
export function Toasts() {
  return (
    <Notifications
      position="bottom-right"
      className={classes.place}
      containerWidth={380}
      autoClose={toastDuration}
      limit={4}
      transitionDuration={removalTime}
    />
  )
}

let shown = 0

function show(icon: ReactNode, message: ReactNode, tone: string, autoClose: number | false, key?: string): void {
  // While a toast of the same id is there, another one is not shown.
  const id = `toast-${key ?? ++shown}`
  say((notices) =>
    notices.show({
      id,
      message,
      icon,
      autoClose,
      withBorder: true,
      className: classes.toast,
      role: tone === 'failed' ? 'alert' : 'status',
      // Anywhere on the toast dismisses it, and so does its close button for the keyboard.
      onClick: () => notices.hide(id),
      'data-tone': tone,
    }),
  )
}

export function showError(text: string): void {
  show(<IconAlertCircleFilled aria-hidden />, text, 'failed', toastDuration)
}

/** An error of something that the page loads by itself: loaded again in vain, it adds no second toast to the first. */
export function showLoadError(text: string): void {
  show(<IconAlertCircleFilled aria-hidden />, text, 'failed', toastDuration, text)
}

/** One way on from a toast. */
export interface ToastAction {
  label: string
  onPress: () => void
}

export function showSuccess(text: string, action?: ToastAction): void {
  show(<IconCircleCheckFilled aria-hidden />, withAction(text, action), 'passed', toastDuration)
}

export function showWarning(text: string): void {
  show(<IconAlertTriangleFilled aria-hidden />, text, 'warning', toastDuration)
}

/** A toast that stays until it is dismissed, with one way on if there is one. */
export function showSticky(text: string, action?: ToastAction): void {
  show(<IconInfoCircleFilled aria-hidden />, withAction(text, action), 'info', false)
}

function withAction(text: string, action: ToastAction | undefined): ReactNode {
  if (!action) return text
  return (
    <span className={classes.sticky}>
      {text}
      <button type="button" className={classes.action} onClick={action.onPress}>
        {action.label}
      </button>
    </span>
  )
}

/** A toast that follows something on its way: its text changes in place, and `end` takes it away. */
export function showProgress(first: string): { update: (text: string) => void; end: () => void } {
  const id = `toast-${++shown}`
  let last = first
  say((notices) =>
    notices.show({
      id,
      message: first,
      loading: true,
      autoClose: false,
      withBorder: true,
      className: classes.toast,
      role: 'status',
      onClick: () => notices.hide(id),
    }),
  )
  return {
    update: (text) => {
      if (text === last) return
      last = text
      say((notices) => notices.update({ id, message: text, loading: true, autoClose: false }))
    },
    end: () => {
      say((notices) => notices.hide(id))
    },
  }
}
