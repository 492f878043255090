import { useId, type ReactNode } from 'react'
import { AppLink } from './link.tsx'
import classes from './card.module.css'

interface CardProps {
  title: ReactNode
  icon?: ReactNode
  /** The link of the title. */
  href?: string | undefined
  /** Between title and total. */
  aside?: ReactNode
  /** The total, large, at the end of the title. */
  total?: number
  /** Controls at the end of the title. */
  actions?: ReactNode
  /** A last row after a divider. */
  footer?: ReactNode
  className?: string | undefined
  children?: ReactNode
}

/**
 * A bordered box: title with icon at the left, total at the right. Content is divided by lines, not by nested boxes.
 */
export function Card({ title, icon, href, aside, total, actions, footer, className, children }: CardProps) {
  const id = useId()
  return (
    <section className={className ? `${classes.card} ${className}` : classes.card} aria-labelledby={id}>
      <header className={classes.head}>
        <h2 id={id} className={classes.title}>
          {icon}
          {href ? <AppLink href={href}>{title}</AppLink> : <span>{title}</span>}
        </h2>
        {aside && <div className={classes.aside}>{aside}</div>}
        {total !== undefined && (
          <span className={classes.total} data-zero={total === 0 || undefined}>
            {total.toLocaleString('en-GB')}
          </span>
        )}
        {actions && <div className={classes.actions}>{actions}</div>}
      </header>
      <div className={classes.body}>{children}</div>
      {footer && <footer className={classes.footer}>{footer}</footer>}
    </section>
  )
}

/** A label with its figure in a card footer; zero is not a link. */
export function Figure({ label, value, href }: { label: string; value: number; href?: string | undefined }) {
  const parts = (
    <>
      {label} <b data-zero={value === 0 || undefined}>{value.toLocaleString('en-GB')}</b>
    </>
  )
  if (!href || value === 0) return <span className={classes.figure}>{parts}</span>
  return (
    <AppLink className={classes.figure} href={href}>
      {parts}
    </AppLink>
  )
}
