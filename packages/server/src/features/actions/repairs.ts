import type { FastifyInstance } from 'fastify'
import { recordDeviceRepair } from '@caretaker/contract/conditions.ts'
import { boilerRepairForm, emeredRepairForm } from '@caretaker/contract/maintenance.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import type { Received } from '@caretaker/contract/route.ts'
import { rightTo, unfitFor } from '@caretaker/rules/actions/operations.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { areaOf } from '@caretaker/rules/devices/products.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { LightParts } from '@caretaker/rules/maintenance/forms.ts'
import { formTexts, isCompleted, lightParts } from '@caretaker/rules/maintenance/forms.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { ReplacedPart } from '@caretaker/rules/maintenance/repairs.ts'
import { faultSince, repairedAt, repairTexts, repairTimeFault } from '@caretaker/rules/maintenance/repairs.ts'
import { serveTenant } from '../../http/serve.ts'
import type { Person } from '../../identity/person.ts'
import { zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { replaceCommand } from '../commands/order.ts'
import type { HeldDevice } from '../devices/held.ts'
import { openConditions } from '../conditions/store.ts'
import { plannedStart, planTestOf } from '../lighting/single.ts'
import { addRepairForm, findRequested } from '../maintenance/store.ts'
import { change, holdInService, invalid, noted } from './conditions.ts'

/**
 * Records repairs from the repair form for lights, or from the general form with person and date. Both are kept as
 * forms.
 */
export function repairRoutes(app: FastifyInstance): void {
  serveTenant(app, recordDeviceRepair, async ({ body, ...caller }) => {
    const { tx, actor, person } = caller
    const device = await holdInService(tx, actor, body.deviceId)
    const known = body.requestId && (await findRequested(tx, body.requestId))
    if (known) {
      if (known.deviceId !== device.deviceId) throw invalid('requestId', 'belongs to another repair')
      // The request was sent again because its answer was lost.
      const planned = await plannedStart(tx, device.deviceId)
      return success({ status: device.status, repairId: known.repairId, testStartsAt: planned?.toISOString() ?? null })
    }
    const { part, parts: replaced, repairedBy, repairedOn, repairedTime, note = '', provingTest } = body
    if (isLight(device) ? !replaced.length && part === 'equipment' && !note : replaced.length)
      throw isLight(device) ? invalid('note', repairTexts.empty) : invalid('parts', 'are for emergency lights only')
    const names = replaced.map((one) => one.part)
    if (new Set(names).size < names.length) throw invalid('parts', 'must not contain duplicates')
    const [zone, now] = [await zoneOf(tx), Date.now()]
    const open = (await openConditions(tx, [device.deviceId])).get(device.deviceId) ?? []
    const fault = repairTimeFault({ repairedOn, repairedTime }, faultSince(open), { now, zone })
    if (fault) throw invalid('repairedOn', fault)
    const batteryFittedOn = names.includes('battery') ? body.batteryFittedOn : undefined
    if (batteryFittedOn && batteryFittedOn > dayAt(now, zone)) throw invalid('batteryFittedOn', repairTexts.future)
    const { id, status } = await repair(tx, person, device, {
      ...{ part, replaced, description: note, repairedBy, repairedOn, repairedTime, batteryFittedOn },
      requestId: body.requestId,
      parts: { ...nothing, ...Object.fromEntries(names.map((name) => [name, true])) },
    })
    const startsAt = provingTest ? await prove(caller, device, body, { zone, now }) : undefined
    return success({ status, repairId: id, testStartsAt: startsAt?.toISOString() ?? null })
  })

  serveTenant(app, boilerRepairForm, async ({ form: { deviceId, description }, ...caller }) => {
    const device = await holdInService(caller.tx, caller.actor, deviceId)
    if (isLight(device)) throw refuse('refused', 'Use the repair form for emergency lights.')
    expectCompleted({ description })
    const { id } = await repairNow(caller, device, nothing, description)
    return success({ id, flickTestQueued: false }, formTexts.submitted)
  })

  serveTenant(app, emeredRepairForm, async ({ form, ...caller }) => {
    const { deviceId, battery, inverter, lamp, description } = form
    const device = await holdInService(caller.tx, caller.actor, deviceId)
    if (!isLight(device)) throw refuse('refused', 'The device is not an emergency light.')
    const parts = { battery, inverter, lamp }
    expectCompleted({ ...parts, description })
    const { id } = await repairNow(caller, device, parts, description)
    const flickTestQueued = await queueFlickTest(caller, device)
    return success({ id, flickTestQueued }, flickTestQueued ? formTexts.repaired : formTexts.submitted)
  })
}

type RepairBody = Received<typeof recordDeviceRepair>['body']

/** Plans the test that will prove a repair: a function test now, or a 3-hour test; returns when that begins. */
async function prove(
  caller: Caller,
  device: HeldDevice,
  { provingTest, isDayConfirmed, parts, repairedOn, repairedTime, batteryFittedOn }: RepairBody,
  { zone, now }: { zone: string; now: number },
): Promise<Date | undefined> {
  const { tx, actor, person } = caller
  if (!isLight(device)) throw refuse('refused', 'The device is not an emergency light.')
  const unfit = unfitFor('flick test', device, actor)
  if (unfit) throw refuse('refused', unfit)
  if (!can(actor, rightTo['flick test'], device)) throw refuse('forbidden')
  if (provingTest === 'function') {
    await replaceCommand(tx, person, 'flick test', device)
    return undefined
  }
  const isNew = parts.some(({ part }) => part === 'battery')
  const battery = isNew
    ? { repairedAt: repairedAt({ repairedOn, repairedTime }, { now, zone }), fittedOn: batteryFittedOn }
    : undefined
  const wanted = { testType: 'T180', startsAt: provingTest, isDayConfirmed, battery } as const
  return (await planTestOf(tx, person, device, wanted)).startsAt
}

interface Caller {
  tx: TenantTx
  actor: Actor
  person: Person
}

const nothing: LightParts = { battery: false, inverter: false, lamp: false }
const isLight = ({ product }: HeldDevice) => areaOf(product) === 'lighting'

function expectCompleted(form: Record<string, unknown>): void {
  if (isCompleted(form)) return
  const message = formTexts.empty
  throw refuse('invalid', message, [{ field: 'description', message }])
}

interface Repair {
  part: 'equipment' | 'device'
  parts: LightParts
  description: string
  repairedBy: string
  repairedOn: Day
  repairedTime?: string | undefined
  batteryFittedOn?: Day | undefined
  replaced?: readonly ReplacedPart[]
  requestId?: string | undefined
}

/** A repair made today by the user who fills in the form. */
async function repairNow({ tx, person }: Caller, device: HeldDevice, parts: LightParts, description: string) {
  const repairedOn = dayAt(Date.now(), await zoneOf(tx))
  return repair(tx, person, device, { part: 'equipment', parts, description, repairedBy: person.name, repairedOn })
}

/**
 * Stores a repair once, as a form, and ends the conditions it fixes: the device counts as repaired until a test has
 * passed (`rules/conditions`). Returns the form's id and the resulting status of the device.
 */
async function repair(
  tx: TenantTx,
  person: Person,
  device: HeldDevice,
  { part, parts, description, repairedBy, repairedOn, repairedTime, batteryFittedOn, replaced, requestId }: Repair,
): Promise<{ id: string; status: DeviceStatus }> {
  const now = Date.now()
  const at = Math.min(now, repairedAt({ repairedOn, repairedTime }, { now, zone: await zoneOf(tx) }))
  const id = await addRepairForm(tx, {
    ...{ deviceId: device.deviceId, at: new Date(now), part, parts, description, repairedBy, repairedOn },
    ...{ repairedTime, batteryFittedOn, replaced, requestId },
    person: { id: person.id, name: person.name },
  })
  const repaired = lightParts.filter((name) => parts[name])
  const status = await change(
    tx,
    person,
    device,
    'device repair recorded',
    { what: 'repair', at, part },
    {
      ...noted(description),
      ...(repaired.length && { repaired }),
      repairedBy,
      repairedOn,
    },
  )
  return { id, status }
}

/**
 * Queues a flick test, so that a repaired light shows at once that it works, unless it cannot be tested or the user may
 * not test it.
 */
async function queueFlickTest({ tx, actor, person }: Caller, device: HeldDevice): Promise<boolean> {
  if (unfitFor('flick test', device, actor) || !can(actor, rightTo['flick test'], device)) return false
  // A command queued before the repair would expire too early.
  await replaceCommand(tx, person, 'flick test', device)
  return true
}
