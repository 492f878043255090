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
/** The name of the tag that the limited manager carries. */
export const limitedTo = demoLimited.carries!

/** The demo world of a size on a database of its own, and the product that listens there, called as managers of its largest client. */
export interface Estate {
  tenant: 'northgate'
  test: TestApp
  database: TestDatabase
  /** Where the product listens. */
  origin: string
  manager: Caller
  /** A manager who sees only what carries the access rights tag `limitedTo`. */
  limited: Caller
}
export interface Caller {
  /** The header of a call. */
  authorization(): Promise<string>
  /** The answer of a call. */
  call<T extends Route>(route: T, sent: Sent<T>): Promise<Answer<T>>
}

interface EstateOptions {
  /** Of each tenant on average (`sizesOf`). */
  devices: number
  /** So many in all; calls are made as one of the first and largest, and only that one has people. */
  tenants?: number
  /** The folder in which the database is kept, and found again the next time. */
  kept?: string | undefined
  /** A Postgres of one's own, and how many of its machines take part. */
  server?: string | undefined
  machines?: string | undefined
  /** Of the embedded database, besides those that it has by itself. */
  settings?: Readonly<Record<string, string>> | undefined
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
      // As the database does by itself within minutes.
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
 * How many devices each tenant has, the largest first: so many on average. The largest is twenty times as large as that, or half of
 * everything, and of the others each is smaller than the one before, as clients of a vendor are.
 */
export function sizesOf(tenants: number, average: number): number[] {
  if (tenants === 1) return [average]
  const all = tenants * average
  const largest = Math.round(Math.min(20 * average, all / 2))
  const shares = Array.from({ length: tenants - 1 }, (_, at) => 1 / (at + 2))
  const sum = shares.reduce((total, share) => total + share, 0)
  return [largest, ...shares.map((share) => Math.min(largest, Math.round(((all - largest) * share) / sum)))]
}

/** What a further tenant has of the first one: where its devices are, their tags, and when they were heard. */
const copied = ['tag', 'building', 'floor', 'property', 'device', 'device_link', 'device_tag']

interface Column {
  name: string
  isNullable: boolean
  /** The table that it refers to. */
  target: string | null
}

/** Gives further tenants part of what the first one has, each in one transaction, where they are not there already. */
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
  // Ids of a copy come of those of the original and of the tenant: what refers to each other goes on doing so.
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
  // Homes alone are so many that each tenant has only those of its devices.
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
  // One token for many calls, as a browser has it. A long run outlives it.
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
