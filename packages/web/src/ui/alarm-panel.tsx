import type { ReactNode } from 'react'
import { StatusIcon } from './status-icon.tsx'
import classes from './alarm-panel.module.css'

interface AlarmPanelProps {
  tone: 'failed' | 'warning'
  /** What is wrong. */
  title: ReactNode
  /** What it means for the people there. */
  meaning?: ReactNode
  /** What decides: since when, how often, what the last attempt did. */
  facts?: ReactNode[]
  actions?: ReactNode
  /** One line, on pages that are about something else. */
  brief?: boolean
}

/** What is wrong, first thing on a page. It is announced once, when it appears. */
export function AlarmPanel({ tone, title, meaning, facts = [], actions, brief }: AlarmPanelProps) {
  const told = facts.filter((fact) => fact !== undefined && fact !== false && fact !== '')
  return (
    <section className={classes.panel} data-tone={tone} data-brief={brief || undefined} aria-label="Alarm">
      <StatusIcon tone={tone} size={brief ? 18 : 22} />
      <div className={classes.text}>
        <p className={classes.title} role="alert">
          {title}
        </p>
        {!brief && meaning && <p>{meaning}</p>}
        {!brief && told.length > 0 && (
          <ul className={classes.facts}>
            {told.map((fact, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- facts have their places and no names
              <li key={index}>{fact}</li>
            ))}
          </ul>
        )}
      </div>
      {actions && <div className={classes.actions}>{actions}</div>}
    </section>
  )
}
