import type { NetworkingDevice } from '@caretaker/contract/devices.ts'
import { DeviceCharts } from '../../device-page/device-charts.tsx'
import { IdentityCard, ReportedCard } from '../../device-page/identity-cards.tsx'
import { InfoColumns } from '../../device-page/info-columns.tsx'
import { LocationCard } from '../../device-page/location-card.tsx'
import { NotTaken } from '../../device-page/not-taken.tsx'
import { ConnectedDevicesCard } from './connected-devices-card.tsx'
import { LinkCard } from './link-card.tsx'
import { LinkStrip } from './link-strip.tsx'
import { TestsCard } from './tests-card.tsx'

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
          <DeviceCharts deviceId={device.deviceId} product={device.productId} />
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
