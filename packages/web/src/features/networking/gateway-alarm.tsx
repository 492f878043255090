import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { NetworkingDevice } from '@caretaker/contract/devices.ts'
import { connectionStates } from '@caretaker/rules/devices/connection.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import { areaOf } from '@caretaker/rules/devices/products.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import { metrics } from '@caretaker/rules/telemetry/metrics.ts'
import type { SignalFall } from '@caretaker/rules/telemetry/signal-fall.ts'
import { useActor } from '../../api/actor.ts'
import { listingAddress } from '../../api/listing-address.ts'
import { Waiting } from '../../ui/age-view.tsx'
import { dateText, dateTimeText, spanText } from '../../ui/age.ts'
import { AlarmPanel } from '../../ui/alarm-panel.tsx'
import { reading } from '../../ui/chart/readings.ts'
import { AppLink } from '../../ui/link.tsx'
import { TimeOf, useZone } from '../../ui/zone.tsx'
import { missedTestsText } from './missed-tests.ts'
import { signalFallQuery, testsQuery } from './queries.ts'

/** '9 lights', '1 device': lights are named if there is nothing else. */
export function childrenText({ children, childCount }: NetworkingDevice): string {
  const noun = children.every(({ productId }) => areaOf(productId) === 'lighting') ? 'light' : 'device'
  return `${childCount.toLocaleString('en-GB')} ${noun}${childCount === 1 ? '' : 's'}`
}

/** The number of visible devices without contact since the gateway was last heard. */
export function silentChildren({ children, lastHeard }: Pick<NetworkingDevice, 'children' | 'lastHeard'>): number {
  return children.filter((child) => child.lastHeard === null || lastHeard === null || child.lastHeard <= lastHeard)
    .length
}

/** How the signal fell before contact was lost, as a hint for the repair. */
const fallText = ({ metric, usual, last, since, until }: SignalFall & { metric: MetricKey }, zone: string) => (
  <>
    Its signal fell from {reading(usual, metrics[metric].unit)} to <b>{reading(last, metrics[metric].unit)}</b> in the{' '}
    {spanText(since, until)} before, from {dateTimeText(since, zone)} on
  </>
)

/** The effect of an offline gateway or extender: the devices connected through it cannot report. */
export function GatewayAlarm({ device, brief }: { device: NetworkingDevice; brief: boolean }) {
  const actor = useActor()
  const zone = useZone()
  const { deviceId, connectionStatus, lastHeard, children, childCount, serialNumber } = device
  const isSilent = connectionStatus === connectionStates.offline
  const { data: tests } = useQuery({
    ...testsQuery(actor.tenant, deviceId),
    enabled: isSilent && can(actor, 'see test schedules'),
  })
  const { data: fall } = useQuery({
    ...signalFallQuery(actor.tenant, device),
    enabled: isSilent && lastHeard !== null,
  })
  if (!isSilent || lastHeard === null) return undefined
  const lit = children.some(({ productId }) => areaOf(productId) === 'lighting')
  const through: Filter = { fieldId: 'gateway', filterOp: 'equals', value: serialNumber }
  const lights = listingAddress(actor.tenant, 'EmergencyLights', { filters: [through] })
  const behind =
    childCount > 0 ? `with ${childrenText(device)} connected through it` : 'with no devices connected through it'
  const meaning =
    childCount === 0
      ? 'No devices that you can see are connected through it.'
      : lit
        ? 'The lights do not need this gateway in a power cut, but their condition is unknown.'
        : 'The readings of these devices stay unknown until the gateway reports again.'
  return (
    <AlarmPanel
      tone="warning"
      title={
        <>
          Silent for <Waiting since={lastHeard} />, {behind}
        </>
      }
      meaning={[meaning, tests && missedTestsText(tests, lastHeard, (at) => dateText(at, zone))]
        .filter(Boolean)
        .join(' ')}
      facts={[
        <>
          Last contact{' '}
          <b>
            <TimeOf at={lastHeard} />
          </b>
        </>,
        fall && fallText(fall, zone),
        childCount > 0 && (
          <>
            <b>
              {silentChildren(device)} of {children.length}
            </b>{' '}
            without contact since
          </>
        ),
      ]}
      brief={brief ? meaning : undefined}
      actions={
        lit &&
        !brief &&
        can(actor, listings.EmergencyLights.may) && (
          <Button variant="default" component={AppLink} href={lights}>
            Show the lights
          </Button>
        )
      }
    />
  )
}
