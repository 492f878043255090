import '@mantine/dates/styles.layer.css'
import { useState } from 'react'
import type { TextInputProps } from '@mantine/core'
import { ActionIcon, Popover, TextInput } from '@mantine/core'
import { DatePicker } from '@mantine/dates'
import { IconCalendar } from '../icons/index.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayFrom, dayText, isDay } from '@caretaker/rules/calendar/days.ts'

interface DayTextFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'min' | 'max' | 'type'> {
  /** As typed: DD/MM/YYYY. */
  text: string
  onText: (text: string) => void
  /** The allowed days. */
  min?: Day | undefined
  max?: Day | undefined
  /** Within a popover the calendar must be a part of it: otherwise a click would close both. */
  withinPortal?: boolean
}

/** The date field: text as DD/MM/YYYY, or picked in a calendar. */
export function DayTextField({
  text,
  onText,
  min,
  max,
  withinPortal = true,
  disabled = false,
  ...input
}: DayTextFieldProps) {
  const [isOpen, setOpen] = useState(false)
  const day = dayFrom(text)
  return (
    <TextInput
      placeholder="DD/MM/YYYY"
      inputMode="numeric"
      autoComplete="off"
      {...input}
      disabled={disabled}
      value={text}
      onChange={(event) => onText(event.currentTarget.value)}
      leftSectionPointerEvents="all"
      leftSection={
        <Popover
          opened={isOpen}
          onChange={setOpen}
          position="bottom-start"
          withinPortal={withinPortal}
          trapFocus
          returnFocus
          withRoles={false}
        >
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
              value={day ?? null}
              onChange={(picked) => {
                if (picked) onText(dayText(picked))
                setOpen(false)
              }}
              {...(min && { minDate: min })}
              {...(max && { maxDate: max })}
              {...((day ?? max ?? min) && { defaultDate: day ?? max ?? min! })}
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

interface DayFieldProps extends Omit<DayTextFieldProps, 'text' | 'onText'> {
  /** The day; empty for none; an invalid text while typing. */
  value: string
  onChange: (value: string) => void
}

/** The same for a stored day. An invalid text is passed on unchanged, so that nothing is saved for it. */
export function DayField({ value, onChange, error, onBlur, ...input }: DayFieldProps) {
  const [typed, setTyped] = useState('')
  const [isTyping, setTyping] = useState(false)
  const text = !isDay(value) ? value : isTyping && dayFrom(typed) === value ? typed : dayText(value)
  const fault = value !== '' && !isDay(value) && !isTyping ? 'Enter a date as DD/MM/YYYY' : undefined
  return (
    <DayTextField
      {...input}
      text={text}
      onText={(next) => {
        setTyped(next)
        setTyping(true)
        onChange(dayFrom(next) ?? next.trim())
      }}
      error={fault ?? (isTyping && !isDay(value) ? undefined : error)}
      onBlur={(event) => {
        setTyping(false)
        onBlur?.(event)
      }}
    />
  )
}
