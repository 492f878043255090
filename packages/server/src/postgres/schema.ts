import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { LightSettings } from '@caretaker/rules/actions/light-settings.ts'
import type { RunAction } from '@caretaker/rules/actions/home-actions.ts'
import type { ChangeSubject } from '@caretaker/rules/changes/changes.ts'
import type { ComplianceState } from '@caretaker/rules/compliance/due.ts'
import type { HeatingState } from '@caretaker/rules/properties/heating.ts'
import type { RecordStatus, RecordType, TestKit } from '@caretaker/rules/compliance/records.ts'
import type { ConditionKind, Ending, Evidence, InterimMeasure } from '@caretaker/rules/conditions/conditions.ts'
import type { CommandName, CommandStatus } from '@caretaker/rules/commands/commands.ts'
import type { BadMessageReason, BadPart } from '@caretaker/rules/devices/messages.ts'
import type { ConnectionStatus } from '@caretaker/rules/devices/connection.ts'
import type { Family, Product } from '@caretaker/rules/devices/products.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import type { DelayUnit, NotificationType, TriggerType } from '@caretaker/rules/alerts/delay.ts'
import type { AuditAction, AuditSubject } from '@caretaker/rules/audit/audit.ts'
import type { Capability, Feature } from '@caretaker/rules/identity/features.ts'
import type { TenantExportState } from '@caretaker/rules/tenants/exports.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import type { EquipmentListName } from '@caretaker/rules/lighting/equipment.ts'
import type { ResultChange } from '@caretaker/rules/lighting/decisions.ts'
import type { BatteryType, MonitoredLedCircuit, OperatingMode } from '@caretaker/rules/lighting/luminaire.ts'
import type { LightRunState, RunState } from '@caretaker/rules/lighting/runs.ts'
import type {
  ComponentStates,
  Judged,
  TestBits,
  TestPoint,
  TestResult,
  TestType,
} from '@caretaker/rules/lighting/tests.ts'
import type { LitTime } from '@caretaker/rules/lighting/verdict.ts'
import type { LightParts } from '@caretaker/rules/maintenance/forms.ts'
import type { ReplacedPart } from '@caretaker/rules/maintenance/repairs.ts'
import type { MessageChannel } from '@caretaker/rules/messages/parsed.ts'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import type { Filter, Sort } from '@caretaker/rules/lists/filters.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import type { FileType } from '@caretaker/rules/files/types.ts'
import type { Episode } from '@caretaker/rules/alerts/engine.ts'
import type { SpellKind } from '@caretaker/rules/alerts/signals.ts'
import type { AlertEnding, RuleWords } from '@caretaker/rules/alerts/words.ts'
import type { ColdLevel, DampLevel } from '@caretaker/rules/properties/damp.ts'
import type { DeadlineStep } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import type { CaseRecordKind } from '@caretaker/rules/properties/awaabs-records.ts'
import type { Architype, AwaabsLawStatus } from '@caretaker/rules/properties/details.ts'
import type { CompassPoint, EnergyRating, VoidFlag } from '@caretaker/rules/properties/dwelling.ts'
import type { HeldEffect } from '@caretaker/rules/properties/void.ts'
import type { Kind, Reason } from '@caretaker/rules/imports/fields.ts'
import type {
  Besides,
  ImportFound,
  ImportItemState,
  ImportState,
  ImportWishes,
  KeptReading,
} from '@caretaker/rules/imports/life.ts'
import type { Item, Values, WrongCell } from '@caretaker/rules/imports/plan.ts'
import type { HomeFigures, RoomFigures } from '@caretaker/rules/reports/figures.ts'
import type { SheetsOrder } from '@caretaker/rules/inspection/sheet.ts'
import type {
  Reader,
  ReportFormat,
  ReportRunState,
  ReportType,
  RunFormat,
  RunType,
} from '@caretaker/rules/reports/kinds.ts'
import type { DeliveryState, WebhookEvent } from '@caretaker/rules/webhooks/webhooks.ts'
import type { Work } from './work.ts'

type EpcRating = Exclude<EnergyRating, 'NoRating'>

type Instant = ColumnType<Date, Date | string, Date | string>
type Json<T extends object> = JSONColumnType<T>
/** Left out it is null. */
type Maybe<T> = ColumnType<T | null, T | null | undefined, T | null>
/** A day, which is written as its text and read by `to_char`. */
type DayColumn = ColumnType<Date | null, string | null | undefined, string | null>

