import { useId } from 'react'
import { IconAlertCircle } from '../../../icons/index.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { recordStatuses } from '@caretaker/rules/compliance/records.ts'
import { DayTextField } from '../../../ui/day-field.tsx'
import { textOf, useField } from '../../../ui/forms/fields.tsx'
import type { Form } from '../../../ui/forms/use-form.ts'
import { StatusIcon } from '../../../ui/status-icon.tsx'
import type { RecordInput } from './record-form.ts'
import classes from './compliance.module.css'

interface FieldProps {
  form: Form<RecordInput>
  disabled: boolean
}

/** The day of the check, typed or picked; not in the future. */
export function DayField({ form, disabled, today, hint }: FieldProps & { today: Day; hint: string | undefined }) {
  const { inputRef, value, change, leave, error } = useField({ form, name: 'day' })
  return (
    <DayTextField
      ref={inputRef}
      label="Date"
      withAsterisk
      required={false}
      aria-required
      disabled={disabled}
      text={textOf(value)}
      onText={change}
      max={today}
      onBlur={leave}
      error={error}
      description={hint && !error ? hint : undefined}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
    />
  )
}

/** The result of the check: pass or fail. */
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
