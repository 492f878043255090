import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Condition } from '@caretaker/contract/conditions.ts'
import type { Emered } from '@caretaker/contract/devices.ts'
import type { Dispute } from '@caretaker/contract/equipment.ts'
import { dayAt, dayText } from '@caretaker/rules/calendar/days.ts'
import { isOfTests } from '@caretaker/rules/conditions/conditions.ts'
import { conditionText } from '@caretaker/rules/conditions/words.ts'
import type { ComponentStates, TestType } from '@caretaker/rules/lighting/tests.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { components, reasonOf, shortfall, testNames } from '@caretaker/rules/lighting/tests.ts'
import { needsLongTest } from '@caretaker/rules/conditions/long-test.ts'
import { nightText } from '@caretaker/rules/lighting/single.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { useActor } from '../../api/actor.ts'
import { targetOfDevice } from '../../actions/target.ts'
import { conditionsQuery } from '../../api/conditions.ts'
import { RepairButton } from '../../actions/repair-button.tsx'
import { useClock } from '../../ui/age-view.tsx'
import { lengthText, momentText, monthText } from '../../ui/age.ts'
import { AlarmPanel } from '../../ui/alarm-panel.tsx'
import { AppLink } from '../../ui/link.tsx'
import { useZone } from '../../ui/zone.tsx'
import { LabelDoubt, useLabelDoubt } from './label-doubt.tsx'
import { nightsQuery } from './queries.ts'
import { SingleTest } from './single-test.tsx'
import { DecisionButtons } from './tests/actions.tsx'

/** The worst failed or degraded test that no later test of at least the same length has passed. */
export function LightAlarm({ device, brief }: { device: Emered; brief: boolean }) {
  const { deviceId, latestTests, equipment } = device
  const actor = useActor()
  const { tenant } = actor
  const zone = useZone()
  const now = useClock()
  const doubt = useLabelDoubt(device)
  const { data } = useQuery(conditionsQuery(tenant, deviceId))
  // Sorted with the worst first.
  const [worst, ...others] = data?.open.filter(({ kind }) => isOfTests(kind)) ?? []
  if (!worst) return <RepairAlarm device={device} brief={brief} />
  const { kind, beganAt, testEventId } = worst
  const test = latestTests.find(({ eventId }) => eventId === testEventId)
  const installed = equipment.batterySince
  const since = momentText(beganAt, now, zone)
  const disputeText = ({ by, at, reason }: Dispute) => `${by}, ${momentText(at, now, zone)}: “${reason}”`
  if (test?.disputed)
    return (
      <AlarmPanel
        tone="failed"
        title="Disputed result: awaiting an administrator’s decision"
        meaning={disputeText(test.disputed)}
        facts={[countsUntil(test.disputed), shortfall(test)]}
        brief={brief ? `${disputeText(test.disputed)} ${countsUntil(test.disputed)}` : undefined}
        actions={
          can(actor, 'correct test results') && (
            <DecisionButtons test={{ ...test, deviceId }} countsAs={test.disputed.countsAs} />
          )
        }
      />
    )
  return (
    <AlarmPanel
      tone={kind === 'testDegraded' ? 'warning' : 'failed'}
      title={titleOf(worst)}
      meaning={[test && shortfall(test), reasonOf(statesOf(worst))].filter(Boolean).join(' ')}
      facts={[
        <>
          Since <b>{since}</b>, {lengthText(now - Date.parse(beganAt))}
        </>,
        installed && (
          <>
            Battery installed <b>{dayText(installed)}</b>
          </>
        ),
        test?.sameBattery && (
          <>
            Same battery <b>{test.sameBattery.state.toLowerCase()}</b> in {monthText(test.sameBattery.testDate, zone)}
          </>
        ),
        others.length > 0 && `Also: ${others.map(titleOf).join('; ')}`,
        doubt && <LabelDoubt key="label" device={device} />,
      ]}
      brief={brief ? `since ${since}. ${reasonOf(statesOf(worst))}` : undefined}
      actions={
        <>
          <Button
            variant="default"
            component={AppLink}
            href={`${pathTo(tenant, 'EmergencyLights', deviceId, 'testResults')}${testEventId ? `?test=${testEventId}` : ''}`}
          >
            Show test
          </Button>
          {data?.open.some(needsLongTest) && <SingleTest device={device} />}
          <RepairButton device={targetOfDevice(device)} variant="filled" />
        </>
      }
    />
  )
}

/** A repair not yet proven, or an indeterminate 3-hour test, with the planned test. */
function RepairAlarm({ device, brief }: { device: Emered; brief: boolean }) {
  const { deviceId } = device
  const { tenant } = useActor()
  const zone = useZone()
  const { data } = useQuery(conditionsQuery(tenant, deviceId))
  const shown = data?.open.find((one) => one.kind === 'equipmentRepaired' || needsLongTest(one))
  const needsNight = shown !== undefined && needsLongTest(shown)
  const { data: nights } = useQuery({ ...nightsQuery(tenant, deviceId), enabled: needsNight })
  if (!shown) return undefined
  const isRepaired = shown.kind === 'equipmentRepaired'
  const { repairedBy, repairedOn } = shown
  const planned = nights?.planned
  const details = [
    repairedBy && repairedOn && `Repaired on ${dayText(repairedOn)} by ${repairedBy}.`,
    planned && `${testNames[planned.testType]} planned for ${nightText(Date.parse(planned.startsAt), zone)}.`,
  ]
  const mended = isRepaired && data?.ended.find(({ kind, ending }) => isOfTests(kind) && ending === 'repair recorded')
  return (
    <AlarmPanel
      tone="warning"
      title={isRepaired ? 'Repaired, not yet proven' : conditionText({ ...shown, states: statesOf(shown) })}
      meaning={details.filter(Boolean).join(' ')}
      facts={[mended && `Fault: ${titleOf(mended)}, ${dayText(dayAt(Date.parse(mended.beganAt), zone))}`]}
      brief={brief ? details.filter(Boolean).join(' ') : undefined}
      actions={
        <>
          {isRepaired && (
            <Button
              variant="default"
              component={AppLink}
              href={pathTo(tenant, 'EmergencyLights', deviceId, 'maintenance')}
            >
              Show repair
            </Button>
          )}
          {needsNight && <SingleTest device={device} variant="filled" />}
        </>
      }
    />
  )
}

const countsUntil = ({ countsAs }: Dispute) => `Until then the light counts as ${countsAs.toLowerCase()}.`

/** Removes parts without a reported state. */
const statesOf = ({ states }: Condition) =>
  Object.fromEntries(Object.entries(states ?? {}).filter(([, state]) => state !== undefined)) as ComponentStates

/** '3-hour test (T180) failed: battery'. */
function titleOf(condition: Condition): string {
  const isDegraded = condition.kind === 'testDegraded'
  const states = statesOf(condition)
  const parts = components.filter((one) => states[one] === (isDegraded ? 'Degraded' : 'Failed'))
  const what = `${testNames[condition.key as TestType]} ${isDegraded ? 'degraded' : 'failed'}`
  return parts.length > 0 ? `${what}: ${parts.join(', ').toLowerCase()}` : what
}
