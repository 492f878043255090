import type { KeyboardEvent } from 'react'
import { useEffect, useRef, useState } from 'react'
import type { NumberInputProps } from '@mantine/core'
import { ActionIcon, Button, NumberInput, Popover, TextInput } from '@mantine/core'
import { IconClock, IconCopy, IconInfoCircle, IconMinus, IconPlus } from '../../../icons/index.ts'
import type { SchedulerRow, SetPointField, WeekDay } from '@caretaker/rules/properties/schedule.ts'
import {
  boundedTemperature,
  clockOf,
  minutesOf,
  setPointBounds,
  setPoints,
  steppedTemperature,
  weekDays,
} from '@caretaker/rules/properties/schedule.ts'
import { stepped } from '../../../ui/forms/hold.ts'
import { warmthOf } from './warmth.ts'
import type { EditedWeek } from './use-week.ts'
import classes from './scheduler.module.css'

/** The step of minus and plus: a quarter of an hour, half a degree. */
export const steps = { time: 15, temp: 0.5 } as const

interface SetPointInputProps {
  title: string
  row: SchedulerRow
  kind: 'time' | 'temp'
  at: (typeof setPoints)[number]
  onChange: (day: WeekDay, field: SetPointField, value: number) => void
}

const kindNames = { time: 'Time', temp: 'Temperature' } as const

/** One number of a day with its unit. */
export function SetPointInput({ title, row, kind, at, onChange }: SetPointInputProps) {
  const field: SetPointField = `${kind}SetPoint${at}`
  return (
    <span className={classes.setPoint}>
      <SetPointNumber
        label={`${title}, ${row.weekDay}, ${kindNames[kind]} ${at}`}
        kind={kind}
        value={row[field]}
        onChange={(next) => onChange(row.weekDay, field, next)}
      />
      <span className={classes.unit}>{kind === 'time' ? clockOf(row[field]) : '°C'}</span>
    </span>
  )
}

const numbers = { min: 0, clampBehavior: 'strict', allowNegative: false, decimalScale: 1, hideControls: true } as const
const numberProps = {
  time: { ...numbers, max: setPointBounds.time.max, allowDecimal: false },
  temp: { ...numbers, max: setPointBounds.temp.max, allowDecimal: true },
} as const

interface SetPointNumberProps extends Omit<NumberInputProps, 'value' | 'onChange'> {
  label: string
  kind: keyof typeof numberProps
  value: number
  onChange: (value: number) => void
}

/**
 * A number that becomes 0 when emptied (estate specification, section 5, Input widgets) and is selected on focus. A
 * temperature is limited to its bounds on blur.
 */
function SetPointNumber({ label, kind, value, onChange, ...more }: SetPointNumberProps) {
  const input = useRef<HTMLInputElement>(null)
  const [isEmptied, setIsEmptied] = useState(false)
  // The field has to render empty once: a number that was 0 before would otherwise stay empty.
  useEffect(() => {
    if (isEmptied) setIsEmptied(false)
    else if (document.activeElement === input.current && value === 0) input.current?.select()
    // oxlint-disable-next-line react/exhaustive-deps -- the number that is typed is not selected
  }, [isEmptied])
  return (
    <NumberInput
      ref={input}
      aria-label={label}
      {...more}
      {...numberProps[kind]}
      value={isEmptied ? '' : value}
      onChange={(next) => {
        if (next === '') {
          setIsEmptied(true)
          onChange(0)
        } else if (typeof next === 'number') onChange(next)
      }}
      onBlur={() => {
        if (kind === 'temp') onChange(boundedTemperature(value))
      }}
    />
  )
}

interface SetPointRowProps {
  title: string
  edited: EditedWeek
  at: (typeof setPoints)[number]
}

