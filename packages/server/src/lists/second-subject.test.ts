import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { sql } from 'kysely'
import { z } from 'zod'
import type { ListCalls } from '@caretaker/contract/lists.ts'
import { listShapes, viewData } from '@caretaker/contract/lists.ts'
import { route } from '@caretaker/contract/route.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { isLimited } from '@caretaker/rules/identity/actor.ts'
import type { Fields } from '@caretaker/rules/lists/fields.ts'
import { fieldsOf, lists } from '@caretaker/rules/lists/list.ts'
import { builtInViews } from '@caretaker/rules/views/view.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import { exportedRows } from './export.ts'
import type { Wanted } from './read.ts'
import { choicesIn, countRows, pageOf } from './read.ts'
import { listSource } from './source.ts'
import { hasWords, searchForm } from './words.ts'
import { wantedOf } from './wanted.ts'

/** A list of homes as a developer would write it from `CONTRIBUTING.md` alone. */
const usual = {
  filterable: true,
  sortable: true,
  viewable: true,
  exportable: true,
  searchable: true,
  personal: false,
  choices: null,
} as const
const homeFields = {
  reference: { label: 'Reference', dataType: 'string', ...usual },
  town: { label: 'Town', dataType: 'string', ...usual },
  postcode: { label: 'Postcode', dataType: 'string', ...usual, personal: true },
  patch: { label: 'Patch', dataType: 'string', ...usual, sortable: false, searchable: false },
  latitude: { label: 'Latitude', dataType: 'number', ...usual, searchable: false, viewable: false, exportable: false },
  devices: {
    label: 'Devices',
    dataType: 'number',
    ...usual,
    filterable: false,
    sortable: false,
    searchable: false,
  },
} as const satisfies Fields
const homeLists = lists(homeFields, {
  Homes: {
    label: 'Homes',
    root: 'home',
    category: 'device',
    may: 'enter tenant',
    views: 'definitions',
    pageSizes: [2, 10],
    fields: ['reference', 'town', 'postcode', 'patch', 'latitude', 'devices'],
    columns: ['reference', 'town'],
    presets: [{ id: 'leeds', label: 'Leeds', filters: [{ fieldId: 'town', filterOp: 'equals', value: 'Leeds' }] }],
  },
})

const Home = z.object({ id: z.string(), reference: z.string(), town: z.string(), postcode: z.string().nullable() })
interface HomeRow extends z.infer<typeof Home> {
  patch: string | null
  devices: number
}
const shapes = listShapes({
  lists: homeLists,
  fields: Object.keys(homeFields) as (keyof typeof homeFields)[],
  data: viewData(Home),
})
const homes = { method: 'POST', may: 'enter tenant', summary: 'Homes.' } as const
/** The calls of the list, typed as `listRoutes` expects. */
const calls: ListCalls<'Homes', keyof typeof homeFields, typeof Home> = {
  page: route({ ...homes, path: '/api/FetchHomes', ...shapes.page }),
  choices: route({ ...homes, path: '/api/GetHomeChoices', ...shapes.choices }),
  file: route({ ...homes, path: '/api/ExportHomes', file: 'application/octet-stream', ...shapes.file }),
}

const text = (name: string) => ({ value: `lower(property.${name})`, shown: `property.${name}` })
const columns = {
  reference: text('reference'),
  town: text('town'),
  postcode: text('postcode'),
  patch: {
    meets: (_op: string, names: readonly string[], tenant: string) => sql<boolean>`property.access_rights_tag_id in (
      select id from access_rights_tag where tenant_id = ${tenant} and lower(display_name) = any(${names}::text[]))`,
    present: () => sql<boolean>`property.access_rights_tag_id is not null`,
    names: async (tx: TenantTx, typed: string) => {
      const { rows } = await sql<{ name: string }>`
        select display_name as name from access_rights_tag
        where tenant_id = ${tx.tenant} and ${hasWords([searchForm(sql`display_name`)], typed)} order by 1`.execute(tx)
      return rows.map((row) => row.name)
    },
  },
  latitude: { value: 'property.latitude', nullable: true },
} as const
const homeSource = listSource<'property', typeof homeFields, 'Homes', HomeRow>({
  fields: homeFields,
  lists: homeLists,
  table: 'property',
  columns,
  cells: {
    reference: (row) => row.reference,
    town: (row) => row.town,
    postcode: (row) => row.postcode,
    patch: (row) => row.patch,
    devices: (row) => row.devices,
  },
  key: 'property.reference',
  sorts: [{ fieldId: 'reference', descending: false }],
  visible: (tx, actor) =>
    tx
      .selectFrom('property')
      .where('property.tenant_id', '=', actor.tenant)
      .$if(isLimited(actor), (some) => some.where('property.access_rights_tag_id', 'in', [...actor.tags])),
  rows: async (tx, actor, ids) => {
    const rows = await tx
      .selectFrom('property')
      .leftJoin('access_rights_tag as patch', (join) =>
        join.on('patch.tenant_id', '=', tx.tenant).onRef('patch.id', '=', 'property.access_rights_tag_id'),
      )
      .where('property.tenant_id', '=', tx.tenant)
      .where('property.id', 'in', [...ids])
      .select(['property.id', 'reference', 'town', 'postcode', 'patch.display_name as patch'])
      .execute()
    return new Map(rows.map((row) => [row.id, { ...row, devices: 0 }]))
  },
})

