import { useQuery } from '@tanstack/react-query'
import type { EmergencyTest } from '@caretaker/contract/lighting.ts'
import { minutesOf, shortfall } from '@caretaker/rules/lighting/tests.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../../api/actor.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { TimeOf } from '../../../ui/zone.tsx'
import { testQuery } from '../queries.ts'
import { Result, resultWord } from '../test-result.tsx'
import type { GridTest } from './month-grid.ts'
import { ChangeHistory } from './changes.tsx'
import { TestChart } from './test-chart.tsx'
import classes from './tests.module.css'

/** The known data of an opened test before it is fetched; a grid of months has little. */
export type OpenedTest = GridTest & Pick<EmergencyTest, 'deviceName'> & Partial<EmergencyTest>

/** The readings of a test: the first three series, and for administrators all, with the second axis. */
export function ChartDialog({ test, onClose }: { test: OpenedTest; onClose: () => void }) {
  const actor = useActor()
  const { data, isError, refetch } = useQuery(testQuery(actor.tenant, test.eventId))
  const known: OpenedTest = data ?? test
  const short = shortfall({
    ...{ testType: known.testType, lasted: known.lasted ?? null, evidenceEnd: known.evidenceEnd ?? null },
  })
  return (
    <Dialog title={`${test.testType} of ${test.deviceName}`} size="120rem" onClose={onClose}>
      <p className={classes.line}>
        <TimeOf at={known.testDate} /> <Result test={known} /> {[short, known.reason].filter(Boolean).join(' ')}
      </p>
      {data ? (
        <TestChart
          series={data.series}
          asked={minutesOf[test.testType] * 60}
          lasted={known.lasted}
          shortfall={short}
          secondAxis={can(actor, 'correct test results')}
        />
      ) : isError || data === null ? (
        <Failed onRetry={() => void refetch()} />
      ) : (
        <Loading label="Loading chart" />
      )}
      <Evidence test={known} />
    </Dialog>
  )
}

/** The basis of a result that differs from the light's report, and decisions about it. */
export function Evidence({
  test: { reportedResult, result, corrected, disputed, changes = [] },
}: {
  test: OpenedTest
}) {
  const ruled = corrected?.was.result ?? disputed?.countsAs ?? result
  return (
    <>
      {reportedResult && reportedResult !== ruled && (
        <p className={classes.note}>
          Reported by the light: {reportedResult}. Result from its readings: {ruled}.
        </p>
      )}
      {corrected && (
        <p className={classes.note}>
          Corrected by {corrected.by}, <TimeOf at={corrected.at} />; before: {resultWord(corrected.was.result)},{' '}
          {corrected.was.reason}
        </p>
      )}
      <ChangeHistory changes={changes} />
    </>
  )
}
