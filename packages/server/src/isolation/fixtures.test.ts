import assert from 'node:assert/strict'
import { beforeAll, test } from 'vitest'
import { routes } from '@caretaker/contract/routes.ts'
import { skipBecause } from '../testing/skipping.ts'
import { examples } from './examples.ts'
import { layers, removeLayers, unsent } from './layers.ts'
import type { Pair } from './pair.ts'
import { memberAllowedTo, openPair, tenantRoutes, tenantTables } from './pair.ts'

let pair: Pair
beforeAll(async () => {
  pair = await openPair()
})

test('every route of a tenant has its example', () => {
  assert.deepEqual(tenantRoutes.map(([name]) => name).sort(), Object.keys(examples).sort())
})

test('every tenant table has a row for the walks to find', async () => {
  const empty: string[] = []
  for (const name of await tenantTables(pair.app)) {
    const { rowCount } = await pair.app.database.owner.query(`select from ${name} where tenant_id = 'mine' limit 1`)
    if (rowCount === 0) empty.push(name)
  }
  // The calls of the walks write the change feed.
  assert.deepEqual(
    empty.filter((name) => name !== 'change'),
    [],
  )
})

test('every call that changes tenant data writes to the change feed', async () => {
  const { app, mine } = pair
  const { owner } = app.database
  // Views are recorded a moment after the call, without a change event.
  const names = (await tenantTables(app)).filter((name) => !['change', 'personal_data_read'].includes(name))
  const contents = names
    .map(
      (name) => `select '${name}' as name, md5(string_agg(t::text, ' ' order by t::text)) as content
        from ${name} t where tenant_id = 'mine'`,
    )
    .join(' union all ')
  const look = async () => {
    const { rows } = await owner.query<{ name: string; content: string | null }>(contents)
    const feed = await owner.query<{ n: number }>('select count(*) as n from change')
    return { tables: new Map(rows.map(({ name, content }) => [name, content])), changes: feed.rows[0]!.n }
  }
  const changing: string[] = []
  const silent: string[] = []
  for (const [name, route] of tenantRoutes) {
    const sent = await examples[name]!(mine)
    const before = await look()
    await app.send(route, sent as never, memberAllowedTo(route))
    const after = await look()
    const written = [...after.tables].filter(([table, content]) => before.tables.get(table) !== content)
    if (!written.length) continue
    changing.push(name)
    if (after.changes <= before.changes) silent.push(`${name} changed ${written.map(([table]) => table).join(', ')}`)
  }
  assert.deepEqual(silent, [])
  assert.ok(changing.length >= 28, changing.join())
})

test("without both layers another tenant's data is visible: the walks can fail", skipBecause(unsent), async () => {
  const bare = await openPair()
  await removeLayers(bare.app, layers)
  const { status, body } = await bare.app.send(
    routes.getEmered!,
    (await examples.getEmered!({ ...bare.theirs, tenant: 'mine' })) as never,
    bare.mine.manager,
  )
  assert.equal(status, 200)
  assert.ok(JSON.stringify(body).includes(bare.theirs.secret))
})
