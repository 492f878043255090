import { ActionIcon, Button, Checkbox, Popover } from '@mantine/core'
import {
  IconAlertTriangleFilled,
  IconChevronLeft,
  IconChevronRight,
  IconCircle,
  IconFilter,
  IconPointFilled,
} from '../../../icons/index.ts'
import { isMovable } from '@caretaker/rules/lighting/collisions.ts'
import type { RunOutcome } from '@caretaker/rules/lighting/run-outcome.ts'
import { worstOf } from '@caretaker/rules/lighting/run-outcome.ts'
import { testTypes } from '@caretaker/rules/lighting/tests.ts'
import { localTimeAt } from '@caretaker/rules/lighting/plan.ts'
import { StatusIcon } from '../../../ui/status-icon.tsx'
import { useZone } from '../../../ui/zone.tsx'
import type { GroupsData } from '../groups-data.tsx'
import { inWords } from '../month-grid.tsx'
import { daysOf, monthAfter, monthName } from '../months.ts'
import { OutcomeIcon } from '../outcome.tsx'
import outcomes from '../outcome.module.css'
import { typesIn } from '../plan-place.ts'
import { inDays, typeOf } from '../words.tsx'
import { collisionOf, dayOf, keyOf, weekdayOf } from './marks.ts'
import { meaning } from './night.tsx'
import type { PlanView } from './view.ts'
import classes from './plan.module.css'

const initials = ['M', 'T', 'W', 'T', 'F', 'S', 'S']

/** The plan on a phone: a month with the worst icon per day, and below it the list of the day. */
export function MonthDays(view: PlanView & GroupsData) {
  const { entries, collisions, month, today, search, show, now, notYet, mayEdit, update } = view
  const zone = useZone()
  const byDay = Map.groupBy(entries, (entry) => dayOf(entry, zone))
  const first =
    entries.find((entry) => collisionOf(entry, collisions)) ??
    entries.find(({ testDate }) => Date.parse(testDate) > now)
  const chosen = search.night ?? (first ? dayOf(first, zone) : today)
  const days = daysOf(month)
  const before = (new Date(`${days[0]}T00:00:00Z`).getUTCDay() + 6) % 7
  const listed = [...byDay].filter(([day]) => day >= chosen).slice(0, 3)
  const hit = (byDay.get(chosen) ?? []).map((entry) => collisionOf(entry, collisions)).find((one) => one !== undefined)
  const hidden = typesIn(search.without ?? '')
  return (
    <div className={classes.phone}>
      <div className={classes.phoneHead}>
        <ActionIcon aria-label="Earlier" size={40} onClick={() => show({ month: monthAfter(month, -1), night: '' })}>
          <IconChevronLeft size={18} aria-hidden />
        </ActionIcon>
        <h2>
          {monthName(month)} {month.slice(0, 4)}
        </h2>
        <ActionIcon aria-label="Later" size={40} onClick={() => show({ month: monthAfter(month, 1), night: '' })}>
          <IconChevronRight size={18} aria-hidden />
        </ActionIcon>
      </div>
      <div className={classes.days}>
        {initials.map((letter, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- two days of the week share a letter
          <span key={at} className={classes.dimmed} aria-hidden>
            {letter}
          </span>
        ))}
        {days.map((day, at) => (
          <button
            key={day}
            type="button"
            style={at === 0 ? { gridColumnStart: before + 1 } : undefined}
            data-today={day === today || undefined}
            aria-pressed={day === chosen}
            aria-label={`${Number(day.slice(8))} ${monthName(month)}, ${byDay.get(day)?.length ?? 'no'} tests`}
            onClick={() => show({ month, night: day })}
          >
            {Number(day.slice(8))}
            <Sign
              outcome={worstOf((byDay.get(day) ?? []).map(({ outcome }) => outcome))}
              collides={(byDay.get(day) ?? []).some((entry) => collisionOf(entry, collisions))}
            />
          </button>
        ))}
      </div>
      {listed.length === 0 && <p className={classes.phoneEmpty}>No tests scheduled. {notYet}</p>}
      {listed.map(([day, runs]) => (
        <section key={day} aria-label={day}>
          <h3 className={classes.dayHead}>
            {weekdayOf(day)} {Number(day.slice(8))} {monthName(day.slice(0, 7))}{' '}
            <span>{inDays(runs[0]!.testDate, now, zone)}</span>
          </h3>
          {day === chosen && hit && (
            <p className={classes.phoneHit}>
              <IconAlertTriangleFilled size={16} aria-hidden />
              {meaning(hit, zone)}
            </p>
          )}
          <ul className={classes.dayList}>
            {runs.map((entry) => (
              <li key={keyOf(entry)}>
                <span
                  className={outcomes.sample}
                  data-outcome={entry.outcome}
                  data-collides={collisionOf(entry, collisions) !== undefined || undefined}
                >
                  {typeOf(entry)}
                  <OutcomeIcon outcome={entry.outcome} size={12} />
                </span>
                <span>
                  <b>{entry.groupName}</b>
                  <span className={classes.dimmed}>{inWords(entry, zone)}</span>
                </span>
                <span className={classes.clock}>{localTimeAt(Date.parse(entry.testDate), zone).slice(11)}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <div className={classes.phoneActions}>
        <Popover position="top-start">
          <Popover.Target>
            <Button variant="default" leftSection={<IconFilter size={16} aria-hidden />}>
              Filter
            </Button>
          </Popover.Target>
          <Popover.Dropdown>
            <div className={classes.types}>
              {testTypes.map((type) => (
                <Checkbox
                  key={type}
                  label={type}
                  checked={!hidden.includes(type)}
                  onChange={(event) =>
                    show({
                      without: (event.currentTarget.checked
                        ? hidden.filter((one) => one !== type)
                        : [...hidden, type]
                      ).join(),
                    })
                  }
                />
              ))}
            </div>
          </Popover.Dropdown>
        </Popover>
        {mayEdit && hit?.move && (
          <Button
            aria-label={`Another night: ${hit.move.groupName}`}
            onClick={() => update(hit.move!.groupName, hit.move!.t180StartDate)}
          >
            Another night
          </Button>
        )}
        {mayEdit && hit && !isMovable(hit) && (
          <Button aria-label={`Update group: ${hit.runs[0]!.groupName}`} onClick={() => update(hit.runs[0]!.groupName)}>
            Update group
          </Button>
        )}
      </div>
    </div>
  )
}

/** The icon of a day: what needs attention, otherwise past or scheduled tests. */
function Sign({ outcome, collides }: { outcome: RunOutcome | undefined; collides: boolean }) {
  if (outcome === 'failed') return <StatusIcon tone="failed" size={12} />
  if (outcome === 'degraded' || collides) return <StatusIcon tone="warning" size={12} />
  if (outcome === 'missed' || outcome === 'unknown' || outcome === 'running')
    return <OutcomeIcon outcome={outcome} size={12} />
  if (outcome === 'passed') return <IconPointFilled size={12} className={classes.good} aria-hidden />
  if (outcome === 'planned') return <IconCircle size={10} aria-hidden />
  return <i aria-hidden />
}
