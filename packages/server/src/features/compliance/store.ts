import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { BoilerRecord } from '@caretaker/contract/compliance.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { isLimited } from '@caretaker/rules/identity/actor.ts'
import type { RecordStatus, RecordType, TestKit } from '@caretaker/rules/compliance/records.ts'
import { makeDue } from '../../postgres/due.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/** The subject of a record: a boiler control, or an appliance of a property without a device. */
export type Owner = { deviceId: string; applianceId?: never } | { deviceId?: never; applianceId: string }

const isOf = ({ deviceId, applianceId }: Owner) =>
  deviceId === undefined ? sql<boolean>`appliance_id = ${applianceId}` : sql<boolean>`device_id = ${deviceId}`

/** A record that is being added. */
export type NewRecord = Owner & NewFacts
interface NewFacts {
  type: RecordType
  serialNumber: string
  recordedAt: Date
  status: RecordStatus
  testKit: TestKit | null
  /** The record is waiting for its certificate. */
  isDraft: boolean
  createdBy: string
  /** The record of another property that its certificate covers as well. */
  sharedWith?: string | null
}

/** How long a record may wait for its certificate, in ms. */
export const draftsKept = 3_600_000

/**
 * The records of a device or an appliance, including withdrawn ones, the latest check first; checks of the same day are
 * in the order of entry.
 */
export async function recordsOf(tx: TenantTx, actor: Actor, owner: Owner): Promise<BoilerRecord[]> {
  const rows = await tx
    .selectFrom('compliance_record as record')
    .leftJoin('compliance_attachment as attachment', (join) =>
      join.on('attachment.tenant_id', '=', tx.tenant).onRef('attachment.record_id', '=', 'record.id'),
    )
    .leftJoin('file', (join) => join.on('file.tenant_id', '=', tx.tenant).onRef('file.id', '=', 'attachment.file_id'))
    .where('record.tenant_id', '=', tx.tenant)
    .where(isOf(owner))
    .where('record.is_draft', '=', false)
    .select(['record.id', 'type', 'serial_number', 'recorded_at', 'status', 'test_kit'])
    .select(['attachment.id as attachment_id', 'attachment.name', 'content_type', 'size'])
    .select(['withdrawn_at', 'withdrawn_by_name', 'withdrawn_reason', 'shared_with'])
    .orderBy('recorded_at', 'desc')
    .orderBy('record.created_at', 'desc')
    .orderBy('record.id', 'desc')
    .execute()
  const shared = await homesOfRecords(
    tx,
    actor,
    rows.flatMap((row) => row.shared_with ?? []),
  )
  return rows.map((row) => {
    const attachments = row.attachment_id
      ? [
          {
            attachmentId: row.attachment_id,
            name: row.name!,
            contentType: row.content_type!,
            size: Number(row.size),
          },
        ]
      : []
    return {
      recordId: row.id,
      serialNumber: row.serial_number,
      recordType: row.type,
      status: row.status,
      timestamp: row.recorded_at.toISOString(),
      properties: { testKitUsed: row.test_kit },
      attachmentIds: attachments.map((one) => one.attachmentId),
      attachments,
      withdrawn: row.withdrawn_at && {
        at: row.withdrawn_at.toISOString(),
        by: row.withdrawn_by_name ?? '',
        reason: row.withdrawn_reason ?? '',
      },
      coversAlso: (row.shared_with && shared.get(row.shared_with)) || null,
    }
  })
}

const homeOfRecord = (tx: TenantTx) => sql`coalesce(
  (select property_id from device where device.tenant_id = ${tx.tenant} and device.id = record.device_id),
  (select property_id from home_appliance where home_appliance.tenant_id = ${tx.tenant} and home_appliance.id = record.appliance_id))`

/** The properties of records that count, as far as the actor sees them. */
async function homesOfRecords(tx: TenantTx, actor: Actor, records: readonly string[]) {
  if (!records.length) return new Map<string, { propertyId: string; propertyReference: string }>()
  const { rows } = await sql<{ id: string; propertyId: string; propertyReference: string }>`
    select record.id, property.id as "propertyId", property.reference as "propertyReference"
    from compliance_record as record
    join property on property.tenant_id = ${tx.tenant} and property.id = ${homeOfRecord(tx)}
    where record.tenant_id = ${tx.tenant} and record.id = any(${records}::uuid[]) and not record.is_draft
      and record.withdrawn_at is null and ${isSeen(actor)}`.execute(tx)
  return new Map(rows.map(({ id, ...home }) => [id, home]))
}