let database: TestDatabase
const actor: Actor = {
  userId: '',
  memberId: '',
  tenant: 'north',
  role: 'Manager',
  tags: [],
  features: [],
  capabilities: [],
}
const patch = randomUUID()

beforeAll(async () => {
  database = await testDatabase()
  const { owner } = database
  for (const tenant of ['north', 'south']) {
    await owner.query('insert into tenant (id, display_name) values ($1, $1)', [tenant])
    const id = tenant === 'north' ? patch : randomUUID()
    await owner.query('insert into access_rights_tag (tenant_id, id, display_name) values ($1, $2, $3)', [
      tenant,
      id,
      `East of ${tenant}`,
    ])
    await owner.query(
      `insert into property (tenant_id, id, reference, town, postcode, latitude, access_rights_tag_id)
       select $1, gen_random_uuid(), 'NG-' || n, case n % 2 when 0 then 'Leeds' else 'York' end, 'LS' || n,
         case when n > 2 then 50 + n end, case when n = 3 then $2::uuid end
       from generate_series(1, 5) n`,
      [tenant, id],
    )
  }
})
afterAll(() => database.drop())

const everything: Wanted<'Homes'> = { listing: 'Homes', filters: [], sorts: [], search: '' }
const asked = (bend: Partial<Wanted<'Homes'>>, page = 1, who = actor) =>
  inTenant(database.db, who.tenant, async (tx) => {
    const data = await pageOf(homeSource, tx, who, { ...everything, ...bend, page, pageSize: 2 })
    return { references: data.rows.map((row) => row.reference), total: data.total, outOf: data.outOf, page: data.page }
  })

