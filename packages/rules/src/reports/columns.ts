import type { Day } from '../calendar/days.ts'
import type { ComplianceState } from '../compliance/due.ts'
import { complianceStates, stateWords } from '../compliance/due.ts'
import type { DeviceStatus, DisplayGroup } from '../devices/status.ts'
import { displayGroupWords, statusText } from '../devices/status.ts'
import type { DampLevel } from '../properties/damp.ts'
import { dampLevelWords, roomLimits } from '../properties/damp.ts'
import { deadlineStates } from '../properties/awaabs-words.ts'
import type { Comparison, HomeFigures, RoomFigures } from './figures.ts'
import { fewestAlike, homeLimits, monthCoverage, warmthWords } from './figures.ts'

/** The value of a report cell; an instant is in ms since the epoch. */
export type ReportCell = string | number | null | { day: Day } | { at: number }

/** A column with its explanation, printed on the summary sheet. */
export interface ColumnOf<Row> {
  label: string
  /** How the value is determined. */
  formula: string
  /** Where it comes from: a record, readings, or the source of a limit. */
  source: string
  /** The value if too little is known. */
  tooFew: string
  /** An address or postcode: left out if the client hides customers' personal data. */
  isPersonal?: boolean
  cell(row: Row): ReportCell
}

interface Placed {
  propertyReference: string | null
  address: string | null
  postcode: string | null
}

const lastDay = 'at the end of the last day of the month'
const empty = 'Empty if unknown.'
const always = 'Never empty.'
const zero = '0 if nothing is recorded.'

const ofHome = "The client's record of the property."
const ofDevice = "The client's record of the device."
const ofConditions = 'The conditions of each device, as reported or determined by Caretaker.'
const ofTests = 'The results of emergency tests as reported by the lights, for the log book required by BS 5266-1.'
const ofAir = 'Hourly means of the sensor readings.'
const inNone = 'Empty if the device is not in a property.'

const home: ColumnOf<Placed>[] = [
  {
    label: 'Property REF',
    formula: `Its reference ${lastDay}.`,
    tooFew: 'Empty if it has none, or if the device is not in a property.',
    source: ofHome,
    cell: (row) => row.propertyReference,
  },
  {
    label: 'Address',
    formula: `Its address ${lastDay}.`,
    isPersonal: true,
    source: ofHome,
    tooFew: inNone,
    cell: (row) => row.address,
  },
  {
    label: 'Postcode',
    formula: `Its postcode ${lastDay}.`,
    isPersonal: true,
    source: ofHome,
    tooFew: inNone,
    cell: (row) => row.postcode,
  },
]

/** A property or, for devices without one, a building. */
export interface OverviewRow extends Placed {
  building: string | null
  devices: number
  groups: Readonly<Partial<Record<DisplayGroup, number>>>
  worst: string | null
  connected: number
  hoursNotHeard: number
  faultsBegun: number
  testsPassed: number
  testsFailed: number
}

const counted = (group: DisplayGroup): ColumnOf<OverviewRow> => ({
  label: displayGroupWords[group],
  formula: `Devices whose status was one of '${displayGroupWords[group]}' ${lastDay}.`,
  source: ofConditions,
  tooFew: zero,
  cell: (row) => row.groups[group] ?? 0,
})

export const overviewColumns: readonly ColumnOf<OverviewRow>[] = [
  ...home,
  {
    label: 'Building',
    formula: `The building of its devices ${lastDay}.`,
    tooFew: empty,
    source: ofDevice,
    cell: (row) => row.building,
  },
  {
    label: 'Devices',
    formula: `Its devices ${lastDay} that the reader can see.`,
    source: ofDevice,
    tooFew: zero,
    cell: (row) => row.devices,
  },
  ...(['Passed', 'Warning', 'Failed', 'FailedDevice', 'NotInstalled'] as const).map(counted),
  {
    label: 'Status',
    formula: `The worst status of its devices ${lastDay}.`,
    tooFew: 'Empty without devices.',
    source: ofConditions,
    cell: (row) => row.worst && statusText(row.worst),
  },
  {
    label: 'Connected',
    formula: `Devices that were connected ${lastDay}.`,
    source: 'The connection of each device to Caretaker.',
    tooFew: zero,
    cell: (row) => row.connected,
  },
  {
    label: 'Hours without contact',
    formula: 'Hours of the month in which a device should have reported but did not, summed over all devices.',
    source: 'The condition ‘not heard’ of each device.',
    tooFew: zero,
    cell: (row) => row.hoursNotHeard,
  },
  {
    label: 'New faults',
    formula: 'Faults and failed tests that began in the month.',
    source: ofConditions,
    tooFew: zero,
    cell: (row) => row.faultsBegun,
  },
  {
    label: 'Tests passed',
    formula: 'Tests of emergency lights in the month that passed.',
    source: ofTests,
    tooFew: zero,
    cell: (row) => row.testsPassed,
  },
  {
    label: 'Tests failed',
    formula: 'Tests of emergency lights in the month that failed.',
    source: ofTests,
    tooFew: zero,
    cell: (row) => row.testsFailed,
  },
]