const isSeen = (actor: Actor) =>
  isLimited(actor) ? sql`property.access_rights_tag_id = any(${[...actor.tags]}::uuid[])` : sql`true`

/** A certificate whose number is used for another property. */
export interface OtherUse {
  recordId: string
  /** Null if the actor does not see that property. */
  home: { reference: string; address: string } | null
}

/** The newest record of another property with the same number; undefined if the number is not used. */
export async function otherUseOf(
  tx: TenantTx,
  actor: Actor,
  { deviceId, applianceId, type, serialNumber }: Owner & Pick<NewFacts, 'type' | 'serialNumber'>,
): Promise<OtherUse | undefined> {
  const { rows } = await sql<{ id: string; reference: string; address: string; isSeen: boolean }>`
    select record.id, property.reference, property.address, ${isSeen(actor)} as "isSeen" from compliance_record as record
    join property on property.tenant_id = ${tx.tenant} and property.id = ${homeOfRecord(tx)}
    where record.tenant_id = ${tx.tenant} and record.type = ${type} and lower(record.serial_number) = lower(${serialNumber})
      and not record.is_draft and record.withdrawn_at is null and property.id is distinct from coalesce(
        (select property_id from device where device.tenant_id = ${tx.tenant} and device.id = ${deviceId ?? null}::uuid),
        (select property_id from home_appliance where home_appliance.tenant_id = ${tx.tenant} and home_appliance.id = ${applianceId ?? null}::uuid))
    order by record.created_at desc, record.id limit 1`.execute(tx)
  const [found] = rows
  return (
    found && { recordId: found.id, home: found.isSeen ? { reference: found.reference, address: found.address } : null }
  )
}

/**
 * Adds a record, and returns its id. If the same record is started again, after a double click or a lost answer, the
 * waiting one is returned. Refuses a certificate that is already recorded. The caller locks the device.
 */
export async function addRecord(tx: TenantTx, record: NewRecord, now: Date): Promise<string> {
  await expectNew(tx, record)
  if (record.isDraft) {
    const waiting = await tx
      .selectFrom('compliance_record')
      .select('id')
      .where('tenant_id', '=', tx.tenant)
      .where(isOf(record))
      .where('is_draft', '=', true)
      .where('type', '=', record.type)
      .where('serial_number', '=', record.serialNumber)
      .where('recorded_at', '=', record.recordedAt)
      .where('status', '=', record.status)
      .where(sql<boolean>`test_kit is not distinct from ${record.testKit}`)
      .where('created_by', '=', record.createdBy)
      .executeTakeFirst()
    if (waiting) return waiting.id
    await makeDue(tx, 'forget record drafts', new Date(+now + draftsKept))
  }
  const id = randomUUID()
  await tx
    .insertInto('compliance_record')
    .values({
      tenant_id: tx.tenant,
      id,
      device_id: record.deviceId ?? null,
      appliance_id: record.applianceId ?? null,
      type: record.type,
      serial_number: record.serialNumber,
      recorded_at: record.recordedAt,
      status: record.status,
      test_kit: record.testKit,
      is_draft: record.isDraft,
      created_at: now,
      created_by: record.createdBy,
      shared_with: record.sharedWith ?? null,
    })
    .execute()
  if (record.sharedWith)
    await tx
      .updateTable('compliance_record')
      .set({ shared_with: id })
      .where('tenant_id', '=', tx.tenant)
      .where('id', '=', record.sharedWith)
      .execute()
  return id
}

type Named = Owner & Pick<NewFacts, 'type' | 'serialNumber' | 'recordedAt'>

