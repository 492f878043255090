import type { GroupRow, ScheduleEntry } from '@caretaker/contract/groups.ts'
import { useZone } from '../../../ui/zone.tsx'
import { daysOf, monthAfter, monthName, shortMonth } from '../months.ts'
import { inWords } from '../month-grid.tsx'
import { OutcomeIcon } from '../outcome.tsx'
import { typeOf } from '../words.tsx'
import outcomes from '../outcome.module.css'
import { collisionOf, dayOf, isWeekend, keyOf, weekdayOf } from './marks.ts'
import type { PlanView } from './view.ts'
import classes from './plan.module.css'

interface Column {
  id: string
  top: string
  label: string
  name: string
  holds: (day: string) => boolean
  isWeekend: boolean
  isToday: boolean
}

/** A lane per group, a column per day or, in a year, per month. A click on a test opens its night. */
export function Lanes({
  groups,
  months,
  entries,
  collisions,
  month,
  today,
  search,
  show,
}: PlanView & { groups: readonly GroupRow[]; months: number }) {
  const zone = useZone()
  const columns = months > 1 ? monthColumns(month, months, today) : dayColumns(month, today)
  const byGroup = Map.groupBy(entries, ({ groupId }) => groupId)
  const known = new Set(groups.map(({ groupId }) => groupId))
  // Tests of deleted groups stay visible.
  const gone = [...byGroup]
    .filter(([id]) => !known.has(id))
    .map(([groupId, [first]]) => ({ groupId, groupName: first!.groupName, lights: 0 }))
  return (
    <div className={classes.laneScroll}>
      <table className={classes.lanes} aria-label="Plan" data-year={months > 1 || undefined}>
        <thead>
          <tr>
            <th scope="col" className={classes.laneName}>
              Group, lights
            </th>
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                aria-label={column.name}
                data-weekend={column.isWeekend || undefined}
                data-today={column.isToday || undefined}
              >
                <span>{column.top}</span>
                <b>{column.label}</b>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...groups, ...gone].map((group) => (
            <tr key={group.groupId}>
              <th scope="row" className={classes.laneName}>
                <span>{group.groupName}</span>
                <i>{group.lights || ''}</i>
              </th>
              {columns.map((column) => (
                <td
                  key={column.id}
                  data-weekend={column.isWeekend || undefined}
                  data-today={column.isToday || undefined}
                >
                  {(byGroup.get(group.groupId) ?? []).filter((entry) => column.holds(dayOf(entry, zone))).map(mark)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )

  function mark(entry: ScheduleEntry) {
    const day = dayOf(entry, zone)
    return (
      <button
        key={keyOf(entry)}
        type="button"
        className={`${outcomes.sample} ${classes.mark}`}
        data-outcome={entry.outcome}
        data-collides={collisionOf(entry, collisions) !== undefined || undefined}
        data-next={search.night === day || undefined}
        aria-label={`${entry.groupName}, ${typeOf(entry)} on ${Number(day.slice(8))} ${monthName(day.slice(0, 7))}: ${inWords(entry, zone)}`}
        onClick={() => show({ month, night: day })}
      >
        {typeOf(entry)}
        <OutcomeIcon outcome={entry.outcome} size={11} />
      </button>
    )
  }
}

const dayColumns = (month: string, today: string): Column[] =>
  daysOf(month).map((day) => ({
    id: day,
    top: weekdayOf(day).slice(0, 1),
    label: String(Number(day.slice(8))),
    name: `${weekdayOf(day)} ${Number(day.slice(8))} ${monthName(month)}`,
    holds: (one) => one === day,
    isWeekend: isWeekend(day),
    isToday: day === today,
  }))

const monthColumns = (first: string, months: number, today: string): Column[] =>
  Array.from({ length: months }, (_, at) => monthAfter(first, at)).map((month) => ({
    id: month,
    top: month.slice(0, 4),
    label: shortMonth(month),
    name: `${monthName(month)} ${month.slice(0, 4)}`,
    holds: (day) => day.startsWith(month),
    isWeekend: false,
    isToday: today.startsWith(month),
  }))
