import type { Device } from '@caretaker/contract/devices.ts'
import { DeviceCharts } from '../../device-page/device-charts.tsx'
import { IdentityCard, LocationCard, ReportedCard } from '../../device-page/identity-cards.tsx'
import { InfoColumns } from '../../device-page/info-columns.tsx'
import { NotTaken } from '../../device-page/not-taken.tsx'

export function NetworkingDeviceInfo({ device }: { device: Device }) {
  return (
    <InfoColumns
      device={device}
      side={
        <>
          <IdentityCard device={device} />
          <LocationCard device={device} listing="NetworkingDevices" />
          <ReportedCard device={device} />
        </>
      }
    >
      <NotTaken device={device} />
      <DeviceCharts deviceId={device.deviceId} product={device.productId} />
    </InfoColumns>
  )
}
