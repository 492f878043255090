import type { ReactNode } from 'react'
import classes from './list-page.module.css'

interface ListPageProps {
  title: string
  /** The total number. */
  count?: number | undefined
  /** The number after filtering. */
  shown?: number
  /** Controls at the end of the title line. */
  actions?: ReactNode
  /** Content beside the table; hidden if there is no room. */
  aside?: ReactNode
  children: ReactNode
}

/** A page with one table: its header stays, and the rows scroll. */
export function ListPage({ title, count, shown, actions, aside, children }: ListPageProps) {
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <h1 className={classes.title}>{title}</h1>
        {count !== undefined && (
          <span className={classes.count}>
            {shown !== undefined && `${shown.toLocaleString('en-GB')} of `}
            {count.toLocaleString('en-GB')}
          </span>
        )}
        {actions && <div className={classes.actions}>{actions}</div>}
      </header>
      {aside === undefined ? (
        children
      ) : (
        <div className={classes.beside}>
          <div className={classes.list}>{children}</div>
          {aside}
        </div>
      )}
    </div>
  )
}
