import { fetchProperties, getPropertyChoices } from '@caretaker/contract/properties.ts'
import { dampLevels } from '@caretaker/rules/properties/damp.ts'
import { awaabsLawStatuses } from '@caretaker/rules/properties/details.ts'
import { propertyLists } from '@caretaker/rules/properties/list.ts'
import { fieldsOf } from '@caretaker/rules/lists/list.ts'
import { refreshHomeStatuses } from '@caretaker/server/features/properties/refresh-statuses.ts'
import { makeAllDue } from '@caretaker/server/postgres/due.ts'
import type { Estate } from './estate.ts'
import { limitedTo } from './estate.ts'
import { spreadOf } from './figures.ts'
import { casesOf } from './listing-cases.ts'
import type { Callers, Expected, Figure } from './listing-turns.ts'

/**
 * Adds properties up to the given number, covering all values of each field; a third have the restricted manager's tag.
 */
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
 * Adds a sensor to each property without a device. Most sensors have some of four tags: one is on every second sensor,
 * and one on a few hundred. This is done after the device listings have been measured.
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

/** Measures the properties listing in every order and with every filter, for an unrestricted and a restricted manager. */
export async function measureHomes(estate: Estate, callers: Callers, ways: RegExp): Promise<HomeFigures> {
  const { tenant, manager, limited, database } = estate
  await furnish(estate)
  await makeAllDue(database.owner, tenant)
  await refreshHomeStatuses(database.db)
  await database.owner.query('vacuum analyze property, tag_set, status_set, property_retagged')
  const listing = 'Properties'
  const fields = fieldsOf(propertyLists[listing], false)
  const choices = new Map<string, string[]>()
  for (const { fieldId, dataType, viewFilterable } of fields)
    if (viewFilterable && dataType.startsWith('string'))
      choices.set(
        fieldId,
        (await manager.call(getPropertyChoices, { body: { tenant, listing, fieldId } as never })).data!,
      )
  const { total, rows } = (await manager.call(fetchProperties, { body: { tenant, listing } })).data!
  const expected = await homesBySql(estate, rows.length)
  const searches = ['b-1234', 'mill', 'e', 'qqqq'].map((search) => ({
    name: `search ${search}`,
    body: { listing, search },
  }))
  const first = { name: 'page 1', body: { tenant, listing } }
  const cases = [...casesOf(listing, fields, Math.ceil(total / rows.length), choices), ...searches]
  const figures: HomeFigures['figures'] = {}
  for (const [whose, caller] of [
    ['', manager],
    [' as limited', limited],
  ] as const) {
    const own = { ...first, name: first.name + whose, ...(caller === manager && { expected }) }
    const firsts: number[] = []
    for (const { name, body } of cases.filter((one) => ways.test(one.name + whose))) {
      const way = { name: name + whose, body: { tenant, ...body } }
      const asked = await callers.ask(fetchProperties, caller, way, own)
      figures[way.name] = asked.figure
      firsts.push(...asked.firsts)
    }
    if (firsts.length) figures[own.name] = spreadOf(firsts)
  }
  return { rows: expected.total, figures }
}

interface HomeFigures {
  /** Rows of the listing, counted by plain SQL. */
  rows: number
  figures: Record<string, Figure>
}

/** The first page in the default order. */
async function homesBySql({ tenant, database: { owner } }: Estate, size: number): Promise<Expected> {
  const { rows } = await owner.query<{ id: string; total: number }>(
    `select id, count(*) over ()::int as total from property where tenant_id = $1 order by reference_folded, id limit $2`,
    [tenant, size],
  )
  return { total: rows[0]!.total, ids: rows.map(({ id }) => id) }
}

export function reportHomes({ rows, figures }: HomeFigures, mostMs: number): void {
  const slowest = Object.entries(figures).toSorted(([, one], [, other]) => other.p95! - one.p95!)
  console.log(JSON.stringify({ rows, figures: Object.fromEntries(slowest) }, null, 1))
  const [name, { p95 }] = slowest[0]!
  if (p95! > mostMs) process.exitCode = 1
  console.log(
    `listing: Properties, ${rows} rows: of ${slowest.length} ways the slowest p95 ${p95} ms (${name}; must be at most ${mostMs})`,
  )
}