async function expectNew(tx: TenantTx, { type, serialNumber, recordedAt, ...owner }: Named): Promise<void> {
  const same = await tx
    .selectFrom('compliance_record')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where(isOf(owner))
    .where('type', '=', type)
    .where(sql<boolean>`lower(serial_number) = lower(${serialNumber})`)
    .where('recorded_at', '=', recordedAt)
    .where('is_draft', '=', false)
    .where('withdrawn_at', 'is', null)
    .executeTakeFirst()
  if (same) throw refuse('refused', 'This certificate is already recorded.')
}

export type HeldRecord = Named & HeldFacts
interface HeldFacts {
  id: string
  status: RecordStatus
  testKit: TestKit | null
  isDraft: boolean
  isWithdrawn: boolean
}

/** Locks a record of a device or an appliance until the transaction ends; 404 if there is none. */
export async function holdRecord(tx: TenantTx, owner: Owner, recordId: string): Promise<HeldRecord> {
  const row = await tx
    .selectFrom('compliance_record')
    .selectAll()
    .where('tenant_id', '=', tx.tenant)
    .where(isOf(owner))
    .where('id', '=', recordId)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw refuse('not found')
  return {
    id: row.id,
    ...owner,
    type: row.type,
    serialNumber: row.serial_number,
    recordedAt: row.recorded_at,
    status: row.status,
    testKit: row.test_kit,
    isDraft: row.is_draft,
    isWithdrawn: row.withdrawn_at !== null,
  }
}

/** Refuses a record that has its certificate. */
export async function expectUnattached(tx: TenantTx, recordId: string): Promise<void> {
  const attached = await tx
    .selectFrom('compliance_attachment')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('record_id', '=', recordId)
    .executeTakeFirst()
  if (attached) throw refuse('conflict', 'This record already has a certificate.')
}

/** Adds the certificate to a locked record, which then counts. The caller locks the device. */
export async function attach(
  tx: TenantTx,
  record: HeldRecord,
  file: { id: string; name: string },
): Promise<{ attachmentId: string }> {
  if (record.isDraft) {
    await expectNew(tx, record)
    await tx
      .updateTable('compliance_record')
      .set({ is_draft: false })
      .where('tenant_id', '=', tx.tenant)
      .where('id', '=', record.id)
      .execute()
  }
  const attachmentId = randomUUID()
  await tx
    .insertInto('compliance_attachment')
    .values({ tenant_id: tx.tenant, id: attachmentId, record_id: record.id, file_id: file.id, name: file.name })
    .execute()
  return { attachmentId }
}

/** Deletes a record that waits for its certificate. */
export async function dropDraft(tx: TenantTx, recordId: string): Promise<void> {
  await tx
    .deleteFrom('compliance_record')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', recordId)
    .where('is_draft', '=', true)
    .execute()
}

/** Withdraws a locked record: it is kept, and no longer counts towards any date. */
export async function withdraw(
  tx: TenantTx,
  recordId: string,
  { reason, by, at }: { reason: string; by: { id: string | null; name: string }; at: Date },
): Promise<void> {
  await tx
    .updateTable('compliance_record')
    .set({ withdrawn_at: at, withdrawn_by: by.id, withdrawn_by_name: by.name, withdrawn_reason: reason })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', recordId)
    .execute()
}

/** The certificate of a record; 404 if there is none. */
export async function findAttachment(
  tx: TenantTx,
  { recordId, attachmentId, ...owner }: Owner & { recordId: string; attachmentId: string },
): Promise<{ fileId: string; name: string }> {
  const row = await tx
    .selectFrom('compliance_attachment as attachment')
    .innerJoin('compliance_record as record', (join) =>
      join.on('record.tenant_id', '=', tx.tenant).onRef('record.id', '=', 'attachment.record_id'),
    )
    .where('attachment.tenant_id', '=', tx.tenant)
    .where(isOf(owner))
    .where('record.id', '=', recordId)
    .where('attachment.id', '=', attachmentId)
    .select(['attachment.file_id', 'attachment.name'])
    .executeTakeFirst()
  if (!row) throw refuse('not found')
  return { fileId: row.file_id, name: row.name }
}

/** Deletes the compliance records of uninstalled devices, with their certificates. */
export async function deleteRecordsOf(tx: TenantTx, deviceIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('compliance_record')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${deviceIds}::uuid[])`)
    .execute()
}
