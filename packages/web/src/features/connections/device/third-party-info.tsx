import type { Device } from '@caretaker/contract/devices.ts'
import { DeviceCharts } from '../../../device-page/device-charts.tsx'
import { IdentityCard, ReportedCard } from '../../../device-page/identity-cards.tsx'
import { InfoColumns } from '../../../device-page/info-columns.tsx'
import { LocationCard } from '../../../device-page/location-card.tsx'
import { RejectedNotice } from '../../../device-page/rejected-messages.tsx'
import { SetPointCard } from './set-point-card.tsx'

export const ThirdPartyInfo = ({ device }: { device: Device }) => (
  <InfoColumns
    device={device}
    side={
      <>
        <IdentityCard device={device} />
        <LocationCard device={device} />
        <ReportedCard device={device} />
      </>
    }
  >
    <RejectedNotice device={device} />
    <SetPointCard device={device} />
    <DeviceCharts device={device} />
  </InfoColumns>
)
