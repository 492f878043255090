import type { Emered } from '@caretaker/contract/devices.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { useActor } from '../../api/actor.ts'
import { Card } from '../../ui/card.tsx'
import { AppLink } from '../../ui/link.tsx'
import { Empty } from '../../ui/states.tsx'
import { DateOf } from '../../ui/zone.tsx'
import { Result } from './test-result.tsx'
import classes from './lighting.module.css'

/** Where the test results of a light are. */
export const testResultsOf = (tenant: string, deviceId: string) =>
  pathTo(tenant, 'EmergencyLights', deviceId, 'testResults')

/** The newest test of each type, the longest first. */
export function LastTests({ device: { deviceId, latestTests } }: { device: Emered }) {
  const { tenant } = useActor()
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
          {latestTests.map(({ testType, testDate, result }) => (
            <li key={testType}>
              <b>{testType}</b>
              <span>
                <DateOf at={testDate} />
              </span>
              <Result result={result} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
