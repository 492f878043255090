import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { LoadDevice } from './load-order.ts'

interface Estate {
  tenants: readonly string[]
  /** Devices that connect, spread over the tenants. */
  devices: number
  /** The number of alert rules per tenant; each rule covers all of the tenant's devices. */
  rules: number
}

/** The number of devices connected through each device: every eighth is a gateway. */
const childrenOf = (n: number) => (n % 8 === 0 ? 2 : 0)
/** The triggers that the rules of a tenant use in turn. */
const triggers = [
  ['DEVICESTATUS', 'FailedEquipment'],
  ['CONNECTIONSTATUS', 'NotConnected'],
  ['ALERTABLEEVENT', 'boilerLockout'],
] as const
/** Delay of the rules in hours, so that alerts open and close but no e-mail is sent during the measurement. */
const delay = 24

/** Adds tagged boilers to several tenants, some of them gateways for others, and rules for the tags. */
export async function addDevices(owner: pg.Pool, { tenants, devices, rules }: Estate): Promise<LoadDevice[]> {
  const connecting = Array.from({ length: devices }, (_, n) => ({
    deviceId: randomUUID() as string,
    tenant: tenants[n % tenants.length]!,
    key: randomBytes(16).toString('hex'),
    children: Array.from({ length: childrenOf(n) }, () => randomUUID() as string),
  }))
  const all = connecting.flatMap(({ deviceId, tenant, key, children }) => [
    { id: deviceId, tenant, parent: null, hash: createHash('sha256').update(key).digest() },
    ...children.map((id) => ({ id, tenant, parent: deviceId, hash: null })),
  ])
  await owner.query('insert into tenant (id, display_name) select id, id from unnest($1::text[]) id', [tenants])
  const [tenantIds, ids] = [all.map(({ tenant }) => tenant), all.map(({ id }) => id)]
  // One statement for each tenant table, with the tenant in each row, because the database may be distributed, now or
  // later.
  await owner.query(
    `insert into device (tenant_id, id, serial, product, name, listing, status, severity, parent_id, reporting_interval)
     select tenant, id, 'BX' || id, 'BX', 'Boiler', 'Boilers', 'Ok', 2, parent, 60
     from unnest($1::text[], $2::uuid[], $3::uuid[]) as one (tenant, id, parent)`,
    [tenantIds, ids, all.map(({ parent }) => parent)],
  )
  await owner.query(
    `insert into device_route (device_id, tenant_id, parent_id, key_hash, reporting_interval)
     select id, tenant, parent, hash, 60 from unnest($1::text[], $2::uuid[], $3::uuid[], $4::bytea[]) as one (tenant, id, parent, hash)`,
    [tenantIds, ids, all.map(({ parent }) => parent), all.map(({ hash }) => hash)],
  )
  if (rules) await addRules(owner, { tenants, rules, tenantIds, ids })
  await owner.query('vacuum analyze device, device_route, device_tag, alert_definition')
  return connecting.map(({ deviceId, key, children }) => ({ deviceId, key, children }))
}

async function addRules(
  owner: pg.Pool,
  { tenants, rules, tenantIds, ids }: { tenants: readonly string[]; rules: number; tenantIds: string[]; ids: string[] },
): Promise<void> {
  const tags = tenants.map(() => randomUUID() as string)
  await owner.query(
    `insert into tag (tenant_id, id, name) select tenant, id, 'Watched' from unnest($1::text[], $2::uuid[]) as one (tenant, id)`,
    [tenants, tags],
  )
  const tagOf = new Map(tenants.map((tenant, at) => [tenant, tags[at]!]))
  await owner.query(
    `insert into device_tag (tenant_id, device_id, tag_id)
     select tenant, device, tag from unnest($1::text[], $2::uuid[], $3::uuid[]) as one (tenant, device, tag)`,
    [tenantIds, ids, tenantIds.map((tenant) => tagOf.get(tenant)!)],
  )
  const definitions = tenants.flatMap((tenant) =>
    Array.from({ length: rules }, (_, n) => ({ tenant, n, trigger: triggers[n % triggers.length]! })),
  )
  await owner.query(
    `insert into alert_definition (tenant_id, id, tag_id, delay, delay_unit, notification_type, notification_target, trigger_type,
       trigger_condition)
     select tenant, gen_random_uuid(), tag, delay, 'hours', 'EMAIL', 'crew@' || tenant || '.test', trigger, condition
     from unnest($1::text[], $2::uuid[], $3::int[], $4::text[], $5::text[]) as one (tenant, tag, delay, trigger, condition)`,
    [
      definitions.map(({ tenant }) => tenant),
      definitions.map(({ tenant }) => tagOf.get(tenant)!),
      // Rules with the same tag, trigger and condition need different delays.
      definitions.map(({ n }) => delay + n),
      definitions.map(({ trigger: [type] }) => type),
      definitions.map(({ trigger: [, condition] }) => condition),
    ],
  )
}
