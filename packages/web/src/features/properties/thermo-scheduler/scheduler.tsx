import { useState } from 'react'
import { Button, SegmentedControl } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconArrowBackUp, IconInfoCircle } from '@tabler/icons-react'
import type { SchedulerRow, SetPointField, WeekDay } from '@caretaker/rules/properties/schedule.ts'
import { copiedDay, emptyWeek, setPoints, weekDays, withSetPoint } from '@caretaker/rules/properties/schedule.ts'
import { Panel } from '../panel.tsx'
import type { Measured } from './measured.ts'
import { CopyDay, SetPointInput } from './set-points.tsx'
import { WeekView } from './week-view.tsx'
import classes from './scheduler.module.css'

/** Steps that can be undone. */
const kept = 100

/** A week of set points as numbers, or as a picture of them that edits the same ones. Nothing of it leaves the page: Save keeps the week as the one to go on from. */
export function Scheduler({
  title,
  measuredOn,
}: {
  title: string
  /** What was measured on a day of the week, where anything was. */
  measuredOn?: (day: WeekDay) => Measured | undefined
}) {
  const [week, setWeek] = useState(emptyWeek)
  const [saved, setSaved] = useState(week)
  const [earlier, setEarlier] = useState<SchedulerRow[][]>([])
  const [day, setDay] = useState<WeekDay>('Monday')
  const isPhone = useMediaQuery('(width < 48em)', false, { getInitialValueInEffect: false })
  const [view, setView] = useState<'Week' | 'Numbers'>('Numbers')
  const change = (next: SchedulerRow[], { goesOn = false } = {}) => {
    // What is dragged is undone at once, however far it went.
    if (!goesOn) setEarlier([...earlier, week].slice(-kept))
    setWeek(next)
  }
  const undo = () => {
    setWeek(earlier.at(-1)!)
    setEarlier(earlier.slice(0, -1))
  }
  const save = () => {
    setSaved(week)
    setEarlier([])
  }
  const set = (of: WeekDay, field: SetPointField, value: number) => {
    const row = week.find(({ weekDay }) => weekDay === of)!
    if (row[field] !== value) change(withSetPoint(week, of, field, value))
  }
  const drag = (of: WeekDay, values: Partial<Record<SetPointField, number>>, goesOn: boolean) =>
    change(
      week.map((row) => (row.weekDay === of ? { ...row, ...values } : row)),
      { goesOn },
    )
  const copy = (to: WeekDay[], from: WeekDay) => change(copiedDay(week, from, to))
  const edited = earlier.length > 0
  const actions = (
    <>
      <span className={classes.note}>
        <IconInfoCircle size={16} stroke={1.7} aria-hidden />
        Nothing is sent to the thermostat
      </span>
      {!isPhone && (
        <SegmentedControl
          size="xs"
          aria-label={`View of ${title}`}
          data={['Week', 'Numbers']}
          value={view}
          onChange={(value) => setView(value as typeof view)}
        />
      )}
      {edited && (
        <Button variant="default" leftSection={<IconArrowBackUp size={16} aria-hidden />} onClick={undo}>
          Undo
        </Button>
      )}
      <Button disabled={!edited} onClick={save}>
        Save
      </Button>
    </>
  )
  return (
    <Panel title={title} actions={actions}>
      {isPhone ? (
        <div className={classes.phone}>
          <SegmentedControl
            fullWidth
            aria-label={`Day of ${title}`}
            data={weekDays.map((one) => ({ value: one, label: one.slice(0, 2) }))}
            value={day}
            onChange={(value) => setDay(value as WeekDay)}
          />
          <div className={classes.dayHead}>
            <h3>{day}</h3>
            <CopyDay title={title} from={day} onCopy={copy} />
          </div>
          <div className={classes.pairs}>
            {setPoints.flatMap((at) =>
              (['time', 'temp'] as const).map((kind) => (
                <SetPointInput
                  key={`${day} ${kind}${at}`}
                  {...{ title, kind, at }}
                  row={week.find(({ weekDay }) => weekDay === day)!}
                  onChange={set}
                  named
                />
              )),
            )}
          </div>
        </div>
      ) : view === 'Week' ? (
        <WeekView
          {...{ title, week, day }}
          kept={saved}
          measured={measuredOn?.(day)}
          onDay={setDay}
          onSet={set}
          onDrag={drag}
          onCopy={copy}
        />
      ) : (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by keys
        <div className={classes.scroll} tabIndex={0} role="region" aria-label={`${title}, week`}>
          <table className={classes.table} aria-label={title}>
            <thead>
              <tr>
                <th scope="col">Weekday</th>
                {setPoints.flatMap((at) => [
                  <th key={`time${at}`} scope="col">
                    Time {at}
                  </th>,
                  <th key={`temp${at}`} scope="col">
                    Temperature {at}
                  </th>,
                ])}
                <th scope="col">
                  <span className="visually-hidden">Copy</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {week.map((row) => (
                <tr key={row.weekDay}>
                  <th scope="row">{row.weekDay}</th>
                  {setPoints.flatMap((at) =>
                    (['time', 'temp'] as const).map((kind) => (
                      <td key={`${kind}${at}`}>
                        <SetPointInput {...{ title, kind, at, row }} onChange={set} />
                      </td>
                    )),
                  )}
                  <td>
                    <CopyDay title={title} from={row.weekDay} onCopy={copy} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  )
}
