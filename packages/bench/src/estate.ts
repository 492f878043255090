import type pg from 'pg'
import { demoPeople } from '@caretaker/demo/fixtures.ts'
import type { Answer, Route, Sent } from '@caretaker/contract/route.ts'
import { seedDemo } from '@caretaker/demo/seed.ts'
import { migrate } from '@caretaker/server/postgres/migrate.ts'
import type { TestApp } from '@caretaker/server/testing/app.ts'
import { testApp } from '@caretaker/server/testing/app.ts'
import type { TestDatabase } from '@caretaker/server/testing/database.ts'
import { openPools } from '@caretaker/server/testing/database.ts'
import { holdsDemo } from '@caretaker/server/world.ts'
import { inDatabase } from './own-server.ts'

/** The demo world of a size on a database of its own, and the product's calls as a manager of its largest client. */
export interface Estate {
  tenant: 'northgate'
  test: TestApp
  database: TestDatabase
  /** The answer of a call; a file is received and left. */
  call<T extends Route>(route: T, sent: Sent<T>): Promise<Answer<T>>
}

interface EstateOptions {
  /** Of the largest tenant. */
  devices: number
  /** So many tenants of that size in all; only the first has buildings, tags and people. */
  tenants?: number
  /** The folder in which the database is kept, and found again the next time. */
  kept?: string | undefined
  /** A Postgres of one's own, and how many of its machines take part. */
  server?: string | undefined
  machines?: string | undefined
}

/** Runs `work` in the demo world. */
export async function inEstate(
  { devices, tenants = 1, ...place }: EstateOptions,
  work: (estate: Estate) => Promise<void>,
): Promise<void> {
  await inDatabase(place, async ({ url, folder }) => {
    const database = openPools(url)
    try {
      await migrate(database.owner)
      const test = await testApp({ MQTT_PORT: '0' }, database)
      const issuer = test.context.config.oidc.directory
      if (!(await holdsDemo(database.owner)))
        await seedDemo({ owner: database.owner, devices, now: new Date(), issuer, dataDir: folder, historyDays: 1 })
      await addTenants(database.owner, tenants - 1)
      // As the database does by itself within minutes.
      await database.owner.query('vacuum analyze device, device_link')
      await work({ tenant: 'northgate', test, database, call: await callsOf(test) })
      await test.app.close()
    } finally {
      await database.drop()
    }
  })
}

/** Gives further tenants the devices of the largest one, where they are not there already. */
async function addTenants(owner: pg.Pool, count: number): Promise<void> {
  const { rows } = await owner.query<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_name = 'device' and is_generated = 'NEVER' and column_name not in
       ('tenant_id', 'id', 'building_id', 'floor_id', 'property_id', 'parent_id', 'access_rights_tag_id')`,
  )
  const copied = rows.map(({ name }) => name).join(', ')
  for (let number = 1; number <= count; number++) {
    const id = `further-${number}`
    const added = await owner.query('insert into tenant (id, display_name) values ($1, $1) on conflict do nothing', [
      id,
    ])
    if (!added.rowCount) continue
    await owner.query(
      `insert into device (tenant_id, id, ${copied})
       select $1, gen_random_uuid(), ${copied} from device where tenant_id = 'northgate'`,
      [id],
    )
    await owner.query(
      `insert into device_link (tenant_id, device_id, heard_at) select $1, id, now() from device where tenant_id = $1`,
      [id],
    )
  }
}

async function callsOf({ app, token, database }: TestApp): Promise<Estate['call']> {
  const { email } = demoPeople.find((person) => person.roles.northgate === 'Manager' && !person.carries)!
  const { rows } = await database.owner.query<{ subject: string }>('select subject from person where email = $1', [
    email,
  ])
  // One token for many calls, as a browser has it: making one is the provider's work. A long run outlives it.
  let known = { authorization: '', until: 0 }
  return async (route, sent) => {
    const { body } = sent as { body: object }
    if (Date.now() > known.until)
      known = {
        authorization: `Bearer ${await token(email, { sub: rows[0]!.subject })}`,
        until: Date.now() + 5 * 60_000,
      }
    const { authorization } = known
    const response = await app.inject({
      method: route.method,
      url: route.path,
      headers: { authorization },
      payload: body,
    })
    if (response.statusCode !== 200) throw new Error(`${route.path}: ${response.body}`)
    return route.file ? (undefined as Answer<typeof route>) : response.json()
  }
}
