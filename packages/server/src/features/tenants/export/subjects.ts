import { storedCleared } from '@caretaker/rules/alerts/words.ts'
import { hoursOfPacked } from '../../../postgres/hourly.ts'

/** One table of an export: its content in words, and its query. `$1` is the tenant. */
export interface ExportedSubject {
  /** The file name, without its extension. */
  name: string
  about: string
  /** The database tables that it covers. */
  tables: readonly string[]
  /** By the heading of each column. */
  columns: Readonly<Record<string, string>>
  from: string
  /** May exceed 4 GB, which not every program that opens archives can read. */
  isLarge?: true
}

const ofDevice = 'join device on device.tenant_id = $1 and device.id = ref.device_id'
const serial = { 'Serial number': 'device.serial', Device: 'device.name' }
const ofHome = 'left join property on property.tenant_id = $1 and property.id = ref.property_id'
const where = 'where ref.tenant_id = $1'
/** One column of the related rows in another table, joined into one text. */
const textsOf = (condition: string, table: string, column: string) =>
  `(select string_agg(${column}, ', ' order by ${column}) from ${table} where ${table}.tenant_id = $1 and ${condition})`

/** Everything that people would ask for, in their words; ids are left out where an item has a name. */
export const exportedSubjects: readonly ExportedSubject[] = [
  {
    name: 'client',
    about: 'Client details',
    tables: [],
    columns: {
      ID: 'tenant.id',
      Name: 'display_name',
      Contacts: 'contacts',
      'Time zone': 'time_zone',
      Settings: `(settings - 'logo')::text`,
      Since: 'created_at',
      'Suspended since': 'suspended_at',
      'Reason for suspension': 'suspended_reason',
    },
    from: 'tenant where tenant.id = $1',
  },
  {
    name: 'features',
    about: 'Enabled features and capabilities',
    tables: ['tenant_feature', 'tenant_capability'],
    columns: { Kind: 'kind', Name: 'name' },
    from: `(select 'Feature' as kind, feature as name from tenant_feature where tenant_feature.tenant_id = $1
      union all select 'Capability', capability from tenant_capability where tenant_capability.tenant_id = $1) as flag`,
  },
  {
    name: 'users',
    about: 'Users and their rights',
    tables: ['membership'],
    columns: {
      Name: 'ref.name',
      'E-mail': 'ref.email',
      Role: 'ref.role',
      'Access rights tags': textsOf('access_rights_tag.id = any(ref.tag_ids)', 'access_rights_tag', 'display_name'),
      'Has signed in': 'ref.person_id is not null',
      Since: 'ref.created_at',
    },
    from: `membership as ref ${where} order by ref.email`,
  },
  {
    name: 'group-access',
    about: 'Roles that groups of the directory give, in the order in which they apply',
    tables: ['group_access'],
    columns: {
      Group: 'ref.group_name',
      Role: 'ref.role',
      'Access rights tags': textsOf('access_rights_tag.id = any(ref.tag_ids)', 'access_rights_tag', 'display_name'),
    },
    from: `group_access as ref ${where} order by ref.position`,
  },
  {
    name: 'provisioned-users',
    about: 'Users that the directory provisions (SCIM), with their groups',
    tables: ['scim_user', 'scim_group', 'scim_group_member'],
    columns: {
      'User name': 'ref.user_name',
      'External ID': 'ref.external_id',
      Active: 'ref.active',
      Name: 'ref.name',
      'E-mail': 'ref.email',
      Attributes: 'ref.attributes::text',
      Groups: `(select string_agg(scim_group.display_name, ', ' order by scim_group.display_name)
        from scim_group_member join scim_group on scim_group.tenant_id = $1 and scim_group.id = scim_group_member.group_id
        where scim_group_member.tenant_id = $1 and scim_group_member.user_id = ref.id)`,
      User: textsOf('membership.id = ref.membership_id', 'membership', 'email'),
      'Removed by a manager': 'ref.blocked',
      Since: 'ref.created_at',
    },
    from: `scim_user as ref ${where} order by ref.user_name`,
  },
  {
    name: 'access-rights-tags',
    about: 'Access rights tags, which restrict what users see',
    tables: ['access_rights_tag'],
    columns: { Name: 'ref.display_name', Protected: 'ref.protected' },
    from: `access_rights_tag as ref ${where} order by ref.display_name`,
  },
  {
    name: 'buildings',
    about: 'Buildings and their floors, one row for each floor',
    tables: ['building', 'floor', 'floor_plan'],
    columns: {
      Building: 'ref.name',
      Address: 'ref.address',
      Postcode: 'ref.postcode',
      Latitude: 'ref.latitude',
      Longitude: 'ref.longitude',
      'Responsible person': 'ref.responsible_person',
      'Completion certificate': 'ref.completion_certificate',
      'Central battery': 'ref.central_battery',
      Floor: 'floor.number',
      'Floor name': 'floor.name',
      Plan: 'floor_plan.name',
      'Plan file': 'floor_plan.file_id::text',
      'Plan latitude': 'floor.latitude',
      'Plan longitude': 'floor.longitude',
      'Plan width (m)': 'floor.width',
      'Plan height (m)': 'floor.height',
      'Plan rotation (degrees)': 'floor.rotation',
    },
    from: `building as ref left join floor on floor.tenant_id = $1 and floor.building_id = ref.id
      left join floor_plan on floor_plan.tenant_id = $1 and floor_plan.floor_id = floor.id
      ${where} order by ref.name, floor.number`,
  },
  {
    name: 'properties',
    about: 'Properties',
    tables: ['property'],
    columns: {
      Reference: 'ref.reference',
      'Address line 1': 'ref.address1',
      'Address line 2': 'ref.address2',
      'Address line 3': 'ref.address3',
      Town: 'ref.town',
      County: 'ref.county',
      Postcode: 'ref.postcode',
      Latitude: 'ref.latitude',
      Longitude: 'ref.longitude',
      'Access rights tag': 'access_rights_tag.display_name',
      'Void flag': 'ref.void_flag',
      'Void since': 'ref.void_since',
      'EPC rating': 'ref.epc_rating',
      Architype: 'ref.architype',
      Orientation: 'ref.orientation',
      Inhabitants: 'ref.number_of_inhabitants',
      Rooms: 'ref.number_of_rooms',
      Floors: 'ref.number_of_floors',
      'Apartment level': 'ref.apartment_level',
      'Last chemical test': 'ref.last_chemical_test_on::text',
      'Stated gas safety check': 'ref.last_gas_safety_check_on::text',
      'Last gas safety check': 'ref.gas_last_on::text',
      'Gas safety due': 'ref.gas_check_due_at',
      'Gas safety state': 'ref.gas_check_state',
      'Gas certificate': 'ref.gas_certificate',
      'Water treatment due': 'ref.water_check_due_at',
      'Water treatment state': 'ref.water_check_state',
      'Heating state': 'ref.heating_state',
      "Awaab's Law status": 'ref.awaabs_law_status',
      'Archived at': 'ref.archived_at',
    },
    from: `property as ref
      left join access_rights_tag on access_rights_tag.tenant_id = $1 and access_rights_tag.id = ref.access_rights_tag_id
      ${where} order by ref.reference`,
  },
  {
    name: 'awaabs-law',
    about: "Steps under Awaab's Law, as they were entered",
    tables: ['awaabs_law_step'],
    columns: {
      Property: 'property.reference',
      Status: 'ref.status',
      Hazard: 'ref.hazard',
      Emergency: 'ref.emergency',
      'Corrects the step of':
        '(select step.entered_at from awaabs_law_step as step where step.tenant_id = $1 and step.id = ref.corrects)',
      'Happened on': 'ref.happened_on::text',
      'Due on': 'ref.due_on::text',
      'Entered at': 'ref.entered_at',
      'Entered by': 'ref.entered_by_name',
    },
    from: `awaabs_law_step as ref ${ofHome} ${where} order by ref.entered_at`,
  },
  {
    name: 'awaabs-law-deadlines',
    about: "Cases under Awaab's Law with their deadlines",
    tables: ['awaabs_law_case', 'awaabs_law_deadline'],
    columns: {
      Property: 'property.reference',
      Case: `'AL-' || lpad(ref.number::text, 4, '0')`,
      Status: 'ref.status',
      Hazard: 'ref.hazard',
      'Aware on': 'ref.aware_on::text',
      'Aware at': 'ref.aware_at',
      Emergency: 'ref.emergency',
      'Closed on': 'ref.closed_on::text',
      'Reason for closing': 'ref.close_reason',
      Step: 'deadline.step',
      'Due on': 'deadline.due_on::text',
      'Due at': 'deadline.due_at',
      'Done on': 'deadline.done_on::text',
      'Done at': 'deadline.done_at',
      'Ended on': 'deadline.ended_on::text',
      'Moved at': 'deadline.moved_at',
      'Reason for the move': 'deadline.moved_reason',
    },
    from: `awaabs_law_case as ref ${ofHome}
      left join awaabs_law_deadline as deadline on deadline.tenant_id = $1 and deadline.case_id = ref.id
      ${where} order by ref.number, deadline.place`,
  },
  {
    name: 'awaabs-law-records',
    about: "Notes, photographs, files and readings of cases under Awaab's Law",
    tables: ['awaabs_law_record'],
    columns: {
      Property: 'property.reference',
      Case: `'AL-' || lpad(law_case.number::text, 4, '0')`,
      Kind: 'ref.kind',
      Text: 'ref.text',
      Readings: 'ref.readings::text',
      File: 'ref.file_id::text',
      'Added at': 'ref.added_at',
      'Added by': 'ref.added_by_name',
    },
    from: `awaabs_law_record as ref ${ofHome}
      left join awaabs_law_case as law_case on law_case.tenant_id = $1 and law_case.id = ref.case_id
      ${where} order by ref.added_at`,
  },
  {
    name: 'residents',
    about: 'Residents and the properties that they may see, one row for each',
    tables: ['resident', 'residence_access'],
    columns: {
      Name: 'ref.name',
      'E-mail': 'ref.email',
      'App user': 'ref.app_user_id',
      Property: 'property.reference',
      Approved: 'access.is_approved',
      Since: 'access.since',
    },
    from: `resident as ref
      left join residence_access as access on access.tenant_id = $1 and access.resident_id = ref.id
      left join property on property.tenant_id = $1 and property.id = access.property_id
      ${where} order by ref.name, property.reference`,
  },
  {
    name: 'savings-and-tips',
    about: 'Savings and tips for residents, as Markdown',
    tables: ['savings_and_tips'],
    columns: { Resident: 'resident.name', Name: 'ref.name', Text: 'ref.content', 'Changed at': 'ref.updated_at' },
    from: `savings_and_tips as ref join resident on resident.tenant_id = $1 and resident.id = ref.resident_id ${where}`,
  },
  {
    name: 'devices',
    about: 'Devices: type, location and state at the time of writing',
    tables: ['device', 'device_tag', 'tag', 'device_link'],
    columns: {
      'Serial number': 'ref.serial',
      Product: 'ref.product',
      'Product model': 'ref.model',
      Name: 'ref.name',
      Status: 'ref.status',
      'Status since': 'ref.status_at',
      'Reason for the status': 'ref.status_reason',
      Connection: 'ref.connection_status',
      'Last contact': 'device_link.heard_at',
      'Connected through': 'parent.serial',
      Building: 'ref.building_name',
      Floor: 'ref.floor_name',
      Property: 'ref.property_reference',
      Room: 'ref.room',
      Location: 'ref.location',
      'Location details': 'ref.location_details',
      Latitude: 'ref.latitude',
      Longitude: 'ref.longitude',
      'Access rights tag': 'access_rights_tag.display_name',
      Tags: `(select string_agg(tag.name, ', ' order by tag.name collate natural_order) from device_tag
        join tag on tag.tenant_id = $1 and tag.id = device_tag.tag_id
        where device_tag.tenant_id = $1 and device_tag.device_id = ref.id)`,
      Monitoring: 'ref.monitoring',
      'Power clamps': 'ref.power_clamps::text',
      Reported: 'ref.reported::text',
      Asked: 'ref.desired::text',
      'Reporting interval (s)': 'ref.reporting_interval',
      Since: 'ref.created_at',
    },
    from: `device as ref
      left join device as parent on parent.tenant_id = $1 and parent.id = ref.parent_id
      left join device_link on device_link.tenant_id = $1 and device_link.device_id = ref.id
      left join access_rights_tag on access_rights_tag.tenant_id = $1 and access_rights_tag.id = ref.access_rights_tag_id
      ${where} order by ref.serial`,
  },
  {
    name: 'conditions',
    about: 'Faults and other conditions of devices, with start and end',
    tables: ['condition'],
    columns: {
      ...serial,
      Kind: 'ref.kind',
      Key: 'ref.key',
      From: 'ref.began_at',
      To: 'ref.ended_at',
      Ended: 'ref.ending',
      Evidence: 'ref.evidence::text',
      'Interim measure': `ref.interim_measure ->> 'text'`,
    },
    from: `condition as ref ${ofDevice} ${where}`,
  },
  {
    name: 'events',
    about: 'Faults and other events reported by devices',
    tables: ['event'],
    columns: {
      ...serial,
      From: 'ref.start_at',
      To: 'ref.end_at',
      Severity: 'ref.severity',
      Category: 'ref.category',
      Description: 'ref.description',
    },
    from: `event as ref ${ofDevice} ${where}`,
  },
  {
    name: 'test-results',
    about: 'Tests of emergency lights with their results',
    tables: ['emergency_test'],
    columns: {
      ...serial,
      Test: 'ref.test_type',
      Started: 'ref.started_at',
      Result: 'ref.result',
      Reason: 'ref.reason',
      'As reported by the light': 'ref.told_result',
      Components: 'ref.component_states::text',
      'Corrected at': 'ref.corrected_at',
      'Corrected by': 'ref.corrected_by',
      'Decisions about the result': 'ref.changes::text',
      'Result until the decision': "ref.disputed ->> 'result'",
    },
    from: `emergency_test as ref ${ofDevice} ${where}`,
  },
  {
    name: 'test-plan',
    about: 'Planned tests of groups, one row for each light',
    tables: ['test_run', 'test_run_light'],
    columns: {
      Group: 'ref.group_name',
      Test: 'ref.test_type',
      Starts: 'ref.starts_at',
      State: 'ref.state',
      Ended: 'ref.ended_at',
      'Serial number': 'device.serial',
      'State of the light': 'light.state',
      Reason: 'light.reason',
    },
    from: `test_run as ref left join test_run_light as light on light.tenant_id = $1 and light.run_id = ref.id
      left join device on device.tenant_id = $1 and device.id = light.device_id ${where}`,
  },
  {
    name: 'light-groups',
    about: 'Groups of emergency lights that are tested together, one row for each light',
    tables: ['light_group', 'light_group_member'],
    columns: {
      Group: 'ref.name',
      Building: 'building.name',
      'Yearly test': 'ref.t180_start::text',
      'Serial number': 'device.serial',
      'Member since': 'member.added_at',
    },
    from: `light_group as ref
      left join building on building.tenant_id = $1 and building.id = ref.building_id
      left join light_group_member as member on member.tenant_id = $1 and member.group_id = ref.id
      left join device on device.tenant_id = $1 and device.id = member.device_id ${where} order by ref.name`,
  },
  {
    name: 'luminaires',
    about: 'Lamps, inverters and batteries of emergency lights',
    tables: ['emergency_equipment'],
    columns: {
      ...serial,
      Luminaire: 'ref.name',
      Lamp: 'ref.lamp_type',
      Inverter: 'ref.inverter_type',
      Battery: 'ref.battery_type',
      'Battery voltage': 'ref.battery_voltage',
      'Battery capacity': 'ref.battery_capacity',
      'Battery installed': 'ref.battery_installed::text',
    },
    from: `emergency_equipment as ref ${ofDevice} ${where}`,
  },
  {
    name: 'compliance-records',
    about: 'Gas safety checks, water treatments and their certificates',
    tables: ['compliance_record', 'compliance_attachment'],
    columns: {
      ...serial,
      Appliance: 'home_appliance.name',
      Property: 'property.reference',
      Type: 'ref.type',
      'Certificate number': 'ref.serial_number',
      'Recorded at': 'ref.recorded_at',
      Status: 'ref.status',
      'Test kit': 'ref.test_kit',
      Draft: 'ref.is_draft',
      'Withdrawn at': 'ref.withdrawn_at',
      'Withdrawn by': 'ref.withdrawn_by_name',
      'Reason for withdrawal': 'ref.withdrawn_reason',
      Certificate: 'attachment.name',
      File: 'attachment.file_id::text',
    },
    from: `compliance_record as ref
      left join device on device.tenant_id = $1 and device.id = ref.device_id
      left join home_appliance on home_appliance.tenant_id = $1 and home_appliance.id = ref.appliance_id
      left join property on property.tenant_id = $1 and property.id = coalesce(device.property_id, home_appliance.property_id)
      left join compliance_attachment as attachment on attachment.tenant_id = $1 and attachment.record_id = ref.id ${where}`,
  },
  {
    name: 'gas-appliances',
    about: 'Gas appliances without a device, by property',
    tables: ['home_appliance'],
    columns: {
      Property: 'property.reference',
      Name: 'ref.name',
      'Added at': 'ref.added_at',
      'Added by': 'ref.added_by_name',
      'Removed at': 'ref.removed_at',
      'Removed by': 'ref.removed_by_name',
      'Reason for removal': 'ref.removed_reason',
    },
    from: `home_appliance as ref ${ofHome} ${where} order by ref.added_at`,
  },
  {
    name: 'device-notes',
    about: 'Notes about devices',
    tables: ['device_note'],
    columns: { ...serial, At: 'ref.at', Note: 'ref.note', By: 'ref.person_name' },
    from: `device_note as ref ${ofDevice} ${where}`,
  },
  {
    name: 'repairs',
    about: 'Repairs of devices',
    tables: ['repair_form', 'repair_photo'],
    columns: {
      ...serial,
      At: 'ref.at',
      Part: 'ref.part',
      Parts: 'ref.parts::text',
      Description: 'ref.description',
      'Repaired by': 'ref.repaired_by',
      'Repaired on': 'ref.repaired_on::text',
      'Repaired at': 'ref.repaired_time',
      'Battery fitted on': 'ref.battery_fitted_on',
      Replaced: 'ref.replaced::text',
      Photos: `(select string_agg(photo.file_id::text, ' ' order by photo.added_at) from repair_photo as photo
        where photo.tenant_id = $1 and photo.repair_id = ref.id)`,
      'Entered by': 'ref.person_name',
    },
    from: `repair_form as ref ${ofDevice} ${where}`,
  },
  {
    name: 'commands',
    about: 'Commands sent to devices',
    tables: ['command'],
    columns: {
      ...serial,
      Command: 'ref.name',
      Arguments: 'ref.args::text',
      Status: 'ref.status',
      Message: 'ref.message',
      Asked: 'ref.created_at',
      Sent: 'ref.sent_at',
      Answered: 'ref.answered_at',
    },
    from: `command as ref ${ofDevice} ${where}`,
  },
  {
    name: 'alerts',
    about: 'Alerts of devices and properties',
    tables: ['alert', 'alert_mail'],
    columns: {
      ...serial,
      Home: 'property.reference',
      About: 'ref.about',
      Rule: 'ref.rule::text',
      Place: 'ref.place',
      Began: 'ref.began_at',
      Notified: 'ref.told_at',
      Over: 'ref.over_at',
      Ending: `case ref.ending when '${storedCleared}' then 'cleared' else ref.ending end`,
      'Sent to': textsOf('alert_mail.alert_id = ref.id', 'alert_mail', 'alert_mail.recipient'),
    },
    from: `alert as ref left ${ofDevice} ${ofHome} ${where}`,
  },
  {
    name: 'alert-rules',
    about: 'Alert rules',
    tables: ['alert_definition', 'alert_recipient'],
    columns: {
      Families: `array_to_string(ref.scope_families, ', ')`,
      Buildings: textsOf('building.id = any(ref.scope_buildings)', 'building', 'building.name'),
      Tags: textsOf('(tag.id = ref.tag_id or tag.id = any(ref.scope_tags))', 'tag', 'tag.name'),
      'Switched on': 'ref.enabled',
      Trigger: 'ref.trigger_type',
      Condition: 'ref.trigger_condition',
      Delay: 'ref.delay',
      Unit: 'ref.delay_unit',
      By: 'ref.notification_type',
      To: 'ref.notification_target',
      Addresses: textsOf('alert_recipient.definition_id = ref.id', 'alert_recipient', 'alert_recipient.address'),
    },
    from: `alert_definition as ref ${where}`,
  },
  {
    name: 'licences',
    about: 'Licences of properties and devices',
    tables: ['licence', 'device_licence'],
    columns: {
      Type: 'type',
      Start: 'start_on::text',
      Months: 'period_months',
      Renewed: 'renewed_on::text',
      Property: 'property',
      'Serial number': 'serial',
    },
    from: `(select type, start_on, period_months, renewed_on, property.reference as property, null as serial
        from licence left join property on property.tenant_id = $1 and property.id = licence.property_id
        where licence.tenant_id = $1
      union all select type, start_on, period_months, renewed_on, null, device.serial
        from device_licence join device on device.tenant_id = $1 and device.id = device_licence.device_id
        where device_licence.tenant_id = $1) as bought`,
  },
  {
    name: 'documents',
    about: 'Photographs and other documents of properties',
    tables: ['document'],
    columns: {
      Type: 'ref.document_type',
      Property: 'property.reference',
      Title: 'ref.title',
      Location: 'ref.location',
      Note: 'ref.note',
      'Happened at': 'ref.happened_at',
      'Added at': 'ref.created_at',
      'Added by': 'ref.created_by_name',
      File: 'ref.file_id::text',
    },
    from: `document as ref ${ofHome} ${where} order by ref.created_at`,
  },
  {
    name: 'mails',
    about: 'E-mails that were sent in the last 90 days or are queued',
    tables: ['mail'],
    columns: {
      At: 'ref.at',
      To: 'ref.recipient',
      Subject: 'ref.subject',
      Text: 'ref.text',
      Sent: 'ref.sent_at',
      Failed: 'ref.failed_at',
    },
    from: `mail as ref ${where} order by ref.at`,
  },
  {
    name: 'audit',
    about: 'Audit: who changed what, before and after',
    tables: ['audit_entry'],
    columns: {
      At: 'ref.at',
      By: 'ref.person_name',
      Action: 'ref.action',
      'Kind of subject': 'ref.subject_type',
      Subject: 'ref.subject_name',
      Before: 'ref.before::text',
      After: 'ref.after::text',
    },
    from: `audit_entry as ref ${where} order by ref.at`,
  },
  {
    name: 'personal-data-reads',
    about: 'Views of the personal data of properties',
    tables: ['personal_data_read'],
    columns: {
      First: 'ref.first_at',
      Last: 'ref.last_at',
      Times: 'ref.times',
      By: 'ref.person_name',
      Role: 'ref.role',
      'API key': 'ref.is_key',
      'Viewing as': 'ref.viewing_as',
      'Page, list or file': 'ref.page',
      Kind: 'ref.kind',
      Question: 'ref.question',
      Properties: `(select string_agg(property.reference, ', ' order by property.reference) from property
        where property.tenant_id = $1 and property.id = any(ref.property_ids))`,
      Residents: `(select string_agg(resident.name, ', ' order by resident.name) from resident
        where resident.tenant_id = $1 and resident.app_user_id = any(ref.resident_ids))`,
      Rows: 'ref.row_count',
      Caller: 'ref.caller',
    },
    from: `personal_data_read as ref ${where} order by ref.last_at`,
  },
  {
    name: 'device-messages',
    about: 'Messages of devices in the last days, except readings',
    tables: ['device_message'],
    columns: { ...serial, At: 'ref.at', Channel: 'ref.channel', Message: 'ref.payload' },
    from: `device_message as ref ${ofDevice} ${where}`,
  },
  {
    name: 'views',
    about: 'Saved views of lists: columns, filters and orders',
    tables: ['view_definition'],
    columns: {
      List: 'ref.root',
      Name: 'ref.label',
      Private: 'ref.private',
      Owner: textsOf('membership.person_id = ref.owner_id', 'membership', 'email'),
      Columns: 'ref.columns::text',
      Filters: 'ref.filters::text',
      Orders: 'ref.sorts::text',
      Since: 'ref.created_at',
      Changed: 'ref.updated_at',
    },
    from: `view_definition as ref ${where} order by ref.root, ref.label`,
  },
  {
    name: 'equipment-lists',
    about: 'Lists of choices in forms',
    tables: ['equipment_list'],
    columns: { List: 'ref.list', Choices: 'ref.choices::text' },
    from: `equipment_list as ref ${where} order by ref.list`,
  },
  {
    name: 'standard-luminaires',
    about: 'Standard luminaires',
    tables: ['standard_luminaire'],
    columns: {
      Name: 'ref.name',
      Lamp: 'ref.lamp_type',
      Inverter: 'ref.inverter_type',
      Battery: 'ref.battery_type',
      'Battery (V)': 'ref.battery_voltage',
      'Battery (Ah)': 'ref.battery_capacity',
    },
    from: `standard_luminaire as ref ${where} order by ref.name`,
  },
  {
    name: 'report-schedules',
    about: 'Schedules of monthly reports by e-mail',
    tables: ['report_schedule'],
    columns: {
      Report: 'ref.report_type',
      For: textsOf('membership.id = ref.membership_id', 'membership', 'email'),
      Tags: textsOf('access_rights_tag.id = any(ref.tag_ids)', 'access_rights_tag', 'display_name'),
      File: 'ref.format',
      'Day of the month': 'ref.day',
      Hour: 'ref.hour',
      'Last sent': 'ref.last_at',
      Next: 'ref.next_at',
    },
    from: `report_schedule as ref ${where} order by ref.created_at`,
  },
  {
    name: 'imports',
    about: 'Imported lists; their changes are in audit.csv',
    tables: ['data_import'],
    columns: {
      Name: 'ref.name',
      State: 'ref.state',
      Rows: 'ref.total',
      Imported: 'ref.done',
      Refused: 'ref.refused',
      Undone: 'ref.undone',
      At: 'ref.created_at',
      Finished: 'ref.finished_at',
      By: 'ref.person_name',
    },
    from: `data_import as ref ${where} order by ref.created_at`,
  },
  {
    name: 'bulk-actions',
    about: 'Bulk actions; each change is in audit.csv',
    tables: ['bulk_action'],
    columns: {
      Action: 'ref.action',
      Of: 'ref.subject',
      Tags: `array_to_string(ref.tag_names, ', ')`,
      Many: 'ref.total',
      Done: 'ref.done',
      Failed: 'ref.failed',
      At: 'ref.started_at',
      Finished: 'ref.finished_at',
      Undone: 'ref.undone_at',
      By: 'ref.started_by_name',
    },
    from: `bulk_action as ref ${where} order by ref.started_at`,
  },
  {
    name: 'telemetry-hourly',
    about: 'Hourly readings: number, mean, lowest, highest and last value',
    isLarge: true,
    tables: ['series', 'hourly', 'packed_roll_up'],
    columns: {
      'Serial number': 'device.serial',
      Measurement: 'series.metric',
      Hour: 'hourly.hour',
      Readings: 'hourly.n',
      Mean: 'hourly.total / hourly.n',
      Lowest: 'hourly.low',
      Highest: 'hourly.high',
      Last: 'hourly.last_value',
    },
    from: `device join series on series.tenant_id = $1 and series.device_id = device.id
      cross join lateral (
        select hour, n, total, low, high, last_at, last_value from hourly where tenant_id = $1 and series_id = series.id
        union all
        select packed_hour.* from packed_roll_up as packed cross join lateral ${hoursOfPacked} as packed_hour
        where tenant_id = $1 and series_id = series.id) hourly
      where device.tenant_id = $1`,
  },
]

