import { TextInput } from '@mantine/core'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAt, instantOf, isDay, localTime } from '@caretaker/rules/calendar/days.ts'
import { DayField } from '../../../ui/day-field.tsx'
import classes from './awaabs-law.module.css'

/** A day with an optional time: '' if unknown. */
export interface When {
  day: Day
  time: string
}

export const whenOf = (at: number, zone: string): When => ({
  day: dayAt(at, zone),
  time: new Date(localTime(at, zone)).toISOString().slice(11, 16),
})

/** The value for a call: the instant if the time is known, otherwise the day; undefined while the day is incomplete. */
export const sentWhen = ({ day, time }: When, zone: string): { at: string } | { on: Day } =>
  time && isDay(day) ? { at: new Date(instantOf(Date.parse(`${day}T${time}:00Z`), zone)).toISOString() } : { on: day }

export const isSameWhen = (a: When, b: When): boolean => a.day === b.day && a.time === b.time

interface WhenFieldProps {
  label: string
  value: When
  max: Day
  /** Emergencies are counted in hours. */
  withTime: boolean
  error?: string | undefined
  focus?: boolean
  onChange: (value: When) => void
}

/** A day, with the time of day if hours matter. */
export function WhenField({ label, value, max, withTime, error, focus, onChange }: WhenFieldProps) {
  return (
    <div className={classes.when}>
      <DayField
        label={label}
        max={max}
        value={value.day}
        error={error}
        data-autofocus={focus || undefined}
        onChange={(day) => onChange({ ...value, day })}
      />
      {withTime && (
        <TextInput
          type="time"
          label="Time"
          aria-label={`${label}, time`}
          value={value.time}
          onChange={(event) => onChange({ ...value, time: event.currentTarget.value })}
        />
      )}
    </div>
  )
}
