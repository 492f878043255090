import { localTimeAt } from '@caretaker/rules/lighting/plan.ts'
import { useZone } from '../../ui/zone.tsx'
import classes from './hours.module.css'

export interface HoursRow {
  name: string
  /** Milliseconds since the epoch. */
  from: number
  minutes: number
  word: string
  isOwn?: boolean
}

const [minute, hour] = [60_000, 3_600_000]

/** The tests of a night by hour, one below the other, so that overlaps are visible. */
export function Hours({ rows }: { rows: readonly HoursRow[] }) {
  const zone = useZone()
  if (!rows.length) return undefined
  const first = Math.min(...rows.map((row) => row.from))
  const last = Math.max(...rows.map((row) => row.from + row.minutes * minute))
  const begin = Math.floor((first - 2 * hour) / hour) * hour
  const step = Math.max(2, Math.ceil((last - begin) / hour / 6)) * hour
  const end = begin + Math.ceil((last + 2 * hour - begin) / step) * step
  const at = (time: number) => `${((time - begin) / (end - begin)) * 100}%`
  const marks = Array.from({ length: (end - begin) / step + 1 }, (_, index) => begin + index * step)
  return (
    <div className={classes.hours}>
      {rows.map((row) => (
        <div key={`${row.name} ${row.from}`} className={classes.row}>
          <span className={classes.name} title={row.name}>
            {row.name}
          </span>
          <span className={classes.lane}>
            <i
              data-own={row.isOwn || undefined}
              style={{
                insetInlineStart: at(row.from),
                width: `${(Math.max(row.minutes, 12) * minute * 100) / (end - begin)}%`,
              }}
            >
              {row.word}
            </i>
          </span>
        </div>
      ))}
      <div className={classes.row} aria-hidden>
        <span />
        <span className={classes.marks}>
          {marks.map((mark) => (
            <span key={mark} style={{ insetInlineStart: at(mark) }}>
              {localTimeAt(mark, zone).slice(11)}
            </span>
          ))}
        </span>
      </div>
    </div>
  )
}
