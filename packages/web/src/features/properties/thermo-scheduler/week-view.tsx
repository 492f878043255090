import { setPoints, weekDays } from '@caretaker/rules/properties/schedule.ts'
import { ChosenBands, DayBands, place } from './day-bands.tsx'
import type { Measured } from './measured.ts'
import { CopyKeys, SetPointRow } from './set-points.tsx'
import type { EditedWeek } from './use-week.ts'
import classes from './week-view.module.css'

interface WeekViewProps {
  title: string
  edited: EditedWeek
  measured: Measured | undefined
}

const hours = [0, 3, 6, 9, 12, 15, 18, 21, 24]
/** The minutes between two times that fit side by side. */
const apart = 105

/** The week as temperature bands; the chosen day has a handle per set point. */
export function WeekView({ title, edited, measured }: WeekViewProps) {
  const { week, day, setDay, copy } = edited
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
            <button type="button" className={classes.name} aria-pressed={one === day} onClick={() => setDay(one)}>
              {one}
            </button>
            {one === day ? (
              <ChosenBands {...{ title, edited, measured, apart }} />
            ) : (
              <div className={classes.bands}>
                <DayBands week={week} day={one} />
              </div>
            )}
          </div>
        ))}
        <p className={classes.hint}>
          {measured && <MeasuredKey day={day} measured={measured} />}
          Drag a handle for the time, up or down for the temperature; arrow keys do the same.
        </p>
      </div>
      <div className={classes.chosen}>
        <h3>{day}</h3>
        {setPoints.map((at) => (
          <SetPointRow key={at} {...{ title, edited, at }} />
        ))}
        <CopyKeys key={day} from={day} onCopy={(to) => copy(to, day)} />
      </div>
    </div>
  )
}

/** The sensor of the line, and its temperature range. */
export function MeasuredKey({ day, measured: { name, low, high } }: { day: string; measured: Measured }) {
  return (
    <span className={classes.key}>
      <span className={classes.stroke} aria-hidden />
      {`${name} last ${day}, ${low.toFixed(1)} to ${high.toFixed(1)} °C. `}
    </span>
  )
}
