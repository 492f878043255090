import type { ScheduleEntry } from '@caretaker/contract/groups.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { notAgainText } from '@caretaker/rules/lighting/again.ts'
import { runCountsText, outcomeWords, worstOf } from '@caretaker/rules/lighting/run-outcome.ts'
import { testTypes } from '@caretaker/rules/lighting/tests.ts'
import { dateText, dateTimeText } from '../../ui/age.ts'
import { useZone } from '../../ui/zone.tsx'
import { OutcomeIcon, OutcomeLegend } from './outcome.tsx'
import { monthName, shortMonth } from './months.ts'
import { lightsText } from './words.tsx'
import outcomes from './outcome.module.css'
import classes from './test-schedules.module.css'

interface MonthGridProps {
  entries: readonly ScheduleEntry[]
  months: readonly string[]
  current: string
  /** The next run, which has a ring. */
  next: ScheduleEntry | undefined
}

/** Test types by month: a cell shows the worst result or the day of a scheduled test. */
export function MonthGrid({ entries, months, current, next }: MonthGridProps) {
  const zone = useZone()
  const dayOf = (entry: ScheduleEntry) => dayAt(Date.parse(entry.testDate), zone)
  const inCell = Map.groupBy(entries, (entry) => `${entry.testType} ${dayOf(entry).slice(0, 7)}`)
  const shown = testTypes.filter((type) => entries.some(({ testType }) => testType === type))
  return (
    <>
      {/* It scrolls sideways in a narrow window, also by keyboard. */}
      <div className={classes.gridScroll} role="region" aria-label="Months" tabIndex={0}>
        <table className={classes.grid} aria-label="Tests by month">
          <thead>
            <tr>
              <td />
              {months.map((month) => (
                <th
                  key={month}
                  scope="col"
                  aria-label={`${monthName(month)} ${month.slice(0, 4)}`}
                  data-current={month === current || undefined}
                >
                  {shortMonth(month)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((type) => (
              <tr key={type}>
                <th scope="row">{type}</th>
                {months.map((month) => (
                  <td key={month}>{cell(inCell.get(`${type} ${month}`) ?? [])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <OutcomeLegend more={['next']} />
    </>
  )

  function cell(runs: readonly ScheduleEntry[]) {
    const outcome = worstOf(runs.map((run) => run.outcome))
    const worst = runs.findLast((run) => run.outcome === outcome)
    if (!outcome || !worst) return <span className={classes.none}>·</span>
    const runsText = runs
      .map((run) => `${run.testType} ${dateTimeText(run.testDate, zone)}: ${inWords(run, zone)}`)
      .join('\n')
    return (
      <span
        className={outcomes.sample}
        data-cell
        data-outcome={outcome}
        data-next={worst === next || undefined}
        title={runsText}
        aria-label={runsText}
        role="img"
      >
        <OutcomeIcon outcome={outcome} size={13} />
        {Number(dayOf(worst).slice(8))}
      </span>
    )
  }
}

/** The result of a run with the number of lights; for a missed run, when it is repeated or why not. */
export function inWords(entry: ScheduleEntry, zone: string): string {
  const { outcome, state, lights, missed, testType, again, repeats } = entry
  const since = repeats ? ` that missed it on ${dateText(repeats, zone)}` : ''
  if (state === 'planned') return `${outcomeWords.planned}, ${lightsText(lights)}${since}`
  const outcomeText = runCountsText(entry)
  const coming = again ? `planned again for ${dateTimeText(again, zone)}` : missed > 0 && notAgainText(testType)
  return [outcomeText ? `${outcomeText} of ${lights}` : outcomeWords[outcome], coming].filter(Boolean).join(', ')
}
