import { randomUUID } from 'node:crypto'
import { recomputeCompliance } from '../../features/compliance/compliance-states.ts'
import { addRecord } from '../../features/compliance/store.ts'
import { keyOf } from '../../files/keys.ts'
import type { Furnishing } from './context.ts'
import { nextNumber, write } from './context.ts'
import type { Devices } from './devices.ts'
import type { Estate } from './estate.ts'

/** Compliance records of the boiler with a certificate, and a document of the property. */
export async function furnishCompliance(furnishing: Furnishing, { boiler }: Devices, { property }: Estate) {
  const { test, tenant, secret } = furnishing
  const certificate = { recordId: randomUUID(), attachmentId: randomUUID(), fileId: randomUUID() }
  await write(furnishing, async (tx) => {
    await tx
      .insertInto('file')
      .values({
        tenant_id: tenant,
        id: randomUUID(),
        referrer: 'certificate',
        name: secret,
        content_type: 'application/pdf',
        size: 1,
        sha256: Buffer.alloc(32),
        created_at: new Date(),
        created_by: null,
      })
      .execute()
    await tx
      .insertInto('file')
      .values({
        tenant_id: tenant,
        id: certificate.fileId,
        referrer: 'compliance_attachment',
        name: `${secret}.pdf`,
        content_type: 'application/pdf',
        size: secret.length,
        sha256: Buffer.alloc(32),
        created_at: new Date(),
        created_by: null,
      })
      .execute()
    const record = { serial_number: secret, recorded_at: new Date(), status: 'Pass', test_kit: null } as const
    await tx
      .insertInto('compliance_record')
      .values({
        ...{ tenant_id: tenant, id: certificate.recordId, device_id: boiler, type: 'GasSafety', ...record },
        ...{ is_draft: false, created_at: new Date(), created_by: null },
      })
      .execute()
    await tx
      .insertInto('compliance_attachment')
      .values({
        ...{ tenant_id: tenant, id: certificate.attachmentId, record_id: certificate.recordId },
        ...{ file_id: certificate.fileId, name: `${secret}.pdf` },
      })
      .execute()
    await tx
      .insertInto('document')
      .values({
        ...{ tenant_id: tenant, id: randomUUID(), document_type: 'PropertyRecords', property_id: property },
        ...{ file_id: certificate.fileId, location: secret, title: secret, note: secret, happened_at: new Date() },
        ...{ created_at: new Date(), created_by: null, created_by_name: secret },
      })
      .execute()
    await tx
      .insertInto('home_appliance')
      .values({
        ...{ tenant_id: tenant, id: randomUUID(), property_id: property, name: secret },
        ...{ added_at: new Date(), added_by: null, added_by_name: secret },
      })
      .execute()
    await tx
      .insertInto('home_appliance')
      .values({
        ...{ tenant_id: tenant, id: randomUUID(), property_id: property, name: secret },
        ...{ added_at: new Date(), added_by: null, added_by_name: secret },
        ...{ removed_at: new Date(), removed_by: null, removed_by_name: secret, removed_reason: secret },
      })
      .execute()
    await recomputeCompliance(tx, [boiler], new Date())
  })
  return {
    /** A gas appliance of the property that no device monitors. */
    newAppliance: () =>
      write(furnishing, async (tx) => {
        const id = randomUUID()
        const added = { added_at: new Date(), added_by: null, added_by_name: secret }
        await tx
          .insertInto('home_appliance')
          .values({ tenant_id: tenant, id, property_id: property, name: secret, ...added })
          .execute()
        return id
      }),
    /** A gas appliance with a record and its certificate, whose file is in the store. */
    applianceCertificate: async () => {
      const [applianceId, recordId, attachmentId] = [randomUUID(), randomUUID(), randomUUID()]
      await write(furnishing, async (tx) => {
        const added = { added_at: new Date(), added_by: null, added_by_name: secret }
        await tx
          .insertInto('home_appliance')
          .values({ tenant_id: tenant, id: applianceId, property_id: property, name: secret, ...added })
          .execute()
        await tx
          .insertInto('compliance_record')
          .values({
            ...{ tenant_id: tenant, id: recordId, appliance_id: applianceId, type: 'GasSafety', status: 'Pass' },
            ...{ serial_number: `${secret} ${nextNumber()}`, recorded_at: new Date(), test_kit: null, is_draft: false },
            ...{ created_at: new Date(), created_by: null },
          })
          .execute()
        await tx
          .insertInto('compliance_attachment')
          .values({
            ...{ tenant_id: tenant, id: attachmentId, record_id: recordId, file_id: certificate.fileId },
            name: `${secret}.pdf`,
          })
          .execute()
      })
      await test.context.files.put(keyOf(tenant, certificate.fileId), new Blob([secret]))
      return { propertyId: property, applianceId, recordId, attachmentId }
    },
    /** A valid water treatment record of the boiler. */
    newRecord: () =>
      write(furnishing, (tx) =>
        addRecord(
          tx,
          {
            ...{ deviceId: boiler, type: 'WaterTreatment', serialNumber: `${secret} ${nextNumber()}` },
            ...{ recordedAt: new Date(), status: 'Pass', testKit: 'Adey MC1+ Quick Test', isDraft: false },
            createdBy: randomUUID(),
          },
          new Date(),
        ),
      ),
    /** A compliance record of the boiler that waits for its certificate. */
    newRecordDraft: () =>
      write(furnishing, (tx) =>
        addRecord(
          tx,
          {
            ...{
              deviceId: boiler,
              type: 'GasSafety',
              serialNumber: `${secret} ${nextNumber()}`,
              recordedAt: new Date(),
            },
            ...{ status: 'Pass', testKit: null, isDraft: true, createdBy: randomUUID() },
          },
          new Date(),
        ),
      ),
    /** A record with its certificate, whose file is in the store. */
    certificate: async () => {
      const { fileId, ...ids } = certificate
      await test.context.files.put(keyOf(tenant, fileId), new Blob([secret]))
      return ids
    },
  }
}
