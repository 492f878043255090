import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import {
  addHomeApplianceRecord,
  getHomeApplianceCertificate,
  getHomeApplianceRecords,
  withdrawHomeApplianceRecord,
} from '@caretaker/contract/property-safety.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Route } from '@caretaker/contract/route.ts'
import { startOfDay } from '@caretaker/rules/calendar/days.ts'
import { certificateTypes, longestCertificate } from '@caretaker/rules/compliance/records.ts'
import { audit } from '../../audit/audit.ts'
import { keepFile, sendFile, stageFile } from '../../files/files.ts'
import { contentFault } from '../../files/whole.ts'
import type { TenantCall } from '../../http/serve.ts'
import { serveTenant, serveTenantInSteps } from '../../http/serve.ts'
import { zoneOf } from '../../lists/read.ts'
import { changed } from '../../changes/changed.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { storeCheckStates } from '../compliance/compliance-states.ts'
import { addRecord, attach, findAttachment, holdRecord, otherUseOf, recordsOf, withdraw } from '../compliance/store.ts'
import { expectDay, inWords, otherUseText } from '../compliance/words.ts'
import { holdProperty } from './save.ts'
import { findProperty } from './store.ts'

/** The gas safety records of appliances without a device. */
export function applianceRecordRoutes(app: FastifyInstance): void {
  serveTenant(app, getHomeApplianceRecords, async ({ tx, actor, params: { propertyId, applianceId } }) => {
    await findProperty(tx, actor, propertyId)
    await expectAppliance(tx, propertyId, applianceId, { orRemoved: true })
    return { records: await recordsOf(tx, actor, { applianceId }) }
  })

  serveTenantInSteps(app, addHomeApplianceRecord, async ({ context, tenant, form, inTx }) => {
    const { propertyId, applianceId, recordSerialNumber: serialNumber, recordDay, recordStatus: status } = form
    /** The record to add. Validates before the file is stored, and once more after. */
    const expected = async (call: Pick<TenantCall<Route>, 'tx' | 'actor' | 'person'>) => {
      const { tx, actor, person } = call
      const home = await holdProperty(call, propertyId)
      await expectAppliance(tx, propertyId, applianceId)
      const recordedAt = new Date(startOfDay(recordDay, await zoneOf(tx)))
      await expectDay(tx, recordedAt, new Date())
      const record = { applianceId, type: 'GasSafety', serialNumber, recordedAt, status } as const
      const other = await otherUseOf(tx, actor, record)
      if (other && form.coversOtherHome !== 'true') throw refuse('conflict', otherUseText(serialNumber, other, actor))
      const rest = { testKit: null, isDraft: true, createdBy: person.id, sharedWith: other?.recordId ?? null } as const
      return { home, record: { ...record, ...rest } }
    }
    await inTx((call) => expected(call))
    const wanted = { allowed: certificateTypes, maxBytes: longestCertificate, fault: contentFault }
    const staged = await stageFile(context, tenant, form.file, { referrer: 'compliance_attachment', ...wanted })
    return inTx(async (call) => {
      const { tx, person } = call
      const { home, record } = await expected(call)
      const now = new Date()
      const recordId = await addRecord(tx, record, now)
      const file = await keepFile(tx, person, staged)
      await attach(tx, await holdRecord(tx, { applianceId }, recordId), file)
      await storeCheckStates(tx, { homes: [home.id] }, now)
      await changed(tx, 'property', [home.id])
      const subject = { type: 'property', id: home.id, name: home.reference } as const
      const after = { ...inWords(record), certificate: file.name }
      await audit(tx, { person, action: 'compliance record added', subject, after })
      return { recordId }
    })
  })

  serveTenant(app, withdrawHomeApplianceRecord, async (caller) => {
    const { tx, person, params, body } = caller
    const { propertyId, applianceId, recordId } = params
    const home = await holdProperty(caller, propertyId)
    await expectAppliance(tx, propertyId, applianceId)
    const record = await holdRecord(tx, { applianceId }, recordId)
    if (record.isDraft) throw refuse('not found')
    if (record.isWithdrawn) throw refuse('conflict', 'This record is already withdrawn.')
    const now = new Date()
    await withdraw(tx, recordId, { reason: body.reason, by: person, at: now })
    await storeCheckStates(tx, { homes: [home.id] }, now)
    await changed(tx, 'property', [home.id])
    const subject = { type: 'property', id: home.id, name: home.reference } as const
    const after = { ...inWords(record), reason: body.reason }
    await audit(tx, { person, action: 'compliance record withdrawn', subject, after })
    return { isWithdrawn: true }
  })

  serveTenant(app, getHomeApplianceCertificate, async ({ tx, actor, query, context }) => {
    const { propertyId, applianceId, recordId, attachmentId } = query
    await findProperty(tx, actor, propertyId)
    await expectAppliance(tx, propertyId, applianceId, { orRemoved: true })
    const { fileId, name } = await findAttachment(tx, { applianceId, recordId, attachmentId })
    return sendFile({ tx, context }, fileId, { name })
  })
}

/** Refuses an appliance that is not in the property; the records of a removed appliance can still be read. */
async function expectAppliance(
  tx: TenantTx,
  propertyId: string,
  applianceId: string,
  { orRemoved = false } = {},
): Promise<void> {
  const { rows } = await sql`
    select from home_appliance where tenant_id = ${tx.tenant} and property_id = ${propertyId} and id = ${applianceId}
      and (removed_at is null or ${orRemoved})`.execute(tx)
  if (rows.length === 0) throw refuse('not found')
}
