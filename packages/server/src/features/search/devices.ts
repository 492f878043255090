import { sql } from 'kysely'
import type { FoundDevice } from '@caretaker/contract/search.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { listingNames } from '@caretaker/rules/devices/list.ts'
import { displayGroups, severityOf } from '@caretaker/rules/devices/status.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import { readable } from '../devices/visible.ts'
import { escaped } from '../../lists/conditions.ts'

/** Devices that have the text in serial, name, place, address or as a tag: how many, and the best of them. */
export async function findDevices(
  tx: TenantTx,
  actor: Actor,
  wanted: string,
  most: number,
): Promise<{ total: number; items: FoundDevice[] }> {
  const hidden = hidesPersonalData(actor)
  const tags = await tagsLike(tx, wanted)
  const { total, ids } = await bestOf(tx, actor, { wanted, tags, hidden, most })
  if (!ids.length) return { total, items: [] }
  const rows = await readable(tx, actor)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .select(['id', 'product', 'serial', 'name', 'status', 'in_wholesale', 'property_id', 'property_reference'])
    .select(['address', 'postcode'])
    .select([
      sql<string | null>`coalesce(building_name, property_reference)`.as('place'),
      sql<boolean>`${textMatches(wanted, hidden)}`.as('in_text'),
      sql<string | null>`(
        select name from tag join device_tag on device_tag.tenant_id = ${tx.tenant} and tag_id = tag.id
        where tag.tenant_id = ${tx.tenant} and device_id = device.id and tag_id = any(${tags}::uuid[])
        order by lower(name) limit 1)`.as('tag'),
    ])
    .execute()
  const items = rows.map((row) => ({
    deviceId: row.id,
    productId: row.product,
    serialNumber: row.serial,
    name: row.name,
    status: row.status,
    inWholesale: row.in_wholesale,
    place: row.place,
    propertyId: row.property_id,
    propertyReference: row.property_reference,
    address: hidden ? null : [row.address, row.postcode].filter(Boolean).join(', ') || null,
    tag: row.in_text ? null : row.tag,
  }))
  return { total, items: items.sort((a, b) => ids.indexOf(a.deviceId) - ids.indexOf(b.deviceId)) }
}

async function tagsLike(tx: TenantTx, wanted: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('tag')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`lower(name) like ${`%${escaped(wanted)}%`}`)
    .execute()
  return rows.map((row) => row.id)
}

interface Sought {
  wanted: string
  tags: string[]
  hidden: boolean
  most: number
}

const failing = [...displayGroups.Failed, ...displayGroups.FailedDevice].map(severityOf)
const absent = displayGroups.NotInstalled.map(severityOf)

/**
 * How many devices match, and the ids of the best: serials that begin with the text before all others, what is failing first
 * and what is not installed last; among those of a kind names, then any word, then the text anywhere, then tags. One pass over
 * the index `device_search`, which holds all that is looked at (row security keeps LIKE from being an index's condition), and
 * a look into that of the listings for the few that are failing or not installed.
 */
async function bestOf(tx: TenantTx, actor: Actor, { wanted, tags, hidden, most }: Sought) {
  const tagged = sql`device.id in (
    select device_id from device_tag where device_tag.tenant_id = ${tx.tenant} and tag_id = any(${tags}::uuid[]))`
  const word = ` ${wanted}`
  const inAddress = hidden
    ? sql``
    : sql`when starts_with(search_address, ${wanted}) or strpos(search_address, ${word}) > 0 then 2`
  // The text begins with the serial, which has no space: the word after the first one begins the name.
  const rank = sql<number>`case
    when starts_with(search, ${wanted}) then 0
    when strpos(search, ${word}) > 0 then case strpos(search, ${word}) when strpos(search, ' ') then 1 else 2 end
    ${inAddress}
    ${tags.length ? sql`when not ${textMatches(wanted, hidden)} then 4` : sql``}
    else 3 end`
  const matching = readable(tx, actor)
    .where(tags.length ? sql<boolean>`(${textMatches(wanted, hidden)} or ${tagged})` : textMatches(wanted, hidden))
    .select(['device.id', rank.as('rank'), sql<string>`left(search, 20)`.as('head')])
  const { rows } = await sql<{ id: string; total: number }>`
    select ranked.id, total from (
      select id, rank, head, count(*) over () as total from (${matching} offset 0) as matching
    ) as ranked
    left join (
      select id, severity = any(${failing}::int2[]) as failing from device
      where tenant_id = ${tx.tenant} and listing = any(${[...listingNames]}::text[])
        and severity = any(${[...new Set([...failing, ...absent])]}::int2[])
    ) as notable on notable.id = ranked.id
    order by rank > 0, case failing when true then 0 when false then 2 else 1 end, rank, head limit ${most}`.execute(tx)
  return { total: rows[0]?.total ?? 0, ids: rows.map((row) => row.id) }
}

function textMatches(wanted: string, hidden: boolean) {
  const pattern = `%${escaped(wanted)}%`
  return sql<boolean>`(search like ${pattern} ${hidden ? sql`` : sql`or search_address like ${pattern}`})`
}
