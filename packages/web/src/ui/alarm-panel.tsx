import type { ReactNode } from 'react'
import { IconLoader2 } from '../icons/index.ts'
import { StatusIcon } from './status-icon.tsx'
import classes from './alarm-panel.module.css'

interface AlarmPanelProps {
  /** Neutral for something in progress without a status. */
  tone: 'failed' | 'warning' | 'neutral'
  /** The fault, or what is in progress. */
  title: ReactNode
  /** The effect on people. */
  meaning?: ReactNode
  /** The facts: since when, how often, result of the last attempt. */
  facts?: ReactNode[]
  /** The state of a running or failed attempt; announced again when it changes. */
  standing?: ReactNode
  actions?: ReactNode
  /** The single line on other pages. */
  brief?: ReactNode
}

/**
 * The alarm at the top of a page. It is announced once, when it appears; progress is not, because its text changes
 * every minute.
 */
export function AlarmPanel({ tone, title, meaning, facts = [], standing, actions, brief }: AlarmPanelProps) {
  const shownFacts = facts.filter((fact) => fact !== undefined && fact !== false && fact !== '')
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
        {!isBrief && shownFacts.length > 0 && (
          <ul className={classes.facts}>
            {shownFacts.map((fact, index) => (
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
