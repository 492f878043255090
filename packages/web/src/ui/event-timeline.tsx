import { memo, useId, useState } from 'react'
import { eventChartHeight, hoverDistance } from '@caretaker/rules/telemetry/drawing.ts'
import type { Severity } from '@caretaker/rules/telemetry/events.ts'
import { eventsAround, severities } from '@caretaker/rules/telemetry/events.ts'
import { shortSpanText, shortTimeText } from './age.ts'
import { useSelectedTime } from './chart/held-time.ts'
import { Empty, Failed } from './states.tsx'
import { TableToggle, Waiting } from './time-chart.tsx'
import type { Lane } from './time-lanes.tsx'
import { TimeLanes } from './time-lanes.tsx'
import { TimeOf, useZone } from './zone.tsx'
import chartClasses from './time-chart.module.css'
import classes from './event-timeline.module.css'

/** A period of an events chart. Times in milliseconds; if it has no end, it is active. */
export interface TimelineEvent {
  id: string
  start: number
  end: number | null
  severity: Severity
  category: string
  description: string
  /** The subject of the event. */
  context: string
}

export interface EventTimelineProps {
  title: string
  events: readonly TimelineEvent[]
  /** Milliseconds. */
  from: number
  to: number
  /** Shares the selected time with the charts of this key. */
  syncKey: string
  status: 'loading' | 'ready' | 'failed'
  onRetry?: () => void
  /** The text without events. */
  empty?: string
  /** Events that began before this are incomplete; complete by default. */
  since?: number | undefined
}

/**
 * Events, one row per category, below the lines that show the cause. The selected time is shared by all charts of the
 * key, and its active events are in the title row. The same events are available as a table.
 */
export const EventTimeline = memo(function EventTimeline(props: EventTimelineProps) {
  const { title, events, status, onRetry, empty = 'No events' } = props
  const titleId = useId()
  const [isTable, setTable] = useState(false)
  const ready = status === 'ready' && events.length > 0
  return (
    <section className={chartClasses.card} aria-labelledby={titleId}>
      <header className={chartClasses.head} data-many>
        <h2 id={titleId} className={chartClasses.title}>
          {title}
        </h2>
        {status === 'loading' && <span className={chartClasses.note}>Loading</span>}
        {ready && <Legend />}
        {ready && <TableToggle {...{ title, isTable, setTable }} />}
        {ready && <Selected {...props} />}
      </header>
      <div className={classes.body} style={{ minHeight: eventChartHeight(2) }}>
        {status === 'failed' && <Failed text="Something went wrong, please retry." onRetry={onRetry} />}
        {status === 'loading' && <Waiting height={eventChartHeight(4)} label={title} />}
        {status === 'ready' && !ready && <Empty text={empty} />}
        {ready && (isTable ? <EventTable {...props} /> : <Rows {...props} labelledBy={titleId} />)}
        {ready && props.since !== undefined && <LeftOut since={props.since} />}
      </div>
    </section>
  )
})

function LeftOut({ since }: { since: number }) {
  return (
    <p className={classes.leftOut}>
      Not all events are shown: of those that began before <TimeOf at={since} /> some are left out. Choose a shorter
      range to see them.
    </p>
  )
}

function Legend() {
  return (
    <span className={classes.legend} aria-hidden>
      {severities.toReversed().map((severity) => (
        <span key={severity}>
          <i data-severity={severity} />
          {severity}
        </span>
      ))}
    </span>
  )
}

/** The active events at the selected time. */
function Selected({ events, from, to, syncKey }: EventTimelineProps) {
  const zone = useZone()
  const time = useSelectedTime(syncKey)
  // The hover distance of a wide screen, the same for any chart.
  const near = ((to - from) / 1000) * hoverDistance
  const selected = time === undefined ? [] : eventsAround(events, time, near)
  return (
    <p className={classes.selected}>
      {time !== undefined && <span className="tabular">{`At ${shortTimeText(time, zone)}: `}</span>}
      {selected.length === 0 && 'No events selected'}
      {selected.slice(0, 3).map((event, index) => (
        <span key={event.id}>
          {index > 0 && '; '}
          <b>{event.category}</b>
          {`, ${event.severity.toLowerCase()}, ${event.description}, ${spanOf(event, zone)}`}
        </span>
      ))}
      {selected.length > 3 && ` and ${selected.length - 3} more`}
    </p>
  )
}

function spanOf({ start, end }: TimelineEvent, zone: string): string {
  return end === null ? `since ${shortTimeText(start, zone)}, still active` : shortSpanText(start, end, zone)
}

/** The smallest width of a bar in pixels. */
const leastWidth = 6

function Rows({ events, from, to, syncKey, labelledBy }: EventTimelineProps & { labelledBy: string }) {
  const zone = useZone()
  const lanes = [...Map.groupBy(events, (event) => event.category)].map(([category, of]): Lane => ({
    id: category,
    label: category,
    words: `${of.length}, the last ${wordsOf(of[0]!, zone)}`,
    draw: (place) =>
      of.map((event) => <Bar key={event.id} event={event} start={place(event.start)} end={place(event.end ?? to)} />),
  }))
  return <TimeLanes {...{ lanes, from, to, syncKey, labelledBy }} />
}

const wordsOf = (event: TimelineEvent, zone: string) =>
  `${event.severity.toLowerCase()}, ${event.description}, ${spanOf(event, zone)}`

/** The position, in per cent, from which a text fits before the bar. */
const roomBefore = 35

function Bar({ event, start, end }: { event: TimelineEvent; start: number; end: number }) {
  const zone = useZone()
  // Most events need no text; an active one has a text, because it may need action.
  const label = event.end === null ? `${event.description.split(':')[0]}, still active` : undefined
  return (
    <>
      <span
        className={classes.bar}
        data-severity={event.severity}
        data-running={event.end === null || undefined}
        title={`${event.context}: ${wordsOf(event, zone)}`}
        style={{
          insetInlineStart: `min(${start}%, calc(100% - ${leastWidth}px))`,
          width: `max(${end - start}%, ${leastWidth}px)`,
        }}
      />
      {label && (
        <span
          className={classes.label}
          data-inside={start < roomBefore || undefined}
          style={start < roomBefore ? { insetInlineStart: `${start}%` } : { insetInlineEnd: `${100 - start}%` }}
        >
          {label}
        </span>
      )}
    </>
  )
}

function EventTable({ title, events }: EventTimelineProps) {
  return (
    <div className={chartClasses.tableBox} role="region" aria-label={`${title}, list`} tabIndex={0}>
      <table className={chartClasses.table} data-texts>
        <thead>
          <tr>
            {['Start', 'End', 'Severity', 'Category', 'Description', 'Device'].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <tr key={event.id}>
              <th scope="row">
                <TimeOf at={event.start} />
              </th>
              <td>{event.end === null ? 'Still active' : <TimeOf at={event.end} />}</td>
              <td>{event.severity}</td>
              <td>{event.category}</td>
              <td>{event.description}</td>
              <td>{event.context}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