describe('a list of a second subject on the same engine', () => {
  test('is read page by page, in any of its orders', async () => {
    assert.deepEqual(await asked({}), { references: ['NG-1', 'NG-2'], total: 5, outOf: 5, page: 1 })
    assert.deepEqual((await asked({}, 9)).references, ['NG-5'])
    const sorts = [{ fieldId: 'town', descending: true }]
    assert.deepEqual((await asked({ sorts })).references, ['NG-5', 'NG-3'])
    const byLatitude = [{ fieldId: 'latitude', descending: true }]
    assert.deepEqual((await asked({ sorts: byLatitude })).references, ['NG-5', 'NG-4'])
    assert.deepEqual((await asked({ sorts: byLatitude }, 3)).references, ['NG-1'])
  })

  test('is filtered by its own and other tables, and searched', async () => {
    const by = (fieldId: string, filterOp: 'equals' | 'from' | 'noneof' | 'present', value: never) => ({
      filters: [{ fieldId, filterOp, value }],
    })
    assert.deepEqual(await asked(by('town', 'equals', 'LEEDS' as never)), {
      references: ['NG-2', 'NG-4'],
      total: 2,
      outOf: 5,
      page: 1,
    })
    assert.deepEqual((await asked(by('latitude', 'from', 54 as never))).references, ['NG-4', 'NG-5'])
    assert.deepEqual((await asked(by('patch', 'equals', 'east of north' as never))).references, ['NG-3'])
    assert.deepEqual((await asked(by('patch', 'noneof', ['East of north'] as never))).total, 4)
    assert.deepEqual((await asked(by('patch', 'present', false as never))).total, 4)
    assert.deepEqual((await asked({ search: 'ls5' })).references, ['NG-5'])
    const hidden: Actor = { ...actor, features: ['HideCustomerPersonalData'] }
    assert.deepEqual((await asked({ search: 'ls5' }, 1, hidden)).total, 0)
  })

  test('shows each user only their own rows: nothing of another tenant, and only what their access allows', async () => {
    assert.deepEqual((await asked({}, 1, { ...actor, tags: [patch] })).references, ['NG-3'])
    const stranger = { ...actor, tenant: 'south', tags: [patch] }
    assert.deepEqual((await asked({}, 1, stranger)).references, [])
  })

  test('returns its choices, count, file and views', async () => {
    await inTenant(database.db, 'north', async (tx) => {
      assert.deepEqual(await choicesIn(homeSource, tx, actor, 'Homes', { fieldId: 'town', search: 'LE' }), ['Leeds'])
      assert.deepEqual(await choicesIn(homeSource, tx, actor, 'Homes', { fieldId: 'patch', search: '' }), [
        'East of north',
      ])
      const [main, leeds] = builtInViews(homeLists.Homes)
      assert.deepEqual([main!.viewId, leeds!.viewId], ['home-main', 'home-leeds'])
      const query = { viewId: 'home-leeds', search: '' }
      const wanted = await wantedOf(homeSource, tx, actor, query, async () => leeds!)
      assert.equal(await countRows(homeSource, tx, actor, wanted), 2)
      const rows: unknown[] = []
      for await (const some of exportedRows(homeSource, tx, actor, wanted, ['reference', 'devices'])) rows.push(...some)
      assert.deepEqual(rows, [
        ['Reference', 'Devices'],
        ['NG-2', 0],
        ['NG-4', 0],
      ])
    })
  })

  test('rejects unsupported operations of its fields by name', async () => {
    const refused = (bend: object, found: RegExp) =>
      assert.rejects(
        inTenant(database.db, 'north', (tx) =>
          wantedOf(homeSource, tx, actor, { search: '', ...bend }, async () => builtInViews(homeLists.Homes)[0]!),
        ),
        found,
      )
    await refused({ filters: [{ fieldId: 'devices', filterOp: 'from', value: 1 }] }, /cannot be filtered by/)
    await refused({ sorts: [{ fieldId: 'patch', descending: false }] }, /cannot be sorted by/)
    await refused({ filters: [{ fieldId: 'serial', filterOp: 'equals', value: 'x' }] }, /no field 'serial'/)
    const known = fieldsOf(homeLists.Homes, true).map(({ fieldId }) => fieldId)
    assert.deepEqual(known, ['reference', 'town', 'patch', 'latitude', 'devices'])
  })

  test('has the calls of every list', () => {
    assert.deepEqual(
      Object.values(calls).map(({ path }) => path),
      ['/api/FetchHomes', '/api/GetHomeChoices', '/api/ExportHomes'],
    )
    assert.equal(calls.page.body.safeParse({ tenant: 'north', listing: 'Homes' }).success, true)
    assert.equal(calls.page.body.safeParse({ tenant: 'north', listing: 'Boilers' }).success, false)
  })
})

type Source = Parameters<typeof listSource<'property', typeof homeFields, 'Homes', HomeRow>>[0]
/** Missing parts do not compile: the type check fails as soon as one of these lines compiles. */
export const omissions = () => {
  const { town: _, ...withoutTown } = columns
  // @ts-expect-error -- a field that rows are sorted by needs a column
  const missing: Source['columns'] = withoutTown
  // @ts-expect-error -- and one in the list's own table
  const elsewhere: Source['columns'] = { ...columns, town: columns.patch }
  const { present: _present, ...patchOnly } = columns.patch
  // @ts-expect-error -- any text field can be filtered by presence
  const unasked: Source['columns'] = { ...columns, patch: patchOnly }
  // @ts-expect-error -- a field that is exported needs a cell
  const cells: Source['cells'] = { reference: () => '' }
  // @ts-expect-error -- every field needs a full definition
  const vague: Fields = { name: { label: 'Name', dataType: 'string', ...usual, personal: undefined } }
  return [missing, elsewhere, unasked, cells, vague]
}
