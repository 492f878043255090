import { sql } from 'kysely'
import type { HeatingFacts } from '@caretaker/rules/properties/heating.ts'
import { frostBelow, heatingOf } from '@caretaker/rules/properties/heating.ts'
import { deviceStatuses, isInService } from '@caretaker/rules/devices/status.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { setFrost, setHeatingStates } from '../../properties/states.ts'

interface Found extends HeatingFacts {
  id: string
  state: string | null
  since: Date | null
}

/** A device that never had contact reports no more than one that is offline. */
const isSilent = sql`device.connection_status in ('NotConnected', 'neverconnected')`
/** Statuses of devices that are not at work in a property: in stock, in transit, or removed. */
const outOfService = deviceStatuses.filter((status) => !isInService(status))

/** Stores the heating states of properties where they changed. */
export async function refreshHeating(tx: TenantTx): Promise<void> {
  const { rows } = await sql<Found>`
    with heating as (
      select device.property_id,
        -- Nothing says whether the boiler of a broken device heats.
        count(*) filter (where not trouble.is_device_broken)::int as devices,
        count(*) filter (where not trouble.is_device_broken and ${isSilent})::int as silent,
        max(device.connection_at) filter (where ${isSilent}) as "silentSince",
        min(trouble.locked_out) as "lockedOutSince", min(trouble.broken) as "brokenSince"
      from device
      cross join lateral (
        select min(began_at) filter (where kind = 'fault') as locked_out,
          min(began_at) filter (where kind = 'equipmentBroken') as broken,
          coalesce(bool_or(kind = 'deviceBroken'), false) as is_device_broken
        from condition
        where condition.tenant_id = ${tx.tenant} and condition.device_id = device.id and ended_at is null
          and (kind in ('equipmentBroken', 'deviceBroken') or kind = 'fault' and key like 'boiler %')
      ) as trouble
      where device.tenant_id = ${tx.tenant} and device.property_id is not null and device.listing = 'Boilers'
        and device.product in ('BC', 'BX', 'ASHP') and device.monitoring is distinct from 'None' and device.status <> all(${outOfService}::text[])
      group by device.property_id
    )
    select property.id, coalesce(heating.devices, 0) as devices, coalesce(heating.silent, 0) as silent, heating."silentSince",
      heating."lockedOutSince", heating."brokenSince", property.frost_since as "frostSince", property.heating_state as state, property.heating_since as since
    from property left join heating on heating.property_id = property.id
    where property.tenant_id = ${tx.tenant} and property.archived_at is null
      and (heating.property_id is not null or property.heating_state is not null or property.frost_since is not null)`.execute(
    tx,
  )
  const others = rows.flatMap((row) => {
    const now = heatingOf(row)
    const isSame = (now?.state ?? null) === row.state && +(now?.since ?? 0) === +(row.since ?? 0)
    return isSame ? [] : [{ id: row.id, state: now?.state ?? null, since: now?.since?.toISOString() ?? null }]
  })
  await setHeatingStates(tx, others)
}

/** Hours after which a room reading no longer shows its present temperature. */
const readWithin = 3

/** Stores since when a room of each property is near freezing, and then the heating states. */
export async function refreshFrost(tx: TenantTx, now: Date): Promise<void> {
  const differing = sql`
    with cold as (
      select device.property_id as id, bool_or(reading.last_value < ${frostBelow}) as is_cold from series
      join device on device.tenant_id = ${tx.tenant} and device.id = series.device_id and device.property_id is not null
      join lateral (
        select last_value from hourly where hourly.tenant_id = ${tx.tenant} and hourly.series_id = series.id
          and hourly.hour > ${new Date(+now - readWithin * 3_600_000)}
        order by hourly.hour desc limit 1
      ) as reading on true
      where series.tenant_id = ${tx.tenant} and series.metric = 'temperature' group by device.property_id
    )
    -- A property without new readings stays as cold as it was: silence is no news.
    select property.id, cold.is_cold from property join cold on cold.id = property.id
    where property.tenant_id = ${tx.tenant} and (property.frost_since is null) = cold.is_cold`
  if (await setFrost(tx, differing, now)) await refreshHeating(tx)
}
