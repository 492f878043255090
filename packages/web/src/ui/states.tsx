import type { CSSProperties, ReactNode } from 'react'
import { Button } from '@mantine/core'
import { IconArrowLeft, IconCircleXFilled, IconLock, IconMapQuestion, IconRefresh } from '../icons/index.ts'
import { statusText } from '@caretaker/contract/error-texts.ts'
import { AppLink } from './link.tsx'
import classes from './states.module.css'

/** A placeholder bar for a text that is loading. */
export function Bar({ width = '60%', height }: { width?: CSSProperties['width']; height?: CSSProperties['height'] }) {
  return <span className={classes.bar} style={{ width, height }} aria-hidden />
}

/**
 * A placeholder in the layout of the content; appears after 150 ms, so that quick responses do not flicker. Some text
 * lines by default.
 */
export function Loading({ label = 'Loading', children }: { label?: string; children?: ReactNode }) {
  return (
    <div className={classes.loading} role="status" aria-busy>
      <span className="visually-hidden">{label}</span>
      <div className={classes.delayed}>{children ?? <LoadingLines />}</div>
    </div>
  )
}

/** Placeholder bars for lines of text. */
export function LoadingLines({ lines = 4 }: { lines?: number }) {
  return (
    <div className={classes.lines}>
      {Array.from({ length: lines }, (_, line) => (
        <Bar key={line} width={`${[72, 88, 56, 80][line % 4]}%`} />
      ))}
    </div>
  )
}

interface StateProps {
  icon?: ReactNode
  text: ReactNode
  /** A second line: the meaning, or who can help. */
  hint?: ReactNode
  /** One action. */
  action?: ReactNode
  role?: 'alert' | 'status'
}

function State({ icon, text, hint, action, role }: StateProps) {
  return (
    <div className={classes.state} role={role}>
      <p className={classes.text}>
        {icon}
        <span>{text}</span>
      </p>
      {hint && <p className={classes.hint}>{hint}</p>}
      {action && <div className={classes.action}>{action}</div>}
    </div>
  )
}

/** An empty state: the reason in one sentence, and one action. */
export function Empty({ icon, text, hint, action }: Omit<StateProps, 'role'>) {
  return <State icon={icon} text={text} hint={hint} action={action} role="status" />
}

interface FailedProps {
  /** The failure in one sentence. */
  text?: string
  hint?: ReactNode
  onRetry?: () => void
}

/** A failed load; in a card it affects only that card. */
export function Failed({ text = 'Failed to Load', hint, onRetry }: FailedProps) {
  return (
    <State
      role="alert"
      icon={<IconCircleXFilled size={18} className={classes.failed} aria-hidden />}
      text={text}
      hint={hint}
      action={
        onRetry && (
          <Button variant="default" leftSection={<IconRefresh size={16} aria-hidden />} onClick={onRetry}>
            Retry
          </Button>
        )
      }
    />
  )
}

interface BackLink {
  href: string
  label: string
}

function Back({ back }: { back?: BackLink }) {
  if (!back) return undefined
  return (
    <AppLink href={back.href} className={classes.back}>
      <IconArrowLeft size={16} aria-hidden />
      {back.label}
    </AppLink>
  )
}

/** A page without permission: who can grant it, and a back link. */
export function Refused({ back, hint }: { back?: BackLink; hint?: ReactNode }) {
  return (
    <State
      role="alert"
      icon={<IconLock size={18} className={classes.quiet} aria-hidden />}
      text={statusText(403)}
      hint={hint ?? 'A manager of this client can give you another role.'}
      action={<Back back={back} />}
    />
  )
}

/** A page or item that does not exist, or that the user must not know about. */
export function NotFound({ back, hint }: { back?: BackLink; hint?: ReactNode }) {
  return (
    <State
      role="status"
      icon={<IconMapQuestion size={18} className={classes.quiet} aria-hidden />}
      text={statusText(404)}
      hint={hint}
      action={<Back back={back} />}
    />
  )
}
