import { useState } from 'react'
import type { ReactNode } from 'react'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Button } from '@mantine/core'
import { IconClipboardList } from '../../icons/index.ts'
import type { Device } from '@caretaker/contract/devices.ts'
import type { EmergencyTest, LightRun } from '@caretaker/contract/lighting.ts'
import { useActor } from '../../api/actor.ts'
import { InspectionSheetButton } from '../../inspection/sheet-button.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import type { Sort } from '../../ui/table/props.ts'
import { SortIcon, sortStateOf } from '../../ui/table/sort-icon.tsx'
import { turned, useTablePlace } from '../../ui/table-place.ts'
import { TimeOf, useZone } from '../../ui/zone.tsx'
import { runsQuery, testsQuery } from './queries.ts'
import { Reason, Result } from './test-result.tsx'
import type { ShownTest } from './tests/actions.tsx'
import { actionsFor, TestDialog } from './tests/actions.tsx'
import { Changes } from './tests/changes.tsx'
import { DownloadButton } from './tests/download-tests.tsx'
import { isMissed, runInWords } from './run-words.ts'
import { MonthGrid } from './tests/month-grid.tsx'
import { saveTests } from './tests/save-tests.ts'
import type { TestOrder } from './tests/tests-order.ts'
import { testOrders, testsInOrder } from './tests/tests-order.ts'
import classes from './test-results.module.css'

/** Rows shown initially. */
const firstRows = 12

/**
 * The tests of an emergency light: months at a glance, and each test with its readings. The address may name an open
 * test.
 */
export function TestResults({ device: { deviceId, buildingId, buildingName } }: { device: Device }) {
  const actor = useActor()
  const zone = useZone()
  const { data: tests, isError, refetch } = useQuery(testsQuery(actor.tenant, deviceId))
  const { data: runs = none } = useQuery(runsQuery(actor.tenant, deviceId))
  const [all, setAll] = useState(false)
  const [pressed, setShown] = useState<ShownTest>()
  const { test: wanted } = useSearch({ strict: false }) as { test?: unknown }
  const navigate = useNavigate()
  const [place, show] = useTablePlace()
  const ordered = tests && testsInOrder(tests, place.sort)
  const named = tests?.find(({ eventId }) => eventId === wanted)
  const shown = pressed ?? (named && ({ test: named, as: 'chart' } satisfies ShownTest))
  const close = () => {
    setShown(undefined)
    if (named) void navigate({ to: '.', search: withoutTest as never, replace: true })
  }
  const more = !all && tests !== undefined && tests.length > firstRows
  const showAll = more && (
    <Button variant="default" onClick={() => setAll(true)}>
      Show all {tests.length}
    </Button>
  )
  const missed = runs.filter(isMissed).slice(0, firstMissed)
  return (
    <div className={classes.cards}>
      {tests && tests.length + runs.length > 0 && (
        <Card title="Tests by month">
          <MonthGrid tests={tests} runs={runs} onOpen={(test) => setShown({ test, as: 'chart' })} />
        </Card>
      )}
      {missed.length > 0 && <MissedTests runs={missed} />}
      <Card
        title="Test results"
        actions={
          <>
            {showAll}
            {ordered !== undefined && ordered.length > 0 && <DownloadButton onClick={() => saveTests(ordered, zone)} />}
            {buildingId !== null && <InspectionSheetButton building={{ id: buildingId, name: buildingName ?? '' }} />}
          </>
        }
      >
        {ordered ? (
          ordered.length > 0 ? (
            <TestTable
              tests={all ? ordered : ordered.slice(0, firstRows)}
              sort={place.sort ?? newestFirst}
              onSort={(id) => show({ ...place, sort: turned(place.sort ?? newestFirst, id) })}
              actions={actionsFor(actor, setShown)}
            />
          ) : (
            <Empty icon={<IconClipboardList size={18} aria-hidden />} text="No test results" />
          )
        ) : isError ? (
          <Failed onRetry={() => void refetch()} />
        ) : (
          <Loading label="Loading test results" />
        )}
      </Card>
      {shown && <TestDialog shown={shown} onClose={close} />}
    </div>
  )
}

const none: LightRun[] = []
/** The order of the call. */
const newestFirst: Sort = { id: 'testDate', descending: true }
const withoutTest = ({ test: _, ...rest }: Record<string, unknown>) => rest
/** The number of missed tests shown with reasons. */
const firstMissed = 3

/** Planned tests without a result, with the reasons. */
function MissedTests({ runs }: { runs: readonly LightRun[] }) {
  const zone = useZone()
  return (
    <Card title="Planned tests without a result">
      <ul className={classes.missed}>
        {runs.map((run) => (
          <li key={run.runId}>
            <b>{run.testType}</b> <TimeOf at={run.startsAt} /> <span>{runInWords(run, zone)}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

interface TestTableProps {
  tests: readonly EmergencyTest[]
  sort: Sort
  onSort: (id: TestOrder) => void
  actions: (test: EmergencyTest) => ReactNode
}

const orders = Object.keys(testOrders) as TestOrder[]

function TestTable({ tests, sort, onSort, actions }: TestTableProps) {
  // A phone shows no column headers, so sorting is not available.
  const isPhone = useMediaQuery('(width < 48em)', false, { getInitialValueInEffect: false })
  return (
    <table className={classes.table} aria-label="Test results">
      <thead>
        <tr>
          {orders.map((id) => (
            <th key={id} scope="col" aria-sort={sortStateOf(id, [sort])}>
              {isPhone ? (
                testOrders[id].label
              ) : (
                <button type="button" className={classes.sort} onClick={() => onSort(id)}>
                  {testOrders[id].label}
                  <SortIcon state={sortStateOf(id, [sort])} />
                </button>
              )}
            </th>
          ))}
          <th scope="col">Actions</th>
        </tr>
      </thead>
      <tbody>
        {tests.map((test) => (
          <tr key={test.eventId}>
            <td className={classes.date}>
              <TimeOf at={test.testDate} />
            </td>
            <td className={classes.type}>{test.testType}</td>
            <td className={classes.result}>
              <Result test={test} brief />
            </td>
            <td className={classes.reason}>
              <Reason test={test} />
              <Changes test={test} />
            </td>
            <td className={classes.actions}>{actions(test)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
