import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { BoilerRecord } from '@caretaker/contract/compliance.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { RecordStatus, RecordType, TestKit } from '@caretaker/rules/compliance/records.ts'
import { makeDue } from '../../postgres/due.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/** A record as it is added. */
export interface NewRecord {
  deviceId: string
  type: RecordType
  serialNumber: string
  recordedAt: Date
  status: RecordStatus
  testKit: TestKit | null
  /** It waits for its certificate. */
  isDraft: boolean
  createdBy: string
}

/** Milliseconds that a record may wait for its certificate. */
export const draftsKept = 3_600_000

/** The records of a device that count, the latest check first, those of a day as they were added. */
export async function recordsOf(tx: TenantTx, deviceId: string): Promise<BoilerRecord[]> {
  const rows = await tx
    .selectFrom('compliance_record as record')
    .leftJoin('compliance_attachment as attachment', (join) =>
      join.on('attachment.tenant_id', '=', tx.tenant).onRef('attachment.record_id', '=', 'record.id'),
    )
    .leftJoin('file', (join) => join.on('file.tenant_id', '=', tx.tenant).onRef('file.id', '=', 'attachment.file_id'))
    .where('record.tenant_id', '=', tx.tenant)
    .where('record.device_id', '=', deviceId)
    .where('record.is_draft', '=', false)
    .select(['record.id', 'type', 'serial_number', 'recorded_at', 'status', 'test_kit'])
    .select(['attachment.id as attachment_id', 'attachment.name', 'content_type', 'size'])
    .orderBy('recorded_at', 'desc')
    .orderBy('record.created_at', 'desc')
    .orderBy('record.id', 'desc')
    .execute()
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
    }
  })
}

/**
 * Adds a record, and gives its id. Somebody who begins the same one again, because they pressed twice or an answer was lost, is
 * given the one that waits already. Refuses a certificate that is recorded. The caller holds the device.
 */
export async function addRecord(tx: TenantTx, record: NewRecord, now: Date): Promise<string> {
  await expectNew(tx, record)
  if (record.isDraft) {
    const waiting = await tx
      .selectFrom('compliance_record')
      .select('id')
      .where('tenant_id', '=', tx.tenant)
      .where('device_id', '=', record.deviceId)
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
      device_id: record.deviceId,
      type: record.type,
      serial_number: record.serialNumber,
      recorded_at: record.recordedAt,
      status: record.status,
      test_kit: record.testKit,
      is_draft: record.isDraft,
      created_at: now,
      created_by: record.createdBy,
    })
    .execute()
  return id
}

type Named = Pick<NewRecord, 'deviceId' | 'type' | 'serialNumber' | 'recordedAt'>

async function expectNew(tx: TenantTx, { deviceId, type, serialNumber, recordedAt }: Named): Promise<void> {
  const same = await tx
    .selectFrom('compliance_record')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .where('type', '=', type)
    .where(sql<boolean>`lower(serial_number) = lower(${serialNumber})`)
    .where('recorded_at', '=', recordedAt)
    .where('is_draft', '=', false)
    .executeTakeFirst()
  if (same) throw refuse('refused', 'This certificate is recorded already.')
}

export interface HeldRecord extends Named {
  id: string
  status: RecordStatus
  testKit: TestKit | null
  isDraft: boolean
}

/** Holds a record of a device until the transaction ends; refuses with 404 where it has none such. */
export async function holdRecord(tx: TenantTx, deviceId: string, recordId: string): Promise<HeldRecord> {
  const row = await tx
    .selectFrom('compliance_record')
    .selectAll()
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .where('id', '=', recordId)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw refuse('not found')
  return {
    id: row.id,
    deviceId,
    type: row.type,
    serialNumber: row.serial_number,
    recordedAt: row.recorded_at,
    status: row.status,
    testKit: row.test_kit,
    isDraft: row.is_draft,
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
  if (attached) throw refuse('conflict', 'This record has its certificate already.')
}

/** Gives a held record its certificate, with which it counts. The caller holds the device. */
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

/** Drops a record that waits for its certificate. */
export async function dropDraft(tx: TenantTx, recordId: string): Promise<void> {
  await tx
    .deleteFrom('compliance_record')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', recordId)
    .where('is_draft', '=', true)
    .execute()
}

/** The certificate of a record that counts; refuses with 404 where there is none such. */
export async function findAttachment(
  tx: TenantTx,
  { deviceId, recordId, attachmentId }: { deviceId: string; recordId: string; attachmentId: string },
): Promise<{ fileId: string; name: string }> {
  const row = await tx
    .selectFrom('compliance_attachment as attachment')
    .innerJoin('compliance_record as record', (join) =>
      join.on('record.tenant_id', '=', tx.tenant).onRef('record.id', '=', 'attachment.record_id'),
    )
    .where('attachment.tenant_id', '=', tx.tenant)
    .where('record.device_id', '=', deviceId)
    .where('record.id', '=', recordId)
    .where('attachment.id', '=', attachmentId)
    .select(['attachment.file_id', 'attachment.name'])
    .executeTakeFirst()
  if (!row) throw refuse('not found')
  return { fileId: row.file_id, name: row.name }
}
