import { useLayoutEffect, useRef } from 'react'
import { IconAlertTriangle, IconCheck, IconClockX, IconX } from '../../../icons/index.ts'
import type { EmergencyTest, LightRun } from '@caretaker/contract/lighting.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { TestResult } from '@caretaker/rules/lighting/tests.ts'
import { useClock } from '../../../ui/age-view.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { isMissed, runInWords, runWords } from '../run-words.ts'
import { resultWord } from '../test-result.tsx'
import type { Cell, GridTest } from './month-grid.ts'
import { gridOf } from './month-grid.ts'
import classes from './month-grid.module.css'

export const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const tones: Partial<Record<TestResult, string>> = { Passed: 'passed', Degraded: 'degraded', Failed: 'failed' }
const icons = { passed: IconCheck, degraded: IconAlertTriangle, failed: IconX, missed: IconClockX } as const

interface MonthGridProps {
  tests: readonly EmergencyTest[]
  runs: readonly LightRun[]
  onOpen: (test: EmergencyTest) => void
}

/** Years of tests at a glance: the worst test of each month and type, missed tests and scheduled ones. */
export function MonthGrid({ tests, runs, onOpen }: MonthGridProps) {
  const [zone, now] = [useZone(), useClock()]
  const years = gridOf(tests, runs, { zone, now })
  const scroller = useRef<HTMLDivElement>(null)
  const current = useRef<HTMLTableCellElement>(null)
  // If not all months fit, scrolls to the current one.
  useLayoutEffect(() => {
    const [box, month] = [scroller.current, current.current]
    if (box && month) box.scrollLeft = month.offsetLeft + month.offsetWidth - box.clientWidth
  }, [])
  const thisMonth = Number(dayAt(now, zone).slice(5, 7)) - 1
  return (
    <>
      <div ref={scroller} className={classes.scroller} tabIndex={0} role="region" aria-label="Months">
        <table className={classes.grid}>
          <thead>
            <tr>
              <th scope="col">Year</th>
              <th scope="col">Test</th>
              {months.map((month, at) => (
                <th key={month} scope="col" ref={at === thisMonth ? current : undefined}>
                  {month}
                </th>
              ))}
            </tr>
          </thead>
          {years.map(({ year, rows }) => (
            <tbody key={year}>
              {rows.map(({ type, months: cells }, row) => (
                <tr key={type}>
                  {row === 0 && (
                    <th scope="rowgroup" rowSpan={rows.length} className={classes.year}>
                      {year}
                    </th>
                  )}
                  <th scope="row">{type}</th>
                  {cells.map((cell, month) => (
                    <td key={months[month]}>
                      {cell ? (
                        <MonthCell cell={cell} of={`${type}, ${cell.day} ${months[month]} ${year}`} onOpen={onOpen} />
                      ) : (
                        <span className={classes.none} aria-hidden>
                          ·
                        </span>
                      )}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          ))}
        </table>
      </div>
      <p className={classes.legend}>
        The number is the day of the month. If there are several tests, the worst result is shown. A framed number is a
        scheduled test.
      </p>
    </>
  )
}

interface CellProps<Test extends GridTest> {
  cell: Cell<Test>
  of: string
  onOpen: (test: Test) => void
}

/** The worst test of a month, which opens on click. */
export function MonthCell<Test extends GridTest>({ cell, of, onOpen }: CellProps<Test>) {
  const zone = useZone()
  const { day, result, run, next, tests } = cell
  const tone = result ? (tones[result] ?? 'unknown') : run && isMissed(run) ? 'missed' : 'planned'
  const Icon = icons[tone as keyof typeof icons] as typeof IconX | undefined
  const word = result ? resultWord(result) : runWords[run!.state]
  const coming = next ? `. ${runWords.planned} for ${next.day}` : ''
  const title = `${of}: ${run && !result ? runInWords(run, zone) : word}${coming}`
  const shown = (
    <>
      {Icon && <Icon size={13} stroke={2.4} aria-hidden />}
      {day}
      {next && <span className={classes.next} data-day={next.day} />}
    </>
  )
  const worst = tests.find((test) => test.result === result)
  if (!worst)
    return (
      <span className={classes.cell} data-tone={tone} title={title} role="img" aria-label={title}>
        {shown}
      </span>
    )
  return (
    <button
      type="button"
      className={classes.cell}
      data-tone={tone}
      title={title}
      aria-label={title}
      onClick={() => onOpen(worst)}
    >
      {shown}
    </button>
  )
}
