import type { FastifyInstance } from 'fastify'
import {
  addBoilerGasSafetyRecord,
  addBoilerRecordAttachment,
  addBoilerWaterTreatmentRecord,
  getBoilerRecordAttachment,
  getBoilerRecords,
  getComplianceFigures,
  takeBackBoilerRecord,
  withdrawBoilerRecord,
} from '@caretaker/contract/compliance.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import type { Route } from '@caretaker/contract/route.ts'
import { recordTypesOf } from '@caretaker/rules/boilers/compliance.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { certificateTypes, longestCertificate, recordTypeWords } from '@caretaker/rules/compliance/records.ts'
import { monitoringIn } from '@caretaker/rules/devices/monitoring.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { audit } from '../../audit/audit.ts'
import { changed } from '../../changes/changed.ts'
import { keepFile, sendFile, stageFile } from '../../files/files.ts'
import { contentFault } from '../../files/whole.ts'
import type { TenantCall } from '../../http/serve.ts'
import { serveTenant, serveTenantInSteps } from '../../http/serve.ts'
import type { Person } from '../../identity/person.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { zoneOf } from '../../lists/read.ts'
import { forgetCopiedGasCheck } from '../../properties/checks.ts'
import { withVersion } from '../../edit-version.ts'
import { deviceSubject, holdDevice } from '../devices/held.ts'
import { findDevice } from '../devices/store.ts'
import { dueRulesOf } from './figures.ts'
import { holdHomeOf } from './homes.ts'
import { recomputeCompliance } from './compliance-states.ts'
import type { HeldRecord, NewRecord } from './store.ts'
import { expectDay, inWords, otherUseText } from './words.ts'
import {
  addRecord,
  attach,
  dropDraft,
  expectUnattached,
  findAttachment,
  holdRecord,
  otherUseOf,
  recordsOf,
  withdraw,
} from './store.ts'

const rightToAdd = 'add boiler record'

export function complianceRoutes(app: FastifyInstance): void {
  serveTenant(app, getBoilerRecords, async ({ tx, actor, body }) => {
    const device = await findDevice(tx, actor, body.deviceId)
    return success(await recordsOf(tx, actor, { deviceId: device.id }))
  })

  serveTenant(app, getComplianceFigures, async ({ tx }) => success(withVersion((await dueRulesOf(tx)).figures)))

  serveTenant(app, addBoilerGasSafetyRecord, async ({ tx, actor, person, body }) => {
    const added = { type: 'GasSafety', testKit: null, isDraft: true } as const
    return success({ recordId: await add({ tx, actor, person }, { ...asRecord(body), ...added }) })
  })

  serveTenant(app, addBoilerWaterTreatmentRecord, async ({ tx, actor, person, body }) => {
    const added = { type: 'WaterTreatment', testKit: body.testKitUsed, isDraft: body.awaitsAttachment } as const
    return success({ recordId: await add({ tx, actor, person }, { ...asRecord(body), ...added }) })
  })

  serveTenantInSteps(app, addBoilerRecordAttachment, async ({ context, tenant, form, inTx }) => {
    const unattached = async ({ tx, actor }: Pick<TenantCall<Route>, 'tx' | 'actor'>) => {
      const seen = await findDevice(tx, actor, form.deviceId)
      const record = await holdRecord(tx, { deviceId: seen.id }, form.recordId)
      if (!can(actor, rightToAdd, seen)) throw refuse('forbidden')
      await expectUnattached(tx, record.id)
      return record
    }
    await inTx(unattached)
    const wanted = { allowed: certificateTypes, maxBytes: longestCertificate, fault: contentFault }
    const staged = await stageFile(context, tenant, form.file, { referrer: 'compliance_attachment', ...wanted })
    return inTx(async (call) => {
      const { tx, actor, person } = call
      const record = await unattached(call)
      const file = await keepFile(tx, person, staged)
      await holdHomeOf(tx, form.deviceId)
      const device = await holdDevice(tx, actor, form.deviceId)
      const attached = await attach(tx, record, file)
      const after = record.isDraft ? { ...inWords(record), certificate: file.name } : { certificate: file.name }
      const action = record.isDraft ? 'compliance record added' : 'compliance certificate added'
      await audit(tx, { person, action, subject: deviceSubject(device), after })
      await recomputeCompliance(tx, [form.deviceId], new Date())
      return success(attached)
    })
  })

  serveTenant(app, takeBackBoilerRecord, async ({ tx, actor, body }) => {
    const device = await findDevice(tx, actor, body.deviceId)
    const record = await holdRecord(tx, { deviceId: device.id }, body.recordId)
    if (!can(actor, rightToAdd, device)) throw refuse('forbidden')
    if (!record.isDraft) return success({ isDeleted: false })
    await dropDraft(tx, record.id)
    await changed(tx, 'device records', [device.id])
    return success({ isDeleted: true })
  })

  serveTenant(app, withdrawBoilerRecord, async ({ tx, actor, person, body }) => {
    await holdHomeOf(tx, body.deviceId)
    const device = await holdDevice(tx, actor, body.deviceId)
    if (!can(actor, rightToAdd, device)) throw refuse('forbidden')
    const record = await holdRecord(tx, { deviceId: body.deviceId }, body.recordId)
    if (record.isDraft) throw refuse('not found')
    if (record.isWithdrawn) throw refuse('conflict', 'This record is already withdrawn.')
    const now = new Date()
    await withdraw(tx, record.id, { reason: body.reason, by: person, at: now })
    await forgetStated(tx, body.deviceId, record)
    const after = { ...inWords(record), reason: body.reason }
    await audit(tx, { person, action: 'compliance record withdrawn', subject: deviceSubject(device), after })
    await recomputeCompliance(tx, [body.deviceId], now)
    return success({ isWithdrawn: true })
  })

  serveTenant(app, getBoilerRecordAttachment, async ({ tx, actor, query, context }) => {
    const device = await findDevice(tx, actor, query.deviceId)
    const { fileId, name } = await findAttachment(tx, {
      recordId: query.recordId,
      attachmentId: query.attachmentId,
      deviceId: device.id,
    })
    return sendFile({ tx, context }, fileId, { name })
  })
}