/** Every reading, possibly a thousand times as many rows as anything else: only on request. */
export const singleReadings: ExportedSubject = {
  name: 'telemetry-readings',
  about: 'Every stored reading, to the second',
  isLarge: true,
  tables: ['point', 'packed_day'],
  columns: {
    'Serial number': 'device.serial',
    Measurement: 'series.metric',
    Time: 'reading.at',
    Value: 'reading.value',
  },
  from: `device join series on series.tenant_id = $1 and series.device_id = device.id
    cross join lateral (
      select at, value from point where tenant_id = $1 and series_id = series.id
      union all
      select day + since * interval '1 millisecond', value
      from packed_day cross join lateral (
        select sum(gap) over (order by place)::float8 as since, value
        from unnest(gaps, readings) with ordinality as one (gap, value, place)) unpacked
      where tenant_id = $1 and series_id = series.id) reading
    where device.tenant_id = $1`,
}

/** The tables that are not exported, and why. */
export const notExported: Readonly<Record<string, string>> = {
  point: 'single readings, which were not requested: hourly values are in telemetry-hourly.csv',
  packed_day: 'the same',
  packed_hours: 'computed from hourly readings',
  daily: 'the same',
  damp_room: 'computed from hourly readings',
  tag_set: 'an index of properties, computed from the tags of their devices',
  property_retagged: 'the same',
  status_set: 'an index of properties, computed from the statuses of their devices',
  device_spell: 'intervals of device conditions, computed from conditions and events',
  home_spell: 'intervals of property conditions, computed from conditions and events',
  report_month: 'data of monthly reports: create the reports instead',
  report_home: 'the same',
  report_device: 'the same',
  report_run: 'personal reports of users',
  user_document: 'personal list settings of users',
  bulk_action_device: 'results of single items: bulk-actions.csv contains their number',
  bulk_item: 'the same',
  data_import_cell: 'rows of imported lists: their changes are in audit.csv',
  data_import_item: 'the same',
  data_import_reading: 'saved mappings for imports',
  void_effect: 'current void mode commands',
  void_firing: 'the same',
  viewing: 'managers who view the portal as another user now: their starts and ends are in audit.csv',
  resident_app_key: 'keys, which are secret',
  api_key: 'the same',
  scim_key: 'the same',
  webhook_endpoint: 'webhook addresses with their secrets',
  webhook_message: 'webhook messages: the same data is in the other tables',
  webhook_delivery: 'the same',
  idempotency_key: 'encrypted responses to calls of the last 24 hours',
  connection: 'how network servers reach the product, with secrets of brokers',
  connection_activity: 'the current state of connections',
  connection_hour: 'the same',
  sso_connection: 'how the users of the client sign in, with a secret of its identity provider',
  sso_domain: 'the same, with e-mail domains',
  sso_member: 'users whom single sign-on has created: they are in users.csv',
  sensor: 'how sensors are matched to devices: the devices are in devices.csv',
  sensor_message: 'messages of the last days: what they measured is in telemetry-hourly.csv',
  sensor_model: 'sensor models and their decoders',
  sensor_mapping: 'the same',
  sensor_codec: 'the same',
  bad_message: 'invalid messages',
  refused_message: 'the same',
  alert_progress: 'internal progress of jobs',
  erasure: 'readings that are being deleted',
  change: 'changes announced to open pages',
  file: 'in the folder files, named by the ids in the tables',
  tenant_export: 'exports such as this one',
}
