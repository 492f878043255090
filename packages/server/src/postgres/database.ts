import type { ColumnType, InsertType, SelectType, UpdateType } from 'kysely'
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
import type { RecordFault } from '@caretaker/rules/identity/single-sign-on.ts'
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
import type { IntervalKind } from '@caretaker/rules/alerts/signals.ts'
import type { RuleWords, StoredEnding } from '@caretaker/rules/alerts/words.ts'
import type { ColdLevel, DampLevel } from '@caretaker/rules/properties/damp.ts'
import type { DeadlineStep } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import type { CaseRecordKind } from '@caretaker/rules/properties/awaabs-records.ts'
import type { Architype, AwaabsLawStatus } from '@caretaker/rules/properties/details.ts'
import type { CompassPoint, EnergyRating, VoidFlag } from '@caretaker/rules/properties/dwelling.ts'
import type { HeldEffect } from '@caretaker/rules/properties/void.ts'
import type { Kind, Reason } from '@caretaker/rules/imports/fields.ts'
import type {
  PreviousValues,
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
import type { ConnectionError, ConnectionTransport, MessageResult } from '@caretaker/rules/connections/connections.ts'
import type { BrokerSecrets, StoredMessage, StoredOutcome } from '@caretaker/rules/connections/stored.ts'
import type { DownlinkTarget } from '@caretaker/rules/connectors/downlinks.ts'
import type {
  ConnectionKind,
  Decoded,
  DecodedValue,
  GenericPaths,
  MappingRow,
  MessageKind,
  Radio,
} from '@caretaker/rules/connectors/types.ts'
import type { Attributes } from '@caretaker/rules/provisioning/attributes.ts'
import type { Work } from './work.ts'
import type { JsonValue, Tables } from './schema.ts'

/**
 * Types that the database does not check: texts from a closed list and JSON shapes. A column that does not exist does
 * not compile.
 */
type Overrides = Checked<{
  tenant: {
    settings: Record<string, unknown>
  }
  tenant_feature: {
    feature: Feature
  }
  tenant_capability: {
    capability: Capability
  }
  membership: {
    role: Role
  }
  group_access: {
    role: Role
  }
  scim_user: {
    attributes: Attributes
  }
  sso_domain: {
    fault: RecordFault
  }
  property: {
    void_flag: VoidFlag
    epc_rating: Exclude<EnergyRating, 'NoRating'>
    gas_check_state: ComplianceState
    water_check_state: ComplianceState
    heating_state: HeatingState
    awaabs_law_status: AwaabsLawStatus
    damp_level: DampLevel
    device_status: DeviceStatus
    architype: Architype
    orientation: CompassPoint
  }
  damp_room: {
    level: DampLevel
    cold: ColdLevel
    assumed: 'none' | 'some' | 'all'
  }
  data_import: {
    state: ImportState
    wishes: ImportWishes
    found: ImportFound
  }
  data_import_item: {
    kind: Kind
    action: 'create' | 'change'
    values: Values
    old_values: Item['old']
    state: ImportItemState
    besides: PreviousValues
  }
  data_import_cell: {
    reason: Reason
    effect: WrongCell['effect']
  }
  data_import_reading: {
    columns: KeptReading['columns']
    answers: KeptReading['answers']
  }
  report_home: {
    figures: HomeFigures
  }
  report_device: {
    product: Product
    status: DeviceStatus
    figures: RoomFigures
  }
  report_schedule: {
    report_type: ReportType
    format: ReportFormat
  }
  report_run: {
    report_type: RunType
    format: RunFormat
    sheets: SheetsOrder
    state: ReportRunState
    reader: Reader
  }
  tenant_export: {
    state: TenantExportState
  }
  awaabs_law_step: {
    status: AwaabsLawStatus
  }
  awaabs_law_case: {
    status: AwaabsLawStatus
  }
  awaabs_law_deadline: {
    step: DeadlineStep
  }
  awaabs_law_record: {
    kind: CaseRecordKind
  }
  device: {
    product: Product
    listing: ListingName
    status: DeviceStatus
    connection_status: ConnectionStatus
    power_clamps: Record<string, string>
    reported: Record<string, unknown>
    desired: Record<string, unknown>
    gas_state: ComplianceState
    water_state: ComplianceState
  }
  condition: {
    kind: ConditionKind
    states: ComponentStates
    evidence: Evidence
    ending: Ending
    end_evidence: Evidence
    interim_measure: InterimMeasure
  }
  tag_set: {
    product: Product
  }
  status_set: {
    product: Product
    status: DeviceStatus
  }
  series: {
    metric: MetricKey
    held: [number, number][]
  }
  event: {
    severity: 'Low' | 'Medium' | 'High'
  }
  emergency_test: {
    test_type: TestType
    result: TestResult
    component_states: ComponentStates
    series: TestPoint[]
    told_result: TestResult
    status_bits: TestBits
    judged: Judged
    lit: LitTime
    changes: ResultChange[]
    disputed: Judged
  }
  emergency_equipment: {
    battery_type: BatteryType
    monitored_led_circuit: MonitoredLedCircuit
    operating_mode: OperatingMode
  }
  command: {
    name: CommandName
    args: Record<string, unknown>
    status: CommandStatus
    late_answer: 'confirmed' | 'failed'
  }
  repair_form: {
    part: 'equipment' | 'device'
    parts: LightParts
    replaced: ReplacedPart[]
  }
  device_message: {
    channel: Exclude<MessageChannel, 'telemetry' | 'commands'>
    was: Record<string, unknown>
  }
  bad_message: {
    parts: BadPart[]
  }
  refused_message: {
    reason: BadMessageReason
  }
  audit_entry: {
    action: AuditAction
    subject_type: AuditSubject
    before: Record<string, unknown>
    after: Record<string, unknown>
  }
  standard_luminaire: {
    battery_type: BatteryType
  }
  light_group: {
    also_types: TestType[]
  }
  test_run: {
    test_type: TestType
    state: RunState
  }
  test_run_light: {
    state: LightRunState
  }
  alert_definition: {
    scope_families: Family[]
    delay_unit: DelayUnit
    notification_type: NotificationType
    trigger_type: TriggerType
  }
  device_spell: {
    kind: IntervalKind
  }
  home_spell: {
    kind: IntervalKind
  }
  alert: {
    rule: RuleWords
    held: NonNullable<Episode['held']>
    ending: StoredEnding
  }
  alert_mail: {
    kind: 'told' | 'over' | 'again'
  }
  void_effect: {
    effect: HeldEffect
  }
  void_firing: {
    state: 'due' | 'asked' | 'missed'
  }
  api_key: {
    role: Role
  }
  connection: {
    kind: ConnectionKind
    transport: ConnectionTransport
    paths: GenericPaths
    broker: { url: string; topic: string; user?: string }
    broker_secrets: BrokerSecrets
    downlink: DownlinkTarget
  }
  connection_hour: {
    error: ConnectionError | ''
  }
  sensor: {
    radio: Radio
    last_values: Record<string, DecodedValue>
  }
  sensor_mapping: {
    rows: MappingRow[]
  }
  sensor_message: {
    kind: MessageKind
    result: MessageResult
    message: StoredMessage
    decoded: Decoded
    outcome: StoredOutcome
  }
  webhook_endpoint: {
    events: WebhookEvent[]
  }
  webhook_message: {
    event: WebhookEvent
  }
  webhook_delivery: {
    state: DeliveryState
  }
  alert_progress: {
    known_since: Partial<Record<string, string>>
  }
  equipment_list: {
    list: EquipmentListName
    choices: (string | number)[]
  }
  view_definition: {
    columns: string[]
    filters: Filter[]
    sorts: Sort[]
  }
  bulk_action: {
    action: RunAction
    settings: LightSettings
  }
  bulk_item: {
    state: 'waiting' | 'done' | 'failed'
    had_before: Record<string, unknown>
  }
  change: {
    subject: ChangeSubject
    spans: string[]
  }
  file: {
    content_type: FileType
  }
  compliance_record: {
    type: RecordType
    status: RecordStatus
    test_kit: TestKit
  }
  document: {
    document_type: 'PropertyRecords'
  }
  due: {
    work: Work
  }
}>

type Value<Column> = Exclude<SelectType<Column>, null>

/** Overrides of existing columns with values that the columns can hold. */
export type Checked<
  Given extends {
    [Table in keyof Given]: Table extends keyof Tables
      ? {
          [Name in keyof Given[Table]]: Name extends keyof Tables[Table]
            ? Given[Table][Name] extends Value<Tables[Table][Name]>
              ? unknown
              : never
            : never
        }
      : never
  },
> = Given

/** The column with a narrower type; it stays nullable, generated or optional. JSON is still written as text. */
type Narrowed<Column, Narrow> = ColumnType<
  Narrow | Extract<SelectType<Column>, null>,
  JsonValue extends Value<Column> ? InsertType<Column> : NarrowedWrite<InsertType<Column>, Narrow>,
  JsonValue extends Value<Column> ? UpdateType<Column> : NarrowedWrite<UpdateType<Column>, Narrow>
>
type NarrowedWrite<Write, Narrow> = [Write] extends [never] ? never : Narrow | Extract<Write, null | undefined>

type NarrowedTables = {
  [Table in keyof Tables]: Table extends keyof Overrides
    ? {
        [Name in keyof Tables[Table]]: Name extends keyof Overrides[Table]
          ? Narrowed<Tables[Table][Name], Overrides[Table][Name]>
          : Tables[Table][Name]
      }
    : Tables[Table]
}

/** An interface, so that functions generic in the schema infer it by name. */
export interface Database extends NarrowedTables {}
