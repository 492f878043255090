import '@mantine/dates/styles.layer.css'
import { useState } from 'react'
import { Button, Popover, TextInput } from '@mantine/core'
import { DatePicker } from '@mantine/dates'
import { IconCalendar } from '../icons/index.ts'
import type { Day, DayRange } from '@caretaker/rules/calendar/days.ts'
import { dayAt, dayFault, dayFrom, dayText, presetDays, presetRange } from '@caretaker/rules/calendar/days.ts'
import { useZone } from './zone.tsx'
import classes from './date-range.module.css'

interface DateRangeProps {
  label: string
  value: DayRange
  onChange: (range: DayRange) => void
  /** The shortcuts; days back from today by default. */
  presets?: Preset[]
  /** The zone of the days; the client's by default. */
  zone?: string
}

interface Preset {
  label: string
  onPick: () => void
}

/** A range of days, both included: by shortcut, typed, or picked in a calendar. None is later than today. */
export function DateRange({ label, value, onChange, presets, zone: given }: DateRangeProps) {
  const [opened, setOpened] = useState(false)
  const own = useZone()
  const zone = given ?? own
  const [today, setToday] = useState(() => dayAt(Date.now(), zone))
  const open = () => {
    setToday(dayAt(Date.now(), zone))
    setOpened(!opened)
  }
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-start"
      trapFocus
      returnFocus
      withRoles={false}
      width={300}
    >
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconCalendar size={16} aria-hidden />}
          aria-haspopup="dialog"
          aria-expanded={opened}
          aria-label={`${label}: ${rangeText(value)}`}
          onClick={open}
        >
          {rangeText(value)}
        </Button>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={label} className={classes.picker}>
        <Picker
          today={today}
          value={value}
          presets={presets?.map(({ label: name, onPick }) => ({
            label: name,
            onPick: () => {
              onPick()
              setOpened(false)
            },
          }))}
          onChange={(range, done) => {
            onChange(range)
            if (done) setOpened(false)
          }}
        />
      </Popover.Dropdown>
    </Popover>
  )
}

/** A range in words. */
function rangeText({ from, to }: DayRange): string {
  if (from && to) return from === to ? dayText(from) : `${dayText(from)} – ${dayText(to)}`
  if (from) return `From ${dayText(from)}`
  return to ? `Until ${dayText(to)}` : 'Any time'
}

interface PickerProps {
  today: Day
  value: DayRange
  presets: Preset[] | undefined
  /** `done`: the choice is complete. */
  onChange: (range: DayRange, done: boolean) => void
}

function Picker({ today, value, presets, onChange }: PickerProps) {
  const offered =
    presets ??
    presetDays.map((days) => ({
      label: days === 1 ? '1 day' : `${days} days`,
      onPick: () => onChange(presetRange(days, today), true),
    }))
  const [picked, setPicked] = useState<[Day | null, Day | null]>([value.from ?? null, value.to ?? null])
  return (
    <>
      <div className={classes.presets} data-words={presets !== undefined || undefined}>
        {offered.map(({ label, onPick }) => (
          <Button key={label} variant="default" onClick={onPick}>
            {label}
          </Button>
        ))}
      </div>
      <Typed
        today={today}
        value={value}
        onChange={(range) => {
          setPicked([range.from ?? null, range.to ?? null])
          onChange(range, false)
        }}
      />
      <DatePicker
        type="range"
        allowSingleDateInRange
        value={picked}
        onChange={(next) => {
          setPicked(next)
          const [from, to] = next
          if (from && to) onChange({ from, to }, true)
        }}
        maxDate={today}
        defaultDate={value.to ?? today}
        weekendDays={[]}
        hideOutsideDates
        ariaLabels={{ nextMonth: 'Next month', previousMonth: 'Previous month' }}
      />
    </>
  )
}

function Typed({
  today,
  value,
  onChange,
}: Omit<PickerProps, 'onChange' | 'presets'> & { onChange: (range: DayRange) => void }) {
  const [text, setText] = useState({
    from: value.from ? dayText(value.from) : '',
    to: value.to ? dayText(value.to) : '',
  })
  const [left, setLeft] = useState(false)
  const { from, to } = { from: dayFrom(text.from), to: dayFrom(text.to) }
  const reversed = from !== undefined && to !== undefined && from > to
  const faults = {
    from: dayFault(text.from, today),
    to: dayFault(text.to, today) ?? (reversed ? 'The end is before the beginning' : undefined),
  }
  const finish = () => {
    setLeft(true)
    if (!faults.from && !faults.to && (from !== value.from || to !== value.to)) onChange({ from, to })
  }
  return (
    <div className={classes.typed}>
      {(['from', 'to'] as const).map((end) => (
        <TextInput
          key={end}
          label={end === 'from' ? 'From' : 'To'}
          placeholder="DD/MM/YYYY"
          inputMode="numeric"
          data-choice
          autoComplete="off"
          value={text[end]}
          onChange={(event) => setText({ ...text, [end]: event.currentTarget.value })}
          onBlur={finish}
          onKeyDown={(event) => event.key === 'Enter' && finish()}
          error={left ? faults[end] : undefined}
        />
      ))}
    </div>
  )
}
