import type { ReactNode } from 'react'
import classes from './list-page.module.css'

interface ListPageProps {
  title: string
  /** How many there are in all. */
  count?: number | undefined
  /** How many of them the page is narrowed to. */
  shown?: number
  children: ReactNode
}

/** A page that is one table: its head stays, and the rows scroll below it. */
export function ListPage({ title, count, shown, children }: ListPageProps) {
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
      </header>
      {children}
    </div>
  )
}
