import { useLayoutEffect, useRef } from 'react'
import { Button } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { TestsOfMonth } from '@caretaker/contract/lighting.ts'
import { testTypes } from '@caretaker/rules/lighting/tests.ts'
import { useActor } from '../../../api/actor.ts'
import { IconAlertTriangle, IconCheck, IconFlag, IconPencil, IconX } from '../../../icons/index.ts'
import { Failed } from '../../../ui/states.tsx'
import { overviewQuery } from '../queries.ts'
import type { OverviewTone } from './overview-words.ts'
import {
  cellName,
  monthHead,
  monthInWords,
  monthOf,
  narrowedTo,
  numberOf,
  overviewTests,
  toneOf,
} from './overview-words.ts'
import type { TestsSearch } from './tests-place.ts'
import classes from './overview.module.css'

interface OverviewProps {
  search: TestsSearch
  narrow: (part: TestsSearch) => void
}

const icons: Record<OverviewTone, typeof IconX | undefined> = {
  passed: IconCheck,
  warning: IconAlertTriangle,
  failed: IconX,
  unknown: undefined,
}

/**
 * Twelve months of tests, each with the number of lights that have the worst result. A cell filters the table below.
 */
export function Overview({ search, narrow }: OverviewProps) {
  const { tenant } = useActor()
  const { data, isError, refetch } = useQuery({ ...overviewQuery(tenant, search), placeholderData: keepPreviousData })
  const scroller = useRef<HTMLDivElement>(null)
  const lastMonth = data?.months.at(-1)
  // If not all months fit, scrolls to the last ones.
  useLayoutEffect(() => {
    if (lastMonth && scroller.current) scroller.current.scrollLeft = scroller.current.scrollWidth
  }, [lastMonth])
  if (isError && !data) return <Failed text="The overview could not be loaded" onRetry={() => void refetch()} />
  const cells = new Map(data?.cells.map((cell) => [`${cell.month} ${cell.testType}`, cell]))
  const chosen = monthOf(search)
  return (
    <div className={classes.overview}>
      <div ref={scroller} className={classes.scroller} tabIndex={0} role="region" aria-label="Tests by month">
        <table className={classes.grid}>
          <thead>
            <tr>
              <th scope="col">Test</th>
              {data?.months.map((month, at) => (
                <th key={month} scope="col" aria-label={monthInWords(month)}>
                  {monthHead(month, at === 0)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {testTypes.map((type) => (
              <tr key={type}>
                <th scope="row">
                  {overviewTests[type]} ({type})
                </th>
                {data?.months.map((month) => {
                  const cell = cells.get(`${month} ${type}`)
                  return (
                    <td key={month}>
                      {cell ? (
                        <MonthOfTests
                          cell={cell}
                          isChosen={chosen === month && search.type === type}
                          onPress={() => narrow(narrowedTo(cell))}
                        />
                      ) : (
                        <span className={classes.none} aria-hidden>
                          ·
                        </span>
                      )}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className={classes.legend}>
        <span>
          <IconCheck size={14} aria-hidden /> All passed
        </span>
        <span>
          <IconAlertTriangle size={14} aria-hidden /> Degraded or indeterminate
        </span>
        <span>
          <IconX size={14} aria-hidden /> Failed
        </span>
        <span>
          <IconPencil size={14} aria-hidden /> Contains a corrected result
        </span>
        <span>
          <IconFlag size={14} aria-hidden /> Contains a disputed result
        </span>
        <span className={classes.note}>Red and amber cells count only the affected lights</span>
      </p>
      {chosen && (
        <div className={classes.chosen}>
          <h2>
            {search.type ? `${overviewTests[search.type]}s (${search.type})` : 'Tests'} in {monthInWords(chosen)}
          </h2>
          <Button
            variant="subtle"
            onClick={() => narrow({ type: undefined, from: undefined, to: undefined } as unknown as TestsSearch)}
          >
            Clear month
          </Button>
        </div>
      )}
    </div>
  )
}

function MonthOfTests({ cell, isChosen, onPress }: { cell: TestsOfMonth; isChosen: boolean; onPress: () => void }) {
  const tone = toneOf(cell.worst)
  const Icon = icons[tone]
  const name = cellName(cell)
  return (
    <button
      type="button"
      className={classes.cell}
      data-tone={tone}
      aria-pressed={isChosen}
      aria-label={name}
      title={name}
      onClick={onPress}
    >
      {Icon && <Icon size={14} stroke={2.4} aria-hidden />}
      {numberOf(cell).toLocaleString('en-GB')}
      {cell.corrected > 0 && <IconPencil size={14} className={classes.mark} aria-hidden />}
      {cell.disputed > 0 && <IconFlag size={14} className={classes.mark} aria-hidden />}
    </button>
  )
}
