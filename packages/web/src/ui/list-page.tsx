import type { ReactNode } from 'react'
import classes from './list-page.module.css'

interface ListPageProps {
  title: string
  /** How many there are in all. */
  count?: number | undefined
  /** How many of them the page is narrowed to. */
  shown?: number
  /** Controls at the end of the title's line. */
  actions?: ReactNode
  /** Stands beside the table; nothing as long as there is no room for it. */
  aside?: ReactNode
  children: ReactNode
}

/** A page that is one table: its head stays, and the rows scroll below it. */
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
