/** Who may write which table, and who may cause side effects of a change: docs/decisions/0016-events-and-projections.md. */
import path from 'node:path'
import { readFileSync } from 'node:fs'
import { root } from './child.mjs'
import type { Source } from './floors.ts'
import { withoutComments } from './floors.ts'

/** The public tables of the product, as the migrations create them. */
export function productTables(): string[] {
  const file = path.join(root, 'packages/server/src/migrations/tables.json')
  const migrations = JSON.parse(readFileSync(file, 'utf8')) as Record<string, { tables?: Record<string, string> }>
  const names = Object.values(migrations).flatMap(({ tables = {} }) => Object.keys(tables))
  return [...new Set(names)]
    .flatMap((name) => (name.startsWith('public.') ? [name.slice('public.'.length)] : []))
    .sort()
}

/** The server folder that owns a table; no other code writes it. */
export const owners: Readonly<Record<string, string>> = {
  access_rights_tag: 'tags',
  alert: 'features/alerts',
  alert_definition: 'features/alerts',
  alert_mail: 'features/alerts',
  alert_progress: 'features/alerts',
  alert_recipient: 'features/alerts',
  api_key: 'identity',
  audit_entry: 'audit',
  awaabs_law_case: 'features/properties',
  awaabs_law_deadline: 'features/properties',
  awaabs_law_hazard: 'features/properties',
  awaabs_law_record: 'features/case-records',
  awaabs_law_step: 'features/properties',
  bad_message: 'mqtt',
  building: 'buildings',
  bulk_action: 'bulk',
  bulk_action_device: 'bulk',
  bulk_item: 'bulk',
  change: 'changes',
  claimant: 'jobs',
  client_error: 'features/session',
  command: 'features/commands',
  command_outbox: 'features/commands',
  compliance_attachment: 'features/compliance',
  compliance_record: 'features/compliance',
  condition: 'features/conditions',
  daily: 'features/telemetry',
  damp_room: 'features/damp',
  connection: 'features/connections',
  connection_activity: 'connectors',
  connection_hour: 'connectors',
  connection_route: 'features/connections',
  data_import: 'features/imports',
  data_import_cell: 'features/imports',
  data_import_item: 'features/imports',
  data_import_reading: 'features/imports',
  device: 'devices',
  device_licence: 'features/properties',
  device_link: 'features/devices',
  device_message: 'features/messages',
  device_note: 'features/maintenance',
  device_route: 'devices',
  device_spell: 'features/alerts',
  device_tag: 'devices',
  document: 'features/documents',
  due: 'postgres',
  emergency_equipment: 'features/lighting',
  emergency_test: 'features/lighting',
  equipment_list: 'features/lighting',
  erasure: 'features/telemetry',
  event: 'features/devices',
  file: 'files',
  floor: 'buildings',
  floor_plan: 'buildings',
  home_appliance: 'features/properties',
  home_spell: 'features/alerts',
  group_access: 'features/group-access',
  hourly: 'features/telemetry',
  idempotency_key: 'idempotency',
  invitation: 'people',
  licence: 'features/tenants',
  light_group: 'features/groups',
  light_group_member: 'features/groups',
  loose_file: 'files',
  mail: 'mail',
  mail_outbox: 'mail',
  membership: 'people',
  mqtt_session: 'mqtt',
  packed_day: 'features/telemetry',
  packed_hours: 'features/telemetry',
  packed_roll_up: 'features/telemetry',
  person: 'people',
  personal_data_read: 'audit',
  point: 'features/telemetry',
  postcode: 'postcodes',
  process_figure: 'features/system',
  property: 'properties',
  property_retagged: 'features/properties',
  refused_message: 'mqtt',
  repair_form: 'features/maintenance',
  repair_photo: 'features/maintenance',
  report_device: 'features/reports',
  report_home: 'features/reports',
  report_month: 'features/reports',
  report_run: 'features/reports',
  report_schedule: 'features/reports',
  residence_access: 'features/residents',
  resident: 'features/residents',
  resident_app_key: 'features/residents',
  savings_and_tips: 'features/documents',
  scim_group: 'features/provisioning',
  scim_group_member: 'features/provisioning',
  scim_key: 'features/provisioning',
  scim_user: 'people',
  sensor: 'connectors',
  sensor_codec: 'features/connections',
  sensor_mapping: 'features/connections',
  sensor_message: 'connectors',
  sensor_model: 'connectors',
  series: 'features/telemetry',
  sso_connection: 'features/single-sign-on',
  sso_domain: 'features/single-sign-on',
  sso_member: 'features/single-sign-on',
  standard_luminaire: 'features/lighting',
  status_set: 'features/properties',
  tag: 'tags',
  tag_set: 'features/properties',
  tenant: 'tenants',
  tenant_capability: 'cli',
  tenant_export: 'features/tenants',
  tenant_feature: 'cli',
  tenant_removal: 'features/tenants',
  test_run: 'test-runs',
  test_run_light: 'test-runs',
  throttle: 'postgres',
  user_document: 'features/documents',
  view_definition: 'features/views',
  viewing: 'people',
  void_effect: 'features/void',
  void_firing: 'features/void',
  webhook_delivery: 'webhooks',
  webhook_endpoint: 'webhooks',
  webhook_message: 'webhooks',
}

