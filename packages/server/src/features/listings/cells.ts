import type { DeviceRow } from '@caretaker/contract/devices.ts'
import { connectionWords } from '@caretaker/rules/devices/connection.ts'
import { products } from '@caretaker/rules/devices/products.ts'
import { statusText } from '@caretaker/rules/devices/status.ts'
import { minuteText } from '@caretaker/rules/calendar/days.ts'
import type { FieldId } from '@caretaker/rules/devices/fields.ts'
import { monitoringWords } from '@caretaker/rules/devices/fields.ts'

type Cell = (row: DeviceRow, zone: string) => string | null

const instant = (at: string | null, zone: string) => at && minuteText(Date.parse(at), zone)

/** The text of each field in a file: the words of the screen. Positions are known to filters only. */
const cells: Partial<Record<FieldId, Cell>> = {
  serial: (row) => row.deviceSerial,
  name: (row) => row.deviceDisplayName,
  product: (row) => products[row.deviceProductId].name,
  status: (row) => statusText(row.deviceStatus),
  connection: (row) => connectionWords[row.deviceConnectionState],
  building: (row) => row.deviceBuildingName,
  floor: (row) => row.deviceBuildingFloor,
  room: (row) => row.deviceRoom,
  address: (row) => row.deviceBuildingAddress,
  postcode: (row) => row.devicePostcode,
  propertyReference: (row) => row.devicePropertyReference,
  location: (row) => row.deviceLocation,
  locationDetails: (row) => row.deviceLocationDetails,
  monitoring: (row) => row.deviceMonitoring && monitoringWords[row.deviceMonitoring],
  fault: (row) => row.deviceFault?.code ?? null,
  firmware: (row) => row.deviceFirmware,
  lastTest: (row, zone) => instant(row.deviceLastTest, zone),
  statusSince: (row, zone) => instant(row.deviceStatusSince, zone),
  lastHeard: (row, zone) => instant(row.deviceLastHeard, zone),
  tags: (row) => row.deviceTags.map((tag) => tag.name).join(', '),
  accessRightsTag: (row) => row.deviceAccessRightsTag?.displayName ?? null,
  inWholesale: (row) => (row.deviceInWholesale ? 'Yes' : 'No'),
  deviceId: (row) => row.deviceId,
}

/** A field of a device as the text of a cell; empty where it has none. */
export function cellText(row: DeviceRow, fieldId: FieldId, zone: string): string {
  return cells[fieldId]?.(row, zone) ?? ''
}
