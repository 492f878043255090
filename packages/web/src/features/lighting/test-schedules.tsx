import { useQuery } from '@tanstack/react-query'
import { IconCalendarOff } from '../../icons/index.ts'
import type { Device } from '@caretaker/contract/devices.ts'
import type { ScheduleEntry } from '@caretaker/contract/groups.ts'
import { seesEverything } from '@caretaker/rules/identity/actor.ts'
import type { RunOutcome } from '@caretaker/rules/lighting/run-outcome.ts'
import { outcomeWords } from '@caretaker/rules/lighting/run-outcome.ts'
import { useActor } from '../../api/actor.ts'
import { dateText } from '../../ui/age.ts'
import { Card } from '../../ui/card.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { TimeOf, useZone } from '../../ui/zone.tsx'
import { GroupLink } from './group-link.tsx'
import { deviceScheduleQuery } from './queries.ts'
import { withAgain } from './run-words.ts'
import classes from './test-results.module.css'
import schedule from './test-schedules.module.css'

/** When a light is tested with its group, and earlier results. */
export function TestSchedules({ device: { deviceId } }: { device: Device }) {
  const { tenant } = useActor()
  const { data, isError, refetch } = useQuery(deviceScheduleQuery(tenant, deviceId))
  if (isError) return <Failed onRetry={() => void refetch()} />
  if (!data) return <Loading label="Loading the test schedule" />
  const { group, next, past } = data
  return (
    <div className={schedule.cards}>
      <Card
        title="Test schedule"
        actions={
          group && (
            <span className={schedule.group}>
              <GroupLink groupName={group.groupName} />, {group.lights === 1 ? '1 light' : `${group.lights} lights`}
            </span>
          )
        }
      >
        {next.length > 0 ? (
          <Runs label="Test schedule" runs={next} />
        ) : (
          <Empty
            icon={<IconCalendarOff size={18} aria-hidden />}
            text="No tests scheduled"
            hint={group ? undefined : 'This light is not in a group. Groups schedule the tests of their lights.'}
          />
        )}
      </Card>
      {past.length > 0 && (
        <Card title="Earlier tests of its groups">
          <Runs label="Earlier tests of its groups" runs={past} />
        </Card>
      )}
    </div>
  )
}

/** Only developers see whether the light has confirmed. */
function Runs({ label, runs }: { label: string; runs: readonly (ScheduleEntry & { reason?: string | null })[] }) {
  const seesSynced = seesEverything(useActor())
  const zone = useZone()
  return (
    <table className={classes.table} aria-label={label}>
      <thead>
        <tr>
          <th scope="col">Test date</th>
          <th scope="col">Test</th>
          <th scope="col">State</th>
          <th scope="col">Group</th>
          {seesSynced && <th scope="col">Synced</th>}
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr key={`${run.testType} ${run.testDate} ${run.groupId}`}>
            <td className={classes.date}>
              <TimeOf at={run.testDate} />
            </td>
            <td className={classes.type}>{`T${run.duration}`}</td>
            <td className={classes.result}>
              {withAgain(
                `${words[run.outcome]}${run.reason ? `: ${run.reason}` : ''}`,
                { ...run, isMissed: run.outcome === 'missed' },
                zone,
              )}
              {run.state === 'planned' && run.repeats && `, instead of ${dateText(run.repeats, zone)}`}
            </td>
            <td className={classes.reason}>{run.groupName}</td>
            {seesSynced && <td>{run.isSynced ? 'Yes' : 'No'}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** For one light the words are in the singular: 'passed' instead of 'all passed'. */
const words: Record<RunOutcome, string> = { ...outcomeWords, passed: 'Passed' }