/** The functions that write the side effects of a change, called by projections and by features without events. */
export const sideEffects = [
  'changed',
  'changedQuietly',
  'audit',
  'auditAll',
  'makeDue',
  'enqueueMessages',
  'refreshPlaces',
]

/** Files that create a state for a test, restore whole tables or change the schema may write any table. */
const isExempt = (file: string) =>
  /\.test\.tsx?$/.test(file) || /^packages\/server\/src\/(?:testing|isolation|migrations|backup)\//.test(file)

/** The folder of a file as `owners` names it; `demo` for all files of the demo. */
export function folderOf(file: string): string | undefined {
  if (isExempt(file)) return undefined
  if (file.startsWith('packages/demo/src/')) return 'demo'
  const [, rest] = /^packages\/server\/src\/(.+)$/.exec(file) ?? []
  return rest && /^(features\/[^/]+|[^/]+)/.exec(rest)?.[1]
}

const writes =
  /(?:insertInto|updateTable|deleteFrom|mergeInto|updateEach\(\w+, \{\s*table:)\(?\s*(?:'(\w+)[^']*'|[\w.]+[,)])|\b(?:insert into|update|delete from)\s+(?:"?(\w+)"?(?=[\s(])|\$\{sql\.table\()/gi

/** The tables that a source writes, once for each statement; `*` if the table name is in a variable. */
export function writtenTables(text: string, tables: ReadonlySet<string>): string[] {
  return [...withoutComments(text).matchAll(writes)].flatMap((found) => {
    const name = found[1] ?? found[2]
    if (name !== undefined) return tables.has(name) ? [name] : []
    return ['*']
  })
}

/** Counts by `folder what`, such as `features/void property` or `features/void changed()`. */
export type Counts = Record<string, number>

function count(found: readonly string[]): Counts {
  const counts: Counts = {}
  for (const one of found.toSorted()) counts[one] = (counts[one] ?? 0) + 1
  return counts
}

/** Writes to tables outside the owner's folder. A projection may write copies that it keeps in another owner's table. */
export function foreignWrites(sources: readonly Source[], tables: ReadonlySet<string>): Counts {
  return count(
    sources.flatMap(({ file, text }) => {
      const folder = folderOf(file)
      if (!folder || folder === 'projections') return []
      return writtenTables(text, tables).flatMap((table) => (owners[table] === folder ? [] : [`${folder} ${table}`]))
    }),
  )
}

/** Calls of side-effect functions outside the projections, except their own definitions. */
export function sideEffectCalls(sources: readonly Source[]): Counts {
  return count(
    sources.flatMap(({ file, text }) => {
      const folder = folderOf(file)
      if (!folder || folder === 'projections') return []
      const code = withoutComments(text)
      return sideEffects.flatMap((name) => {
        const calls = code.match(new RegExp(`(?<![\\w$.]|function )${name}\\(`, 'g'))?.length ?? 0
        const isImported = new RegExp(
          `import[^;]*?\\b${name}\\b[^;]*?from '[^']*/(?:changed|audit|due|outbox|copied-places)\\.ts'`,
        ).test(code)
        return isImported ? Array.from({ length: calls }, () => `${folder} ${name}()`) : []
      })
    }),
  )
}

/** Files that set a savepoint. If part of a transaction were rolled back, its events would survive. */
export const savepoints = (sources: readonly Source[]): string[] =>
  sources.flatMap(({ file, text }) => (folderOf(file) && /\bsavepoint\b/i.test(withoutComments(text)) ? [file] : []))

/** Differences between the counts found and allowed: a higher count is forbidden, and a lower one must be entered. */
export function differencesOf(found: Counts, allowed: Counts): string[] {
  return [...new Set([...Object.keys(found), ...Object.keys(allowed)])].sort().flatMap((key) => {
    const [now = 0, before = 0] = [found[key], allowed[key]]
    if (now > before) return [`${key}: ${now}, allowed ${before}. Call a command of the owner instead.`]
    return now < before
      ? [`${key}: ${now} are left of ${before}. Enter ${now || 'nothing'} in tools/owners.test.ts.`]
      : []
  })
}
