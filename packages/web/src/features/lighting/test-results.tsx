import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { Button } from '@mantine/core'
import { IconClipboardList } from '@tabler/icons-react'
import type { Device } from '@caretaker/contract/devices.ts'
import type { EmergencyTest } from '@caretaker/contract/lighting.ts'
import { useActor } from '../../api/actor.ts'
import { Card } from '../../ui/card.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { TimeOf } from '../../ui/zone.tsx'
import { testsQuery } from './queries.ts'
import { Result } from './test-result.tsx'
import classes from './test-results.module.css'

/** Rows shown before somebody asks for all of them. */
const firstRows = 12

/** The tests of an emergency light, newest first. */
export function TestResults({ device: { deviceId } }: { device: Device }) {
  const { tenant } = useActor()
  const { data: tests, isError, refetch } = useQuery(testsQuery(tenant, deviceId))
  const [all, setAll] = useState(false)
  const more = !all && tests !== undefined && tests.length > firstRows
  const showAll = more && (
    <Button variant="default" onClick={() => setAll(true)}>
      Show all {tests.length}
    </Button>
  )
  return (
    <Card title="Test results" actions={showAll || undefined}>
      {tests ? (
        tests.length > 0 ? (
          <TestTable tests={all ? tests : tests.slice(0, firstRows)} />
        ) : (
          <Empty icon={<IconClipboardList size={18} aria-hidden />} text="No test results" />
        )
      ) : isError ? (
        <Failed onRetry={() => void refetch()} />
      ) : (
        <Loading label="Loading test results" />
      )}
    </Card>
  )
}

function TestTable({ tests }: { tests: readonly EmergencyTest[] }) {
  return (
    <table className={classes.table} aria-label="Test results">
      <thead>
        <tr>
          <th scope="col">Test date</th>
          <th scope="col">Test</th>
          <th scope="col">Result</th>
          <th scope="col">Reason</th>
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
          </tr>
        ))}
      </tbody>
    </table>
  )
}
