import '@mantine/dates/styles.layer.css'
import { useId, useState } from 'react'
import { ActionIcon, Popover, TextInput } from '@mantine/core'
import { DatePicker } from '@mantine/dates'
import { IconAlertCircle, IconCalendar } from '../../../icons/index.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayFrom, dayText } from '@caretaker/rules/calendar/days.ts'
import { recordStatuses } from '@caretaker/rules/compliance/records.ts'
import { textOf, useField } from '../../../ui/forms/fields.tsx'
import type { Form } from '../../../ui/forms/use-form.ts'
import { StatusIcon } from '../../../ui/status-icon.tsx'
import type { RecordInput } from './record-form.ts'
import classes from './compliance.module.css'

interface FieldProps {
  form: Form<RecordInput>
  disabled: boolean
}

/** The day of the check, typed or picked; none to come. */
export function DayField({ form, disabled, today, hint }: FieldProps & { today: Day; hint: string | undefined }) {
  const { inputRef, value, change, leave, error } = useField({ form, name: 'day' })
  const [isOpen, setOpen] = useState(false)
  const text = textOf(value)
  return (
    <TextInput
      ref={inputRef}
      label="Date"
      withAsterisk
      required={false}
      aria-required
      placeholder="dd/mm/yyyy"
      inputMode="numeric"
      autoComplete="off"
      disabled={disabled}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      onBlur={leave}
      error={error}
      description={hint && !error ? hint : undefined}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      leftSectionPointerEvents="all"
      leftSection={
        <Popover opened={isOpen} onChange={setOpen} position="bottom-start" trapFocus returnFocus withRoles={false}>
          <Popover.Target>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label="Pick the date"
              aria-haspopup="dialog"
              aria-expanded={isOpen}
              disabled={disabled}
              onClick={() => setOpen(!isOpen)}
            >
              <IconCalendar size={16} aria-hidden />
            </ActionIcon>
          </Popover.Target>
          <Popover.Dropdown role="dialog" aria-label="Date">
            <DatePicker
              value={dayFrom(text) ?? null}
              onChange={(day) => {
                if (day) change(dayText(day))
                setOpen(false)
              }}
              maxDate={today}
              defaultDate={dayFrom(text) ?? today}
              weekendDays={[]}
              hideOutsideDates
              ariaLabels={{ nextMonth: 'Next month', previousMonth: 'Previous month' }}
            />
          </Popover.Dropdown>
        </Popover>
      }
    />
  )
}

/** Whether the check was passed: one of two. */
export function ResultField({ form, disabled }: FieldProps) {
  const { value, change, leave, error } = useField({ form, name: 'status' })
  const id = useId()
  return (
    <div
      className={classes.field}
      role="radiogroup"
      aria-labelledby={`${id}-label`}
      aria-describedby={error ? `${id}-fault` : undefined}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) leave()
      }}
    >
      <span id={`${id}-label`} className={classes.label}>
        Result<span aria-hidden> *</span>
      </span>
      <div className={classes.two} data-wrong={error ? true : undefined}>
        {recordStatuses.map((status) => (
          <label key={status} data-chosen={value === status || undefined}>
            <input
              type="radio"
              name={`${id}-result`}
              className="visually-hidden"
              checked={value === status}
              disabled={disabled}
              onChange={() => change(status)}
            />
            <StatusIcon tone={status === 'Pass' ? 'passed' : 'failed'} size={15} />
            {status}
          </label>
        ))}
      </div>
      {error && (
        <p id={`${id}-fault`} className={classes.fault}>
          <IconAlertCircle size={15} aria-hidden />
          {error}
        </p>
      )}
    </div>
  )
}
