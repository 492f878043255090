import type { DeviceRow } from '@caretaker/contract/devices.ts'
import { dayText } from '@caretaker/rules/calendar/days.ts'
import { products } from '@caretaker/rules/devices/products.ts'
import type { deviceFields } from '@caretaker/rules/devices/list.ts'
import { monitoringWords } from '@caretaker/rules/devices/monitoring.ts'
import { hasFailed } from '@caretaker/rules/devices/status.ts'
import type { Looks } from '../../../lists/list-source.ts'
import { ComplianceChip } from '../../../ui/compliance-chip.tsx'
import { Connection } from '../../../ui/connection.tsx'
import { RunningTestText } from '../../../ui/age-view.tsx'
import { StatusChip } from '../../../ui/status-chip.tsx'
import { DateOf, TimeOf } from '../../../ui/zone.tsx'
import classes from './device-list.module.css'

const none = <span className={classes.none}>–</span>
const text = (value: string | null) => value || none
const named = (value: string) => <span title={value}>{value}</span>
const quiet = (value: string | null) =>
  value ? (
    <span className={classes.quiet} title={value}>
      {value}
    </span>
  ) : (
    none
  )

/** The table cell of each field. Built-in views fit a screen of 1440 pixels. */
export const deviceLooks: Looks<typeof deviceFields, DeviceRow> = {
  serial: { width: 124, cell: (row) => row.deviceSerial },
  name: { width: 152, upTo: 260, link: true, cell: (row) => named(row.deviceDisplayName || row.deviceSerial) },
  product: { width: 150, cell: (row) => products[row.deviceProductId].name },
  productId: { width: 104, cell: (row) => row.deviceProductId },
  status: {
    width: 174,
    cell: (row) => (
      <StatusChip
        status={row.deviceStatus}
        reason={row.deviceStatusReason}
        // The column has room for only one of the two, and a reason is more important; a running test is then shown in
        // the last-test column.
        running={!row.deviceStatusReason && row.deviceRunningTest && <RunningTestText test={row.deviceRunningTest} />}
      />
    ),
  },
  connection: { width: 144, cell: (row) => <Connection state={row.deviceConnectionState} /> },
  building: { width: 113, cell: (row) => text(row.deviceBuildingName) },
  floor: { width: 96, cell: (row) => text(row.deviceBuildingFloor) },
  room: { width: 120, cell: (row) => text(row.deviceRoom) },
  address: { width: 125, cell: (row) => quiet(row.deviceBuildingAddress) },
  postcode: { width: 96, cell: (row) => quiet(row.devicePostcode) },
  propertyReference: { width: 116, cell: (row) => text(row.devicePropertyReference) },
  location: { width: 120, cell: (row) => text(row.deviceLocation) },
  locationDetails: { width: 150, cell: (row) => text(row.deviceLocationDetails) },
  monitoring: {
    width: 110,
    cell: (row) => (row.deviceMonitoring === null ? none : monitoringWords[row.deviceMonitoring]),
  },
  fault: {
    width: 84,
    cell: ({ deviceFault }) =>
      deviceFault ? <span title={deviceFault.description ?? undefined}>{deviceFault.code}</span> : none,
  },
  firmware: { width: 130, cell: (row) => text(row.deviceFirmware) },
  lastTest: {
    width: 104,
    align: 'end',
    cell: (row) =>
      row.deviceRunningTest ? (
        <RunningTestText test={row.deviceRunningTest} brief />
      ) : row.deviceLastTest === null ? (
        none
      ) : (
        <DateOf at={row.deviceLastTest} />
      ),
  },
  testedOrInstalled: {
    width: 150,
    align: 'end',
    cell: (row) => <DateOf at={row.deviceLastTest ?? row.deviceStatusSince} />,
  },
  lastFullTest: {
    width: 146,
    align: 'end',
    cell: (row) => (row.deviceLastFullTest === null ? none : <DateOf at={row.deviceLastFullTest} />),
  },
  fullTestedOrInstalled: {
    width: 180,
    align: 'end',
    cell: (row) => <DateOf at={row.deviceLastFullTest ?? row.deviceStatusSince} />,
  },
  statusSince: { width: 134, align: 'end', cell: (row) => <TimeOf at={row.deviceStatusSince} /> },
  failedSince: {
    width: 134,
    align: 'end',
    cell: (row) => (hasFailed(row.deviceStatus) ? <TimeOf at={row.deviceStatusSince} /> : none),
  },
  statusReason: { width: 150, cell: (row) => text(row.deviceStatusReason) },
  connectionSince: {
    width: 146,
    align: 'end',
    cell: (row) => (row.deviceConnectionSince === null ? none : <TimeOf at={row.deviceConnectionSince} />),
  },
  lastHeard: {
    width: 134,
    align: 'end',
    cell: (row) => (row.deviceLastHeard === null ? none : <TimeOf at={row.deviceLastHeard} />),
  },
  gasSafetyDue: { width: 130, align: 'end', cell: (row) => dueOn(row.deviceGasSafety) },
  gasSafety: { width: 150, cell: (row) => <Checked at={row.deviceGasSafety} /> },
  waterTreatmentDue: { width: 164, align: 'end', cell: (row) => dueOn(row.deviceWaterTreatment) },
  waterTreatment: { width: 150, cell: (row) => <Checked at={row.deviceWaterTreatment} /> },
  gateway: { width: 130, cell: (row) => text(row.deviceGateway) },
  testGroup: { width: 150, cell: (row) => text(row.deviceTestGroup) },
  luminaireName: { width: 150, cell: (row) => text(row.deviceEquipment?.luminaire ?? null) },
  lampType: { width: 140, cell: (row) => text(row.deviceEquipment?.lampType ?? null) },
  inverterType: { width: 140, cell: (row) => text(row.deviceEquipment?.inverterType ?? null) },
  batteryType: { width: 150, cell: (row) => text(row.deviceEquipment?.batteryType ?? null) },
  batteryVoltage: { width: 140, align: 'end', cell: (row) => number(row.deviceEquipment?.batteryVoltage) },
  batteryCapacity: { width: 150, align: 'end', cell: (row) => number(row.deviceEquipment?.batteryCapacity) },
  batteryFitted: {
    width: 140,
    align: 'end',
    cell: ({ deviceEquipment }) => (deviceEquipment?.batteryFittedOn ? dayText(deviceEquipment.batteryFittedOn) : none),
  },
  batteryAge: { width: 150, align: 'end', cell: (row) => number(row.deviceEquipment?.batteryAge) },
  tags: { width: 160, cell: (row) => <Tags names={row.deviceTags.map(({ name }) => name)} /> },
  accessRightsTag: { width: 140, cell: (row) => text(row.deviceAccessRightsTag?.displayName ?? null) },
  inWholesale: { width: 110, cell: (row) => (row.deviceInWholesale ? 'Yes' : 'No') },
  deviceId: { width: 270, cell: (row) => quiet(row.deviceId) },
}

const number = (value: number | null | undefined) => (value === null || value === undefined ? none : value)

const dueOn = (at: DeviceRow['deviceGasSafety']) => (at?.dueAt ? <DateOf at={at.dueAt} /> : none)

/** The compliance state of a boiler, with the number of days. */
function Checked({ at }: { at: DeviceRow['deviceGasSafety'] }) {
  return at ? <ComplianceChip state={at.state} dueAt={at.dueAt} /> : none
}

function Tags({ names }: { names: readonly string[] }) {
  if (names.length === 0) return none
  return (
    <span className={classes.tags} title={names.join(', ')}>
      {names.map((name) => (
        <span key={name} className={classes.tag}>
          {name}
        </span>
      ))}
    </span>
  )
}
