import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { FaultsOrder } from './alerts-load.ts'

interface Estate {
  tenant: string
  devices: number
  gateways: number
  definitions: number
  /** The number of rules that cover one device. */
  rulesOfDevice: number
  /** The delay of a device's first rule in minutes; each further rule has one minute more. */
  delay: number
}

/**
 * Adds tagged boilers, forty to a building and connected through gateways, and spreads the failure rules over the tags.
 */
export async function furnish(
  owner: pg.Pool,
  { tenant, devices, gateways, definitions, rulesOfDevice, delay }: Estate,
): Promise<FaultsOrder['gateways']> {
  const houses = Math.ceil(devices / 40)
  const tags = Math.max(1, Math.ceil(definitions / rulesOfDevice))
  await owner.query(
    `insert into building (tenant_id, id, name) select $1, gen_random_uuid(), 'House ' || n from generate_series(1, $2::int) n`,
    [tenant, houses],
  )
  await owner.query(
    `insert into tag (tenant_id, id, name) select $1, gen_random_uuid(), 'T' || n from generate_series(1, $2::int) n`,
    [tenant, tags],
  )
  const keys = Array.from({ length: gateways }, () => randomBytes(16).toString('hex'))
  await owner.query(
    `insert into device (tenant_id, id, serial, product, name, listing, status, severity, connection_status, connection_at)
     select $1, gen_random_uuid(), 'MG' || n || $1, 'MG', 'Gateway ' || n, 'NetworkingDevices', 'Ok', 2, 'Connected', now() - interval '1 day'
     from generate_series(1, $2::int) n`,
    [tenant, gateways],
  )
  await owner.query(
    `with house as (select id, name, row_number() over (order by id) as n from building where tenant_id = $1),
       gateway as (select id, row_number() over (order by serial) as n from device where tenant_id = $1)
     insert into device (tenant_id, id, serial, product, name, listing, status, severity, connection_status, connection_at, building_id,
       building_name, parent_id)
     select $1, gen_random_uuid(), 'BX' || d || $1, 'BX', 'Boiler ' || d, 'Boilers', 'Ok', 2, 'Connected', now() - interval '1 day', house.id,
       house.name, gateway.id
     from generate_series(1, $2::int) d join house on house.n = d % $3::int + 1 join gateway on gateway.n = d % $4::int + 1`,
    [tenant, devices, houses, gateways],
  )
  await owner.query(
    `with boiler as (select id, row_number() over (order by serial) as n from device where tenant_id = $1 and parent_id is not null),
       kind as (select id, row_number() over (order by id) as n from tag where tenant_id = $1)
     insert into device_tag (tenant_id, device_id, tag_id)
     select $1, boiler.id, kind.id from boiler join kind on kind.n = boiler.n % $2::int + 1`,
    [tenant, tags],
  )
  await owner.query(
    `with kind as (select id, row_number() over (order by id) as n from tag where tenant_id = $1)
     insert into alert_definition (tenant_id, id, tag_id, delay, delay_unit, notification_type, notification_target, trigger_type,
       trigger_condition)
     select $1, gen_random_uuid(), kind.id, $4::int + d / $3::int, 'mins', 'EMAIL', 'crew@' || $1 || '.test', 'DEVICESTATUS', 'FailedEquipment'
     from generate_series(0, $2::int - 1) d join kind on kind.n = d % $3::int + 1`,
    [tenant, definitions, tags, delay],
  )
  await owner.query(
    `insert into device_route (device_id, tenant_id, parent_id)
     select id, tenant_id, parent_id from device where tenant_id = $1 on conflict do nothing`,
    [tenant],
  )
  const { rows } = await owner.query<{ id: string; children: string[] }>(
    `select parent_id as id, array_agg(id order by md5(serial)) as children from device
     where tenant_id = $1 and parent_id is not null group by 1`,
    [tenant],
  )
  for (const [at, { id }] of rows.entries())
    await owner.query('update device_route set key_hash = $2 where device_id = $1', [
      id,
      createHash('sha256').update(keys[at]!).digest(),
    ])
  await owner.query('vacuum analyze device, device_tag, device_route, alert_definition')
  return rows.map(({ id, children }, at) => ({ deviceId: id, key: keys[at]!, children }))
}
