import { useState } from 'react'
import { ActionIcon, Button, Checkbox, NumberInput, Popover, SegmentedControl } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconArrowBackUp, IconCopy, IconInfoCircle, IconMinus, IconPlus } from '@tabler/icons-react'
import type { SchedulerRow, SetPointField, WeekDay } from '@caretaker/rules/properties/schedule.ts'
import {
  clockOf,
  copiedDay,
  emptyWeek,
  setPointBounds,
  setPoints,
  weekDays,
  withSetPoint,
} from '@caretaker/rules/properties/schedule.ts'
import { stepped } from '../../../ui/forms/hold.ts'
import { Panel } from '../panel.tsx'
import classes from './scheduler.module.css'

/** Steps that can be undone. */
const kept = 100

/** A week of set points as numbers. Nothing of it leaves the page: Save keeps the week as the one to go on from. */
export function Scheduler({ title }: { title: string }) {
  const [week, setWeek] = useState(emptyWeek)
  const [earlier, setEarlier] = useState<SchedulerRow[][]>([])
  const [day, setDay] = useState<WeekDay>('Monday')
  const isPhone = useMediaQuery('(width < 48em)', false, { getInitialValueInEffect: false })
  const change = (next: SchedulerRow[]) => {
    setEarlier([...earlier, week].slice(-kept))
    setWeek(next)
  }
  const undo = () => {
    setWeek(earlier.at(-1)!)
    setEarlier(earlier.slice(0, -1))
  }
  const set = (of: WeekDay, field: SetPointField, value: number) => {
    const row = week.find(({ weekDay }) => weekDay === of)!
    if (row[field] !== value) change(withSetPoint(week, of, field, value))
  }
  const copy = (to: WeekDay[], from: WeekDay) => change(copiedDay(week, from, to))
  const edited = earlier.length > 0
  const actions = (
    <>
      <span className={classes.note}>
        <IconInfoCircle size={16} stroke={1.7} aria-hidden />
        Nothing is sent to the thermostat
      </span>
      {edited && (
        <Button variant="default" leftSection={<IconArrowBackUp size={16} aria-hidden />} onClick={undo}>
          Undo
        </Button>
      )}
      <Button disabled={!edited} onClick={() => setEarlier([])}>
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

/** What minus and plus change: a quarter of an hour, half a degree. */
const steps = { time: 15, temp: 0.5 } as const

interface SetPointInputProps {
  title: string
  row: SchedulerRow
  kind: 'time' | 'temp'
  at: (typeof setPoints)[number]
  onChange: (day: WeekDay, field: SetPointField, value: number) => void
  /** Its name stands above it, where no head of a column does. */
  named?: boolean
}

function SetPointInput({ title, row, kind, at, onChange, named = false }: SetPointInputProps) {
  const field: SetPointField = `${kind}SetPoint${at}`
  const name = `${kind === 'time' ? 'Time' : 'Temperature'} ${at}`
  const value = row[field]
  const by = (direction: 1 | -1) =>
    onChange(row.weekDay, field, stepped(value, direction * steps[kind], { min: 0, max: setPointBounds[kind].max }))
  return (
    <span className={classes.setPoint}>
      <NumberInput
        {...(named
          ? {
              label: name,
              leftSection: (
                <ActionIcon size={44} aria-label={`Decrease ${name}`} disabled={value <= 0} onClick={() => by(-1)}>
                  <IconMinus size={18} aria-hidden />
                </ActionIcon>
              ),
              rightSection: (
                <ActionIcon
                  size={44}
                  aria-label={`Increase ${name}`}
                  disabled={value >= setPointBounds[kind].max}
                  onClick={() => by(1)}
                >
                  <IconPlus size={18} aria-hidden />
                </ActionIcon>
              ),
              leftSectionWidth: 44,
              rightSectionWidth: 44,
              leftSectionPointerEvents: 'all',
            }
          : { 'aria-label': `${title}, ${row.weekDay}, ${name}` })}
        value={value}
        min={0}
        max={setPointBounds[kind].max}
        clampBehavior="strict"
        allowNegative={false}
        allowDecimal={kind === 'temp'}
        decimalScale={1}
        hideControls
        onChange={(next) => typeof next === 'number' && onChange(row.weekDay, field, next)}
      />
      <span className={classes.unit}>{kind === 'time' ? clockOf(value) : '°C'}</span>
    </span>
  )
}

interface CopyDayProps {
  title: string
  from: WeekDay
  onCopy: (to: WeekDay[], from: WeekDay) => void
}

/** Copies a day to others of the week. */
function CopyDay({ title, from, onCopy }: CopyDayProps) {
  const [opened, setOpened] = useState(false)
  const [to, setTo] = useState<string[]>([])
  const close = (isOpen: boolean) => {
    setOpened(isOpen)
    setTo([])
  }
  const copy = () => {
    onCopy(to as WeekDay[], from)
    close(false)
  }
  return (
    <Popover opened={opened} onChange={close} trapFocus withinPortal position="bottom-end">
      <Popover.Target>
        <ActionIcon aria-label={`Copy ${from} of ${title}`} title="Copy to other days" onClick={() => close(!opened)}>
          <IconCopy size={18} stroke={1.7} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <Checkbox.Group label={`Copy ${from} to`} value={to} onChange={setTo}>
          <div className={classes.days}>
            {weekDays
              .filter((one) => one !== from)
              .map((one) => (
                <Checkbox key={one} value={one} label={one} />
              ))}
          </div>
        </Checkbox.Group>
        <Button fullWidth variant="default" disabled={to.length === 0} onClick={copy}>
          {to.length === 1 ? 'Copy to 1 day' : `Copy to ${to.length} days`}
        </Button>
      </Popover.Dropdown>
    </Popover>
  )
}
