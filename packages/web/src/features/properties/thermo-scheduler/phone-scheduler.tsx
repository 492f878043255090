import { Button, SegmentedControl } from '@mantine/core'
import { IconArrowBackUp } from '../../../icons/index.ts'
import type { SchedulePart } from '@caretaker/rules/properties/schedule.ts'
import { setPoints, weekDays } from '@caretaker/rules/properties/schedule.ts'
import { Panel } from '../panel.tsx'
import { ChosenBands, Miniature, place } from './day-bands.tsx'
import type { Measured } from './measured.ts'
import { CopyDay, DraftNote, SetPointRow } from './set-points.tsx'
import type { Thermostat } from './thermostats.tsx'
import { ScheduleStanding, SendToThermostat } from './thermostats.tsx'
import type { EditedWeek } from './use-week.ts'
import { MeasuredKey } from './week-view.tsx'
import classes from './phone-scheduler.module.css'

interface PhoneSchedulerProps {
  /** The title of the week: heating or hot water. */
  title: string
  titles: readonly string[]
  onTitle: (title: string) => void
  part: SchedulePart
  edited: EditedWeek
  thermostats: readonly Thermostat[]
  measured: Measured | undefined
}

const hours = [0, 6, 12, 18, 24]
/** The minutes between two times that fit side by side. */
const apart = 165

/** One day of a week on a small screen, below small pictures of all days; the actions are at the bottom edge. */
export function PhoneScheduler({ title, titles, onTitle, part, edited, thermostats, measured }: PhoneSchedulerProps) {
  const { week, day, setDay, isEdited, copy, undo, save } = edited
  return (
    <div className={classes.phone}>
      <SegmentedControl
        fullWidth
        size="md"
        aria-label="Scheduler"
        data={[...titles]}
        value={title}
        onChange={onTitle}
      />
      <div className={classes.days} role="group" aria-label={`Day of ${title}`}>
        {weekDays.map((one) => (
          <button key={one} type="button" aria-label={one} aria-pressed={one === day} onClick={() => setDay(one)}>
            <span aria-hidden>{one[0]}</span>
            <Miniature week={week} day={one} />
          </button>
        ))}
      </div>
      <Panel title={day} actions={<CopyDay title={title} from={day} onCopy={copy} inWords />}>
        <div className={classes.body}>
          <ChosenBands {...{ title, edited, measured, apart }} />
          <div className={classes.hours} aria-hidden>
            {hours.map((hour) => (
              <span
                key={hour}
                style={{ insetInlineStart: place(hour * 60), transform: `translateX(-${place(hour * 60)})` }}
              >
                {String(hour).padStart(2, '0')}
              </span>
            ))}
          </div>
          {measured && (
            <p className={classes.measured}>
              <MeasuredKey {...{ day, measured }} />
            </p>
          )}
          {setPoints.map((at) => (
            <SetPointRow key={`${day} ${at}`} {...{ title, edited, at }} />
          ))}
        </div>
      </Panel>
      <ScheduleStanding {...{ part, thermostats }} />
      <div className={classes.bar}>
        <DraftNote edited={edited} />
        <Button variant="default" size="md" aria-label="Undo" disabled={!isEdited} onClick={undo}>
          <IconArrowBackUp size={18} aria-hidden />
        </Button>
        <Button size="md" disabled={!isEdited} onClick={save}>
          Save
        </Button>
        <SendToThermostat {...{ part, edited, thermostats }} />
      </div>
    </div>
  )
}
