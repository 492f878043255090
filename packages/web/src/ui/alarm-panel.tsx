import type { ReactNode } from 'react'
import { IconLoader2 } from '../icons/index.ts'
import { StatusIcon } from './status-icon.tsx'
import classes from './alarm-panel.module.css'

interface AlarmPanelProps {
  /** Neutral for what is under way and no status. */
  tone: 'failed' | 'warning' | 'neutral'
  /** What is wrong, or under way. */
  title: ReactNode
  /** What it means for the people there. */
  meaning?: ReactNode
  /** What decides: since when, how often, what the last attempt did. */
  facts?: ReactNode[]
  /** What an attempt that runs, or has failed, comes to: told once more when it changes. */
  standing?: ReactNode
  actions?: ReactNode
  /** The line that is all there is on pages about something else. */
  brief?: ReactNode
}

/** What is wrong, first thing on a page. An alarm is announced once, when it appears; what is under way is not, because its words change by the minute. */
export function AlarmPanel({ tone, title, meaning, facts = [], standing, actions, brief }: AlarmPanelProps) {
  const told = facts.filter((fact) => fact !== undefined && fact !== false && fact !== '')
  const isBrief = brief !== undefined
  const isAlarm = tone !== 'neutral'
  return (
    <section
      className={classes.panel}
      data-tone={tone}
      data-brief={isBrief || undefined}
      aria-label={isAlarm ? 'Alarm' : 'In progress'}
    >
      {isAlarm ? (
        <StatusIcon tone={tone} size={isBrief ? 18 : 22} />
      ) : (
        <IconLoader2 size={isBrief ? 18 : 22} aria-hidden />
      )}
      <div className={classes.text}>
        <p className={classes.title} role={isAlarm ? 'alert' : undefined}>
          {title}
        </p>
        {isBrief ? brief && <p className={classes.line}>{brief}</p> : meaning && <p>{meaning}</p>}
        {!isBrief && told.length > 0 && (
          <ul className={classes.facts}>
            {told.map((fact, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- facts have their places and no names
              <li key={index}>{fact}</li>
            ))}
          </ul>
        )}
        <p className={classes.standing} role="status">
          {standing}
        </p>
      </div>
      {actions && <div className={classes.actions}>{actions}</div>}
    </section>
  )
}
