import type { SelectQueryBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { hasLevel, isLimited } from '@caretaker/rules/identity/actor.ts'
import { levels } from '@caretaker/rules/identity/roles.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { areaOf, isRestrictedType, productCodes } from '@caretaker/rules/devices/products.ts'
import { listingNames, listings } from '@caretaker/rules/devices/list.ts'
import type { Database } from '../../postgres/database.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/** Rows that the actor may see: a limited user sees only devices with one of the user's tags. */
export function visible<O>(
  query: SelectQueryBuilder<Database, 'device', O>,
  actor: Actor,
): SelectQueryBuilder<Database, 'device', O> {
  return query
    .where('device.tenant_id', '=', actor.tenant)
    .$if(isLimited(actor), (limited) => limited.where('device.access_rights_tag_id', 'in', [...actor.tags]))
}

/** Whether a multi-sensor, joined with its parent, is connected through a BCM in a property that also has a hub. */
export const withHub = (tx: TenantTx) =>
  sql<boolean>`coalesce(device.product = 'MD' and parent.product in ('BX', 'BC') and exists (
    select from device as hub where hub.tenant_id = ${tx.tenant} and hub.property_id = device.property_id
      and hub.product = 'ZH'), false)`.as('with_hub')

const restricted = productCodes.filter(isRestrictedType)

/** Whether the messages of `device` come through a connection. Only devices of restricted types can have one. */
export const comesThroughConnection = (tx: TenantTx) => sql<boolean>`(
  case when device.product = any(${restricted}::text[]) then exists (
    select from sensor where sensor.tenant_id = ${tx.tenant} and sensor.device_id = device.id) else false end)`

/** The same as a column. */
export const isOfConnection = (tx: TenantTx) => comesThroughConnection(tx).as('is_of_connection')

/** Whether `device` is not display-only: of no restricted type, or with a connection. */
export const isUnrestricted = (tx: TenantTx) =>
  sql<boolean>`(device.product <> all(${restricted}::text[]) or ${comesThroughConnection(tx)})`

/** Devices joined with their link, parent, patch and tags. The caller selects the device's own columns. */
export function joined(tx: TenantTx) {
  return tx
    .selectFrom('device')
    .leftJoin('device_link', (join) =>
      join.on('device_link.tenant_id', '=', tx.tenant).onRef('device_link.device_id', '=', 'device.id'),
    )
    .leftJoin('device as parent', (join) =>
      join.on('parent.tenant_id', '=', tx.tenant).onRef('parent.id', '=', 'device.parent_id'),
    )
    .leftJoin('access_rights_tag', (join) =>
      join
        .on('access_rights_tag.tenant_id', '=', tx.tenant)
        .onRef('access_rights_tag.id', '=', 'device.access_rights_tag_id'),
    )
    .where('device.tenant_id', '=', tx.tenant)
    .select([
      'heard_at',
      'parent.product as parent_product',
      'access_rights_tag.display_name as access_rights_name',
      sql<{ id: string; name: string }[]>`coalesce((
        select json_agg(json_build_object('id', tag.id, 'name', tag.name) order by tag.name collate natural_order)
        from device_tag join tag on tag.tenant_id = ${tx.tenant} and tag.id = device_tag.tag_id
        where device_tag.tenant_id = ${tx.tenant} and device_tag.device_id = device.id), '[]')`.as('tags'),
      withHub(tx),
      isOfConnection(tx),
    ])
}

/** Devices that the actor may read, including those of no listing, so that buildings count the same everywhere. */
export const known = (tx: TenantTx, actor: Actor) => ofProducts(tx, actor, productCodes)

/** Devices that the actor may read and that are in some listing; others have no page. */
export const readable = (tx: TenantTx, actor: Actor) =>
  ofProducts(
    tx,
    actor,
    listingNames
      .filter((name) => can(actor, listings[name].may))
      .flatMap((name): readonly Product[] => listings[name].products),
  )

function ofProducts(tx: TenantTx, actor: Actor, some: readonly Product[]) {
  const products = productCodes.filter((code) => some.includes(code) && hasLevel(actor, areaOf(code), levels.read))
  return visible(tx.selectFrom('device'), actor).where(sql<boolean>`device.product = any(${products}::text[])`)
}

/** The properties in use that the actor may see: a limited user those with one of the user's tags. */
export const visibleProperties = (tx: TenantTx, actor: Actor) => onlyVisible(tx.selectFrom('property'), actor)

export const onlyVisible = <O>(homes: SelectQueryBuilder<Database, 'property', O>, actor: Actor) =>
  homes
    .where('property.tenant_id', '=', actor.tenant)
    .where('property.archived_at', 'is', null)
    .$if(isLimited(actor), (some) => some.where('property.access_rights_tag_id', 'in', [...actor.tags]))
