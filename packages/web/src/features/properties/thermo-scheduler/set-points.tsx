import { useState } from 'react'
import { ActionIcon, Button, NumberInput, Popover } from '@mantine/core'
import { IconCopy, IconMinus, IconPlus } from '@tabler/icons-react'
import type { SchedulerRow, SetPointField, WeekDay } from '@caretaker/rules/properties/schedule.ts'
import { clockOf, setPointBounds, setPoints, weekDays } from '@caretaker/rules/properties/schedule.ts'
import { stepped } from '../../../ui/forms/hold.ts'
import classes from './scheduler.module.css'

/** What minus and plus change: a quarter of an hour, half a degree. */
export const steps = { time: 15, temp: 0.5 } as const

interface SetPointInputProps {
  title: string
  row: SchedulerRow
  kind: 'time' | 'temp'
  at: (typeof setPoints)[number]
  onChange: (day: WeekDay, field: SetPointField, value: number) => void
  /** Its name stands above it, where no head of a column does. */
  named?: boolean
}

/** One number of a day, with what it stands for beside it. */
export function SetPointInput({ title, row, kind, at, onChange, named = false }: SetPointInputProps) {
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

/** Copies a day to others of the week, from behind a button. */
export function CopyDay({ title, from, onCopy }: CopyDayProps) {
  const [opened, setOpened] = useState(false)
  const copy = (to: WeekDay[]) => {
    onCopy(to, from)
    setOpened(false)
  }
  return (
    <Popover opened={opened} onChange={setOpened} trapFocus withinPortal position="bottom-end">
      <Popover.Target>
        <ActionIcon
          aria-label={`Copy ${from} of ${title}`}
          title="Copy to other days"
          onClick={() => setOpened(!opened)}
        >
          <IconCopy size={18} stroke={1.7} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <CopyKeys from={from} onCopy={copy} />
      </Popover.Dropdown>
    </Popover>
  )
}

/** Seven keys, of which the day that is copied is none to press. */
export function CopyKeys({ from, onCopy }: { from: WeekDay; onCopy: (to: WeekDay[]) => void }) {
  const [to, setTo] = useState<readonly WeekDay[]>([])
  const others = weekDays.filter((one) => one !== from)
  const copy = () => {
    onCopy([...to])
    setTo([])
  }
  return (
    <fieldset className={classes.copy}>
      <legend className="visually-hidden">{`Copy ${from} to`}</legend>
      <div className={classes.copyHead}>
        <span aria-hidden>{`Copy ${from} to`}</span>
        <Button variant="subtle" size="compact-sm" onClick={() => setTo(others.filter((one) => !weekend.has(one)))}>
          Weekdays
        </Button>
        <Button variant="subtle" size="compact-sm" onClick={() => setTo(others)}>
          All
        </Button>
      </div>
      <div className={classes.keys}>
        {weekDays.map((one) => (
          <label key={one} className={classes.key} title={one}>
            <input
              type="checkbox"
              aria-label={one}
              disabled={one === from}
              checked={to.includes(one)}
              onChange={({ currentTarget }) =>
                setTo(weekDays.filter((day) => (day === one ? currentTarget.checked : to.includes(day))))
              }
            />
            <span aria-hidden>{one[0]}</span>
          </label>
        ))}
      </div>
      <Button
        fullWidth
        variant="default"
        leftSection={<IconCopy size={16} stroke={1.7} aria-hidden />}
        disabled={to.length === 0}
        onClick={copy}
      >
        {to.length === 1 ? 'Copy to 1 day' : `Copy to ${to.length} days`}
      </Button>
    </fieldset>
  )
}

const weekend: ReadonlySet<WeekDay> = new Set(['Saturday', 'Sunday'])
