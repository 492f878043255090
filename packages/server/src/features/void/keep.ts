import { sql } from 'kysely'
import { fitFor, heldEffects } from '@caretaker/rules/properties/void.ts'
import { doDue } from '../../postgres/due.ts'
import type { Db } from '../../postgres/pool.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { updateEffects } from './effects.ts'
import { fireDue, firedAtOnce, updateFirings } from './firings.ts'
import { holdVoidDevices, lackingDevices } from './home.ts'

/**
 * How often void properties are checked, in ms: devices are added or reconnect. Slightly less than the one-minute
 * interval of the job, so that no run finds it not quite due.
 */
const lookEvery = 50_000
/** Devices that one transaction brings in line. */
const atOnce = 200

/**
 * Maintains void properties: fires their boilers, and sends commands to new and reconnected devices. Returns how
 * many.
 */
export async function keepVoid(db: Db, now = new Date()): Promise<number> {
  return doDue(db, {
    work: 'void mode',
    now,
    run: async (tenant) => {
      let done = 0
      for (let fired = firedAtOnce; fired === firedAtOnce; done += fired)
        fired = await inTenant(db, tenant, (tx) => fireDue(tx, now))
      const left = await inTenant(db, tenant, (tx) => outOfLine(tx))
      for (let from = 0; from < left.length; from += atOnce)
        done += await inTenant(db, tenant, async (tx) => {
          const devices = await holdVoidDevices(tx, left.slice(from, from + atOnce))
          await updateFirings(tx, devices, now)
          return updateEffects(tx, devices, { askedBy: null, now })
        })
      return done
    },
    next: (tx) => nextLook(tx, now),
  })
}

/**
 * Devices that are out of line: those of void properties without an effect or firing, those that left a void
 * property, and those that reconnected without having received their command.
 */
async function outOfLine(tx: TenantTx): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select effect.device_id as id from void_effect as effect
    join device on device.tenant_id = ${tx.tenant} and device.id = effect.device_id
    left join property on property.tenant_id = ${tx.tenant} and property.id = device.property_id
    left join command on command.tenant_id = ${tx.tenant} and command.id = effect.command_id
    where effect.tenant_id = ${tx.tenant} and (
      effect.is_held and (property.void_flag is distinct from 'Void' or effect.property_id <> property.id)
      or command.status = 'expired' and command.late_answer is null and command.taken_back_at is null
        and device.connection_at > command.expires_at)`.execute(tx)
  // A surveyor cube or the controller of a heat pump never has an effect: it gets no commands.
  const lacking = (await lackingDevices(tx)).filter(
    ({ device, holds, isPlanned }) =>
      (!holds && heldEffects.some((effect) => fitFor(effect, device).applies)) ||
      (!isPlanned && fitFor('firing', device).applies),
  )
  return [...new Set([...rows.map(({ id }) => id), ...lacking.map(({ device }) => device.deviceId)])].sort()
}

/** While there are effects or void properties there is always something to check. */
async function nextLook(tx: TenantTx, now: Date): Promise<Date | null> {
  const { rows } = await sql<{ keeps: boolean; fires: Date | null }>`
    select exists (select from property where tenant_id = ${tx.tenant} and void_flag = 'Void')
      or exists (select from void_effect as effect
        left join command on command.tenant_id = ${tx.tenant} and command.id = effect.command_id
        where effect.tenant_id = ${tx.tenant}
          and (effect.is_held or command.status in ('queued', 'sent', 'expired'))) as keeps,
      (select min(due_at) from void_firing where tenant_id = ${tx.tenant} and state = 'due') as fires`.execute(tx)
  const { keeps, fires } = rows[0]!
  if (!keeps && !fires) return null
  return new Date(Math.min(+now + lookEvery, fires ? +fires : Infinity))
}
