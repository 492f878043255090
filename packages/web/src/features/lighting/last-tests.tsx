import type { Emered } from '@caretaker/contract/devices.ts'
import { useQuery } from '@tanstack/react-query'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { useActor } from '../../api/actor.ts'
import { Card } from '../../ui/card.tsx'
import { AppLink } from '../../ui/link.tsx'
import { Empty } from '../../ui/states.tsx'
import { DateOf, useZone } from '../../ui/zone.tsx'
import { runsQuery } from './queries.ts'
import { Result } from './test-result.tsx'
import { isMissed, runInWords } from './run-words.ts'
import classes from './lighting.module.css'

/** The address of a light's test results. */
export const testResultsOf = (tenant: string, deviceId: string) =>
  pathTo(tenant, 'EmergencyLights', deviceId, 'testResults')

/** The newest test of each type, longest first, and planned tests since then without a result. */
export function LastTests({ device: { deviceId, latestTests } }: { device: Emered }) {
  const { tenant } = useActor()
  const zone = useZone()
  const { data: runs = [] } = useQuery(runsQuery(tenant, deviceId))
  // The newest of each type, unless a test of the type has followed.
  const missed = runs.filter(
    (run, at) =>
      isMissed(run) &&
      runs.findIndex((other) => other.testType === run.testType && isMissed(other)) === at &&
      !latestTests.some((test) => test.testType === run.testType && test.testDate > run.startsAt),
  )
  return (
    <Card
      title="Last tests"
      actions={
        <AppLink className={classes.more} href={testResultsOf(tenant, deviceId)}>
          Test Results
        </AppLink>
      }
    >
      {latestTests.length === 0 ? (
        <Empty text="No test results" />
      ) : (
        <ul className={classes.tests}>
          {latestTests.map((test) => (
            <li key={test.testType}>
              <b>{test.testType}</b>
              <span>
                <DateOf at={test.testDate} />
              </span>
              <Result test={test} />
            </li>
          ))}
        </ul>
      )}
      {missed.length > 0 && (
        <ul className={classes.missed}>
          {missed.map((run) => (
            <li key={run.runId}>
              <b>{run.testType}</b> <DateOf at={run.startsAt} /> <span>{runInWords(run, zone)}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