/** The tables as queries see them; the migrations are what makes them. */
export interface Database {
  tenant: {
    id: string
    display_name: string
    contacts: Generated<string>
    time_zone: Generated<string>
    settings: Generated<Record<string, unknown>>
    created_at: Generated<Date>
    suspended_at: Maybe<Date>
    suspended_reason: Maybe<string>
    /** Since when everything of the client is being deleted. */
    removal_began_at: Maybe<Date>
  }
  /** Removals of clients, which outlive them; `client` is the tenant. */
  tenant_removal: {
    id: string
    client: string
    client_name: string
    suspended_since: Date
    began_at: Date
    finished_at: Maybe<Date>
    removed_by_whom: string
    rows_deleted: Generated<string>
    files_deleted: Generated<string>
    people_removed: Generated<number>
    people: string[]
    invited: string[]
  }
  person: {
    id: string
    issuer: string
    subject: string
    email: string
    name: string
    picture_url: string | null
    email_verified: Generated<boolean>
    /** When they were taken out of a client the last time. */
    removed_at: ColumnType<Date | null, never, Date>
    created_at: Generated<Date>
  }
  /** How often something was tried since a moment; `key` is a digest. */
  throttle: { key: string; count: number; since: Date }
  /** What a process knows of itself alone, and when it said so. */
  process_figure: { process: string; name: string; value: number; told_at: Date }
  /** A process that works, by the number under which it claims. */
  claimant: { number: number; since: Date }
  invitation: { tenant_id: string; membership_id: string; email: string }
  client_error: {
    id: Generated<string>
    at: Generated<Date>
    tenant_id: string | null
    person_id: string | null
    message: string
    stack: string
    component_stack: string
  }
  tenant_feature: { tenant_id: string; feature: Feature }
  tenant_capability: { tenant_id: string; capability: Capability }
  access_rights_tag: { tenant_id: string; id: string; display_name: string; protected: Generated<boolean> }
  tag: { tenant_id: string; id: string; name: string }
  membership: {
    tenant_id: string
    id: string
    person_id: string | null
    email: string
    name: string
    role: Role
    tag_ids: Generated<string[]>
    created_at: Generated<Date>
    /** The view that the next sign-in opens; null for the Dashboard. */
    start_view_id: ColumnType<string | null, string | null | undefined>
  }
  building: {
    tenant_id: string
    id: string
    name: string
    address: Generated<string>
    postcode: Generated<string>
    latitude: number | null
    longitude: number | null
    /** As the rules compare names; null where nobody has given it one since. */
    compared_name: ColumnType<string | null, string | null | undefined>
    default_floor_id: ColumnType<string | null, string | null | undefined>
    revision: Generated<number>
    responsible_person: ColumnType<string | null, string | null | undefined>
    completion_certificate: ColumnType<string | null, string | null | undefined>
    central_battery: ColumnType<string | null, string | null | undefined>
  }
  floor: {
    tenant_id: string
    id: string
    building_id: string
    number: number
    name: string
    latitude: ColumnType<number | null, number | null | undefined>
    longitude: ColumnType<number | null, number | null | undefined>
    width: Generated<number>
    height: Generated<number>
    rotation: Generated<number>
    revision: Generated<number>
  }
  floor_plan: { tenant_id: string; floor_id: string; file_id: string; name: string; uploaded_at: Date }
  property: {
    tenant_id: string
    id: string
    reference: string
    address1: Generated<string>
    address2: Generated<string>
    address3: Generated<string>
    town: Generated<string>
    county: Generated<string>
    postcode: Generated<string>
    latitude: number | null
    longitude: number | null
    void_flag: Generated<VoidFlag>
    access_rights_tag_id: string | null
    epc_rating: Maybe<EpcRating>
    last_chemical_test_on: DayColumn
    last_gas_safety_check_on: DayColumn
    /** The deadline whose date the last check kept. */
    gas_check_after: DayColumn
    /** The first instant of the day; of the first of its appliances, or of the stated check. */
    gas_check_due_at: Maybe<Date>
    /** The states of its checks, written by `settleChecks` alone; null where there is nothing to be checked. */
    gas_check_state: Maybe<ComplianceState>
    gas_rank: Generated<number>
    gas_failed_on: DayColumn
    gas_last_on: DayColumn
    /** The number of the certificate of the last check; null where the date was only entered. */
    gas_certificate: Maybe<string>
    gas_stated_at: Maybe<Date>
    gas_stated_by_name: Maybe<string>
    water_check_state: Maybe<ComplianceState>
    water_rank: Generated<number>
    water_failed_on: DayColumn
    water_last_on: DayColumn
    water_check_due_at: Maybe<Date>
    /** When one of these states is another one by itself. */
    compliance_turns_at: Maybe<Date>
    /** A hash of what the states were computed from. */
    compliance_facts: Maybe<string>
    /** The state of its heating, and since when, which a job keeps; null where nothing that heats is connected. */
    heating_state: Maybe<HeatingState>
    heating_since: Maybe<Date>
    frost_since: Maybe<Date>
    void_since: Maybe<Date>
    awaabs_law_status: Generated<AwaabsLawStatus>
    awaabs_law_since: Maybe<Date>
    awaabs_law_due_at: Maybe<Date>
    /** From when that is late: a day is due until its end, an emergency until its hour. */
    awaabs_law_late_at: Maybe<Date>
    /** The worst of its rooms, as assessed last, and the same as a number for orders. */
    damp_level: Generated<DampLevel>
    damp_rank: Generated<number>
    damp_since: Maybe<Date>
    /** The worst of its devices, which a job keeps, and the same as a number for orders; null without any. */
    device_status: Maybe<DeviceStatus>
    device_severity: Generated<number>
    /** The statuses of its devices, as a job keeps them (`features/properties/settle.ts`); null without any. */
    status_set: Maybe<string>
    /** Which tags its devices carry (`features/properties/tags.ts`); null until a job has looked. */
    tag_set: Maybe<string>
    /** Where it stands by itself, with devices or without. */
    building_id: Maybe<string>
    floor_id: Maybe<string>
    architype: Maybe<Architype>
    orientation: Maybe<CompassPoint>
    number_of_inhabitants: Maybe<number>
    number_of_rooms: Maybe<number>
    number_of_floors: Maybe<number>
    apartment_level: Maybe<number>
    archived_at: Maybe<Date>
    version: Generated<number>
    /** Kept by the database: the address in one line, and texts in lower case. */
    address: ColumnType<string, never, never>
    address_folded: ColumnType<string, never, never>
    reference_folded: ColumnType<string, never, never>
    postcode_folded: ColumnType<string, never, never>
    /** The three in the form in which they are searched (`rules/texts/search-form.ts`), and the reference alone. */
    search_form: ColumnType<string, never, never>
    search_form_reference: ColumnType<string, never, never>
  }
  damp_room: {
    tenant_id: string
    device_id: string
    level: DampLevel
    reason: string
    since: Date
    pressing_since: Maybe<Date>
    cold: Maybe<ColdLevel>
    cold_reason: Maybe<string>
    mean_temperature: Maybe<number>
    mean_humidity: Maybe<number>
    humid_days: number
    mould_index: number
    assumed: 'none' | 'some' | 'all'
    hours: Buffer
    mould: number
    dry: number
    until: Date
    reckoned_at: Date
  }
  data_import: {
    tenant_id: string
    id: string
    name: string
    state: ImportState
    /** Once everything is in, the workbook of the rows to mend, if there are any. */
    content: Maybe<Buffer>
    wishes: Json<ImportWishes>
    revision: Generated<number>
    found: Json<ImportFound> | null
    fault: Maybe<string>
    total: Generated<number>
    done: Generated<number>
    refused: Generated<number>
    undone: Generated<number>
    kept: Generated<number>
    created_at: ColumnType<Date, Date, never>
    finished_at: Maybe<Date>
    person_id: string | null
    person_name: string
  }
  data_import_item: {
    tenant_id: string
    import_id: string
    number: number
    kind: Kind
    key: string
    name: string
    sheet: string
    row_number: number
    action: 'create' | 'change'
    target_id: string | null
    values: Json<Values>
    old_values: Json<Item['old']>
    state: ImportItemState
    reason: string | null
    besides: Json<Besides> | null
  }
  data_import_cell: {
    tenant_id: string
    import_id: string
    number: number
    sheet: string
    row_number: number
    column_letters: string
    header: string
    value: string
    reason: Reason
    message: string
    effect: WrongCell['effect']
    offer: string | null
  }
  data_import_reading: {
    tenant_id: string
    headings: Buffer
    columns: Json<KeptReading['columns']>
    building_from_name: boolean
    answers: Json<KeptReading['answers']>
    used_at: Date
  }
  /** Months whose figures are written down. */
  report_month: {
    tenant_id: string
    month: ColumnType<Date, string, never>
    gathered_at: Date
    closed_at: Date | null
  }
  report_home: {
    tenant_id: string
    month: ColumnType<Date, string, never>
    property_id: string
    reference: string
    address: string
    postcode: string
    epc_rating: string | null
    architype: string | null
    access_rights_tag_id: string | null
    figures: Json<HomeFigures> | null
  }
  report_device: {
    tenant_id: string
    month: ColumnType<Date, string, never>
    device_id: string
    property_id: string | null
    building_name: string | null
    serial: string
    product: Product
    room: string | null
    status: DeviceStatus
    is_connected: boolean
    access_rights_tag_id: string | null
    hours_not_heard: number
    faults_begun: number
    tests_passed: number
    tests_failed: number
    figures: Json<RoomFigures> | null
  }
  report_schedule: {
    tenant_id: string
    id: string
    membership_id: string
    report_type: ReportType
    tag_ids: string[]
    format: ReportFormat
    day: number
    hour: number
    /** Members besides the owner who get it. */
    recipient_ids: Generated<string[]>
    next_at: Date
    last_at: Maybe<Date>
    created_at: Date
  }
  report_run: {
    tenant_id: string
    id: string
    membership_id: string
    report_type: RunType
    month: DayColumn
    tag_ids: string[]
    format: RunFormat
    /** Of inspector's sheets: which buildings and days. */
    sheets: Json<SheetsOrder> | null | undefined
    state: ReportRunState
    claimed_until: Maybe<Date>
    claimant: Maybe<number>
    attempts: Generated<number>
    rows_written: Generated<number>
    fault: Maybe<string>
    file_id: Maybe<string>
    file_name: Maybe<string>
    reader: Json<Reader> | null | undefined
    size: Maybe<number>
    asked_at: Date
    finished_at: Maybe<Date>
    schedule_id: Maybe<string>
    scheduled_for: Maybe<Date>
  }
  tenant_export: {
    tenant_id: string
    id: string
    person_id: string
    person_name: string
    state: TenantExportState
    claimed_until: Maybe<Date>
    claimant: Maybe<number>
    attempts: Generated<number>
    rows_written: Generated<number>
    part: Maybe<string>
    fault: Maybe<string>
    file_id: Maybe<string>
    file_name: Maybe<string>
    size: Maybe<number>
    asked_at: Date
    finished_at: Maybe<Date>
    with_readings: Generated<boolean>
  }
  awaabs_law_step: {
    tenant_id: string
    id: string
    property_id: string
    status: AwaabsLawStatus
    hazard: string | null
    happened_on: ColumnType<Date, string, never>
    entered_at: ColumnType<Date, Date, never>
    entered_by: string | null
    entered_by_name: string
    due_on: DayColumn
    /** The step whose true day this is. */
    corrects: string | null
    emergency: boolean | null
    happened_at: Maybe<Date>
    reason: Maybe<string>
    /** The entry that this one takes back. */
    takes_back: Maybe<string>
  }
  /** From which day the law covers a hazard, and where that is published: a setting of the installation. */
  awaabs_law_hazard: {
    name: string
    covered_from: DayColumn
    source: string
    changed_at: Date
  }
  /** Derived from the steps (`features/properties/awaabs-law.ts`). */
  awaabs_law_case: {
    tenant_id: string
    /** That of the entry that opened it. */
    id: string
    property_id: string
    number: number
    status: AwaabsLawStatus
    hazard: string | null
    aware_on: ColumnType<Date, string>
    aware_at: Date | null
    emergency: boolean
    closed_on: DayColumn
    close_reason: string | null
  }
  awaabs_law_deadline: {
    tenant_id: string
    case_id: string
    place: number
    property_id: string
    step: DeadlineStep
    is_emergency: boolean
    due_on: ColumnType<Date, string>
    due_at: Date | null
    law_due_on: DayColumn
    law_due_at: Date | null
    other_due_on: DayColumn
    other_due_at: Date | null
    done_on: DayColumn
    done_at: Date | null
    ended_on: DayColumn
    ended_at: Date | null
    moved_at: Date | null
    moved_reason: string | null
  }
  awaabs_law_record: {
    tenant_id: string
    id: string
    case_id: string
    property_id: string
    kind: CaseRecordKind
    text: string
    file_id: string | null
    readings: unknown
    added_at: Date
    added_by: string
    added_by_name: string
  }
  device: {
    tenant_id: string
    id: string
    serial: string
    product: Product
    model: Generated<string>
    name: string
    listing: ListingName | null
    status: DeviceStatus
    severity: number
    connection_status: Generated<ConnectionStatus>
    in_wholesale: Generated<boolean>
    building_id: string | null
    floor_id: string | null
    property_id: string | null
    parent_id: string | null
    access_rights_tag_id: string | null
    room: string | null
    location: string | null
    location_details: string | null
    power_clamps: Json<Record<string, string>> | null
    latitude: number | null
    longitude: number | null
    /** Laid out on a plan, and not confirmed yet. */
    is_roughly_placed: Generated<boolean>
    monitoring: string | null
    reported: Generated<Record<string, unknown>>
    desired: Generated<Record<string, unknown>>
    reporting_interval: Generated<number>
    created_at: Generated<Date>
    /** What its compliance records come to, written by `settleCompliance` alone: days as their first instant, null without. */
    gas_due_at: ColumnType<Date | null, Date | null | undefined, Date | null>
    gas_state: ColumnType<ComplianceState | null, ComplianceState | null | undefined, ComplianceState | null>
    water_due_at: ColumnType<Date | null, Date | null | undefined, Date | null>
    water_state: ColumnType<ComplianceState | null, ComplianceState | null | undefined, ComplianceState | null>
    compliance_turns_at: Maybe<Date>
    /** Copies of the place, written by `refreshPlaces` alone. */
    building_name: ColumnType<string | null, string | null | undefined, string | null>
    floor_number: ColumnType<number | null, number | null | undefined, number | null>
    floor_name: ColumnType<string | null, string | null | undefined, string | null>
    property_reference: ColumnType<string | null, string | null | undefined, string | null>
    address: ColumnType<string | null, string | null | undefined, string | null>
    postcode: ColumnType<string | null, string | null | undefined, string | null>
    status_at: Generated<Date>
    /** Why it has its status, in a word or two, and the same in lower case; written with the status alone. */
    status_reason: ColumnType<string | null, string | null | undefined, string | null>
    status_reason_folded: ColumnType<string | null, string | null | undefined, string | null>
    /** Since when `connection_status` is what it is; null where that is not known. */
    connection_at: ColumnType<Date | null, Date | null | undefined, Date | null>
    last_test_at: ColumnType<Date | null, Date | null | undefined, Date | null>
    /** When the last 3-hour test of a light began that has a result. */
    last_full_test_at: ColumnType<Date | null, Date | null | undefined, Date | null>
    fault_code: ColumnType<string | null, never, never>
    /** The texts in lower case, kept by the database. */
    serial_folded: ColumnType<string, never, never>
    name_folded: ColumnType<string, never, never>
    building_name_folded: ColumnType<string | null, never, never>
    floor_name_folded: ColumnType<string | null, never, never>
    room_folded: ColumnType<string | null, never, never>
    address_folded: ColumnType<string | null, never, never>
    postcode_folded: ColumnType<string | null, never, never>
    property_reference_folded: ColumnType<string | null, never, never>
    location_folded: ColumnType<string | null, never, never>
    location_details_folded: ColumnType<string | null, never, never>
    fault_code_folded: ColumnType<string | null, never, never>
    /** Texts in the form in which they are searched (`rules/texts/search-form.ts`): all but the address, and that with its post code. */
    search_form: ColumnType<string, never, never>
    search_form_address: ColumnType<string, never, never>
  }
  /** Why a device has its status; written by `features/conditions` alone. */
  condition: {
    tenant_id: string
    id: string
    device_id: string
    kind: ConditionKind
    key: string
    began_at: Instant
    last_seen_at: ColumnType<Date | null, Date | null, Date | null>
    states: Json<ComponentStates> | null
    evidence: Json<Evidence>
    until_at: ColumnType<Date | null, Date | null, Date | null>
    ended_at: ColumnType<Date | null, Date | null, Date | null>
    ending: Ending | null
    end_evidence: Json<Evidence> | null
    interim_measure: Json<InterimMeasure> | null
  }
  device_tag: { tenant_id: string; device_id: string; tag_id: string }
  /** What tag sets of homes stand for, and homes of which the set may be another one since. */
  tag_set: { tenant_id: string; id: string; tag_id: string; product: Product; access_rights_tag_id: string | null }
  /** What status sets of homes stand for: of each kind of device by product and access rights tag the worst status, the worst first. */
  status_set: {
    tenant_id: string
    id: string
    place: number
    product: Product
    access_rights_tag_id: string | null
    status: DeviceStatus
    severity: number
  }
  property_retagged: { tenant_id: string; property_id: string }
  device_route: {
    device_id: string
    tenant_id: string
    parent_id: string | null
    key_hash: Buffer | null
    reporting_interval: Generated<number>
    /** Null where the key is older than this column, or there is none. */
    key_made_at: Maybe<Date>
    key_revoked_at: Maybe<Date>
    /** Set until the device is installed again. */
    uninstalled_at: Maybe<Date>
  }
  device_link: {
    tenant_id: string
    device_id: string
    heard_at: ColumnType<Date | null, Date | null, Date | null>
    connected: Generated<boolean>
    /** When its last connection of its own began. */
    connected_at: Maybe<Date>
    drops: Generated<Date[]>
  }
  series: {
    tenant_id: string
    id: Generated<number>
    device_id: string
    /** A known one, or the raw name of an extra series. */
    metric: MetricKey
    /** Of a counter: readings that depart from it and wait for the next ones, as time in ms and value. */
    held: ColumnType<[number, number][] | null, string | null | undefined, string | null>
  }
  point: { tenant_id: string; series_id: number; at: Instant; value: number }
  packed_day: {
    tenant_id: string
    series_id: number
    day: Instant
    n: number
    gaps: number[]
    readings: number[]
    outline_of: number | null
    outline_gaps: number[] | null
    outline_readings: number[] | null
  }
  packed_hours: { tenant_id: string; series_id: number; day: Instant; low: number; high: number; means: Buffer }
  hourly: {
    tenant_id: string
    series_id: number
    hour: Instant
    n: number
    total: number
    low: number
    high: number
    last_at: Instant
    last_value: number
  }
  packed_roll_up: {
    tenant_id: string
    series_id: number
    day: Instant
    hours: number[]
    n: number[]
    totals: number[]
    lows: number[]
    highs: number[]
    last_ms: number[]
    last_values: number[]
  }
  daily: {
    tenant_id: string
    series_id: number
    day: Instant
    n: number
    total: number
    low: number
    high: number
  }
  event: {
    tenant_id: string
    id: string
    device_id: string
    start_at: Instant
    end_at: ColumnType<Date | null, Date | null, Date | null>
    severity: 'Low' | 'Medium' | 'High'
    category: string
    description: string
  }
  emergency_test: {
    tenant_id: string
    event_id: string
    device_id: string
    test_type: TestType
    started_at: Instant
    result: TestResult
    reason: string
    component_states: Json<ComponentStates>
    series: Json<TestPoint[]>
    /** The light's own word for the result: evidence, and never more. */
    told_result: ColumnType<TestResult | null, TestResult | null | undefined, TestResult | null>
    status_bits: ColumnType<TestBits | null, string | null | undefined, string | null>
    /** What the rule said before somebody corrected it; null where nobody did. */
    judged: ColumnType<Judged | null, string | null | undefined, string | null>
    corrected_at: ColumnType<Date | null, Date | null | undefined, Date | null>
    corrected_by: ColumnType<string | null, string | null | undefined, string | null>
    /** For how long the lamp was lit; null of a function test, where nothing measured it, and of tests stored by earlier versions. */
    lit: ColumnType<LitTime | null, string | null | undefined, string | null>
    /** The start by the clock of the light, where that clock was wrong: `started_at` is then the time of receipt. */
    reported_start_at: ColumnType<Date | null, string | null | undefined, string | null>
    /** What people have decided about the result, the first decision first; null where nobody did. */
    changes: ColumnType<ResultChange[] | null, string | null | undefined, string | null>
    /** What a disputed test counts as until somebody decides; null where it is not disputed. */
    disputed: ColumnType<Judged | null, string | null | undefined, string | null>
  }
  /** What hangs on an emergency light; null where nobody has said it. */
  emergency_equipment: {
    tenant_id: string
    device_id: string
    name: string | null
    lamp_type: string | null
    inverter_type: string | null
    battery_type: BatteryType | null
    /** V */
    battery_voltage: number | null
    /** Ah */
    battery_capacity: number | null
    /** A day; as text where it is read. */
    battery_installed: ColumnType<Date | null, string | null, string | null>
    monitored_led_circuit: MonitoredLedCircuit | null
    operating_mode: ColumnType<OperatingMode | null, OperatingMode | null | undefined, OperatingMode | null>
    key_switch: ColumnType<string | null, string | null | undefined, string | null>
  }
  command: {
    tenant_id: string
    id: string
    device_id: string
    name: CommandName
    args: Json<Record<string, unknown>>
    status: Generated<CommandStatus>
    message: string | null
    created_by: string | null
    created_at: Generated<Date>
    sent_at: Date | null
    attempts: Generated<number>
    answered_at: Date | null
    expires_at: Instant
    taken_back_at: ColumnType<Date | null, never, Date>
    taken_back_by: ColumnType<string | null, never, string | null>
    /** What the device said after the command had come to its end without it. */
    late_answer: ColumnType<'confirmed' | 'failed' | null, never, never>
  }
  command_outbox: {
    command_id: string
    tenant_id: string
    device_id: string
    due_at: ColumnType<Date, Date | undefined, Date>
    expires_at: Instant
  }
  repair_form: {
    tenant_id: string
    id: string
    device_id: string
    at: Instant
    part: 'equipment' | 'device'
    parts: Json<LightParts>
    description: string
    repaired_by: string
    /** YYYY-MM-DD */
    repaired_on: string
    person_id: string | null
    person_name: string
    /** Models and numbers of the parts; null of a form from before they were asked for. */
    replaced: ColumnType<ReplacedPart[] | null, string | null | undefined, never>
    /** HH:MM */
    repaired_time: ColumnType<string | null, string | null | undefined, never>
    /** YYYY-MM-DD */
    battery_fitted_on: ColumnType<string | null, string | null | undefined, never>
    /** The id that the browser gave the form before it was sent. */
    request_id: ColumnType<string | null, string | null | undefined, never>
  }
  repair_photo: {
    tenant_id: string
    id: string
    repair_id: string
    file_id: string
    name: string
    added_at: Instant
    request_id: ColumnType<string | null, string | null | undefined, never>
  }
  device_note: {
    tenant_id: string
    id: string
    device_id: string
    at: Instant
    note: string
    person_id: string | null
    person_name: string
  }
  device_message: {
    tenant_id: string
    device_id: string
    at: Instant
    id: string
    channel: Exclude<MessageChannel, 'telemetry' | 'commands'>
    payload: string
    bytes: number
    was: Json<Record<string, unknown>> | null
  }
  bad_message: {
    tenant_id: string
    id: Generated<string>
    device_id: string
    at: Generated<Date>
    channel: string
    reason: string
    detail: string
    payload: string
    /** Each part that is wrong, with its path; empty of messages that earlier versions stored. */
    parts: Generated<BadPart[]>
    /** Whether the rest of the message is stored. */
    is_partial: Generated<boolean>
  }
  refused_message: {
    tenant_id: string
    device_id: string
    reason: BadMessageReason
    count: number
    first_at: Instant
    last_at: Instant
    /** The field for which the newest was rejected, where one was. */
    field: Maybe<string>
  }
  audit_entry: {
    tenant_id: string
    id: Generated<string>
    at: Generated<Date>
    person_id: string | null
    person_name: string
    action: AuditAction
    subject_type: AuditSubject
    subject_id: string
    subject_name: string
    before: Json<Record<string, unknown>> | null
    after: Json<Record<string, unknown>> | null
  }
  standard_luminaire: {
    tenant_id: string
    id: string
    name: string
    lamp_type: string
    inverter_type: string
    battery_type: BatteryType
    /** V */
    battery_voltage: number
    /** Ah */
    battery_capacity: number
    created_at: Instant
  }
  light_group: {
    tenant_id: string
    id: string
    name: string
    name_key: string
    building_id: string
    /** 'YYYY-MM-DD HH:mm:ss' by the clocks of the tenant. */
    t180_start: string
    also_types: Generated<TestType[]>
    created_at: Instant
    /** Grows with each change, so that who changes a group says which one they have seen. */
    version: Generated<number>
    /** Its runs until then are written down. */
    planned_until: ColumnType<Date | null, Date | null | undefined, Date | null>
  }
  light_group_member: { tenant_id: string; device_id: string; group_id: string; added_at: Instant }
  test_run: {
    tenant_id: string
    id: string
    group_id: string
    group_name: string
    building_id: string
    test_type: TestType
    starts_at: Instant
    state: Generated<RunState>
    ended_at: Date | null
    /** The yearly test that it repeats for the lights that missed it. */
    repeats: Generated<string | null>
  }
  test_run_light: {
    tenant_id: string
    run_id: string
    device_id: string
    state: Generated<LightRunState>
    reason: string | null
    due_at: Instant
    command_id: string | null
    synced_at: Date | null
    event_id: string | null
    ended_at: Date | null
    gateway_id: string | null
  }
  alert_definition: {
    tenant_id: string
    id: string
    /** The tag of a rule that covers one tag and nothing else; null where the three lists say what it covers. */
    tag_id: string | null
    scope_families: Generated<Family[]>
    scope_buildings: Generated<string[]>
    scope_tags: Generated<string[]>
    enabled: Generated<boolean>
    delay: Generated<number>
    delay_unit: Generated<DelayUnit>
    notification_type: Generated<NotificationType>
    notification_target: Generated<string>
    trigger_type: Generated<TriggerType>
    trigger_condition: Generated<string>
    defined_by_tenant: Generated<boolean>
    changed_at: ColumnType<Date, Date | undefined, Date>
    changed_by: ColumnType<string | null, string | null | undefined, string | null>
    pending: Generated<boolean>
  }
  /** What was so with a device, as it became known; written by `features/alerts/observe` alone. */
  device_spell: {
    tenant_id: string
    device_id: string
    kind: SpellKind
    key: string
    began_at: Instant
    seen_at: Instant
    ended_at: ColumnType<Date | null, Date | null, Date | null>
  }
  /** The same of homes; `about` tells several of one key apart, such as deadlines. */
  home_spell: {
    tenant_id: string
    property_id: string
    kind: SpellKind
    key: string
    about: Generated<string>
    began_at: Instant
    seen_at: Instant
    ended_at: ColumnType<Date | null, Date | null, Date | null>
  }
  /** A time that a rule held for a device or a home, of which it has one; written by `features/alerts/engine` alone. */
  alert: {
    tenant_id: string
    id: string
    definition_id: string
    device_id: Maybe<string>
    property_id: Maybe<string>
    /** Which of several facts of the home it is about: the case and the step of a deadline. */
    about: Generated<string>
    rule: Json<RuleWords>
    place: string
    began_at: Instant
    seen_at: Instant
    due_at: Date | null
    held: Episode['held']
    unstable: Generated<boolean>
    tell_at: Date | null
    told_at: Date | null
    behind: Generated<number>
    ended_at: Date | null
    over_at: Date | null
    over_tell_at: Date | null
    over_told_at: Date | null
    ending: AlertEnding | null
    next_at: Date | null
    closed_at: Date | null
  }
  alert_mail: {
    tenant_id: string
    alert_id: string
    mail_id: string
    kind: 'told' | 'over' | 'again'
    recipient: string
    at: Instant
  }
  alert_recipient: {
    tenant_id: string
    definition_id: string
    address: string
    token: string
    unsubscribed_at: Date | null
  }
  void_effect: {
    tenant_id: string
    device_id: string
    effect: HeldEffect
    property_id: string
    is_held: boolean
    former: number | null
    command_id: string | null
    asked_at: Date
  }
  void_firing: {
    tenant_id: string
    device_id: string
    /** 'YYYY-MM-DD' */
    monday: string
    property_id: string
    due_at: Date
    state: Generated<'due' | 'asked' | 'missed'>
    command_id: string | null
  }
  resident: {
    tenant_id: string
    id: string
    app_user_id: string
    email: string
    name: string
    created_at: Instant
  }
  residence_access: {
    tenant_id: string
    resident_id: string
    property_id: string
    is_approved: Generated<boolean>
    since: Instant
  }
  savings_and_tips: {
    tenant_id: string
    id: string
    resident_id: string
    name: string
    content: string
    updated_at: Instant
  }
  resident_app_key: {
    tenant_id: string
    id: string
    key_hash: Buffer
    created_at: Instant
    revoked_at: Maybe<Date>
    last_used_at: Maybe<Date>
  }
  api_key: {
    tenant_id: string
    id: string
    person_id: string
    name: string
    key_hash: Buffer
    role: Role
    administers_users: Generated<boolean>
    tag_ids: string[]
    created_at: Instant
    created_by: string
    expires_at: Instant
    revoked_at: Maybe<Date>
    last_used_at: Maybe<Date>
  }
  webhook_endpoint: {
    tenant_id: string
    id: string
    url: string
    name: string
    events: WebhookEvent[]
    secret: string
    former_secret: Maybe<string>
    former_until: Maybe<Date>
    created_at: Instant
    created_by: string
    disabled_at: Maybe<Date>
    disabled_reason: Maybe<string>
    failing_since: Maybe<Date>
  }
  webhook_message: {
    tenant_id: string
    id: string
    event: WebhookEvent
    at: Instant
    written_at: Instant
    body: string
  }
  webhook_delivery: {
    tenant_id: string
    endpoint_id: string
    message_id: string
    at: Instant
    state: Generated<DeliveryState>
    attempts: Generated<number>
    due_at: Maybe<Date>
    tried_at: Maybe<Date>
    status_code: Maybe<number>
    fault: Maybe<string>
    answer: Maybe<string>
    duration_ms: Maybe<number>
    claimant: Maybe<number>
  }
  alert_progress: {
    tenant_id: string
    position: string | null
    started_at: Instant
    done_until: Instant
    /** From when on an event is recorded, where that is later than the start. */
    known_since: Generated<Partial<Record<string, string>>>
    /** Since when homes have a history of their own; null until what was kept of them at their devices is taken over. */
    homes_since: Maybe<Date>
  }
  equipment_list: { tenant_id: string; list: EquipmentListName; choices: Json<(string | number)[]> }
  mail: {
    tenant_id: string
    id: string
    at: Generated<Date>
    recipient: string
    subject: string
    text: string | null
    html: string | null
    attachment_id: Maybe<string>
    attachment_name: Maybe<string>
    link_account: Maybe<string>
    sent_at: Instant | null
    failed_at: Instant | null
    error: string | null
  }
  view_definition: {
    tenant_id: string
    id: string
    root: string
    label: string
    private: boolean
    owner_id: string
    author_ids: Generated<string[]>
    columns: Json<string[]>
    filters: Json<Filter[]>
    sorts: Json<Sort[]>
    version: Generated<number>
    created_at: Generated<Date>
    updated_at: ColumnType<Date, Date | undefined, Date>
  }
  bulk_action: {
    tenant_id: string
    id: string
    subject: Generated<string>
    action: RunAction
    tag_ids: Generated<string[]>
    tag_names: Generated<string[]>
    /** What lights are given besides tags, and why homes are archived; null for other actions. */
    settings: ColumnType<LightSettings | null, string | null | undefined, never>
    started_by: string
    started_by_name: string
    started_at: Generated<Date>
    total: number
    done: Generated<number>
    failed: Generated<number>
    finished_at: ColumnType<Date | null, Date | null | undefined, Date | null>
    undone_at: ColumnType<Date | null, Date | null | undefined, Date | null>
    held_until: ColumnType<Date | null, Date | null | undefined, Date | null>
  }
  bulk_item: {
    tenant_id: string
    bulk_action_id: string
    item_id: string
    state: Generated<'waiting' | 'done' | 'failed'>
    message: string | null
    changed: Generated<boolean>
    changed_tag_ids: Generated<string[]>
    /** What undoing gives back besides tags. */
    had_before: ColumnType<Record<string, unknown> | null, string | null | undefined, string | null>
  }
  erasure: {
    tenant_id: string
    series_id: number
    asked_at: Generated<Date>
    erased_at: ColumnType<Date | null, Date | null | undefined, Date | null>
  }
  /** Written by `changed` and read by the feed alone. */
  change: {
    tenant_id: string
    position: Generated<string>
    seq: Generated<number>
    subject: ChangeSubject
    ids: string[] | null
    /** Of new readings: of each id, from when to when they were measured, in ms, one after the other. */
    spans: string[] | null
    audience: string[] | null
    at: Generated<Date>
    oldest: Generated<string>
  }
  device_licence: {
    tenant_id: string
    id: string
    device_id: string
    type: string
    start_on: Instant
    period_months: number
    renewed_on: ColumnType<Date | null, Date | string | null, Date | string | null>
  }
  licence: {
    tenant_id: string
    id: string
    type: string
    property_id: string | null
    start_on: Instant
    period_months: number
    renewed_on: ColumnType<Date | null, Date | string | null, Date | string | null>
  }
  file: {
    tenant_id: string
    id: string
    referrer: string
    name: string
    content_type: FileType
    size: number
    sha256: Buffer
    created_at: Instant
    created_by: string | null
  }
  home_appliance: {
    tenant_id: string
    id: string
    property_id: string
    name: string
    added_at: Instant
    added_by: string | null
    added_by_name: string
    removed_at: Maybe<Date>
    removed_by: Maybe<string>
    removed_by_name: Maybe<string>
    removed_reason: Maybe<string>
  }
  compliance_record: {
    tenant_id: string
    id: string
    /** Of a boiler control, or of an appliance that no device watches. */
    device_id: Maybe<string>
    appliance_id: Maybe<string>
    type: RecordType
    serial_number: string
    recorded_at: Instant
    status: RecordStatus
    test_kit: TestKit | null
    /** It waits for its certificate, and does not count before. */
    is_draft: boolean
    created_at: Instant
    created_by: string | null
    withdrawn_at: Maybe<Date>
    withdrawn_by: Maybe<string>
    withdrawn_by_name: Maybe<string>
    withdrawn_reason: Maybe<string>
    /** The record of another home with the same certificate. */
    shared_with: Maybe<string>
  }
  compliance_attachment: {
    tenant_id: string
    id: string
    record_id: string
    file_id: string
    name: string
  }
  document: {
    tenant_id: string
    id: string
    document_type: 'PropertyRecords'
    property_id: string | null
    /** A place in the home. */
    location: string | null
    title: string | null
    note: string | null
    happened_at: Instant
    file_id: string
    created_at: Instant
    created_by: string | null
    created_by_name: string
  }
  postcode: { postcode: string; latitude: number; longitude: number }
  loose_file: { file_id: string; tenant_id: string; due_at: Instant }
  due: { work: Work; tenant_id: string; due_at: Instant }
  mail_outbox: {
    mail_id: string
    tenant_id: string
    due_at: ColumnType<Date, Date | undefined, Date>
    attempts: Generated<number>
    claimant: Maybe<number>
  }
}
