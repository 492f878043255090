import '@mantine/dates/styles.layer.css'
import { useState } from 'react'
import { ActionIcon, Button, Popover } from '@mantine/core'
import { DatePicker } from '@mantine/dates'
import { IconCalendar, IconChevronLeft, IconChevronRight } from '../../icons/index.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAfter, dayText } from '@caretaker/rules/calendar/days.ts'
import classes from './messages.module.css'

interface DayStepProps {
  day: Day
  /** The latest allowed day. */
  today: Day
  onChange: (day: Day) => void
}

/** A day, picked in a calendar or changed by one. */
export function DayStep({ day, today, onChange }: DayStepProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <span className={classes.day}>
      <ActionIcon variant="default" size="lg" aria-label="Day before" onClick={() => onChange(dayAfter(day, -1))}>
        <IconChevronLeft size={16} aria-hidden />
      </ActionIcon>
      <Popover opened={isOpen} onChange={setOpen} position="bottom-start" trapFocus returnFocus withRoles={false}>
        <Popover.Target>
          <Button
            variant="default"
            leftSection={<IconCalendar size={16} aria-hidden />}
            aria-haspopup="dialog"
            aria-expanded={isOpen}
            aria-label={`Date: ${dayText(day)}`}
            onClick={() => setOpen(!isOpen)}
          >
            {dayText(day)}
          </Button>
        </Popover.Target>
        <Popover.Dropdown role="dialog" aria-label="Date">
          <DatePicker
            value={day}
            defaultDate={day}
            maxDate={today}
            weekendDays={[]}
            hideOutsideDates
            ariaLabels={{ nextMonth: 'Next month', previousMonth: 'Previous month' }}
            onChange={(picked) => {
              if (picked) onChange(picked)
              setOpen(false)
            }}
          />
        </Popover.Dropdown>
      </Popover>
      <ActionIcon
        variant="default"
        size="lg"
        aria-label="Day after"
        disabled={day >= today}
        onClick={() => onChange(dayAfter(day, 1))}
      >
        <IconChevronRight size={16} aria-hidden />
      </ActionIcon>
    </span>
  )
}
