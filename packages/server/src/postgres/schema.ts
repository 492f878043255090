// Written by `npm run schema` from the migrated database: change database.ts and schema-comments.ts instead.
import type { ColumnType, GeneratedAlways } from 'kysely'

/** Has a default: an insert may leave it out. */
type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>
type Instant = ColumnType<Date, Date | string, Date | string>
/** Written as YYYY-MM-DD. */
type Day = ColumnType<Date, string, string>
/** Written as text or as an object: node-postgres would make an array of the database from an array. */
type Json = ColumnType<JsonValue, string | Record<string, unknown>, string | Record<string, unknown>>
export type JsonValue = object | string | number | boolean

/** All tables, with the column types of the database. */
export interface Tables {
  access_rights_tag: {
    tenant_id: string
    id: string
    display_name: string
    protected: Generated<boolean>
  }
  /** An interval in which a rule held for a device or a property (exactly one is set); written by `features/alerts/engine` only. */
  alert: {
    tenant_id: string
    id: string
    definition_id: string
    device_id: string | null
    rule: Json
    place: string
    began_at: Instant
    seen_at: Instant
    due_at: Instant | null
    held: string | null
    unstable: Generated<boolean>
    tell_at: Instant | null
    told_at: Instant | null
    behind: Generated<number>
    ended_at: Instant | null
    over_at: Instant | null
    over_tell_at: Instant | null
    over_told_at: Instant | null
    ending: string | null
    next_at: Instant | null
    closed_at: Instant | null
    property_id: string | null
    /** The case and step of a deadline, where several facts of a property share one key. */
    about: Generated<string>
  }
  alert_definition: {
    tenant_id: string
    id: string
    /** The tag of a rule that covers exactly one tag; null where the three `scope_` lists apply. */
    tag_id: string | null
    delay: Generated<number>
    delay_unit: Generated<string>
    notification_type: Generated<string>
    notification_target: Generated<string>
    trigger_type: Generated<string>
    trigger_condition: Generated<string>
    defined_by_tenant: Generated<boolean>
    changed_at: Generated<Instant>
    changed_by: string | null
    pending: Generated<boolean>
    enabled: Generated<boolean>
    scope_families: Generated<string[]>
    scope_buildings: Generated<string[]>
    scope_tags: Generated<string[]>
    revision: Generated<number>
  }
  alert_mail: {
    tenant_id: string
    alert_id: string
    mail_id: string
    kind: string
    recipient: string
    at: Instant
  }
  alert_progress: {
    tenant_id: string
    position: string | null
    started_at: Instant
    done_until: Instant
    /** When recording of an event began, where that is later than the start. */
    known_since: Generated<Json>
    /** Start of the separate history of properties; null until the history stored with their devices has been copied. */
    homes_since: Instant | null
  }
  alert_recipient: {
    tenant_id: string
    definition_id: string
    address: string
    token: string
    unsubscribed_at: Instant | null
  }
  api_key: {
    tenant_id: string
    id: string
    person_id: string
    name: string
    key_hash: Buffer
    role: string
    tag_ids: string[]
    created_at: Instant
    created_by: string
    expires_at: Instant
    revoked_at: Instant | null
    last_used_at: Instant | null
    administers_users: Generated<boolean>
    manages_integrations: Generated<boolean>
  }
  audit_entry: {
    tenant_id: string
    id: Generated<string>
    at: Generated<Instant>
    person_id: string | null
    person_name: string
    action: string
    subject_type: string
    subject_id: string
    subject_name: string
    before: Json | null
    after: Json | null
  }
  /** Derived from the steps (`features/properties/awaabs-law.ts`). */
  awaabs_law_case: {
    tenant_id: string
    /** The id of the step that opened the case. */
    id: string
    property_id: string
    number: number
    status: string
    hazard: string | null
    aware_on: Day
    aware_at: Instant | null
    emergency: boolean
    closed_on: Day | null
    close_reason: string | null
  }
  awaabs_law_deadline: {
    tenant_id: string
    case_id: string
    place: number
    property_id: string
    step: string
    is_emergency: boolean
    due_on: Day
    due_at: Instant | null
    law_due_on: Day | null
    law_due_at: Instant | null
    other_due_on: Day | null
    other_due_at: Instant | null
    done_on: Day | null
    done_at: Instant | null
    ended_on: Day | null
    ended_at: Instant | null
    moved_at: Instant | null
    moved_reason: string | null
  }
  /** The first day on which the law covers a hazard, and its source: a setting of the installation. */
  awaabs_law_hazard: {
    name: string
    covered_from: Day | null
    source: string
    changed_at: Instant
  }
  awaabs_law_record: {
    tenant_id: string
    id: string
    case_id: string
    property_id: string
    kind: string
    text: string
    file_id: string | null
    readings: Json | null
    added_at: Instant
    added_by: string
    added_by_name: string
  }
  awaabs_law_step: {
    tenant_id: string
    id: string
    property_id: string
    status: string
    hazard: string | null
    happened_on: Day
    entered_at: Instant
    entered_by: string | null
    entered_by_name: string
    due_on: Day | null
    /** The step whose date this one corrects. */
    corrects: string | null
    emergency: boolean | null
    happened_at: Instant | null
    reason: string | null
    /** The entry that this one withdraws. */
    takes_back: string | null
  }
  bad_message: {
    tenant_id: string
    id: Generated<string>
    device_id: string
    at: Generated<Instant>
    channel: string
    reason: string
    detail: string
    payload: string
    /** Each invalid part with its path; empty for messages from earlier versions. */
    parts: Generated<Json>
    /** The valid rest of the message is stored. */
    is_partial: Generated<boolean>
  }
  building: {
    tenant_id: string
    id: string
    name: string
    address: Generated<string>
    postcode: Generated<string>
    latitude: number | null
    longitude: number | null
    /** The name as normalised by the rules for comparison; null until it is next saved. */
    compared_name: string | null
    default_floor_id: string | null
    revision: Generated<number>
    responsible_person: string | null
    completion_certificate: string | null
    central_battery: string | null
  }
  bulk_action: {
    tenant_id: string
    id: string
    action: string
    tag_ids: Generated<string[]>
    tag_names: Generated<string[]>
    started_by: string
    started_by_name: string
    started_at: Generated<Instant>
    total: number
    done: Generated<number>
    failed: Generated<number>
    finished_at: Instant | null
    undone_at: Instant | null
    subject: Generated<string>
    held_until: Instant | null
    /** Settings for lights, or the reason for archiving properties; null for other actions. */
    settings: Json | null
  }
  bulk_action_device: {
    tenant_id: string
    bulk_action_id: string
    device_id: string
    state: Generated<string>
    message: string | null
    changed: Generated<boolean>
    changed_tag_ids: Generated<string[]>
  }
  bulk_item: {
    tenant_id: string
    bulk_action_id: string
    item_id: string
    state: Generated<string>
    message: string | null
    changed: Generated<boolean>
    changed_tag_ids: Generated<string[]>
    /** Values that undoing restores in addition to tags. */
    had_before: Json | null
  }
  /** Written by `changed` only and read by the feed only. */
  change: {
    tenant_id: string
    position: Generated<string>
    seq: Generated<number>
    subject: string
    ids: string[] | null
    audience: string[] | null
    at: Generated<Instant>
    oldest: Generated<string>
    /** For new readings: first and last time of each id in ms, one pair after the other. */
    spans: string[] | null
  }
  /** Running worker processes, by the number with which they claim work. */
  claimant: {
    number: number
    since: Instant
  }
  client_error: {
    id: Generated<string>
    at: Generated<Instant>
    tenant_id: string | null
    person_id: string | null
    message: string
    stack: string
    component_stack: string
  }
  command: {
    tenant_id: string
    id: string
    device_id: string
    name: string
    args: Json
    status: Generated<string>
    message: string | null
    created_by: string | null
    created_at: Generated<Instant>
    sent_at: Instant | null
    attempts: Generated<number>
    answered_at: Instant | null
    expires_at: Instant
    taken_back_at: Instant | null
    taken_back_by: string | null
    /** The reply of the device after the command had expired or failed. */
    late_answer: string | null
  }
  command_outbox: {
    command_id: string
    tenant_id: string
    device_id: string
    due_at: Generated<Instant>
    expires_at: Instant
    is_downlink: Generated<boolean>
  }
  compliance_attachment: {
    tenant_id: string
    id: string
    record_id: string
    file_id: string
    name: string
  }
  compliance_record: {
    tenant_id: string
    id: string
    /** The boiler control; null for an appliance without a device. */
    device_id: string | null
    type: string
    serial_number: string
    recorded_at: Instant
    status: string
    test_kit: string | null
    /** Waits for its certificate and does not count before. */
    is_draft: boolean
    created_at: Instant
    created_by: string | null
    appliance_id: string | null
    withdrawn_at: Instant | null
    withdrawn_by: string | null
    withdrawn_by_name: string | null
    withdrawn_reason: string | null
    /** The record of another property with the same certificate. */
    shared_with: string | null
  }
  /** The conditions that give a device its status; written by `features/conditions` only. */
  condition: {
    tenant_id: string
    id: Generated<string>
    device_id: string
    kind: string
    key: Generated<string>
    began_at: Instant
    last_seen_at: Instant | null
    states: Json | null
    evidence: Generated<Json>
    until_at: Instant | null
    ended_at: Instant | null
    ending: string | null
    end_evidence: Json | null
    interim_measure: Json | null
  }
  connection: {
    tenant_id: string
    id: string
    kind: string
    transport: string
    name: string
    /** The last four characters of the key, by which a user recognises it. */
    key_ending: string | null
    key_created_at: Instant | null
    paused_at: Instant | null
    paused_reason: string | null
    /** The paths of the fields of a generic JSON message. */
    paths: Json | null
    broker: Json | null
    /** Password and private key; Caretaker sends them to the broker, so they cannot be stored as hashes. */
    broker_secrets: Json | null
    created_at: Instant
    created_by: string
    /** Where set points are sent: an address, or a topic, and the JSON of a command. */
    downlink: Json | null
    /** The token for that address, encrypted with the key of the installation. */
    downlink_token: string | null
  }
  connection_activity: {
    tenant_id: string
    connection_id: string
    last_message_at: Instant | null
    /** No longer used: the intervals of the sensors count. */
    usual_interval: number | null
    invalid_key_at: Instant | null
    refused_at: Instant | null
    /** Why the last unreadable message was refused. */
    refused_text: string | null
    is_connected: Generated<boolean>
    /** Why the broker cannot be reached; null while it can. */
    broker_error: string | null
  }
  /** Messages and errors of a connection by hour. */
  connection_hour: {
    tenant_id: string
    connection_id: string
    hour: Instant
    /** The reason for the errors; empty for the count of all messages. */
    error: string
    count: number
    last_at: Instant
    /** The newest of these errors, in a sentence. */
    detail: string | null
  }
  /** The tenant of each connection, found by the id in its webhook address, and the hash of its key. */
  connection_route: {
    connection_id: string
    tenant_id: string
    key_hash: Buffer | null
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
  damp_room: {
    tenant_id: string
    device_id: string
    level: string
    reason: string
    since: Instant
    pressing_since: Instant | null
    cold: string | null
    cold_reason: string | null
    mean_temperature: number | null
    mean_humidity: number | null
    humid_days: number
    mould_index: number
    assumed: string
    hours: Buffer
    mould: number
    dry: number
    until: Instant
    reckoned_at: Instant
  }
  data_import: {
    tenant_id: string
    id: string
    name: string
    state: string
    /** The uploaded file; after the import the workbook of the rejected rows, if there are any. */
    content: Buffer | null
    wishes: Json
    revision: Generated<number>
    found: Json | null
    fault: string | null
    total: Generated<number>
    done: Generated<number>
    refused: Generated<number>
    undone: Generated<number>
    kept: Generated<number>
    created_at: Instant
    finished_at: Instant | null
    person_id: string | null
    person_name: string
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
    reason: string
    message: string
    effect: string
    offer: string | null
  }
  data_import_item: {
    tenant_id: string
    import_id: string
    number: number
    kind: string
    key: string
    name: string
    sheet: string
    row_number: number
    action: string
    target_id: string | null
    values: Json
    old_values: Json
    state: string
    reason: string | null
    besides: Json | null
  }
  data_import_reading: {
    tenant_id: string
    headings: Buffer
    columns: Json
    building_from_name: boolean
    answers: Json
    used_at: Instant
  }
  device: {
    tenant_id: string
    id: string
    serial: string
    product: string
    model: Generated<string>
    name: string
    listing: string | null
    status: string
    severity: number
    connection_status: Generated<string>
    in_wholesale: Generated<boolean>
    building_id: string | null
    floor_id: string | null
    property_id: string | null
    parent_id: string | null
    access_rights_tag_id: string | null
    room: string | null
    location: string | null
    location_details: string | null
    power_clamps: Json | null
    latitude: number | null
    longitude: number | null
    monitoring: string | null
    reported: Generated<Json>
    desired: Generated<Json>
    reporting_interval: Generated<number>
    created_at: Generated<Instant>
    updated_at: Generated<Instant>
    /** This and the columns up to `postcode` are copies of the place, written by `refreshPlaces` only. */
    building_name: string | null
    floor_number: number | null
    floor_name: string | null
    property_reference: string | null
    address: string | null
    postcode: string | null
    status_at: Generated<Instant>
    last_test_at: Instant | null
    fault_code: GeneratedAlways<string | null>
    /** This and the other `_folded` columns are texts in lower case. */
    serial_folded: GeneratedAlways<string | null>
    name_folded: GeneratedAlways<string | null>
    building_name_folded: GeneratedAlways<string | null>
    floor_name_folded: GeneratedAlways<string | null>
    room_folded: GeneratedAlways<string | null>
    address_folded: GeneratedAlways<string | null>
    postcode_folded: GeneratedAlways<string | null>
    property_reference_folded: GeneratedAlways<string | null>
    location_folded: GeneratedAlways<string | null>
    location_details_folded: GeneratedAlways<string | null>
    fault_code_folded: GeneratedAlways<string | null>
    search: GeneratedAlways<string>
    search_address: GeneratedAlways<string>
    /** When `connection_status` last changed; null where that is not known. */
    connection_at: Instant | null
    /** Derived from its compliance records by `recomputeCompliance` only: the first instant of the day. */
    gas_due_at: Instant | null
    gas_state: string | null
    water_due_at: Instant | null
    water_state: string | null
    /** The reason for the status in a few words; written with the status only. */
    status_reason: string | null
    status_reason_folded: string | null
    /** Placed on the plan automatically and not confirmed yet. */
    is_roughly_placed: Generated<boolean>
    compliance_turns_at: Instant | null
    /** Start of the last 3-hour test with a result. */
    last_full_test_at: Instant | null
    /** All texts but the address normalised for search (`rules/texts/search-form.ts`). */
    search_form: GeneratedAlways<string>
    search_form_address: GeneratedAlways<string>
  }
  device_licence: {
    tenant_id: string
    id: string
    device_id: string
    type: string
    start_on: Day
    period_months: number
    renewed_on: Day | null
  }
  device_link: {
    tenant_id: string
    device_id: string
    heard_at: Instant | null
    connected: Generated<boolean>
    drops: Generated<Date[]>
    /** Start of its last connection of its own, without a gateway. */
    connected_at: Instant | null
  }
  device_message: {
    tenant_id: string
    device_id: string
    at: Instant
    id: string
    channel: string
    payload: string
    bytes: number
    was: Json | null
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
  device_route: {
    device_id: string
    tenant_id: string
    parent_id: string | null
    key_hash: Buffer | null
    reporting_interval: Generated<number>
    /** Null without a key, and for keys older than this column. */
    key_made_at: Instant | null
    key_revoked_at: Instant | null
    /** Set until the device is installed again. */
    uninstalled_at: Instant | null
    /** For mosquitto's password file; null without a key, and for keys older than this column. */
    mosquitto_hash: string | null
  }
  /** Intervals in which a fact held for a device; written by `features/alerts/observe` only. */
  device_spell: {
    tenant_id: string
    device_id: string
    kind: string
    key: string
    began_at: Instant
    seen_at: Instant
    ended_at: Instant | null
  }
  device_tag: {
    tenant_id: string
    device_id: string
    tag_id: string
  }
  document: {
    tenant_id: string
    id: string
    document_type: string
    property_id: string | null
    /** The location in the property. */
    location: string | null
    title: string | null
    note: string | null
    happened_at: Instant
    file_id: string
    created_at: Instant
    created_by: string | null
    created_by_name: string
  }
  due: {
    work: string
    tenant_id: string
    due_at: Instant
  }
  /** The equipment of an emergency light; null where it was not entered. */
  emergency_equipment: {
    tenant_id: string
    device_id: string
    name: string | null
    lamp_type: string | null
    inverter_type: string | null
    battery_type: string | null
    /** V */
    battery_voltage: number | null
    /** Ah */
    battery_capacity: number | null
    /** Queries read it as text. */
    battery_installed: Day | null
    monitored_led_circuit: string | null
    operating_mode: string | null
    key_switch: string | null
  }
  emergency_test: {
    tenant_id: string
    event_id: string
    device_id: string
    test_type: string
    started_at: Instant
    result: string
    reason: string
    component_states: Json
    series: Json
    /** The result that the light reported: evidence only, the rules decide. */
    told_result: string | null
    status_bits: Json | null
    /** The result of the rule before a correction; null without one. */
    judged: Json | null
    corrected_at: Instant | null
    corrected_by: string | null
    /** Decisions of people about the result, oldest first; null without any. */
    changes: Json | null
    /** The result that a disputed test counts as until a decision; null where it is not disputed. */
    disputed: Json | null
    /** How long the lamp was lit; null for function tests, without a measurement, and for tests from earlier versions. */
    lit: Json | null
    /** The start by the clock of the light where that clock was wrong; `started_at` is then the time of receipt. */
    reported_start_at: Instant | null
  }
  equipment_list: {
    tenant_id: string
    list: string
    choices: Json
  }
  erasure: {
    tenant_id: string
    series_id: number
    asked_at: Generated<Instant>
    erased_at: Instant | null
  }
  event: {
    tenant_id: string
    id: string
    device_id: string
    start_at: Instant
    end_at: Instant | null
    severity: string
    category: string
    description: string
  }
  file: {
    tenant_id: string
    id: string
    referrer: string
    name: string
    content_type: string
    size: number
    sha256: Buffer
    created_at: Instant
    created_by: string | null
  }
  floor: {
    tenant_id: string
    id: string
    building_id: string
    number: number
    name: string
    latitude: number | null
    longitude: number | null
    width: Generated<number>
    height: Generated<number>
    rotation: Generated<number>
    revision: Generated<number>
  }
  floor_plan: {
    tenant_id: string
    floor_id: string
    file_id: string
    name: string
    uploaded_at: Instant
  }
  /** The roles that groups of a client's directory give; the first matching row by `position` applies. */
  group_access: {
    tenant_id: string
    id: string
    group_name: string
    role: string
    tag_ids: Generated<string[]>
    position: number
  }
  home_appliance: {
    tenant_id: string
    id: string
    property_id: string
    name: string
    added_at: Instant
    added_by: string | null
    added_by_name: string
    removed_at: Instant | null
    removed_by: string | null
    removed_by_name: string | null
    removed_reason: string | null
  }
  /** Intervals in which a fact held for a property; `about` distinguishes several with one key, such as deadlines. */
  home_spell: {
    tenant_id: string
    property_id: string
    kind: string
    key: string
    about: Generated<string>
    began_at: Instant
    seen_at: Instant
    ended_at: Instant | null
  }
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
  /** Calls of the last 24 hours that can be repeated with the same Idempotency-Key, with their encrypted responses. */
  idempotency_key: {
    tenant_id: string
    person_id: string
    /** SHA-256 of the key: the key itself decrypts the response. */
    key_hash: Buffer
    request_hash: Buffer
    started_at: Instant
    /** Null while the call runs, or if it ended without a result. */
    status: number | null
    /** Encrypted with the key; null if the response contains a secret or is too large. */
    response: Buffer | null
  }
  invitation: {
    tenant_id: string
    membership_id: string
    email: string
  }
  licence: {
    tenant_id: string
    id: string
    type: string
    property_id: string | null
    start_on: Day
    period_months: number
    renewed_on: Day | null
  }
  light_group: {
    tenant_id: string
    id: string
    name: string
    name_key: string
    building_id: string
    /** In the time zone of the client. */
    t180_start: string
    also_types: Generated<string[]>
    created_at: Instant
    /** Grows with each change; a change names the version that it is based on. */
    version: Generated<number>
    /** Runs up to this time exist as rows. */
    planned_until: Instant | null
  }
  light_group_member: {
    tenant_id: string
    device_id: string
    group_id: string
    added_at: Instant
  }
  loose_file: {
    file_id: string
    tenant_id: string
    due_at: Instant
  }
  mail: {
    tenant_id: string
    id: string
    at: Generated<Instant>
    recipient: string
    subject: string
    text: string | null
    html: string | null
    sent_at: Instant | null
    failed_at: Instant | null
    error: string | null
    attachment_id: string | null
    attachment_name: string | null
    link_account: string | null
  }
  mail_outbox: {
    mail_id: string
    tenant_id: string
    due_at: Generated<Instant>
    attempts: Generated<number>
    claimant: number | null
  }
  membership: {
    tenant_id: string
    id: string
    person_id: string | null
    email: string
    name: string
    role: string
    tag_ids: Generated<string[]>
    created_at: Generated<Instant>
    /** The view that the next sign-in opens; null for the Dashboard. */
    start_view_id: string | null
  }
  mqtt_session: {
    number: number
  }
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
  packed_hours: {
    tenant_id: string
    series_id: number
    day: Instant
    low: number
    high: number
    means: Buffer
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
  person: {
    id: string
    issuer: string
    subject: string
    email: string
    name: string
    picture_url: string | null
    created_at: Generated<Instant>
    email_verified: Generated<boolean>
    /** When the person was last removed from a client. */
    removed_at: Instant | null
  }
  personal_data_read: {
    tenant_id: string
    id: string
    person_id: string
    person_name: string
    role: string | null
    is_key: boolean
    viewing_as: string | null
    page: string
    kind: string
    question: string | null
    property_ids: string[]
    resident_ids: string[]
    row_count: number | null
    caller: string
    first_at: Instant
    last_at: Instant
    times: number
    fingerprint: string
  }
  point: {
    tenant_id: string
    series_id: number
    at: Instant
    value: number
  }
  postcode: {
    postcode: string
    latitude: number
    longitude: number
  }
  /** Figures that only the process itself knows, and when it reported them. */
  process_figure: {
    process: string
    name: string
    value: number
    told_at: Instant
  }
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
    void_flag: Generated<string>
    access_rights_tag_id: string | null
    epc_rating: string | null
    last_chemical_test_on: Day | null
    last_gas_safety_check_on: Day | null
    /** The first instant of the day; that of its first appliance due, or of the stated check. */
    gas_check_due_at: Instant | null
    void_since: Instant | null
    awaabs_law_status: Generated<string>
    awaabs_law_since: Instant | null
    awaabs_law_due_at: Instant | null
    architype: string | null
    orientation: string | null
    number_of_inhabitants: number | null
    number_of_rooms: number | null
    number_of_floors: number | null
    apartment_level: number | null
    archived_at: Instant | null
    version: Generated<number>
    /** The address in one line. */
    address: GeneratedAlways<string>
    address_folded: GeneratedAlways<string>
    reference_folded: GeneratedAlways<string>
    postcode_folded: GeneratedAlways<string>
    /** The worst level of its rooms at the last assessment; `damp_rank` is the same as a number for sorting. */
    damp_level: Generated<string>
    damp_rank: Generated<number>
    damp_since: Instant | null
    /** The worst status of its devices, which a job keeps; null without devices. */
    device_status: string | null
    device_severity: Generated<number>
    /** The building of the property itself, with or without devices. */
    building_id: string | null
    floor_id: string | null
    sought: GeneratedAlways<string>
    /** The deadline that the last check met, whose date the next one keeps. */
    gas_check_after: Day | null
    /** The tags of its devices (`features/properties/tags.ts`); null until a job has computed them. */
    tag_set: string | null
    /** The statuses of its devices, which a job keeps (`features/properties/refresh-statuses.ts`); null without devices. */
    status_set: string | null
    /** The state of its gas checks, written by `storeCheckStates` only; null where nothing is to be checked. */
    gas_check_state: string | null
    gas_rank: Generated<number>
    gas_failed_on: Day | null
    gas_last_on: Day | null
    /** The number of the certificate of the last check; null where the date was only entered. */
    gas_certificate: string | null
    gas_stated_at: Instant | null
    gas_stated_by_name: string | null
    water_check_state: string | null
    water_rank: Generated<number>
    water_failed_on: Day | null
    water_last_on: Day | null
    water_check_due_at: Instant | null
    /** When one of these states next changes through the passing of time. */
    compliance_turns_at: Instant | null
    /** A hash of the facts from which the states were computed. */
    compliance_facts: string | null
    /** The state of its heating, which a job keeps; null where no heating device is connected. */
    heating_state: string | null
    heating_since: Instant | null
    frost_since: Instant | null
    /** When the deadline counts as missed: the end of the day, or the hour of an emergency. */
    awaabs_law_late_at: Instant | null
    /** Reference, address and postcode normalised for search (`rules/texts/search-form.ts`). */
    search_form: GeneratedAlways<string>
    search_form_reference: GeneratedAlways<string>
  }
  property_retagged: {
    tenant_id: string
    property_id: string
  }
  refused_message: {
    tenant_id: string
    device_id: string
    reason: string
    count: number
    first_at: Instant
    last_at: Instant
    /** The field for which the newest message was rejected; null where the whole message was. */
    field: string | null
  }
  repair_form: {
    tenant_id: string
    id: string
    device_id: string
    at: Instant
    part: string
    parts: Json
    description: string
    repaired_by: string
    /** YYYY-MM-DD */
    repaired_on: string
    person_id: string | null
    person_name: string
    /** Models and numbers of the parts; null for forms from earlier versions. */
    replaced: Json | null
    /** HH:MM */
    repaired_time: string | null
    /** YYYY-MM-DD */
    battery_fitted_on: string | null
    /** The id that the browser gave the form, so that a repeated request adds nothing. */
    request_id: string | null
  }
  repair_photo: {
    tenant_id: string
    id: string
    repair_id: string
    file_id: string
    name: string
    added_at: Instant
    request_id: string | null
  }
  report_device: {
    tenant_id: string
    month: Day
    device_id: string
    property_id: string | null
    building_name: string | null
    serial: string
    product: string
    room: string | null
    status: string
    is_connected: boolean
    access_rights_tag_id: string | null
    hours_not_heard: number
    faults_begun: number
    tests_passed: number
    tests_failed: number
    figures: Json | null
  }
  report_home: {
    tenant_id: string
    month: Day
    property_id: string
    reference: string
    address: string
    postcode: string
    epc_rating: string | null
    architype: string | null
    access_rights_tag_id: string | null
    figures: Json | null
  }
  /** Months whose figures are stored. */
  report_month: {
    tenant_id: string
    month: Day
    gathered_at: Instant
    closed_at: Instant | null
  }
  report_run: {
    tenant_id: string
    id: string
    membership_id: string
    report_type: string
    month: Day | null
    tag_ids: string[]
    format: string
    state: string
    claimed_until: Instant | null
    attempts: Generated<number>
    rows_written: Generated<number>
    fault: string | null
    file_id: string | null
    file_name: string | null
    reader: Json | null
    size: number | null
    asked_at: Instant
    finished_at: Instant | null
    schedule_id: string | null
    scheduled_for: Instant | null
    claimant: number | null
    /** Buildings and days of inspection sheets. */
    sheets: Json | null
  }
  report_schedule: {
    tenant_id: string
    id: string
    membership_id: string
    report_type: string
    tag_ids: string[]
    format: string
    day: number
    hour: number
    next_at: Instant
    last_at: Instant | null
    created_at: Instant
    /** Members who receive the report in addition to its owner. */
    recipient_ids: Generated<string[]>
  }
  residence_access: {
    tenant_id: string
    resident_id: string
    property_id: string
    is_approved: Generated<boolean>
    since: Instant
  }
  resident: {
    tenant_id: string
    id: string
    app_user_id: string
    email: string
    name: string
    created_at: Instant
  }
  resident_app_key: {
    tenant_id: string
    id: string
    key_hash: Buffer
    created_at: Instant
    revoked_at: Instant | null
    last_used_at: Instant | null
  }
  savings_and_tips: {
    tenant_id: string
    id: string
    resident_id: string
    name: string
    content: string
    updated_at: Instant
  }
  scim_group: {
    tenant_id: string
    id: string
    display_name: string
    /** The normalised name, for comparison. */
    compared_name: string
    external_id: string | null
    version: Generated<number>
    created_at: Instant
    changed_at: Instant
  }
  scim_group_member: {
    tenant_id: string
    group_id: string
    user_id: string
  }
  /** Keys with which the directory of a client authenticates to provision users. */
  scim_key: {
    tenant_id: string
    id: string
    key_hash: Buffer
    created_at: Instant
    created_by: string
    revoked_at: Instant | null
    last_used_at: Instant | null
  }
  /** Users that the directory of a client provisions. */
  scim_user: {
    tenant_id: string
    id: string
    user_name: string
    /** The normalised user name, for comparison. */
    compared_user_name: string
    external_id: string | null
    active: boolean
    /** The name that a member gets from the attributes. */
    name: string
    /** The address that a member gets from the attributes; null if there is none. */
    email: string | null
    /** The attributes of the resource, without those that have a column. */
    attributes: Json
    /** The member of this user; null without access. */
    membership_id: string | null
    /** Why an active user has no role from a group, in a sentence. */
    no_access: string | null
    /** Whether the member is from before, with a role that no group has decided. */
    keeps_role: Generated<boolean>
    /** Whether a manager removed the member, so that the directory gives no access. */
    blocked: Generated<boolean>
    version: Generated<number>
    created_at: Instant
    changed_at: Instant
  }
  /** Sensors of connections: new ones until they have a device. */
  sensor: {
    tenant_id: string
    id: string
    connection_id: string
    /** DevEUI, IEEE address or name, unique within the connection. */
    device_key: string
    name: string | null
    maker: string | null
    model: string | null
    model_id: string | null
    is_model_chosen: Generated<boolean>
    device_id: string | null
    added_at: Instant | null
    ignored_at: Instant | null
    first_message_at: Instant | null
    last_message_at: Instant | null
    /** Seconds between two messages, as a moving average. */
    usual_interval: number | null
    messages: Generated<number>
    radio: Generated<Json>
    /** The decoded values of the last message by path. */
    last_values: Generated<Json>
  }
  sensor_codec: {
    tenant_id: string
    model_id: string
    version: number
    source: string
    saved_at: Instant
    saved_by: string
    tried_at: Instant | null
    activated_at: Instant | null
    activated_by: string | null
  }
  sensor_mapping: {
    tenant_id: string
    model_id: string
    version: number
    rows: Json
    saved_at: Instant
    saved_by: string
  }
  /** The last messages of each sensor, with the results of their decoding. */
  sensor_message: {
    tenant_id: string
    id: string
    sensor_id: string
    connection_id: string
    received_at: Instant
    kind: string
    result: string
    reason: string | null
    /** Identifies a repeated uplink; null for a duplicate. */
    once_keys: Generated<string[]>
    message: Json
    bytes: Buffer | null
    decoded: Json | null
    /** Stored readings, rejected values and unused paths. */
    outcome: Generated<Json>
    payload: string
  }
  sensor_model: {
    tenant_id: string
    id: string
    maker: string
    model: string
    /** Maker and model in lower case. */
    compared_name: string
    /** The version of the codec that decodes its messages; null while another decoder does. */
    active_codec: number | null
    created_at: Instant
  }
  series: {
    tenant_id: string
    id: Generated<number>
    device_id: string
    /** A known metric, or the raw name of an extra series. */
    metric: string
    /** Readings of a counter that deviate and are decided with the next ones: time in ms and value. */
    held: Json | null
  }
  /** OpenID Connect providers with which the users of a client sign in. */
  sso_connection: {
    tenant_id: string
    id: string
    name: string
    issuer: string
    client_id: string
    /** Encrypted with the key of the installation. */
    client_secret: string
    is_required: boolean
    checks_second_factor: boolean
    creates_members: boolean
    /** The claim with the groups of a person. */
    group_claim: string
    created_at: Instant
    created_by: string
    changed_at: Instant
  }
  /** E-mail domains of a connection. The schema idp states which client owns a verified one. */
  sso_domain: {
    tenant_id: string
    domain: string
    connection_id: string
    /** The text that the DNS record has to contain. */
    proof: string
    verified_at: Instant | null
    checked_at: Instant | null
    /** The record of such a domain is not checked. */
    verified_by_operator: Generated<boolean>
    /** Why the last check did not find the record. */
    fault: string | null
    /** Since when the record of a verified domain is missing. */
    missing_since: Instant | null
    /** When the record of a verified domain is checked next; null means now. */
    next_check_at: Instant | null
  }
  /** Members whom single sign-on has created: their role follows their groups at each sign-in. */
  sso_member: {
    tenant_id: string
    membership_id: string
    connection_id: string
    created_at: Instant
  }
  standard_luminaire: {
    tenant_id: string
    id: string
    name: string
    lamp_type: string
    inverter_type: string
    battery_type: string
    /** V */
    battery_voltage: number
    /** Ah */
    battery_capacity: number
    created_at: Instant
  }
  /** The statuses of each `property.status_set`: the worst one by product and access rights tag, worst first. */
  status_set: {
    tenant_id: string
    id: string
    place: number
    product: string
    access_rights_tag_id: string | null
    status: string
    severity: number
  }
  tag: {
    tenant_id: string
    id: string
    name: string
  }
  /** The tags of each `property.tag_set`. */
  tag_set: {
    tenant_id: string
    id: string
    tag_id: string
    product: string
    access_rights_tag_id: string | null
  }
  tenant: {
    id: string
    display_name: string
    contacts: Generated<string>
    time_zone: Generated<string>
    settings: Generated<Json>
    created_at: Generated<Instant>
    suspended_at: Instant | null
    suspended_reason: string | null
    /** Deletion of all rows of the client began then. */
    removal_began_at: Instant | null
  }
  tenant_capability: {
    tenant_id: string
    capability: string
  }
  tenant_export: {
    tenant_id: string
    id: string
    person_id: string
    person_name: string
    state: string
    claimed_until: Instant | null
    attempts: Generated<number>
    rows_written: Generated<number>
    part: string | null
    fault: string | null
    file_id: string | null
    file_name: string | null
    size: number | null
    asked_at: Instant
    finished_at: Instant | null
    claimant: number | null
    with_readings: Generated<boolean>
  }
  tenant_feature: {
    tenant_id: string
    feature: string
  }
  /** Removals of clients, kept after the client is gone; `client` is the tenant. */
  tenant_removal: {
    id: string
    client: string
    client_name: string
    suspended_since: Instant
    began_at: Instant
    finished_at: Instant | null
    removed_by_whom: string
    rows_deleted: Generated<number>
    files_deleted: Generated<number>
    people_removed: Generated<number>
    people: string[]
    invited: string[]
  }
  test_run: {
    tenant_id: string
    id: string
    group_id: string
    group_name: string
    building_id: string
    test_type: string
    starts_at: Instant
    state: Generated<string>
    ended_at: Instant | null
    /** The yearly test that this run repeats for the lights that missed it. */
    repeats: string | null
  }
  test_run_light: {
    tenant_id: string
    run_id: string
    device_id: string
    state: Generated<string>
    reason: string | null
    due_at: Instant
    command_id: string | null
    synced_at: Instant | null
    event_id: string | null
    ended_at: Instant | null
    gateway_id: string | null
  }
  /** Attempts since a time; `key` is a digest. */
  throttle: {
    key: string
    count: number
    since: Instant
  }
  user_document: {
    tenant_id: string
    id: string
    owner_id: string
    document_type: string
    content_type: string
    metadata: Json
    content: Json
    created_at: Generated<Instant>
    updated_at: Generated<Instant>
  }
  view_definition: {
    tenant_id: string
    id: string
    root: string
    label: string
    private: boolean
    owner_id: string
    author_ids: Generated<string[]>
    columns: Json
    filters: Json
    sorts: Json
    version: Generated<number>
    created_at: Generated<Instant>
    updated_at: Generated<Instant>
  }
  viewing: {
    tenant_id: string
    id: string
    person_id: string
    person_name: string
    session_id: string | null
    membership_id: string
    rights: string
    began_at: Instant
    ends_at: Instant
  }
  void_effect: {
    tenant_id: string
    device_id: string
    effect: string
    property_id: string
    is_held: boolean
    former: number | null
    command_id: string | null
    asked_at: Instant
  }
  void_firing: {
    tenant_id: string
    device_id: string
    monday: Day
    property_id: string
    due_at: Instant
    state: Generated<string>
    command_id: string | null
  }
  webhook_delivery: {
    tenant_id: string
    endpoint_id: string
    message_id: string
    at: Instant
    state: Generated<string>
    attempts: Generated<number>
    due_at: Instant | null
    tried_at: Instant | null
    status_code: number | null
    fault: string | null
    answer: string | null
    duration_ms: number | null
    claimant: number | null
  }
  webhook_endpoint: {
    tenant_id: string
    id: string
    url: string
    name: string
    events: string[]
    secret: string
    former_secret: string | null
    former_until: Instant | null
    created_at: Instant
    created_by: string
    disabled_at: Instant | null
    disabled_reason: string | null
    failing_since: Instant | null
  }
  webhook_message: {
    tenant_id: string
    id: string
    event: string
    at: Instant
    written_at: Instant
    body: string
  }
}