/** A room, identified by its air sensor. */
export interface DampRow extends Placed, RoomFigures {
  room: string | null
  serial: string
}

const coverage = `Empty if less than ${monthCoverage * 100} % of the month's hours have readings.`
const bs5250 = 'BS 5250 annex D; VTT mould index (Hukka and Viitanen). An estimate, without inspection.'

export const dampColumns: readonly ColumnOf<DampRow>[] = [
  ...home,
  { label: 'Room', formula: `The sensor's room ${lastDay}.`, tooFew: empty, source: ofDevice, cell: (row) => row.room },
  { label: 'Sensor', formula: 'Its serial number.', source: ofDevice, tooFew: always, cell: (row) => row.serial },
  {
    label: 'Hours with readings',
    formula: 'Hours of the month with temperature and humidity.',
    source: ofAir,
    tooFew: zero,
    cell: (row) => row.hoursKnown,
  },
  {
    label: `Hours above ${roomLimits.humidity} %`,
    formula: `Hours whose mean relative humidity was above ${roomLimits.humidity} %.`,
    source:
      'Approved Document F (earlier editions). Many properties without mould exceed it, so it proves nothing by itself.',
    tooFew: coverage,
    cell: (row) => row.humidHours,
  },
  {
    label: `Hours below ${roomLimits.cold} °C`,
    formula: `Hours whose mean temperature was below ${roomLimits.cold} °C.`,
    source: 'A limit chosen for this report, to find rooms that are barely heated.',
    tooFew: coverage,
    cell: (row) => row.coldHours,
  },
  {
    label: 'Worst week',
    formula: `The Monday of the week with most hours above ${roomLimits.humidity} %, limited to the month.`,
    tooFew: `${coverage} Empty if there were none.`,
    source: 'Approved Document F, as for the hours.',
    cell: (row) => row.worstWeek && { day: row.worstWeek },
  },
  {
    label: 'Hours in that week',
    formula: `Hours above ${roomLimits.humidity} % in that week.`,
    tooFew: `${coverage} Empty if there were none.`,
    source: 'Approved Document F, as for the hours.',
    cell: (row) => row.worstWeekHours,
  },
  {
    label: 'Mean °C',
    formula: 'The mean over hours with readings.',
    tooFew: coverage,
    source: ofAir,
    cell: (row) => row.meanTemperature,
  },
  {
    label: 'Mean %',
    formula: 'The mean over hours with readings.',
    tooFew: coverage,
    source: ofAir,
    cell: (row) => row.meanHumidity,
  },
  {
    label: 'Risk',
    formula: `Damp and mould ${lastDay}: Watch, High or Severe, by the number of days of the last seven with 80 % or more at cold surfaces, and by the mould index of six weeks.`,
    source: bs5250,
    tooFew: 'Not assessed if less than 70 % of the last seven days have readings.',
    cell: (row) => dampLevelWords[row.risk],
  },
  {
    label: 'Why',
    formula:
      'The reason for the risk, with the assumed weather if the property does not measure it (SAP 10.2, table U1).',
    source: bs5250,
    tooFew: 'If the risk is not assessed, the reason.',
    cell: (row) => row.reason,
  },
]

/** A property with devices that measure its temperature. */
export interface WarmthRow extends Placed, HomeFigures, Comparison {
  epcRating: string | null
  architype: string | null
}

const ofRooms = 'Hourly means of the sensors and thermostats of the property.'
const ukhsa =
  'UKHSA: 18 °C for health; severely under 16 °C. This does not establish fuel poverty (LILEE needs income).'

