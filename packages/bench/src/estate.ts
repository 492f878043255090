import type pg from 'pg'
import type { DemoPerson } from '@caretaker/demo/fixtures.ts'
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

const isManager = (person: DemoPerson) => person.roles.northgate === 'Manager'
const demoManager = demoPeople.find((person) => isManager(person) && !person.carries)!
const demoLimited = demoPeople.find((person) => isManager(person) && person.carries)!
/** The name of the restricted manager's access rights tag. */
export const limitedTo = demoLimited.carries!

/**
 * A demo of a given size in its own database, with a running product. Calls are made as managers of its largest client.
 */
export interface Estate {
  tenant: 'northgate'
  test: TestApp
  database: TestDatabase
  origin: string
  manager: Caller
  /** A manager who sees only items with the access rights tag `limitedTo`. */
  limited: Caller
}
export interface Caller {
  /** The Authorization header of a call. */
  authorization(): Promise<string>
  /** Makes a call and returns the response. */
  call<T extends Route>(route: T, sent: Sent<T>): Promise<Answer<T>>
}

interface EstateOptions {
  /** The average number of devices per tenant (`sizesOf`). */
  devices: number
  /** The number of tenants. Calls are made as users of the first and largest tenant, the only one with users. */
  tenants?: number
  /** The folder that keeps the database for later runs. */
  kept?: string | undefined
  /** Your own Postgres, and how many of its machines take part. */
  server?: string | undefined
  machines?: string | undefined
  /** Settings of the embedded database, in addition to its own. */
  settings?: Readonly<Record<string, string>> | undefined
}

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
      const [largest, ...further] = sizesOf(tenants, devices)
      if (!(await holdsDemo(database.owner)))
        await seedDemo({
          owner: database.owner,
          devices: largest!,
          now: new Date(),
          issuer,
          dataDir: folder,
          historyDays: 1,
        })
      await addTenants(database.owner, further)
      // Autovacuum would do this within minutes.
      await database.owner.query('vacuum analyze device, device_link')
      const origin = await test.app.listen({ port: 0, host: '127.0.0.1' })
      await work({
        ...{ tenant: 'northgate', test, database, origin },
        manager: await callerOf(test, origin, demoManager),
        limited: await callerOf(test, origin, demoLimited),
      })
      await test.app.close()
    } finally {
      await database.drop()
    }
  })
}

/**
 * The number of devices of each tenant, largest first, for a given average. The largest has twenty times the average, or half of
 * all devices; each of the others is smaller than the one before, like the clients of a vendor.
 */
export function sizesOf(tenants: number, average: number): number[] {
  if (tenants === 1) return [average]
  const all = tenants * average
  const largest = Math.round(Math.min(20 * average, all / 2))
  const shares = Array.from({ length: tenants - 1 }, (_, at) => 1 / (at + 2))
  const sum = shares.reduce((total, share) => total + share, 0)
  return [largest, ...shares.map((share) => Math.min(largest, Math.round(((all - largest) * share) / sum)))]
}

/** The tables whose rows are copied from the first tenant to further tenants: places, devices, their tags and links. */
const copied = ['tag', 'building', 'floor', 'property', 'device', 'device_link', 'device_tag']

interface Column {
  name: string
  isNullable: boolean
  /** The referenced table. */
  target: string | null
}

/** Copies part of the first tenant's rows to further tenants, each in one transaction, unless they exist. */
async function addTenants(owner: pg.Pool, sizes: readonly number[]): Promise<void> {
  const columns = new Map<string, Column[]>()
  for (const table of copied) {
    const { rows } = await owner.query<Column>(
      `select attname as name, not attnotnull as "isNullable", (
         select confrelid::regclass::text from pg_constraint
         where contype = 'f' and conrelid = attrelid and attnum = any(conkey) limit 1) as target
       from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attname <> 'tenant_id'
       order by attnum`,
      [table],
    )
    columns.set(table, rows)
  }
  // Ids of copied rows are derived from the original id and the tenant, so that references stay intact.
  const id = (name: string) => `md5($1 || ${name}::text)::uuid`
  const value = ({ name, isNullable, target }: Column, table: string) => {
    if (name === 'id') return id('one.id')
    if (name === 'parent_id')
      return `case when one.parent_id in (select id from chosen) then ${id('one.parent_id')} end`
    if (target && copied.includes(target)) return `case when one.${name} is not null then ${id(`one.${name}`)} end`
    if (!target) return `one.${name}`
    if (isNullable) return 'null'
    throw new Error(`${table}.${name} refers to ${target}, which no further tenant has`)
  }
  // Only properties with devices of the tenant, because there are too many to copy.
  const isHome = `one.id in (
    select property_id from device where tenant_id = 'northgate' and id in (select id from chosen))`
  for (const [at, size] of sizes.entries()) {
    const tenant = `further-${at + 1}`
    const { rowCount } = await owner.query('select from tenant where id = $1', [tenant])
    if (rowCount) continue
    const client = await owner.connect()
    try {
      await client.query('begin')
      await client.query('insert into tenant (id, display_name) values ($1, $1)', [tenant])
      for (const table of copied) {
        const named = columns.get(table)!
        const ofDevice =
          table === 'device' ? 'one.id' : named.some(({ name }) => name === 'device_id') && 'one.device_id'
        await client.query(
          `with chosen as materialized (
             select id from device where tenant_id = 'northgate' order by hashtext(id::text) limit ${size}
           )
           insert into ${table} (tenant_id, ${named.map(({ name }) => name).join(', ')})
           select $1, ${named.map((column) => value(column, table)).join(', ')} from ${table} as one
           where tenant_id = 'northgate' ${ofDevice ? `and ${ofDevice} in (select id from chosen)` : ''} ${table === 'property' ? `and ${isHome}` : ''}`,
          [tenant],
        )
      }
      await client.query('commit')
    } catch (error) {
      await client.query('rollback')
      throw error
    } finally {
      client.release()
    }
  }
}

async function callerOf({ token, database }: TestApp, origin: string, { email }: DemoPerson): Promise<Caller> {
  const { rows } = await database.owner.query<{ subject: string }>('select subject from person where email = $1', [
    email,
  ])
  // One token for many calls, as in a browser. It is renewed, because a long run outlives it.
  let known = { authorization: '', until: 0 }
  const authorization = async () => {
    if (Date.now() > known.until)
      known = {
        authorization: `Bearer ${await token(email, { sub: rows[0]!.subject })}`,
        until: Date.now() + 5 * 60_000,
      }
    return known.authorization
  }
  return {
    authorization,
    call: async (route, sent) => {
      const response = await fetch(origin + route.path, {
        method: route.method,
        headers: { authorization: await authorization(), 'content-type': 'application/json' },
        body: JSON.stringify((sent as { body: object }).body),
      })
      if (response.status !== 200) throw new Error(`${route.path}: ${response.status} ${await response.text()}`)
      return (await response.json()) as Answer<typeof route>
    },
  }
}
