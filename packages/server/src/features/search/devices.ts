import { sql } from 'kysely'
import type { FoundDevice } from '@caretaker/contract/search.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { listingNames } from '@caretaker/rules/devices/list.ts'
import { displayGroups, severityOf } from '@caretaker/rules/devices/status.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import { searchWords } from '@caretaker/rules/texts/search-form.ts'
import { formsSearched, searchConditions } from '../../lists/search.ts'
import { hasWord, hasWords, searchForm } from '../../lists/words.ts'
import { deviceList } from '../devices/list.ts'
import { readable } from '../devices/visible.ts'
import { naturally } from '../../postgres/natural-order.ts'

/** Devices that their list also finds by the text: their number, and the best matches. */
export async function findDevices(
  tx: TenantTx,
  actor: Actor,
  typed: string,
  most: number,
): Promise<{ total: number; items: FoundDevice[] }> {
  const hidden = hidesPersonalData(actor)
  const { total, ids } = await bestOf(tx, actor, typed, most)
  if (!ids.length) return { total, items: [] }
  const rows = await readable(tx, actor)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .select(['id', 'product', 'serial', 'name', 'status', 'in_wholesale', 'property_id', 'property_reference'])
    .select(['address', 'postcode'])
    .select([
      sql<string | null>`coalesce(building_name, property_reference)`.as('place'),
      hasWords(formsSearched(deviceList, actor), typed).as('in_text'),
      sql<string | null>`(
        select name from tag join device_tag on device_tag.tenant_id = ${tx.tenant} and tag_id = tag.id
        where tag.tenant_id = ${tx.tenant} and device_id = device.id
          and (${sql.join(
            searchWords(typed).map((word) => hasWord([searchForm(sql`tag.name`)], word)),
            sql` or `,
          )})
        order by ${naturally(sql`name`)} limit 1)`.as('tag'),
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

const failing = [...displayGroups.Failed, ...displayGroups.FailedDevice].map(severityOf)
const absent = displayGroups.NotInstalled.map(severityOf)

/**
 * The number of matching devices, and the ids of the best: serials that begin with the text first, then failing
 * devices, with those not installed last; within each group names, then words, then any position, then tags. One pass
 * over the index `device_texts`, which has all searched columns (row-level security prevents LIKE as an index
 * condition), and a lookup in the listings' index for the few that are failing or not installed.
 */
async function bestOf(tx: TenantTx, actor: Actor, typed: string, most: number) {
  const wanted = searchWords(typed).join(' ')
  const word = ` ${wanted}`
  const inAddress = hidesPersonalData(actor)
    ? sql``
    : sql`when starts_with(search_form_address, ${wanted}) or strpos(search_form_address, ${word}) > 0 then 2`
  // The text begins with the serial, which has no space: the word after the first one begins the name.
  const rank = sql<number>`case
    when starts_with(search_form, ${wanted}) then 0
    when strpos(search_form, ${word}) > 0 then case strpos(search_form, ${word}) when strpos(search_form, ' ') then 1 else 2 end
    ${inAddress}
    when not ${hasWords(formsSearched(deviceList, actor), typed)} then 4
    else 3 end`
  const conditions = await searchConditions(deviceList, tx, actor, typed)
  if (conditions.length === 0) return { total: 0, ids: [] }
  const matching = conditions
    .reduce((rows, one) => rows.where(one), readable(tx, actor))
    .select(['device.id', rank.as('rank'), sql<string>`left(search_form, 20)`.as('head')])
  // `offset 0`: otherwise the query is pulled up and computes the rank, with several text comparisons, twice.
  const { rows } = await sql<{ id: string; total: number }>`
    select ranked.id, total from (
      select id, rank, head, count(*) over () as total from (${matching} offset 0) as matching
    ) as ranked
    left join (
      select id, severity = any(${failing}::int2[]) as failing from device
      where tenant_id = ${tx.tenant} and listing = any(${[...listingNames]}::text[])
        and severity = any(${[...new Set([...failing, ...absent])]}::int2[])
    ) as notable on notable.id = ranked.id
    order by rank > 0, case failing when true then 0 when false then 2 else 1 end, rank, ${naturally(sql`head`)}
    limit ${most}`.execute(tx)
  return { total: rows[0]?.total ?? 0, ids: rows.map((row) => row.id) }
}
