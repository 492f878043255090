import { fetchProperties, getPropertyChoices } from '@caretaker/contract/properties.ts'
import { dampLevels } from '@caretaker/rules/properties/damp.ts'
import { awaabsLawStatuses } from '@caretaker/rules/properties/details.ts'
import { propertyLists } from '@caretaker/rules/properties/list.ts'
import { fieldsOf } from '@caretaker/rules/lists/list.ts'
import { settleHomes } from '@caretaker/server/features/properties/settle.ts'
import { makeAllDue } from '@caretaker/server/postgres/due.ts'
import type { Estate } from './estate.ts'
import { limitedTo } from './estate.ts'
import { percentile, rounded, timed } from './figures.ts'
import { casesOf } from './listing-cases.ts'

const mostMs = 60

/** Fills the tenant up to so many homes, each field in all its values; a third carries the tag of the limited manager. */
export async function addHomes({ tenant, database: { owner } }: Estate, homes: number): Promise<void> {
  const one = (values: readonly string[], by: string) =>
    `('{${values.map((value) => `"${value}"`).join()}}'::text[])[1 + ${by} % ${values.length}]`
  await owner.query(
    `insert into property (tenant_id, id, reference, address1, town, postcode, void_flag, epc_rating, awaabs_law_status,
       awaabs_law_due_at, gas_check_due_at, damp_level, damp_rank, access_rights_tag_id)
     select $1, gen_random_uuid(), 'B-' || lpad(n::text, 6, '0'), n % 97 || ' ' || ${one(['Mill', 'Station', 'Park', 'Church'], 'n')} || ' Lane',
       ${one(['Leeds', 'Hebden Bridge', 'Halifax'], 'n / 7')}, 'LS' || n % 29 || ' ' || n % 9 || 'AB',
       case n % 40 when 0 then 'Void' else 'NotVoid' end, ${one(['A', 'B', 'C', 'D', 'E', 'F', 'G'], 'n / 3')},
       case n % 50 when 0 then ${one(awaabsLawStatuses, 'n / 50')} else 'None' end,
       case n % 50 when 0 then now() + (n % 30 - 10) * interval '1 day' end,
       case when n % 4 > 0 then date_trunc('day', now()) + (n % 400 - 40) * interval '1 day' end,
       ${one(dampLevels, 'n / 11')}, n / 11 % ${dampLevels.length}, (
         select id from access_rights_tag tag where tag.tenant_id = $1 order by (display_name = $3) desc, id offset n % 3 limit 1)
     from generate_series(1, $2 - (select count(*) from property where tenant_id = $1)) n`,
    [tenant, homes, limitedTo],
  )
  await owner.query('vacuum analyze property')
}

/**
 * Puts a sensor into each of them that has no device, most of them with some of four tags: one that every second carries, and one of
 * a few hundred. That is done once the listings of devices have been measured.
 */
async function furnish({ tenant, database: { owner } }: Estate): Promise<void> {
  const run = (text: string) => owner.query(text, [tenant])
  const { rowCount } = await run(`
    insert into device (tenant_id, id, serial, product, name, status, severity, property_id, access_rights_tag_id)
    select $1, gen_random_uuid(), 'HB' || n, 'MD', 'Sensor ' || n, (case n % 20 when 0 then 'FailedEquipment' else 'Ok' end),
      (case n % 20 when 0 then 6 else 2 end), id, access_rights_tag_id
    from (select *, row_number() over (order by reference) as n from property
      where tenant_id = $1 and not exists (
        select from device where device.tenant_id = $1 and device.property_id = property.id)) home`)
  if (!rowCount) return
  await run(`insert into tag (tenant_id, id, name) select $1, gen_random_uuid(), name
    from unnest(array['A half', 'A tenth', 'A hundredth', 'A thousandth']) name on conflict do nothing`)
  await run(`
    insert into device_tag (tenant_id, device_id, tag_id)
    select $1, device.id, tag.id from device
    join tag on tag.tenant_id = $1 and substr(device.serial, 3)::int % (
      case tag.name when 'A half' then 2 when 'A tenth' then 10 when 'A hundredth' then 100 when 'A thousandth' then 1000 end) = 0
    where device.tenant_id = $1 and device.serial like 'HB%'`)
  await run(`
    update property set device_status = device.status, device_severity = device.severity from device
    where property.tenant_id = $1 and device.tenant_id = $1 and device.property_id = property.id and device.serial like 'HB%'`)
  await owner.query('vacuum analyze property, device, device_tag, tag')
}

type Figures = Record<string, { p50: number; p95: number }>

/** The listing of homes in every order and by every filter, in ms, by somebody who sees all of them and by a limited one. */
export async function measureHomes(estate: Estate, runs: number, asked = /./): Promise<Figures> {
  const { tenant, call, callLimited, database } = estate
  await furnish(estate)
  await makeAllDue(database.owner, tenant)
  await settleHomes(database.db)
  await database.owner.query('vacuum analyze property, tag_set, status_set, property_retagged')
  const listing = 'Properties'
  const fields = fieldsOf(propertyLists[listing], false)
  const choices = new Map<string, string[]>()
  for (const { fieldId, dataType, viewFilterable } of fields)
    if (viewFilterable && dataType.startsWith('string'))
      choices.set(fieldId, (await call(getPropertyChoices, { body: { tenant, listing, fieldId } as never })).data!)
  const { total } = (await call(fetchProperties, { body: { tenant, listing } })).data!
  const searches = ['b-1234', 'mill', 'e', 'qqqq'].map((search) => ({
    name: `search ${search}`,
    body: { listing, search },
  }))
  const cases = [
    { name: 'page 1', body: { listing } },
    ...casesOf(listing, fields, Math.ceil(total / 25), choices),
    ...searches,
  ]
  const figures: Figures = {}
  const everybody = [
    { whose: '', callAs: call },
    { whose: ' as limited', callAs: callLimited },
  ]
  for (const { whose, callAs } of everybody)
    for (const { name, body } of cases.filter((one) => asked.test(one.name + whose))) {
      const [samples] = await timed(runs, () => callAs(fetchProperties, { body: { tenant, ...body } as never }))
      const [p50, p95] = [0.5, 0.95].map((share) => rounded(percentile(samples!, share)))
      figures[name + whose] = { p50: p50!, p95: p95! }
    }
  return figures
}

export function reportHomes(figures: Figures): void {
  const slowest = Object.entries(figures).toSorted(([, one], [, other]) => other.p95 - one.p95)
  console.log(JSON.stringify(Object.fromEntries(slowest), null, 1))
  const [name, { p95 }] = slowest[0]!
  if (p95 > mostMs) process.exitCode = 1
  console.log(
    `listing of homes: of ${slowest.length} ways the slowest p95 ${p95} ms (${name}; must be at most ${mostMs})`,
  )
}
