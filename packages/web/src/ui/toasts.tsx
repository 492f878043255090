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

/** Milliseconds after which a toast disappears (core specification, 4.4). */
export const toastDuration = 4_000

/** The duration of a toast's exit animation in ms (estate specification, section 9). */
const removalTime = 550

/** Loaded in parallel with the page, long before a toast is needed. */
const library = import('@mantine/notifications')
const Notifications = lazily<NotificationsProps>(() =>
  library.then(
    ({ Notifications: shelf }) => shelf as ComponentType<NotificationsProps>,
    // If it fails to load, no toasts appear, but the page works.
    () => () => null,
  ),
)

/** Shows toasts, in order, once the library is loaded. */
function whenLoaded(what: (notices: typeof Notices) => void): void {
  void library.then(({ notifications }) => what(notifications)).catch(() => undefined)
}

/** The container of toasts; rendered once in the provider. */
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
  // While a toast with the same id is shown, no second one appears.
  const id = `toast-${key ?? ++shown}`
  whenLoaded((notices) =>
    notices.show({
      id,
      message,
      icon,
      autoClose,
      withBorder: true,
      className: classes.toast,
      role: tone === 'failed' ? 'alert' : 'status',
      // A click anywhere on the toast dismisses it; its close button is for the keyboard.
      onClick: () => notices.hide(id),
      'data-tone': tone,
    }),
  )
}

export function showError(text: string): void {
  show(<IconAlertCircleFilled aria-hidden />, text, 'failed', toastDuration)
}

/** A load error of the page itself: a repeated failure adds no second toast. */
export function showLoadError(text: string): void {
  show(<IconAlertCircleFilled aria-hidden />, text, 'failed', toastDuration, text)
}

/** One action of a toast. */
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

/** A toast that stays until dismissed, with an optional action. */
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

/** A toast for progress: its text changes in place, and `end` removes it. */
export function showProgress(first: string): { update: (text: string) => void; end: () => void } {
  const id = `toast-${++shown}`
  let last = first
  whenLoaded((notices) =>
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
      whenLoaded((notices) => notices.update({ id, message: text, loading: true, autoClose: false }))
    },
    end: () => {
      whenLoaded((notices) => notices.hide(id))
    },
  }
}
