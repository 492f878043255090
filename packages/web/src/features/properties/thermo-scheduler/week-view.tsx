import { useRef } from 'react'
import type { KeyboardEvent, PointerEvent } from 'react'
import type { SchedulerRow, SetPointField, WeekDay } from '@caretaker/rules/properties/schedule.ts'
import { bandsOf, clockOf, setPointBounds, setPoints, weekDays } from '@caretaker/rules/properties/schedule.ts'
import { stepped } from '../../../ui/forms/hold.ts'
import type { Measured } from './measured.ts'
import { CopyKeys, SetPointInput, steps } from './set-points.tsx'
import classes from './week-view.module.css'

interface WeekViewProps {
  title: string
  week: readonly SchedulerRow[]
  /** The day that is edited. */
  day: WeekDay
  onDay: (day: WeekDay) => void
  onSet: (day: WeekDay, field: SetPointField, value: number) => void
  /** Several numbers of a set point at once; `goesOn` where the same drag has changed them before. */
  onDrag: (day: WeekDay, values: Partial<Record<SetPointField, number>>, goesOn: boolean) => void
  onCopy: (to: WeekDay[], from: WeekDay) => void
  /** The week as it was kept last: where an edge stood is still seen. */
  kept: readonly SchedulerRow[]
  measured: Measured | undefined
}

const minutesOfDay = 24 * 60
const hours = [0, 3, 6, 9, 12, 15, 18, 21, 24]
const place = (minutes: number) => `${(minutes / minutesOfDay) * 100}%`

/** The week as bands of warmth; the chosen day has a handle for each of its set points. */
export function WeekView({ title, week, day, onDay, onSet, onDrag, onCopy, kept, measured }: WeekViewProps) {
  const row = week.find(({ weekDay }) => weekDay === day)!
  const temperatures = week.flatMap((one) => bandsOf(week, one.weekDay).map(({ temperature }) => temperature))
  const [coldest, warmest] = [Math.min(...temperatures), Math.max(...temperatures)]
  // One hue, pale to strong: how warm it is to be is no status.
  const warmth = (temperature: number) =>
    12 + 58 * (warmest > coldest ? (temperature - coldest) / (warmest - coldest) : 0)
  const moved = edgesOf(kept, day).filter((time) => !edgesOf(week, day).includes(time))
  return (
    <div className={classes.view}>
      <div className={classes.week} role="group" aria-label={`${title}, week`}>
        <div className={classes.hours} aria-hidden>
          {hours.map((hour) => (
            <span key={hour} style={{ insetInlineStart: place(hour * 60) }}>
              {String(hour).padStart(2, '0')}:00
            </span>
          ))}
        </div>
        {weekDays.map((one) => (
          <div key={one} className={classes.day} data-chosen={one === day || undefined}>
            <button type="button" className={classes.name} aria-pressed={one === day} onClick={() => onDay(one)}>
              {one}
            </button>
            <div className={classes.bands}>
              {bandsOf(week, one).map(({ from, to, temperature }) => (
                <span
                  key={from}
                  className={classes.band}
                  title={`${clockOf(from)} to ${to === minutesOfDay ? '24:00' : clockOf(to)}, ${temperature} °C`}
                  style={{
                    insetInlineStart: place(from),
                    width: place(to - from),
                    background: `color-mix(in srgb, var(--mantine-color-orange-6) ${warmth(temperature)}%, var(--surface))`,
                  }}
                >
                  {to - from >= 75 && <b>{temperature}°</b>}
                </span>
              ))}
              {one === day && measured && <MeasuredLine {...measured} />}
              {one === day &&
                moved.map((time) => (
                  <span
                    key={time}
                    className={classes.ghost}
                    style={{ insetInlineStart: place(time) }}
                    title={`${clockOf(time)} before`}
                  />
                ))}
              {one === day &&
                setPoints.map((at) => (
                  <Handle key={at} {...{ title, row, at }} onDrag={(values, goesOn) => onDrag(day, values, goesOn)} />
                ))}
            </div>
          </div>
        ))}
        <p className={classes.hint}>
          {measured && (
            <span className={classes.key}>
              <span className={classes.stroke} aria-hidden />
              {`${measured.name} last ${day}, ${measured.low.toFixed(1)} to ${measured.high.toFixed(1)} °C. `}
            </span>
          )}
          Drag a handle for the time, up or down for the temperature; arrow keys do the same.
        </p>
      </div>
      <div className={classes.chosen}>
        <div className={classes.head}>
          <h3>{day}</h3>
        </div>
        {setPoints.map((at) => (
          <div key={at} className={classes.pair}>
            {(['time', 'temp'] as const).map((kind) => (
              <SetPointInput key={kind} {...{ title, row, kind, at }} onChange={onSet} />
            ))}
          </div>
        ))}
        <CopyKeys key={day} from={day} onCopy={(to) => onCopy(to, day)} />
      </div>
    </div>
  )
}

/** The times at which a day changes; one on which nothing is set has none. */
function edgesOf(week: readonly SchedulerRow[], day: WeekDay): number[] {
  const row = week.find(({ weekDay }) => weekDay === day)!
  const isSet = setPoints.some((at) => row[`timeSetPoint${at}`] > 0 || row[`tempSetPoint${at}`] > 0)
  return isSet ? [...new Set(setPoints.map((at) => row[`timeSetPoint${at}`]))] : []
}

/** Degrees between the bottom and the top of the line at least: what hardly changes is drawn so. */
const leastSpan = 2

/** How warm it was: a line through the bands, whose figures stand below. */
function MeasuredLine({ points, low, high }: Measured) {
  const span = Math.max(leastSpan, high - low)
  const path = points
    .map(({ minute, value }, index) => {
      if (value === null) return ''
      const pen = typeof points[index - 1]?.value === 'number' ? 'L' : 'M'
      return `${pen}${((minute / minutesOfDay) * 1000).toFixed(1)} ${(90 - ((value - low) / span) * 80).toFixed(1)}`
    })
    .join('')
  return (
    <svg className={classes.line} viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden>
      <path d={path} />
    </svg>
  )
}

/** Pixels of a drag for half a degree. */
const pixelsPerStep = 6
/** Minutes that an arrow key moves it. */
const keyStep = 5

interface HandleProps {
  title: string
  row: SchedulerRow
  at: (typeof setPoints)[number]
  onDrag: (values: Partial<Record<SetPointField, number>>, goesOn: boolean) => void
}

function Handle({ title, row, at, onDrag }: HandleProps) {
  const [timeField, tempField] = [`timeSetPoint${at}`, `tempSetPoint${at}`] as const
  const [time, temp] = [row[timeField], row[tempField]]
  const held = useRef<{ x: number; y: number; time: number; temp: number; moved: boolean }>(undefined)
  const within = (kind: 'time' | 'temp', value: number, by: number) =>
    stepped(value, by, { min: 0, max: setPointBounds[kind].max })
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, Partial<Record<SetPointField, number>>> = {
      ArrowLeft: { [timeField]: within('time', time, -keyStep) },
      ArrowRight: { [timeField]: within('time', time, keyStep) },
      ArrowUp: { [tempField]: within('temp', temp, steps.temp) },
      ArrowDown: { [tempField]: within('temp', temp, -steps.temp) },
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
      time: within('time', Math.round((from.time + minutes) / steps.time) * steps.time, 0),
      temp: within('temp', from.temp, degrees),
    }
    // What is pressed and not moved stays as it is, off the quarter of an hour too.
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
    />
  )
}