export const warmthColumns: readonly ColumnOf<WarmthRow>[] = [
  ...home,
  {
    label: 'EPC',
    formula: `Its energy rating ${lastDay}.`,
    tooFew: empty,
    source: ofHome,
    cell: (row) => row.epcRating,
  },
  { label: 'Architype', formula: `Its kind ${lastDay}.`, tooFew: empty, source: ofHome, cell: (row) => row.architype },
  {
    label: 'Hours with readings',
    formula: 'Hours of the month with a room temperature.',
    source: ofRooms,
    tooFew: zero,
    cell: (row) => row.hoursKnown,
  },
  {
    label: 'Mean °C',
    formula: 'The mean over rooms and hours.',
    tooFew: coverage,
    source: ofRooms,
    cell: (row) => row.meanTemperature,
  },
  {
    label: 'Set point °C',
    formula: 'The mean set point of its thermostats, over hours with a report.',
    tooFew: empty,
    source: 'Hourly means of the set points reported by thermostats.',
    cell: (row) => row.setPoint,
  },
  {
    label: `Hours below ${homeLimits.cold} °C`,
    formula: `Hours in which the mean of its rooms was below ${homeLimits.cold} °C.`,
    source: ukhsa,
    tooFew: coverage,
    cell: (row) => row.coldHours,
  },
  {
    label: 'Heating hours',
    formula: 'The increase of the burner hour counter in the month.',
    tooFew: 'Empty if no boiler of the property counts them.',
    source: 'The burner hour counter of each boiler.',
    cell: (row) => row.burnerHours,
  },
  {
    label: 'Electricity kWh',
    formula: 'The sum of the hourly mean power for heating.',
    tooFew: 'Empty if no heat pump of the property measures it.',
    source: 'Hourly means of the power measured by heat pumps.',
    cell: (row) => row.energy,
  },
  {
    label: 'Gap °C',
    formula:
      'How much warmer properties of the client with the same EPC and architype were on average; negative if they were colder.',
    source: 'Our own comparison.',
    tooFew: `If fewer than ${fewestAlike} such properties have figures, the comparison is with all properties of the client; empty if those are too few as well.`,
    cell: (row) => row.gap,
  },
  {
    label: 'Compared with',
    formula: 'The number of properties in the comparison, including this one.',
    source: 'Our own comparison.',
    tooFew: 'Empty without a comparison.',
    cell: (row) => (row.among ? `${row.alike} properties: ${row.among}` : null),
  },
  {
    label: 'Heating',
    formula: `Severely under-heated below ${homeLimits.severe} °C on average, under-heated below ${homeLimits.cold} °C, from October to March.`,
    source: ukhsa,
    tooFew: 'Not assessed from April to September, or with too few hours.',
    cell: (row) => warmthWords[row.level],
  },
]

/** A light that has failed according to its status, the same as in lists, on the dashboard and in alerts. */
export interface FailedRow {
  serial: string
  name: string
  building: string | null
  floor: string | null
  room: string | null
  status: DeviceStatus
  failedSince: number
  /** The cause of its status, in a few words. */
  reason: string | null
  /** The last failed test; null if another fault is the cause. */
  test: { type: string; at: number; parts: readonly string[] } | null
}

const place: ColumnOf<Pick<FailedRow, 'serial' | 'name' | 'building' | 'floor' | 'room'>>[] = [
  { label: 'Serial', formula: 'Its serial number.', source: ofDevice, tooFew: always, cell: (row) => row.serial },
  {
    label: 'Name',
    formula: 'Its name.',
    source: ofDevice,
    tooFew: 'Its serial number if it has no name.',
    cell: (row) => row.name,
  },
  { label: 'Building', formula: 'Its current location.', tooFew: empty, source: ofDevice, cell: (row) => row.building },
  { label: 'Floor', formula: 'Its current location.', tooFew: empty, source: ofDevice, cell: (row) => row.floor },
  { label: 'Room', formula: 'Its current location.', tooFew: empty, source: ofDevice, cell: (row) => row.room },
]

export const failedColumns: readonly ColumnOf<FailedRow>[] = [
  ...place,
  {
    label: 'Status',
    formula: 'Its current status.',
    source: ofDevice,
    tooFew: always,
    cell: (row) => statusText(row.status),
  },
  {
    label: 'Failed since',
    formula: 'When the failure began.',
    source: ofDevice,
    tooFew: always,
    cell: (row) => ({ at: row.failedSince }),
  },
  {
    label: 'Reason',
    formula: 'The reason for its status.',
    source: ofDevice,
    tooFew: 'Empty if no reason was entered.',
    cell: (row) => row.reason,
  },
  {
    label: 'Test',
    formula: 'The type of its last failed test.',
    source: ofTests,
    tooFew: 'Empty if no test failed: the light failed for another reason.',
    cell: (row) => row.test?.type ?? null,
  },
  {
    label: 'Began',
    formula: 'When that test began.',
    source: ofTests,
    tooFew: 'Empty if no test failed.',
    cell: (row) => row.test && { at: row.test.at },
  },
  {
    label: 'Part',
    formula: 'The parts that failed in that test.',
    tooFew: 'Empty if the light did not report them.',
    source: ofTests,
    cell: (row) => row.test?.parts.join(', ') || null,
  },
]

/** A light with its last tests. */
export interface ComplianceRow extends Pick<FailedRow, 'serial' | 'name' | 'building' | 'floor' | 'room'> {
  monthly: { at: number; result: string } | null
  yearly: { at: number; result: string } | null
}

const bs5266 = 'BS 5266-1: a function test each month, a full-duration test each year.'
const never = 'Empty if none is recorded: the light has not passed.'

