import type { FloorDevice } from '@caretaker/contract/devices.ts'
import { displayGroup, severityOf, statusText } from '@caretaker/rules/devices/status.ts'
import type { MapMarker } from '../map/map-props.ts'
import { StatusIcon, toneOfGroup } from '../ui/status-icon.tsx'
import classes from './plans.module.css'

export const nameOf = ({ deviceName, serialNumber }: Pick<FloorDevice, 'deviceName' | 'serialNumber'>): string =>
  deviceName || serialNumber

/** A floor as text: many names already contain a word for floor. */
export const floorWords = (name: string): string => (/floor|level|basement|ground/i.test(name) ? name : `Floor ${name}`)

/** '13 not placed, 3 of them failed'. */
export const notPlacedText = (count: number, failed: number): string =>
  `${count.toLocaleString('en-GB')} not placed${failed > 0 ? `, ${failed.toLocaleString('en-GB')} of them failed` : ''}`

/** The status icon of a device with a rim in the page colour, so that it is visible on a plan. */
export function DevicePin({
  status,
  size = 22,
  isRough = false,
}: {
  status: string
  size?: number
  isRough?: boolean
}) {
  const group = displayGroup(status) ?? 'NotInstalled'
  return (
    <span className={classes.pin} data-rough={isRough || undefined}>
      <StatusIcon tone={toneOfGroup[group]} size={size} />
    </span>
  )
}

/** The placed devices as map pins, worst on top. */
export const pinsOf = (devices: readonly FloorDevice[]): MapMarker[] =>
  devices.flatMap((device) => {
    const { deviceId, lat, long, deviceStatus, isRoughlyPlaced } = device
    if (lat === null || long === null) return []
    return {
      id: deviceId,
      place: { lat, lng: long },
      name: `${nameOf(device)}: ${statusText(deviceStatus)}${isRoughlyPlaced ? ', roughly placed' : ''}`,
      look: <DevicePin status={deviceStatus} isRough={isRoughlyPlaced} />,
      size: 26,
      order: severityOf(deviceStatus),
    }
  })
