import { useRef } from 'react'
import type { KeyboardEvent, PointerEvent } from 'react'
import type { SchedulerRow, SetPointField, WeekDay } from '@caretaker/rules/properties/schedule.ts'
import {
  bandsOf,
  clockOf,
  setPointBounds,
  setPoints,
  steppedTemperature,
} from '@caretaker/rules/properties/schedule.ts'
import { stepped } from '../../../ui/forms/hold.ts'
import type { Measured } from './measured.ts'
import { steps } from './set-points.tsx'
import { warmthOf } from './warmth.ts'
import type { EditedWeek } from './use-week.ts'
import classes from './day-bands.module.css'

const minutesOfDay = 24 * 60
/** The position of a time of day (minutes after midnight) as a share of the width. */
export const place = (minutes: number) => `${(minutes / minutesOfDay) * 100}%`

interface BandsProps {
  week: readonly SchedulerRow[]
  day: WeekDay
}

/** A small, decorative picture of a day. */
export function Miniature({ week, day }: BandsProps) {
  const warmth = warmthOf(week)
  return (
    <span className={classes.miniature} aria-hidden>
      {bandsOf(week, day).map(({ from, to, temperature }) => (
        <i key={from} style={{ flexGrow: to - from, ...warmth(temperature) }} />
      ))}
    </span>
  )
}

/** A day as temperature bands. */
export function DayBands({ week, day }: BandsProps) {
  const warmth = warmthOf(week)
  return bandsOf(week, day).map(({ from, to, temperature }) => (
    <span
      key={from}
      className={classes.band}
      title={`${clockOf(from)} to ${to === minutesOfDay ? '24:00' : clockOf(to)}, ${temperature} °C`}
      style={{ insetInlineStart: place(from), width: place(to - from), ...warmth(temperature) }}
    >
      {to - from >= roomForText && <b>{temperature}°</b>}
    </span>
  ))
}

/** The shortest band in minutes that fits its temperature text. */
const roomForText = 120

interface ChosenBandsProps {
  title: string
  edited: EditedWeek
  measured: Measured | undefined
  /** The minutes between two times that fit side by side. */
  apart: number
}

/** The chosen day: bands with readings, saved edges, and a handle per set point. */
export function ChosenBands({ title, edited: { week, saved, day, drag }, measured, apart }: ChosenBandsProps) {
  const row = week.find(({ weekDay }) => weekDay === day)!
  const moved = edgesOf(saved, day).filter((time) => !edgesOf(week, day).includes(time))
  const marked = markedPoints(row, apart)
  return (
    <div className={classes.chosen}>
      <DayBands week={week} day={day} />
      {measured && <MeasuredLine {...measured} />}
      {moved.map((time) => (
        <span
          key={time}
          className={classes.ghost}
          style={{ insetInlineStart: place(time) }}
          title={`${clockOf(time)} before`}
        />
      ))}
      {setPoints.map((at) => (
        <Handle key={at} {...{ title, row, at }} isMarked={marked.has(at)} onDrag={drag} />
      ))}
    </div>
  )
}

/** If set points are close together, only the time of the first is shown. */
function markedPoints(row: SchedulerRow, apart: number): ReadonlySet<number> {
  const marked = new Set<number>()
  let last = -Infinity
  for (const at of setPoints.toSorted((a, b) => row[`timeSetPoint${a}`] - row[`timeSetPoint${b}`])) {
    if (row[`timeSetPoint${at}`] - last < apart) continue
    marked.add(at)
    last = row[`timeSetPoint${at}`]
  }
  return marked
}

/** The times at which a day changes; none for a day without set points. */
function edgesOf(week: readonly SchedulerRow[], day: WeekDay): number[] {
  const row = week.find(({ weekDay }) => weekDay === day)!
  const isSet = setPoints.some((at) => row[`timeSetPoint${at}`] > 0 || row[`tempSetPoint${at}`] > 0)
  return isSet ? [...new Set(setPoints.map((at) => row[`timeSetPoint${at}`]))] : []
}

/** The smallest range in degrees of the line, so that a nearly constant temperature looks flat. */
const leastSpan = 2

