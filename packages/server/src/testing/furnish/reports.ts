import { randomBytes, randomUUID } from 'node:crypto'
import { keyOf } from '../../files/keys.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../app.ts'
import type { Furnishing } from './context.ts'
import type { Devices } from './devices.ts'
import type { Estate } from './estate.ts'

/** A month of report data, finished reports and schedules. */
export async function furnishReports(
  { test, tenant, secret, accessRightsTag: tag }: Furnishing,
  { boiler }: Devices,
  { property }: Estate,
  caller: () => Promise<string>,
) {
  await addReportMonth(test, tenant, { secret, property, device: boiler, tag })
  /** A finished report of the caller, with its file in the store. */
  const newReport = async () => addReport(test, tenant, await caller(), secret, tag)
  /** A schedule of the developer, if there is one: schedules need a feature. */
  const newReportSchedule = async () => addReportSchedule(test, tenant, tag)
  await newReport()
  await newReportSchedule()
  return { newReport, newReportSchedule }
}

/** Adds the data of a report for January 2025 to a tenant. */
async function addReportMonth(
  test: TestApp,
  tenant: string,
  { secret, property, device, tag }: { secret: string; property: string; device: string; tag: string },
): Promise<void> {
  const month = '2025-01-01'
  const of = { tenant_id: tenant, month, access_rights_tag_id: tag }
  await inTenant(test.database.db, tenant, async (tx) => {
    await tx
      .insertInto('report_month')
      .values({ tenant_id: tenant, month, gathered_at: new Date(), closed_at: new Date() })
      .execute()
    await tx
      .insertInto('report_home')
      .values({
        ...{ ...of, property_id: property, reference: secret, address: secret, postcode: secret, epc_rating: 'D' },
        ...{ architype: secret, figures: null },
      })
      .execute()
    await tx
      .insertInto('report_device')
      .values({
        ...{ ...of, device_id: device, property_id: property, building_name: secret, serial: secret, product: 'BX' },
        ...{ room: secret, status: 'Ok', is_connected: true, hours_not_heard: 1, faults_begun: 1, tests_passed: 0 },
        ...{ tests_failed: 0, figures: null },
      })
      .execute()
  })
}

async function addReport(
  test: TestApp,
  tenant: string,
  memberId: string,
  secret: string,
  tag: string,
): Promise<string> {
  const [id, fileId] = [randomUUID(), randomUUID()]
  await test.context.files.put(keyOf(tenant, fileId), new Blob([secret]))
  await inTenant(test.database.db, tenant, async (tx) => {
    await tx
      .insertInto('file')
      .values({
        ...{ tenant_id: tenant, id: fileId, referrer: 'report_run', name: secret, content_type: 'text/csv' },
        ...{ size: secret.length, sha256: randomBytes(32), created_at: new Date(), created_by: null },
      })
      .execute()
    await tx
      .insertInto('report_run')
      .values({
        ...{ tenant_id: tenant, id, membership_id: memberId, report_type: 'Overview', month: '2025-01-01' },
        ...{ tag_ids: [tag], format: 'csv', state: 'done', file_id: fileId, file_name: `${secret}.csv` },
        ...{ size: secret.length, asked_at: new Date(), finished_at: new Date() },
        reader: JSON.stringify({ role: 'Manager', tags: [], seesProperties: false, hidesPersonal: false }),
      })
      .execute()
  })
  return id
}

async function addReportSchedule(test: TestApp, tenant: string, tag: string): Promise<string> {
  const id = randomUUID()
  const { rows } = await test.database.owner.query<{ id: string }>(
    `select id from membership where tenant_id = $1 order by role = 'Developer' desc, cardinality(tag_ids), created_at limit 2`,
    [tenant],
  )
  await inTenant(test.database.db, tenant, (tx) =>
    tx
      .insertInto('report_schedule')
      .values({
        ...{ tenant_id: tenant, id, membership_id: rows[0]!.id, report_type: 'Overview', tag_ids: [tag], day: 1 },
        ...{ format: 'xlsx', hour: 7, next_at: new Date(Date.now() + 86_400_000), created_at: new Date() },
        recipient_ids: rows.slice(1).map((member) => member.id),
      })
      .execute(),
  )
  return id
}
