import { useEffect } from 'react'
import { useIsMutating, useQuery } from '@tanstack/react-query'
import { IconCalendarOff } from '../../icons/index.ts'
import { CallError } from '@caretaker/contract/error-texts.ts'
import type { GroupDetails, GroupRow, ScheduleEntry } from '@caretaker/contract/groups.ts'
import { dayAt, startOfDay } from '@caretaker/rules/calendar/days.ts'
import { displayGroup } from '@caretaker/rules/devices/status.ts'
import { seesEverything } from '@caretaker/rules/identity/actor.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { components } from '@caretaker/rules/lighting/tests.ts'
import { RepairLight } from '../../actions/repair-button.tsx'
import { useActor } from '../../api/actor.ts'
import { AppLink } from '../../ui/link.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { RunningTestText } from '../../ui/age-view.tsx'
import { StatusIcon, toneOfGroup } from '../../ui/status-icon.tsx'
import { TimeOf, useZone } from '../../ui/zone.tsx'
import { HealthBar, HealthFigures } from './health.tsx'
import { MonthGrid } from './month-grid.tsx'
import { monthAfter } from './months.ts'
import { deletionKey, groupQuery, scheduleQuery } from './queries.ts'
import { lightsText, typeOf } from './words.tsx'
import classes from './test-schedules.module.css'

/** The number of past months in a view, including the current one, and of future ones. */
const [monthsBack, monthsAhead] = [6, 6]
const nextRuns = 5

/** For example after another user has deleted the group while its view was open. */
const isNotFound = (error: unknown) => error instanceof CallError && error.status === 404

interface GroupViewProps {
  group: GroupRow
  now: number
  onLights: (deviceIds: readonly string[]) => void
}

/** Past and scheduled tests, lights and health of a group. */
export function GroupView({ group, now, onLights }: GroupViewProps) {
  const { tenant } = useActor()
  const zone = useZone()
  const month = dayAt(now, zone).slice(0, 7)
  const [first, end] = [monthAfter(month, 1 - monthsBack), monthAfter(month, monthsAhead + 1)]
  const span = { from: startOfDay(`${first}-01`, zone), to: startOfDay(`${end}-01`, zone) }
  // The change event of a deletion arrives before its response, and would refetch a deleted group.
  const enabled = useIsMutating({ mutationKey: deletionKey(tenant, group.groupName) }) === 0
  const schedule = useQuery({ ...scheduleQuery(tenant, span, group.groupName), enabled })
  const full = useQuery({ ...groupQuery(tenant, group.groupName), enabled })
  const ids = full.data?.deviceIds
  useEffect(() => {
    if (ids) onLights(ids)
    // oxlint-disable-next-line react/exhaustive-deps -- called once the lights are known
  }, [ids])
  if (isNotFound(full.error) || isNotFound(schedule.error))
    return (
      <Empty
        icon={<IconCalendarOff size={18} aria-hidden />}
        text="This group was deleted"
        hint={`${group.groupName} no longer exists. Its test results are kept with the lights.`}
      />
    )
  if (schedule.isError || full.isError)
    return <Failed onRetry={() => void Promise.all([schedule.refetch(), full.refetch()])} />
  if (!schedule.data || !full.data) return <Loading label="Loading the schedule" />
  if (group.lights === 0 && schedule.data.every(({ state }) => state === 'planned'))
    return (
      <Empty
        icon={<IconCalendarOff size={18} aria-hidden />}
        text="No tests scheduled"
        hint={`${group.groupName} has no lights.`}
      />
    )
  const coming = group.lights > 0 ? schedule.data.filter(({ state }) => state === 'planned' || state === 'running') : []
  const months = Array.from({ length: monthsBack + monthsAhead }, (_, at) => monthAfter(first, at))
  return (
    <div className={classes.viewBody}>
      {full.data.running.map((test) => (
        <p key={`${test.testType} ${test.startedAt}`} className={classes.running}>
          <RunningTestText test={test} /> {`(${lightsText(test.lights)})`}
        </p>
      ))}
      <section className={classes.tests} aria-label="Tests of the group">
        <h3>
          Tests of the group <span className={classes.dimmed}>The number is the day of the month</span>
        </h3>
        <MonthGrid entries={schedule.data} months={months} current={month} next={coming[0]} />
      </section>
      <section className={classes.coming} aria-label="Next runs">
        <h3>Next runs</h3>
        <NextRuns runs={coming.slice(0, nextRuns)} />
      </section>
      <section className={classes.floors} aria-label="Lights by floor">
        <h3>Lights by floor</h3>
        <LightsByFloor members={full.data.members} />
      </section>
      <section className={classes.wellness} aria-label="Health">
        <h3>
          Health <HealthFigures {...group} />
        </h3>
        <HealthBar {...group} />
        <Wellness group={full.data} />
      </section>
    </div>
  )
}

/** Only developers see whether every light has confirmed. */
function NextRuns({ runs }: { runs: readonly ScheduleEntry[] }) {
  const seesSynced = seesEverything(useActor())
  if (!runs.length) return <p className={classes.dimmed}>No tests scheduled</p>
  return (
    <table className={classes.runs} aria-label="Next runs">
      <thead>
        <tr>
          <th scope="col">Test date</th>
          <th scope="col">Test</th>
          <th scope="col">Lights</th>
          {seesSynced && <th scope="col">Synced</th>}
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr key={`${run.testType} ${run.testDate}`}>
            <td>
              <TimeOf at={run.testDate} />
            </td>
            <td>{typeOf(run)}</td>
            <td>{run.lights}</td>
            {seesSynced && <td>{run.isSynced ? 'Yes' : 'No'}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function LightsByFloor({ members }: { members: GroupDetails['members'] }) {
  const { tenant } = useActor()
  const floors = Map.groupBy(members, ({ floor }) => floor ?? 'No floor')
  return (
    <ul className={classes.floorList}>
      {[...floors].map(([floor, lights]) => (
        <li key={floor}>
          <span>{floor}</span>
          <span className={classes.dimmed}>{lights.length}</span>
          <span className={classes.lightChips}>
            {lights.map((light) => {
              const group = displayGroup(light.deviceStatus) ?? 'NotInstalled'
              return (
                <span key={light.deviceId} className={classes.lightPlace}>
                  <AppLink
                    href={pathTo(tenant, 'EmergencyLights', light.deviceId)}
                    className={classes.lightChip}
                    data-tone={toneOfGroup[group]}
                  >
                    <StatusIcon tone={toneOfGroup[group]} size={14} />
                    {light.deviceName}
                  </AppLink>
                  <RepairLight light={{ ...light, productId: 'EM' }} className={classes.textButton} />
                </span>
              )
            })}
          </span>
        </li>
      ))}
    </ul>
  )
}

function Wellness({ group: { lastT180, failedParts, connected, withoutT180, deviceIds } }: { group: GroupDetails }) {
  const parts = components.flatMap((part) => (failedParts[part] ? [`${part} ${failedParts[part]}`] : []))
  const rows = [
    ['Last T180', lastT180.of ? `${lastT180.passed} of ${lastT180.of} passed` : 'None'],
    ['Failed part', parts.join(', ') || 'None'],
    ['Connected', `${connected} of ${deviceIds.length}`],
    ['Without T180 in 12 months', withoutT180 || 'None'],
  ]
  return (
    <dl className={classes.facts}>
      {rows.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
