import { useState } from 'react'
import type { SchedulerRow, SetPointField, WeekDay } from '@caretaker/rules/properties/schedule.ts'
import { copiedDay, emptyWeek, weekIn, withSetPoint } from '@caretaker/rules/properties/schedule.ts'
import { useDraftStore } from '../../../ui/draft.ts'

/** The number of undo steps. */
const kept = 100

/** A week of set points while edited, with the steps since the last save. */
export interface EditedWeek {
  week: readonly SchedulerRow[]
  /** The week before the edits: the draft, otherwise the thermostat's week, otherwise an empty one. */
  saved: readonly SchedulerRow[]
  /** The edited day. */
  day: WeekDay
  setDay: (day: WeekDay) => void
  isEdited: boolean
  /** Whether this browser has a draft. */
  isDraft: boolean
  set: (day: WeekDay, field: SetPointField, value: number) => void
  /** Changes several numbers of the chosen day at once; `goesOn` if the same drag has changed them before. */
  drag: (values: Partial<Record<SetPointField, number>>, goesOn: boolean) => void
  copy: (to: WeekDay[], from: WeekDay) => void
  undo: () => void
  /** Saves the week as a draft in this browser. */
  save: () => void
  /** Discards the draft and all edits: the week is the thermostat's again. */
  discard: () => void
}

/** The draft week of this browser, based on the thermostat's, which may be loaded later. */
export function useWeek(name: string, ofThermostat: readonly SchedulerRow[] = emptyWeek()): EditedWeek {
  const store = useDraftStore({ name })
  const [draft, setDraft] = useState(() => weekIn(store?.read()?.week))
  const [edited, setEdited] = useState<readonly SchedulerRow[]>()
  const [earlier, setEarlier] = useState<(readonly SchedulerRow[] | undefined)[]>([])
  const [day, setDay] = useState<WeekDay>('Monday')
  const saved = draft ?? ofThermostat
  const week = edited ?? saved
  const change = (next: readonly SchedulerRow[], { goesOn = false } = {}) => {
    // A drag is one undo step.
    if (!goesOn) setEarlier([...earlier, edited].slice(-kept))
    setEdited(next)
  }
  const forget = () => {
    setEdited(undefined)
    setEarlier([])
  }
  return {
    week,
    saved,
    day,
    setDay,
    isEdited: earlier.length > 0,
    isDraft: draft !== undefined,
    set: (of, field, value) => {
      const row = week.find(({ weekDay }) => weekDay === of)!
      if (row[field] !== value) change(withSetPoint(week, of, field, value))
    },
    drag: (values, goesOn) =>
      change(
        week.map((row) => (row.weekDay === day ? { ...row, ...values } : row)),
        { goesOn },
      ),
    copy: (to, from) => change(copiedDay(week, from, to)),
    undo: () => {
      setEdited(earlier.at(-1))
      setEarlier(earlier.slice(0, -1))
    },
    save: () => {
      // If the draft cannot be stored, the edits stay unsaved.
      if (!store?.write({ week })) return
      setDraft([...week])
      forget()
    },
    discard: () => {
      store?.clear()
      setDraft(undefined)
      forget()
    },
  }
}
