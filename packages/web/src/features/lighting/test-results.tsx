import { useState } from 'react'
import type { ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Button } from '@mantine/core'
import { IconClipboardList } from '@tabler/icons-react'
import type { Device } from '@caretaker/contract/devices.ts'
import type { EmergencyTest, LightRun } from '@caretaker/contract/lighting.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../api/actor.ts'
import { InspectionSheetButton } from '../../inspection/sheet-button.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { TimeOf, useZone } from '../../ui/zone.tsx'
import { runsQuery, testsQuery } from './queries.ts'
import { Result } from './test-result.tsx'
import { actionsFor } from './tests/actions.tsx'
import { ChartDialog } from './tests/chart-dialog.tsx'
import { isMissed, runInWords } from './run-words.ts'
import { MonthGrid } from './tests/month-grid.tsx'
import { UpdateDialog } from './tests/update-dialog.tsx'
import classes from './test-results.module.css'

/** Rows shown before somebody asks for all of them. */
const firstRows = 12

/** The tests of an emergency light: years at a glance, and each with what was measured during it. The address may name one that is open. */
export function TestResults({ device: { deviceId, buildingId, buildingName } }: { device: Device }) {
  const actor = useActor()
  const { data: tests, isError, refetch } = useQuery(testsQuery(actor.tenant, deviceId))
  const { data: runs = none } = useQuery(runsQuery(actor.tenant, deviceId))
  const [all, setAll] = useState(false)
  const [pressed, setShown] = useState<Shown>()
  const { test: wanted } = useSearch({ strict: false }) as { test?: unknown }
  const navigate = useNavigate()
  const named = tests?.find(({ eventId }) => eventId === wanted)
  const shown = pressed ?? (named && ({ test: named, as: 'chart' } satisfies Shown))
  const close = () => {
    setShown(undefined)
    if (named) void navigate({ to: '.', search: {}, replace: true })
  }
  const mayCorrect = can(actor, 'correct test results')
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
            {buildingId !== null && <InspectionSheetButton building={{ id: buildingId, name: buildingName ?? '' }} />}
          </>
        }
      >
        {tests ? (
          tests.length > 0 ? (
            <TestTable tests={all ? tests : tests.slice(0, firstRows)} actions={actionsFor(mayCorrect, setShown)} />
          ) : (
            <Empty icon={<IconClipboardList size={18} aria-hidden />} text="No test results" />
          )
        ) : isError ? (
          <Failed onRetry={() => void refetch()} />
        ) : (
          <Loading label="Loading test results" />
        )}
      </Card>
      {shown?.as === 'chart' && <ChartDialog test={shown.test} onClose={close} />}
      {shown?.as === 'update' && <UpdateDialog test={shown.test} onClose={close} />}
    </div>
  )
}

const none: LightRun[] = []
/** Planned tests that came to nothing, of which the newest are told with their reasons. */
const firstMissed = 3

interface Shown {
  test: EmergencyTest
  as: 'chart' | 'update'
}

/** Planned tests that came to nothing, and why. */
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

function TestTable({
  tests,
  actions,
}: {
  tests: readonly EmergencyTest[]
  actions: (test: EmergencyTest) => ReactNode
}) {
  return (
    <table className={classes.table} aria-label="Test results">
      <thead>
        <tr>
          <th scope="col">Test date</th>
          <th scope="col">Test</th>
          <th scope="col">Result</th>
          <th scope="col">Reason</th>
          <th scope="col">
            <span className={classes.hidden}>Actions</span>
          </th>
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
              <Result result={test.result} />
            </td>
            <td className={classes.reason}>{test.reason}</td>
            <td className={classes.actions}>{actions(test)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
