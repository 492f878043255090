import type { ReactNode } from 'react'
import { VisuallyHidden } from '@mantine/core'
import { DateTimePicker } from '@mantine/dates'
import { IconCalendarEvent, IconSun } from '../../../icons/index.ts'
import { zoneName } from '@caretaker/rules/calendar/days.ts'
import { startOf, localTimeAt } from '@caretaker/rules/lighting/plan.ts'
import { isByDay } from '@caretaker/rules/lighting/single.ts'
import { nightText } from '@caretaker/rules/lighting/start-words.ts'
import { minutesOf } from '@caretaker/rules/lighting/tests.ts'
import { useClock } from '../../../ui/age-view.tsx'
import { textOf, useField } from '../../../ui/forms/fields.tsx'
import type { Form } from '../../../ui/forms/use-form.ts'
import { useZone } from '../../../ui/zone.tsx'
import classes from './start-cards.module.css'

interface GroupStart {
  groupName: string
  building: string
  t180StartDate: string
}

interface StartCardsProps {
  form: Form<GroupStart>
  /** The current hour in the time zone of the client: the default of the specification. */
  hour: string
  /** The next night without a conflict, at 02:00; null if there is none, undefined without a building. */
  freeNight: string | null | undefined
  fault: string | undefined
  /** A notice that the start is skipped by a clock change, with the start used instead. */
  moved: string | undefined
  note: string | undefined
}

/** The start of a group's first T180: the next free night, another night, or now. All cards set the same value. */
export function StartCards({ form, hour, freeNight, fault, moved, note }: StartCardsProps) {
  const { inputRef, value, change, leave, error } = useField({ form, name: 't180StartDate' })
  const zone = useZone()
  const now = useClock()
  const start = textOf(value)
  const chosen = start === hour ? 'now' : start === freeNight ? 'free' : 'another'
  const choose = (localTime: string) => change(localTime)
  const ends = (at: number) => at + minutesOf.T180 * 60_000
  const clock = (at: number) => localTimeAt(at, zone).slice(11)
  return (
    <fieldset className={classes.cards}>
      <legend>
        T180 start <span>first 3-hour test; it repeats every year, by the clocks of {zone}</span>
      </legend>
      <Card
        isChosen={chosen === 'free'}
        label="Next free night at 02:00"
        isDisabled={!freeNight}
        onChoose={() => freeNight && choose(freeNight)}
      >
        {freeNight ? (
          <>
            <b>{nightText(startOf(freeNight, zone), zone)}</b>
            <span>
              Until {clock(ends(startOf(freeNight, zone)))} {zoneName(ends(startOf(freeNight, zone)), zone)}. No
              collisions.
            </span>
          </>
        ) : (
          <span>
            {freeNight === null
              ? 'None of the next 60 nights is free for these lights.'
              : 'Choose a building to find the next free night.'}
          </span>
        )}
      </Card>
      <Card
        isChosen={chosen === 'another'}
        label="Another night"
        // Starts with the coming 02:00; its field sets the value.
        onChoose={() => chosen !== 'another' && choose(comingNight(now, zone))}
      >
        <DateTimePicker
          label={<VisuallyHidden>T180 start</VisuallyHidden>}
          valueFormat="DD/MM/YYYY HH:mm"
          leftSection={<IconCalendarEvent size={16} aria-hidden />}
          ref={inputRef}
          value={start ? `${start.replace('T', ' ')}:00` : null}
          onChange={(picked) => change(picked ? picked.slice(0, 16).replace(' ', 'T') : '')}
          onBlur={leave}
          error={error ?? fault}
        />
        <span>Collisions are shown before you save.</span>
        {chosen === 'another' && note && <span className={classes.note}>{note}</span>}
        {moved && <span className={classes.note}>{moved}</span>}
      </Card>
      <Card isChosen={chosen === 'now'} label="Start now" onChoose={() => choose(hour)}>
        <span className={classes.now}>
          {isByDay('T180', now, zone) && <IconSun size={16} aria-hidden />}
          {isByDay('T180', now, zone) ? 'Runs in the daytime' : 'Runs'}, {clock(now)} to {clock(ends(now))}
        </span>
        <span>You will be asked to confirm.</span>
      </Card>
    </fieldset>
  )
}

/** The 02:00 after next, because the suggestion has the next one. */
function comingNight(now: number, zone: string): string {
  const [day] = localTimeAt(now + 2 * 86_400_000, zone).split('T')
  return `${day}T02:00`
}

interface CardProps {
  isChosen: boolean
  isDisabled?: boolean
  label: string
  onChoose: () => void
  children: ReactNode
}

function Card({ isChosen, isDisabled = false, label, onChoose, children }: CardProps) {
  return (
    <div className={classes.card} data-chosen={isChosen || undefined} data-disabled={isDisabled || undefined}>
      <label>
        <input type="radio" name="t180 start" checked={isChosen} disabled={isDisabled} onChange={onChoose} />
        {label}
      </label>
      <div className={classes.detail}>{children}</div>
    </div>
  )
}
