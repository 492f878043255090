import type { ReactNode } from 'react'
import { IconAlertTriangleFilled, IconCircleCheckFilled, IconCircleXFilled } from '../icons/index.ts'
import classes from './info-message.module.css'

const icons = { error: IconCircleXFilled, warning: IconAlertTriangleFilled, success: IconCircleCheckFilled }

interface InfoMessageProps {
  type: keyof typeof icons
  children: ReactNode
}

/** A card with a message; an error is announced. */
export function InfoMessage({ type, children }: InfoMessageProps) {
  const Icon = icons[type]
  return (
    <div role={type === 'error' ? 'alert' : undefined} className={classes.message} data-type={type}>
      <Icon size={18} aria-hidden />
      <div>{children}</div>
    </div>
  )
}
