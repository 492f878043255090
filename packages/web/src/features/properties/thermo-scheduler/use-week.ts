import { useState } from 'react'
import type { SchedulerRow, SetPointField, WeekDay } from '@caretaker/rules/properties/schedule.ts'
import { copiedDay, emptyWeek, withSetPoint } from '@caretaker/rules/properties/schedule.ts'

/** Steps that can be undone. */
const kept = 100

/** A week of set points while somebody edits it, with the steps since it was kept last. Nothing of it leaves the page: `save` keeps the week as the one to go on from. */
export interface EditedWeek {
  week: readonly SchedulerRow[]
  /** The week as it was kept last. */
  saved: readonly SchedulerRow[]
  /** The day that is edited. */
  day: WeekDay
  setDay: (day: WeekDay) => void
  isEdited: boolean
  set: (day: WeekDay, field: SetPointField, value: number) => void
  /** Several numbers of the chosen day at once; `goesOn` where the same drag has changed them before. */
  drag: (values: Partial<Record<SetPointField, number>>, goesOn: boolean) => void
  copy: (to: WeekDay[], from: WeekDay) => void
  undo: () => void
  save: () => void
}

export function useWeek(): EditedWeek {
  const [week, setWeek] = useState(emptyWeek)
  const [saved, setSaved] = useState(week)
  const [earlier, setEarlier] = useState<SchedulerRow[][]>([])
  const [day, setDay] = useState<WeekDay>('Monday')
  const change = (next: SchedulerRow[], { goesOn = false } = {}) => {
    // What is dragged is undone at once, however far it went.
    if (!goesOn) setEarlier([...earlier, week].slice(-kept))
    setWeek(next)
  }
  return {
    week,
    saved,
    day,
    setDay,
    isEdited: earlier.length > 0,
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
      setWeek(earlier.at(-1)!)
      setEarlier(earlier.slice(0, -1))
    },
    save: () => {
      setSaved(week)
      setEarlier([])
    },
  }
}