export const complianceColumns: readonly ColumnOf<ComplianceRow>[] = [
  ...place,
  {
    label: 'Monthly test',
    formula: 'When its last T0 test began.',
    source: bs5266,
    tooFew: never,
    cell: ({ monthly }) => monthly && { at: monthly.at },
  },
  {
    label: 'Result',
    formula: 'The result of that test.',
    tooFew: never,
    source: ofTests,
    cell: ({ monthly }) => monthly?.result ?? null,
  },
  {
    label: 'Yearly test',
    formula: 'When its last T180 test began.',
    source: bs5266,
    tooFew: never,
    cell: ({ yearly }) => yearly && { at: yearly.at },
  },
  {
    label: 'Yearly result',
    formula: 'The result of that test.',
    tooFew: never,
    source: ofTests,
    cell: ({ yearly }) => yearly?.result ?? null,
  },
]

/** A property with its gas checks at the time of the report. */
export interface GasRow extends Placed {
  isVoid: boolean
  /** Null for a property without gas. */
  state: ComplianceState | null
  lastOn: Day | null
  dueOn: Day | null
  failedOn: Day | null
  certificate: string | null
  appliances: number
}

export const noGas = 'No gas appliance'
export const gasWord = (state: ComplianceState | null) => (state === null ? noGas : stateWords[state])

const regulation36 = 'Gas Safety (Installation and Use) Regulations 1998, regulations 36 and 36A.'
const ofRecords = 'The gas safety records of the property that are not withdrawn, and entered dates.'
const dayCell = (day: Day | null): ReportCell => day && { day }

export const gasColumns: readonly ColumnOf<GasRow>[] = [
  {
    label: 'Property REF',
    formula: 'Its reference.',
    tooFew: 'Empty if it has none.',
    source: ofHome,
    cell: (row) => row.propertyReference,
  },
  {
    label: 'Address',
    formula: 'Its address.',
    isPersonal: true,
    tooFew: empty,
    source: ofHome,
    cell: (row) => row.address,
  },
  {
    label: 'Postcode',
    formula: 'Its postcode.',
    isPersonal: true,
    tooFew: empty,
    source: ofHome,
    cell: (row) => row.postcode,
  },
  {
    label: 'Void',
    formula: 'Whether it is void.',
    tooFew: 'Empty if it is occupied.',
    source: ofHome,
    cell: (row) => (row.isVoid ? 'Void' : null),
  },
  {
    label: 'Gas appliances',
    formula: 'Boilers with a connected control, and gas appliances entered on the property.',
    tooFew: zero,
    source: ofHome,
    cell: (row) => row.appliances,
  },
  {
    label: 'Last check',
    formula: 'The day of the last check.',
    tooFew: 'Empty if there is no record.',
    source: ofRecords,
    cell: (row) => dayCell(row.lastOn),
  },
  {
    label: 'Next due',
    formula:
      'Twelve months after the last passed check; a check in the last two months before the due date keeps the date.',
    tooFew: 'Empty if none has passed.',
    source: regulation36,
    cell: (row) => dayCell(row.dueOn),
  },
  {
    label: 'State',
    formula:
      'The worst state of its appliances: Failed, Never checked, Overdue, Due from two months before the due date, Stated, or In date.',
    tooFew: '“No gas appliance” if the property has none.',
    source: regulation36,
    cell: (row) => gasWord(row.state),
  },
  {
    label: 'Failed on',
    formula: 'The day of the last failed check, if none has passed since.',
    tooFew: 'Empty if none has failed.',
    source: ofRecords,
    cell: (row) => dayCell(row.failedOn),
  },
  {
    label: 'Certificate',
    formula: 'The certificate number of the last check.',
    tooFew: '“No record” if no check is recorded; empty if the property has no gas appliance.',
    source: ofRecords,
    cell: (row) => row.certificate ?? (row.state === null ? null : 'No record'),
  },
]

/** The labels of the summary chart in order, by report. */
export const chartOf = {
  Overview: { title: 'Devices by status', words: Object.values(displayGroupWords) },
  DampAndMould: { title: 'Rooms by risk', words: Object.values(dampLevelWords) as string[] },
  GasSafety: {
    title: 'Properties by gas safety',
    words: [
      ...complianceStates
        .toReversed()
        .filter((state) => state !== 'NoRecord')
        .map(gasWord),
      noGas,
    ],
  },
  FuelPoverty: { title: 'Properties by heating', words: Object.values(warmthWords) as string[] },
  AwaabsLaw: { title: 'Deadlines by state', words: [...deadlineStates] as string[] },
  FailedEmeredReport: { title: 'Failed lights by test type', words: ['T0', 'T5', 'T60', 'T180', 'No test'] },
  EmeredComplianceReport: { title: 'Lights by yearly test', words: ['Passed', 'Failed', 'Other', 'None'] },
} as const
export type { DampLevel }
