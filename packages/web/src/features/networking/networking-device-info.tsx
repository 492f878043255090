import { useMemo } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { NetworkingDevice } from '@caretaker/contract/devices.ts'
import { connectionStates } from '@caretaker/rules/devices/connection.ts'
import { useActor } from '../../api/actor.ts'
import { DeviceCharts } from '../../device-page/device-charts.tsx'
import { IdentityCard, ReportedCard } from '../../device-page/identity-cards.tsx'
import { InfoColumns } from '../../device-page/info-columns.tsx'
import { LocationCard } from '../../device-page/location-card.tsx'
import { NotTaken } from '../../device-page/not-taken.tsx'
import { ConnectedDevicesCard } from './connected-devices-card.tsx'
import { chartsQuery } from '../../device-page/queries.ts'
import { spanText } from '../../ui/age.ts'
import type { Shade } from '../../ui/chart/readings.ts'
import { LinkCard } from './link-card.tsx'
import { LinkStrip } from './link-strip.tsx'
import { TestsCard } from './tests-card.tsx'

/** The silence that goes on, as the charts of the week shade it. */
function useSilence({ connectionStatus, lastHeard, deviceId }: NetworkingDevice): Shade[] | undefined {
  const { tenant } = useActor()
  const { data } = useQuery(chartsQuery(tenant, deviceId))
  const to = data?.to
  return useMemo(() => {
    if (connectionStatus !== connectionStates.offline || lastHeard === null || !to) return undefined
    const [since, until] = [Date.parse(lastHeard), Date.parse(to)]
    return [{ from: since, to: until, label: `Silent for ${spanText(since, until)}` }]
  }, [connectionStatus, lastHeard, to])
}

export function NetworkingDeviceInfo({ device }: { device: NetworkingDevice }) {
  return (
    <InfoColumns
      device={device}
      side={
        <>
          <LinkCard device={device} />
          <IdentityCard device={device} />
          <LocationCard device={device} />
          <ReportedCard device={device} />
        </>
      }
      more={
        <>
          <DeviceCharts deviceId={device.deviceId} product={device.productId} shades={useSilence(device)} />
          <LinkStrip device={device} />
          <TestsCard device={device} />
        </>
      }
    >
      <NotTaken device={device} />
      <ConnectedDevicesCard device={device} />
    </InfoColumns>
  )
}
