import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { StandardLuminaire } from '@caretaker/contract/equipment.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { isLimited } from '@caretaker/rules/identity/actor.ts'
import type { Luminaire } from '@caretaker/rules/lighting/luminaire.ts'
import { changed } from '../../changes/changed.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { naturally } from '../../postgres/natural-order.ts'

const columns = [
  'id',
  'name',
  'lamp_type as lampType',
  'inverter_type as inverterType',
  'battery_type as batteryType',
  'battery_voltage as batteryVoltage',
  'battery_capacity as batteryCapacity',
] as const

/** The tenant's standard luminaires by name, each with the number of matching lights that the actor sees. */
export async function listStandardLuminaires(tx: TenantTx, actor: Actor): Promise<StandardLuminaire[]> {
  const rows = await tx
    .selectFrom('standard_luminaire')
    .select(columns)
    .where('tenant_id', '=', tx.tenant)
    .orderBy(naturally(sql`name`))
    .execute()
  const lights = await countLights(tx, actor)
  return rows.map((row) => ({ luminaireId: row.id, ...row, lights: lights.get(row.id) ?? 0 }))
}

/** A light has a standard luminaire when all six fields are equal; editing one of them ends that. */
async function countLights(tx: TenantTx, actor: Actor): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom('standard_luminaire as standard')
    .innerJoin('emergency_equipment as light', (join) =>
      join
        .on('light.tenant_id', '=', tx.tenant)
        .onRef('light.name', '=', 'standard.name')
        .onRef('light.lamp_type', '=', 'standard.lamp_type')
        .onRef('light.inverter_type', '=', 'standard.inverter_type')
        .onRef('light.battery_type', '=', 'standard.battery_type')
        .onRef('light.battery_voltage', '=', 'standard.battery_voltage')
        .onRef('light.battery_capacity', '=', 'standard.battery_capacity'),
    )
    .$if(isLimited(actor), (limited) =>
      limited.innerJoin('device', (join) =>
        join
          .on('device.tenant_id', '=', tx.tenant)
          .onRef('device.id', '=', 'light.device_id')
          .on('device.access_rights_tag_id', 'in', [...actor.tags]),
      ),
    )
    .where('standard.tenant_id', '=', tx.tenant)
    .groupBy('standard.id')
    .select(['standard.id', (eb) => eb.fn.countAll<number>().as('lights')])
    .execute()
  return new Map(rows.map(({ id, lights }) => [id, Number(lights)]))
}

/** Undefined if the name exists, ignoring case. */
export async function insertStandardLuminaire(
  tx: TenantTx,
  { name, lampType, inverterType, batteryType, batteryVoltage, batteryCapacity }: Luminaire,
): Promise<string | undefined> {
  const made = await tx
    .insertInto('standard_luminaire')
    .values({
      ...{ tenant_id: tx.tenant, id: randomUUID(), name, lamp_type: lampType, inverter_type: inverterType },
      ...{ battery_type: batteryType, battery_voltage: batteryVoltage, battery_capacity: batteryCapacity },
      created_at: new Date(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  await changed(tx, 'standard luminaire', made ? [made.id] : [])
  return made?.id
}

/** Returns the deleted luminaire; undefined if it did not exist. */
export async function deleteStandardLuminaireOf(tx: TenantTx, id: string) {
  const gone = await tx
    .deleteFrom('standard_luminaire')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirst()
  await changed(tx, 'standard luminaire', gone ? [gone.id] : [])
  return gone
}
