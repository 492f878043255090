import { Button } from '@mantine/core'
import type { NetworkingDevice } from '@caretaker/contract/devices.ts'
import { connectionStates } from '@caretaker/rules/devices/connection.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import { areaOf } from '@caretaker/rules/devices/products.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../api/actor.ts'
import { listingAddress } from '../../api/listing-address.ts'
import { Waiting } from '../../ui/age-view.tsx'
import { AlarmPanel } from '../../ui/alarm-panel.tsx'
import { AppLink } from '../../ui/link.tsx'
import { TimeOf } from '../../ui/zone.tsx'

/** '9 lights', '1 device': lights are called what they are where nothing else is behind it. */
export function childrenText({ children, childCount }: NetworkingDevice): string {
  const noun = children.every(({ productId }) => areaOf(productId) === 'lighting') ? 'light' : 'device'
  return `${childCount.toLocaleString('en-GB')} ${noun}${childCount === 1 ? '' : 's'}`
}

/** How many of those that one sees have not been heard since it was heard last. */
export function silentChildren({ children, lastHeard }: Pick<NetworkingDevice, 'children' | 'lastHeard'>): number {
  return children.filter((child) => child.lastHeard === null || lastHeard === null || child.lastHeard <= lastHeard)
    .length
}

/** What the silence of a gateway or extender means: whoever speaks through it is not heard either. */
export function GatewayAlarm({ device, brief }: { device: NetworkingDevice; brief: boolean }) {
  const actor = useActor()
  const { connectionStatus, lastHeard, children, childCount, serialNumber } = device
  if (connectionStatus !== connectionStates.offline || lastHeard === null) return undefined
  const lit = children.some(({ productId }) => areaOf(productId) === 'lighting')
  const through: Filter = { fieldId: 'gateway', filterOp: 'equals', value: serialNumber }
  const lights = listingAddress(actor.tenant, 'EmergencyLights', { filters: [through] })
  const behind = childCount > 0 ? `with ${childrenText(device)} behind it` : 'with nothing behind it'
  const meaning =
    childCount === 0
      ? 'Nothing that one may see here speaks through it.'
      : lit
        ? 'The lights still work in a power cut, but nobody would know if one did not.'
        : 'What these devices measure stays unknown until it speaks again.'
  return (
    <AlarmPanel
      tone="warning"
      title={
        <>
          Silent for <Waiting since={lastHeard} />, {behind}
        </>
      }
      meaning={meaning}
      facts={[
        <>
          Last heard{' '}
          <b>
            <TimeOf at={lastHeard} />
          </b>
        </>,
        childCount > 0 && (
          <>
            <b>
              {silentChildren(device)} of {children.length}
            </b>{' '}
            not heard since
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
