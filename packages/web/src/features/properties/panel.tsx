import { useId, type ReactNode } from 'react'
import classes from './panel.module.css'

interface PanelProps {
  title: ReactNode
  /** How many rows it has, where that is known. */
  total?: number | undefined
  /** Controls at the end of the title. */
  actions?: ReactNode
  children: ReactNode
}

/** A box with a hairline around a table of a tab: its rows reach from edge to edge. */
export function Panel({ title, total, actions, children }: PanelProps) {
  const id = useId()
  return (
    <section className={classes.panel} aria-labelledby={id}>
      <header className={classes.head}>
        <h2 id={id}>{title}</h2>
        {total !== undefined && <span className={classes.total}>{total.toLocaleString('en-GB')}</span>}
        {actions && <div className={classes.actions}>{actions}</div>}
      </header>
      {children}
    </section>
  )
}

/** The panels of a tab, below each other. */
export function Panels({ children }: { children: ReactNode }) {
  return <div className={classes.page}>{children}</div>
}
