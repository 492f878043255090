import { useState } from 'react'
import { Button, SegmentedControl } from '@mantine/core'
import { IconArrowBackUp } from '../../../icons/index.ts'
import type { SchedulePart } from '@caretaker/rules/properties/schedule.ts'
import { setPoints } from '@caretaker/rules/properties/schedule.ts'
import { Panel } from '../panel.tsx'
import type { Measured } from './measured.ts'
import { CopyDay, DraftNote, SetPointInput } from './set-points.tsx'
import type { Thermostat } from './thermostats.tsx'
import { ScheduleStanding, SendToThermostat } from './thermostats.tsx'
import type { EditedWeek } from './use-week.ts'
import { WeekView } from './week-view.tsx'
import classes from './scheduler.module.css'

interface SchedulerProps {
  title: string
  part: SchedulePart
  edited: EditedWeek
  thermostats: readonly Thermostat[]
  /** The readings of the chosen day, if any. */
  measured: Measured | undefined
}

/** A week of set points as numbers, or as a picture that edits the same values. */
export function Scheduler({ title, part, edited, thermostats, measured }: SchedulerProps) {
  const [view, setView] = useState<'Week' | 'Numbers'>('Numbers')
  const { week, isEdited, set, copy, undo, save } = edited
  const actions = (
    <>
      <DraftNote edited={edited} />
      <SegmentedControl
        size="xs"
        aria-label={`View of ${title}`}
        data={['Week', 'Numbers']}
        value={view}
        onChange={(value) => setView(value as typeof view)}
      />
      {isEdited && (
        <Button variant="default" leftSection={<IconArrowBackUp size={16} aria-hidden />} onClick={undo}>
          Undo
        </Button>
      )}
      <Button disabled={!isEdited} onClick={save}>
        Save
      </Button>
      <SendToThermostat {...{ part, edited, thermostats }} />
    </>
  )
  return (
    <Panel title={title} actions={actions}>
      <ScheduleStanding {...{ part, thermostats }} />
      {view === 'Week' ? (
        <WeekView {...{ title, edited, measured }} />
      ) : (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable content must be reachable by keyboard
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