/** The measured temperature as a line above the bands, with the figures below. */
function MeasuredLine({ points, low, high }: Measured) {
  const span = Math.max(leastSpan, high - low)
  const path = points
    .map(({ minute, value }, index) => {
      if (value === null) return ''
      const pen = typeof points[index - 1]?.value === 'number' ? 'L' : 'M'
      return `${pen}${((minute / minutesOfDay) * 1000).toFixed(1)} ${(56 - ((value - low) / span) * 48).toFixed(1)}`
    })
    .join('')
  return (
    <svg className={classes.line} viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden>
      <path d={path} />
    </svg>
  )
}

/** Pixels of a drag per half degree. */
const pixelsPerStep = 6
/** Minutes per arrow key press. */
const keyStep = 5

/** On a phone, the minutes covered by half a grip, and by half of a time label. */
const halves = { grip: 36, mark: 72 }

/** Centred on its time but within the day: at midnight half of it would leave the card. */
function withinDay(time: number, half: number): string {
  const [start, end] = [Math.max(0, 1 - time / half), Math.max(0, 1 - (minutesOfDay - time) / half)]
  return `translateX(${-50 + 50 * (start - end)}%)`
}

interface HandleProps {
  title: string
  row: SchedulerRow
  at: (typeof setPoints)[number]
  /** Whether its time is shown above it. */
  isMarked: boolean
  onDrag: (values: Partial<Record<SetPointField, number>>, goesOn: boolean) => void
}

function Handle({ title, row, at, isMarked, onDrag }: HandleProps) {
  const [timeField, tempField] = [`timeSetPoint${at}`, `tempSetPoint${at}`] as const
  const [time, temp] = [row[timeField], row[tempField]]
  const held = useRef<{ x: number; y: number; time: number; temp: number; moved: boolean }>(undefined)
  const within = (minutes: number, by: number) => stepped(minutes, by, { min: 0, max: setPointBounds.time.max })
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, Partial<Record<SetPointField, number>>> = {
      ArrowLeft: { [timeField]: within(time, -keyStep) },
      ArrowRight: { [timeField]: within(time, keyStep) },
      ArrowUp: { [tempField]: steppedTemperature(temp, steps.temp) },
      ArrowDown: { [tempField]: steppedTemperature(temp, -steps.temp) },
    }
    const values = moves[event.key]
    if (!values) return
    event.preventDefault()
    onDrag(values, false)
  }
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    held.current = { x: event.clientX, y: event.clientY, time, temp, moved: false }
  }
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const from = held.current
    const { width } = event.currentTarget.parentElement!.getBoundingClientRect()
    if (!from || width === 0) return
    const minutes = ((event.clientX - from.x) / width) * minutesOfDay
    const degrees = Math.round((from.y - event.clientY) / pixelsPerStep) * steps.temp
    const next = {
      time: within(Math.round((from.time + minutes) / steps.time) * steps.time, 0),
      temp: steppedTemperature(from.temp, degrees),
    }
    // A press without a movement does not snap the time to a quarter of an hour.
    if (!from.moved && Math.abs(event.clientX - from.x) < 3 && degrees === 0) return
    if (next.time === time && next.temp === temp) return
    onDrag({ [timeField]: next.time, [tempField]: next.temp }, from.moved)
    from.moved = true
  }
  const release = () => (held.current = undefined)
  return (
    <span
      role="slider"
      tabIndex={0}
      className={classes.handle}
      style={{ insetInlineStart: place(time) }}
      aria-label={`${title}, ${row.weekDay}, set point ${at}`}
      aria-valuemin={0}
      aria-valuemax={setPointBounds.time.max}
      aria-valuenow={time}
      aria-valuetext={`${clockOf(time)}, ${temp} °C`}
      title={`${clockOf(time)}, ${temp} °C`}
      {...{ onKeyDown, onPointerDown, onPointerMove }}
      onPointerUp={release}
      onPointerCancel={release}
    >
      <i className={classes.grip} style={{ transform: withinDay(time, halves.grip) }} aria-hidden />
      {isMarked && (
        <span className={classes.mark} style={{ transform: withinDay(time, halves.mark) }} aria-hidden>
          {clockOf(time)}
        </span>
      )}
      {/* Kept within the day: near its end the label is aligned to one side. */}
      <span className={classes.time} style={{ transform: `translateX(-${place(time)})` }} aria-hidden>
        {`${clockOf(time)}, ${temp} °C`}
      </span>
    </span>
  )
}