/** A set point of the chosen day as a row: its colour, a time field, and a temperature in half degrees. */
export function SetPointRow({ title, edited: { week, day, set }, at }: SetPointRowProps) {
  const row = week.find(({ weekDay }) => weekDay === day)!
  const [time, temp] = [row[`timeSetPoint${at}`], row[`tempSetPoint${at}`]]
  const name = (kind: keyof typeof kindNames) => `${title}, ${day}, ${kindNames[kind]} ${at}`
  const by = (direction: 1 | -1) => set(day, `tempSetPoint${at}`, steppedTemperature(temp, direction * steps.temp))
  return (
    <div className={classes.row}>
      <i className={classes.swatch} style={warmthOf(week)(temp)} aria-hidden />
      <ClockInput label={name('time')} value={time} onChange={(next) => set(day, `timeSetPoint${at}`, next)} />
      <span className={classes.stepper}>
        <ActionIcon aria-label={`Decrease Temperature ${at}`} disabled={temp <= 0} onClick={() => by(-1)}>
          <IconMinus size={18} aria-hidden />
        </ActionIcon>
        <SetPointNumber
          variant="unstyled"
          label={name('temp')}
          suffix=" °C"
          kind="temp"
          value={temp}
          onChange={(next) => set(day, `tempSetPoint${at}`, next)}
        />
        <ActionIcon
          aria-label={`Increase Temperature ${at}`}
          disabled={temp >= setPointBounds.temp.max}
          onClick={() => by(1)}
        >
          <IconPlus size={18} aria-hidden />
        </ActionIcon>
      </span>
    </div>
  )
}

/** A 24-hour time field, independent of the browser's locale; an invalid text is discarded on blur. */
function ClockInput(props: { label: string; value: number; onChange: (minutes: number) => void }) {
  const { label, value, onChange } = props
  const [typed, setTyped] = useState<string>()
  const onKeyDown = (event: KeyboardEvent) => {
    const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key]
    if (!direction) return
    event.preventDefault()
    setTyped(undefined)
    onChange(stepped(value, direction * steps.time, { min: 0, max: setPointBounds.time.max }))
  }
  return (
    <TextInput
      aria-label={label}
      inputMode="numeric"
      rightSection={<IconClock size={18} stroke={1.7} aria-hidden />}
      rightSectionPointerEvents="none"
      value={typed ?? clockOf(value)}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        const minutes = currentTarget.value.trim() === '' ? 0 : minutesOf(currentTarget.value)
        if (minutes !== undefined) onChange(minutes)
      }}
      onFocus={({ currentTarget }) => currentTarget.select()}
      onBlur={() => setTyped(undefined)}
      onKeyDown={onKeyDown}
    />
  )
}

/** Explains where Save stores the week, and whether there is a draft. */
export function DraftNote({ edited: { isDraft, discard } }: { edited: EditedWeek }) {
  return (
    <span className={classes.note} data-draft={isDraft || undefined}>
      <IconInfoCircle size={16} stroke={1.7} aria-hidden />
      {isDraft ? 'Draft, not sent to the thermostat' : 'Saving keeps a draft in this browser'}
      {isDraft && (
        <Button variant="subtle" size="compact-sm" onClick={discard}>
          Discard draft
        </Button>
      )}
    </span>
  )
}

interface CopyDayProps {
  title: string
  from: WeekDay
  onCopy: (to: WeekDay[], from: WeekDay) => void
  /** Whether the button has a text, for places where it is alone. */
  inWords?: boolean
}

/** Copies a day to other days of the week; opens from a button. */
export function CopyDay({ title, from, onCopy, inWords = false }: CopyDayProps) {
  const icon = <IconCopy size={18} stroke={1.7} aria-hidden />
  const [opened, setOpened] = useState(false)
  const copy = (to: WeekDay[]) => {
    onCopy(to, from)
    setOpened(false)
  }
  return (
    <Popover opened={opened} onChange={setOpened} trapFocus withinPortal position="bottom-end">
      <Popover.Target>
        {inWords ? (
          <Button variant="subtle" size="md" leftSection={icon} onClick={() => setOpened(!opened)}>
            Copy to<span className="visually-hidden">{` other days, ${from} of ${title}`}</span>
          </Button>
        ) : (
          <ActionIcon
            aria-label={`Copy ${from} of ${title}`}
            title="Copy to other days"
            onClick={() => setOpened(!opened)}
          >
            {icon}
          </ActionIcon>
        )}
      </Popover.Target>
      <Popover.Dropdown>
        <CopyKeys from={from} onCopy={copy} />
      </Popover.Dropdown>
    </Popover>
  )
}

/** Seven keys; the copied day is disabled. */
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
