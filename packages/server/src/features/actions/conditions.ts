import type { FastifyInstance } from 'fastify'
import { endDeviceCondition, setDeviceCondition, updateInterimMeasure } from '@caretaker/contract/conditions.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import type { AuditAction, Changed } from '@caretaker/rules/audit/audit.ts'
import { dayAt, endOfDay } from '@caretaker/rules/calendar/days.ts'
import type { Occurrence } from '@caretaker/rules/conditions/conditions.ts'
import { missingDetails, missingDetailTexts, settableKindsOf } from '@caretaker/rules/conditions/settable.ts'
import { isByPerson, isDefect, isOpen, mayEndBy } from '@caretaker/rules/conditions/conditions.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import { isInService } from '@caretaker/rules/devices/status.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { audit } from '../../audit/audit.ts'
import { serveTenant } from '../../http/serve.ts'
import type { Person } from '../../identity/person.ts'
import { zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type { HeldDevice } from '../devices/held.ts'
import { deviceSubject, holdDevice } from '../devices/held.ts'
import type { StoredCondition } from '../conditions/store.ts'
import {
  findCondition,
  happened,
  openConditions,
  setInterimMeasure,
  recomputeTestConditions,
} from '../conditions/store.ts'

/** Conditions and measures that users enter on one device. */
export function conditionRoutes(app: FastifyInstance): void {
  serveTenant(app, setDeviceCondition, async ({ tx, actor, person, body }) => {
    const device = await holdInService(tx, actor, body.deviceId)
    if (!settableKindsOf(device.product).includes(body.condition))
      throw invalid('condition', 'does not apply to this kind of device')
    const missing = missingDetails(body.condition, device.product, body)
    if (missing.length)
      throw refuse(
        'invalid',
        missing.map((field) => `${missingDetailTexts[field]}.`).join(' '),
        missing.map((field) => ({ field, message: missingDetailTexts[field] })),
      )
    const open = (await openConditions(tx, [device.deviceId])).get(device.deviceId) ?? []
    if (open.some(({ kind }) => kind === body.condition)) throw refuse('conflict', 'This condition is already set.')
    const now = Date.now()
    const zone = await zoneOf(tx)
    if (body.until !== undefined && body.until < dayAt(now, zone)) throw invalid('until', 'must not be in the past')
    const until = body.until === undefined ? {} : { until: { day: body.until, at: endOfDay(body.until, zone) } }
    const set = { what: 'set', at: now, kind: body.condition } as const
    const status = await change(tx, person, device, 'device condition set', set, { ...noted(body.note), ...until })
    if (body.interimMeasure) {
      const now = (await openConditions(tx, [device.deviceId])).get(device.deviceId) ?? []
      const begun = now.find(({ kind }) => kind === body.condition)!
      await writeMeasure(tx, person, device, begun, body.interimMeasure)
    }
    return success({ status })
  })

  serveTenant(app, endDeviceCondition, async ({ tx, actor, person, body }) => {
    const device = await holdInService(tx, actor, body.deviceId)
    const open = (await openConditions(tx, [device.deviceId])).get(device.deviceId) ?? []
    const found = open.find(({ id }) => id === body.conditionId)
    if (!found) throw refuse('not found')
    const { kind } = found
    if (!isByPerson(kind) || !mayEndBy(found, 'ended by a person'))
      throw refuse('refused', 'This condition cannot be ended manually.')
    const ended = { what: 'ended', at: Date.now(), kind, cause: 'ended by a person' } as const
    return success({ status: await change(tx, person, device, 'device condition ended', ended, noted(body.note)) })
  })

  serveTenant(app, updateInterimMeasure, async ({ tx, actor, person, body }) => {
    const device = await holdInService(tx, actor, body.deviceId)
    const condition = await findCondition(tx, device.deviceId, body.conditionId)
    if (!condition) throw refuse('not found')
    if (!isOpen(condition)) throw refuse('refused', 'This condition has already ended.')
    if (!isDefect(condition.kind)) throw refuse('refused', 'This condition has no interim measure.')
    await writeMeasure(tx, person, device, condition, body.interimMeasure)
    return success({ conditionId: condition.id })
  })
}

/** Stores an interim measure until the defect ends; an empty text removes it. */
async function writeMeasure(
  tx: TenantTx,
  person: Person,
  device: HeldDevice,
  condition: StoredCondition,
  text: string,
): Promise<void> {
  const measure = text ? { text, by: person.name, at: new Date().toISOString() } : null
  await setInterimMeasure(tx, condition, measure)
  await audit(tx, {
    ...{ person, action: 'interim measure changed', subject: deviceSubject(device) },
    before: { interimMeasure: condition.interimMeasure?.text ?? null },
    after: { interimMeasure: text || null, condition: condition.kind },
  })
}

export const noted = (note: string | undefined) => (note ? { note } : {})
export const invalid = (field: string, message: string) => refuse('invalid', undefined, [{ field, message }])

/** Locks a device on which the actor may set conditions; refuses one that is not in service. */
export async function holdInService(tx: TenantTx, actor: Actor, deviceId: string): Promise<HeldDevice> {
  const device = await holdDevice(tx, actor, deviceId)
  if (!can(actor, 'set condition', device)) throw refuse('forbidden')
  if (!isInService(device.status)) throw refuse('refused', 'The device is not in service.')
  return device
}

/** As recorded: with the last day instead of the instant at which it ends. */
const inWords = ({ until, ...details }: Changed & NonNullable<Occurrence['evidence']>): Changed => ({
  ...details,
  ...(until && { until: until.day }),
})

/** Stores a user's entry with person and reason; returns the resulting status of the device. */
export async function change(
  tx: TenantTx,
  { id, name }: Pick<Person, 'id' | 'name'>,
  device: HeldDevice,
  action: AuditAction,
  occurrence: Occurrence,
  details: Changed & NonNullable<Occurrence['evidence']>,
): Promise<DeviceStatus> {
  const evidence = { ...details, by: { id, name } }
  const { deviceId } = device
  await happened(tx, [{ deviceId, occurrence: { ...occurrence, evidence } }])
  // A backdated repair applies to the tests of that time.
  if (occurrence.what === 'repair') await recomputeTestConditions(tx, [deviceId])
  const { status } = (await tx
    .selectFrom('device')
    .select('status')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', deviceId)
    .executeTakeFirst()) as { status: DeviceStatus }
  await audit(tx, {
    person: { id, name },
    action,
    subject: deviceSubject(device),
    before: { status: device.status },
    after: { status, ...('kind' in occurrence && { condition: occurrence.kind }), ...inWords(details) },
  })
  return status
}
