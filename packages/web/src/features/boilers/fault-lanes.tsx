import type { BoilerFault } from '@caretaker/contract/faults.ts'
import { dayAfter, dayAt, startOfDay } from '@caretaker/rules/calendar/days.ts'
import { lanesOf, shortDescription } from '@caretaker/rules/faults/faults.ts'
import { dateText, lengthText } from '../../ui/age.ts'
import { useZone } from '../../ui/zone.tsx'
import classes from './fault-history.module.css'

interface FaultLanesProps {
  faults: readonly BoilerFault[]
  /** ms since the epoch */
  from: number
  to: number
}

const dayLength = 86_400_000
/** Approximate number of grid lines. */
const lines = 4
/** The share of the width that the duration label needs. */
const labelShare = 12

/** Faults over time, one lane per code: causes are left of effects, and active faults reach the right edge. */
export function FaultLanes({ faults, from, to }: FaultLanesProps) {
  const zone = useZone()
  const at = (time: number) => (100 * (Math.min(to, Math.max(from, time)) - from)) / (to - from)
  const days = Math.round((to - from) / dayLength)
  const step = days <= 31 ? 7 : Math.ceil(days / lines)
  const today = dayAt(to, zone)
  const many = Math.ceil(days / step) - 1
  const marks = Array.from({ length: many }, (_, index) => startOfDay(dayAfter(today, -(index + 1) * step), zone))
  return (
    // The table below has the same data in words.
    <div className={classes.lanes} aria-hidden>
      {lanesOf(faults).map((lane) => (
        <div key={`${lane.faultSource} ${lane.faultCode}`} className={classes.lane}>
          <span className={classes.name} title={lane.description ?? undefined}>
            <b>{lane.faultCode}</b>{' '}
            {lane.faultSource === 'autofill' ? 'autofill' : lane.description && shortDescription(lane.description)}
          </span>
          <div className={classes.track}>
            {marks.map((mark) => (
              <i key={mark} style={{ insetInlineStart: `${at(mark)}%` }} />
            ))}
            {lane.faults.map((fault) => (
              <Bar key={fault.faultId} fault={fault} at={at} to={to} alone={isAlone(fault, lane.faults, at)} />
            ))}
          </div>
        </div>
      ))}
      <div className={classes.scale}>
        {marks.map((mark) => (
          <span key={mark} style={{ insetInlineStart: `${at(mark)}%` }}>
            {dateText(mark, zone).slice(0, 5)}
          </span>
        ))}
        <b>Now</b>
      </div>
    </div>
  )
}

type Place = (time: number) => number
const endOf = ({ endedAt }: BoilerFault) => (endedAt === null ? Infinity : Date.parse(endedAt))

/** Whether there is room for the duration beside a bar. */
function isAlone(fault: BoilerFault, faults: readonly BoilerFault[], at: Place): boolean {
  const right = at(endOf(fault))
  return (
    right < 100 - labelShare &&
    faults.every(
      (other) =>
        other === fault ||
        at(Date.parse(other.timestamp)) < right ||
        at(Date.parse(other.timestamp)) > right + labelShare,
    )
  )
}

interface BarProps {
  fault: BoilerFault
  at: Place
  to: number
  alone: boolean
}

function Bar({ fault, at, to, alone }: BarProps) {
  const left = at(Date.parse(fault.timestamp))
  const lasts = fault.endedAt === null
  if (lasts)
    return (
      <span
        className={classes.bar}
        data-lasts={left < labelShare ? 'long' : 'short'}
        style={{ insetInlineStart: `${left}%`, insetInlineEnd: 0 }}
      >
        <em>still active</em>
      </span>
    )
  const end = Math.min(to, endOf(fault))
  return (
    <span className={classes.bar} style={{ insetInlineStart: `${left}%`, width: `${at(end) - left}%` }}>
      {alone && <em>{lengthText(end - Date.parse(fault.timestamp))}</em>}
    </span>
  )
}
