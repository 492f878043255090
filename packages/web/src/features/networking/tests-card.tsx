import { useQuery } from '@tanstack/react-query'
import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconClockExclamation } from '../../icons/index.ts'
import type { NetworkingDevice } from '@caretaker/contract/devices.ts'
import type { ScheduleEntry } from '@caretaker/contract/groups.ts'
import { gateways } from '@caretaker/rules/devices/products.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { notAgainText } from '@caretaker/rules/lighting/again.ts'
import type { RunOutcome } from '@caretaker/rules/lighting/run-outcome.ts'
import { runCountsText, outcomeWords } from '@caretaker/rules/lighting/run-outcome.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../api/actor.ts'
import { dateTimeText } from '../../ui/age.ts'
import { Card } from '../../ui/card.tsx'
import { AppLink } from '../../ui/link.tsx'
import { Failed } from '../../ui/states.tsx'
import { TimeOf, useZone } from '../../ui/zone.tsx'
import { testsQuery } from './queries.ts'
import classes from './networking.module.css'

/** The number of tests shown, including one scheduled test. */
const mostTests = 6

/**
 * The results of the tests of lights connected through a gateway, and the next test, which an offline gateway would
 * make them miss.
 */
export function TestsCard({ device: { deviceId, productId } }: { device: NetworkingDevice }) {
  const title = `Tests through this ${gateways.some((gateway) => gateway === productId) ? 'gateway' : 'extender'}`
  const actor = useActor()
  const may = can(actor, 'see test schedules')
  const { data, isError, refetch } = useQuery({ ...testsQuery(actor.tenant, deviceId), enabled: may })
  if (!may || (!isError && !data)) return undefined
  const tests = data ? [...data.next.slice(0, 1), ...data.past].slice(0, mostTests) : []
  if (data && tests.length === 0) return undefined
  return (
    <Card
      title={title}
      actions={
        <AppLink className={classes.more} href={pathTo(actor.tenant, 'EmergencyLightSchedules')}>
          Test Schedules
        </AppLink>
      }
    >
      {data ? <Tests title={title} tests={tests} /> : <Failed onRetry={() => void refetch()} />}
    </Card>
  )
}

interface TestsProps {
  title: string
  tests: readonly (ScheduleEntry & { reason?: string | null })[]
}

function Tests({ title, tests }: TestsProps) {
  const zone = useZone()
  return (
    <div className={classes.scroll} role="region" aria-label={`${title}, table`} tabIndex={0}>
      <table className={classes.table} aria-label={title}>
        <thead>
          <tr>
            <th scope="col">Test date</th>
            <th scope="col">Test</th>
            <th scope="col" className={classes.wideOnly}>
              Group
            </th>
            <th scope="col" className={classes.number}>
              Lights
            </th>
            <th scope="col">Result</th>
          </tr>
        </thead>
        <tbody>
          {tests.map((test, at) => (
            <tr key={`${test.groupId} ${test.testType} ${test.testDate} ${at}`}>
              <td>
                <TimeOf at={test.testDate} />
              </td>
              <td>
                <b>{test.testType}</b>
              </td>
              <td className={classes.wideOnly}>{test.groupName}</td>
              <td className={classes.number}>{test.lights.toLocaleString('en-GB')}</td>
              <td className={classes.result} data-outcome={test.outcome}>
                <Sign outcome={test.outcome} />
                <span>{resultOf(test, zone)}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** If all have the same reason, there are no counts: 'Missed: Offline since 20/11/2026 02:04.' */
function resultOf(test: ScheduleEntry & { reason?: string | null }, zone: string): string {
  const followUp = test.again
    ? `planned again for ${dateTimeText(test.again, zone)}`
    : test.missed > 0 && notAgainText(test.testType)
  const coming = followUp ? ` ${followUp.charAt(0).toUpperCase()}${followUp.slice(1)}.` : ''
  if (test.outcome === 'missed' && test.missed === test.lights)
    return `Missed${test.reason ? `: ${test.reason}` : '.'}${coming}`
  return (runCountsText(test) || outcomeWords[test.outcome]) + (coming && `.${coming}`)
}

const icons: Partial<Record<RunOutcome, typeof IconCircleX>> = {
  passed: IconCircleCheck,
  degraded: IconAlertTriangle,
  failed: IconCircleX,
  missed: IconClockExclamation,
}

function Sign({ outcome }: { outcome: RunOutcome }) {
  const Icon = icons[outcome]
  return Icon ? <Icon size={16} stroke={1.9} aria-hidden /> : null
}
