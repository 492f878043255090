import type { Device } from '@caretaker/contract/devices.ts'
import { InspectionSheetButton } from '../../inspection/sheet-button.tsx'
import { FlickTestAction } from './flick-test.tsx'

/** What can be done from the head of a light's page. */
export function LightActions({ device }: { device: Device }) {
  const { buildingId, buildingName } = device
  return (
    <>
      {buildingId && <InspectionSheetButton building={{ id: buildingId, name: buildingName ?? '' }} />}
      <FlickTestAction device={device} />
    </>
  )
}
