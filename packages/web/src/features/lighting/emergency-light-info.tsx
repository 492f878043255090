import type { Emered } from '@caretaker/contract/devices.ts'
import { DeviceCharts } from '../../device-page/device-charts.tsx'
import { IdentityCard, ReportedCard } from '../../device-page/identity-cards.tsx'
import { InfoColumns } from '../../device-page/info-columns.tsx'
import { LocationCard } from '../../device-page/location-card.tsx'
import { RejectedNotice } from '../../device-page/rejected-messages.tsx'
import { EquipmentCard } from './equipment-card.tsx'
import { GroupCard } from './group-card.tsx'
import { LabelDoubt } from './label-doubt.tsx'
import { LastTests } from './last-tests.tsx'

export function EmergencyLightInfo({ device }: { device: Emered }) {
  return (
    <InfoColumns
      tests={device.latestTests}
      hints={{ batteryLow: <LabelDoubt device={device} /> }}
      device={device}
      side={
        <>
          <LastTests device={device} />
          <GroupCard device={device} />
          <LocationCard device={device} />
          <IdentityCard device={device} />
          <ReportedCard device={device} />
        </>
      }
      more={<DeviceCharts device={device} />}
    >
      <RejectedNotice device={device} />
      <EquipmentCard device={device} />
    </InfoColumns>
  )
}
