import type { DeviceRow } from '@caretaker/contract/devices.ts'
import { fetchViewData, shouldUpdateView } from '@caretaker/contract/devices.ts'
import type { FieldId } from '@caretaker/rules/devices/list.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import { isFound } from '@caretaker/rules/texts/search-form.ts'
import type { ServerAnswer } from '../network.ts'
import { answer, exampleOf } from '../network.ts'

/** An installed light by number: light 7 has the serial number EM00007X. */
export function listedDevice(number: number, more: Partial<DeviceRow> = {}): DeviceRow {
  const digits = String(number).padStart(5, '0')
  return {
    ...exampleOf(fetchViewData).rows[0]!,
    deviceId: `00000000-0000-4000-8000-0000000${digits}`,
    deviceProductId: 'EM',
    deviceStatus: 'Ok',
    deviceStatusReason: null,
    deviceConnectionState: 'Connected',
    deviceSerial: `EM${digits}X`,
    deviceDisplayName: `Light ${number}`,
    deviceBuildingName: 'Alder House',
    deviceRoom: `Room ${number}`,
    deviceInWholesale: false,
    deviceFault: null,
    deviceGasSafety: null,
    deviceWaterTreatment: null,
    deviceEquipment: null,
    deviceParentId: null,
    deviceParentProductId: null,
    deviceIsThermostatWithHomeHub: false,
    deviceTags: [],
    deviceAccessRightsTag: null,
    userHasReadOnlyAccess: false,
    userCanUpdateAccessRightsTag: true,
    ...more,
  }
}

/** Devices with the numbers 1 to `count`. */
export const listedDevices = (count: number, more: (number: number) => Partial<DeviceRow> = () => ({})): DeviceRow[] =>
  Array.from({ length: count }, (_, at) => listedDevice(at + 1, more(at + 1)))

/** The row fields by which the server below filters, searches and sorts. */
const values: Partial<Record<FieldId, (row: DeviceRow) => string>> = {
  serial: (row) => row.deviceSerial,
  name: (row) => row.deviceDisplayName,
  status: (row) => row.deviceStatus,
  building: (row) => row.deviceBuildingName ?? '',
  monitoring: (row) => row.deviceMonitoring ?? '',
  propertyReference: (row) => row.devicePropertyReference ?? '',
}

const valueOf = (row: DeviceRow, fieldId: string) => values[fieldId as FieldId]?.(row)

function meets(row: DeviceRow, { fieldId, filterOp, value }: Filter): boolean {
  const found = valueOf(row, fieldId)
  if (found === undefined) return true
  const isAmong = Array.isArray(value) ? value.includes(found) : value === found
  return filterOp === 'noneof' ? !isAmong : isAmong
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** A listing with these rows, which it filters, searches, sorts and pages like the server; its data never changes. */
export function deviceList(rows: readonly DeviceRow[]): ServerAnswer[] {
  return [
    answer(fetchViewData, ({ body }) => {
      const { filters = [], sorts = [], search, page = 1, pageSize = 100 } = body
      const found = rows.filter(
        (row) =>
          filters.every((filter) => meets(row, filter as Filter)) &&
          isFound(search, [row.deviceSerial, row.deviceDisplayName]),
      )
      for (const { fieldId, descending } of sorts.toReversed())
        found.sort((a, b) => (descending ? -1 : 1) * compare(valueOf(a, fieldId) ?? '', valueOf(b, fieldId) ?? ''))
      return {
        ...exampleOf(fetchViewData),
        rows: found.slice((page - 1) * pageSize, page * pageSize),
        total: found.length,
        outOf: rows.length,
        page,
        pageSize,
        updatedAt: new Date().toISOString(),
      }
    }),
    answer(shouldUpdateView, { shouldUpdate: false, deviceIds: [] }),
  ]
}