interface Adding {
  tx: TenantTx
  actor: Actor
  person: Person
}

const asRecord = (body: {
  deviceId: string
  recordSerialNumber: string
  recordTimestamp: Date
  recordStatus: NewRecord['status']
  coversOtherHome: boolean
}) => ({
  coversOtherHome: body.coversOtherHome,
  deviceId: body.deviceId,
  serialNumber: body.recordSerialNumber,
  recordedAt: body.recordTimestamp,
  status: body.recordStatus,
})

type Adds = Omit<NewRecord, 'createdBy' | 'sharedWith' | 'deviceId' | 'applianceId'> & {
  deviceId: string
  coversOtherHome: boolean
}

/** Adds a record as far as possible without its certificate, and returns its id. */
async function add({ tx, actor, person }: Adding, record: Adds): Promise<string> {
  await holdHomeOf(tx, record.deviceId)
  const device = await holdDevice(tx, actor, record.deviceId)
  if (!can(actor, rightToAdd, device)) throw refuse('forbidden')
  if (!(await recordTypesOfDevice(tx, record.deviceId)).includes(record.type))
    throw refuse('refused', `There are no ${recordTypeWords[record.type].toLowerCase()} records of this device.`)
  const now = new Date()
  await expectDay(tx, record.recordedAt, now)
  const { coversOtherHome, ...added } = record
  const other = await otherUseOf(tx, actor, record)
  if (other && !coversOtherHome) throw refuse('conflict', otherUseText(record.serialNumber, other, actor))
  const id = await addRecord(tx, { ...added, sharedWith: other?.recordId ?? null, createdBy: person.id }, now)
  if (record.isDraft) {
    await changed(tx, 'device records', [record.deviceId])
    return id
  }
  const subject = deviceSubject(device)
  await audit(tx, { person, action: 'compliance record added', subject, after: inWords(record) })
  await recomputeCompliance(tx, [record.deviceId], now)
  return id
}

/**
 * A date that earlier versions copied from a record to its property was not stated by a user: it is removed with the
 * record.
 */
async function forgetStated(tx: TenantTx, deviceId: string, { type, recordedAt }: HeldRecord): Promise<void> {
  // For water treatment nothing shows whether a user entered the date, so it stays.
  if (type !== 'GasSafety') return
  const day = dayAt(+recordedAt, await zoneOf(tx))
  await forgetCopiedGasCheck(tx, deviceId, day)
}

async function recordTypesOfDevice(tx: TenantTx, deviceId: string) {
  const { product, monitoring } = await tx
    .selectFrom('device')
    .select(['product', 'monitoring'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', deviceId)
    .executeTakeFirstOrThrow()
  return recordTypesOf({ product, monitoring: monitoringIn(monitoring) })
}
