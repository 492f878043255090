import { useId, type ReactNode } from 'react'
import classes from './panel.module.css'

interface PanelProps {
  title: ReactNode
  /** The number of rows, if known. */
  total?: number | undefined
  /** Controls at the end of the title. */
  actions?: ReactNode
  children: ReactNode
}

/** A bordered box around a table whose rows reach the edges. */
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

/** The stacked panels of a tab. */
export function Panels({ children }: { children: ReactNode }) {
  return <div className={classes.page}>{children}</div>
}
