import { comments } from '@caretaker/server/postgres/schema-comments.ts'
import type { Catalog, Column, ForeignKey } from './schema-catalog.ts'

/** The tables of each diagram; a test checks that each table is in exactly one. */
export const subjects: Readonly<Record<string, readonly string[]>> = {
  Devices: [
    ...[
      'device',
      'device_route',
      'device_link',
      'device_tag',
      'tag',
      'device_note',
      'device_licence',
      'condition',
      'event',
    ],
    ...['command', 'command_outbox', 'device_message', 'bad_message', 'refused_message', 'mqtt_session'],
  ],
  Connections: [
    ...['connection', 'connection_route', 'connection_activity', 'connection_hour', 'sensor', 'sensor_message'],
    ...['sensor_model', 'sensor_mapping', 'sensor_codec'],
  ],
  Places: ['building', 'floor', 'floor_plan', 'postcode'],
  Properties: [
    ...['property', 'property_retagged', 'tag_set', 'status_set', 'damp_room', 'void_effect', 'void_firing', 'licence'],
    ...['document', 'resident', 'residence_access', 'resident_app_key', 'savings_and_tips'],
    ...['awaabs_law_case', 'awaabs_law_step', 'awaabs_law_deadline', 'awaabs_law_record', 'awaabs_law_hazard'],
  ],
  Lighting: [
    ...['emergency_equipment', 'emergency_test', 'equipment_list', 'standard_luminaire', 'light_group'],
    ...['light_group_member', 'test_run', 'test_run_light', 'repair_form', 'repair_photo'],
  ],
  Compliance: ['home_appliance', 'compliance_record', 'compliance_attachment'],
  Alerts: [
    ...['alert_definition', 'alert', 'alert_mail', 'alert_recipient', 'alert_progress', 'device_spell', 'home_spell'],
    ...['mail', 'mail_outbox', 'webhook_endpoint', 'webhook_message', 'webhook_delivery'],
  ],
  People: [
    ...['tenant', 'tenant_feature', 'tenant_capability', 'tenant_export', 'tenant_removal', 'person', 'membership'],
    ...[
      'invitation',
      'access_rights_tag',
      'api_key',
      'group_access',
      'audit_entry',
      'personal_data_read',
      'viewing',
      'view_definition',
      'user_document',
      'client_error',
    ],
    ...['sso_connection', 'sso_domain', 'sso_member'],
  ],
  Provisioning: ['scim_key', 'scim_user', 'scim_group', 'scim_group_member'],
  Telemetry: ['series', 'point', 'packed_day', 'packed_hours', 'hourly', 'packed_roll_up', 'daily', 'erasure'],
  Work: [
    ...[
      'change',
      'due',
      'claimant',
      'process_figure',
      'throttle',
      'idempotency_key',
      'bulk_action',
      'bulk_item',
      'bulk_action_device',
    ],
    ...['data_import', 'data_import_item', 'data_import_cell', 'data_import_reading', 'file', 'loose_file'],
    ...['report_month', 'report_home', 'report_device', 'report_schedule', 'report_run'],
  ],
}

const head = `# The tables of the database

\`npm run schema\` writes this page from the migrated database. \`PK\` marks the columns of a primary key, \`FK\` those that refer to another table.

- A table of a client has the column \`tenant_id\` as the first part of its primary key and of each reference to another table of the client.
  The diagrams leave it out, and the references to \`tenant\`.
- A box without columns belongs to another subject.
- Large or distributed tables name devices, homes and members by their ids without a reference that the database checks.
`

export function renderDiagrams({ tables, foreignKeys }: Catalog): string {
  const sections = Object.entries(subjects).map(([subject, names]) => {
    const own = names.filter((name) => tables.has(name))
    const boxes = own.map((name) => renderTable(name, tables.get(name)!, foreignKeys))
    const lines = foreignKeys.filter(({ from }) => own.includes(from)).map(renderReference)
    const notes = own.flatMap((name) => renderNote(name))
    return [`## ${subject}`, '', ...notes, '```mermaid', 'erDiagram', ...boxes, ...lines, '```', ''].join('\n')
  })
  return [head, ...sections].join('\n')
}

function renderNote(table: string): string[] {
  const about = (comments as Readonly<Record<string, { table?: string }>>)[table]?.table
  return about ? [`\`${table}\`: ${about}`, ''] : []
}

function renderTable(name: string, columns: readonly Column[], foreignKeys: readonly ForeignKey[]): string {
  const referring = new Set(foreignKeys.filter(({ from }) => from === name).flatMap((key) => key.columns))
  const lines = columns
    .filter((column) => column.name !== 'tenant_id')
    .map((column) => {
      const keys = [column.isInPrimaryKey ? 'PK' : '', referring.has(column.name) ? 'FK' : '']
        .filter(Boolean)
        .join(', ')
      return `    ${typeIn(column)} ${column.name}${keys && ` ${keys}`}`
    })
  return [`  ${name} {`, ...lines, '  }'].join('\n')
}

/** Mermaid allows no spaces in types. */
function typeIn({ type }: Column): string {
  return type.replace('timestamp with time zone', 'timestamptz').replaceAll(' ', '_')
}

function renderReference({ from, columns, to, isUnique, isNullable }: ForeignKey): string {
  return `  ${to} ${isNullable ? '|o' : '||'}--${isUnique ? 'o|' : 'o{'} ${from} : "${columns.join(', ')}"`
}
