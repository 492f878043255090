import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { TestDatabase } from './database.ts'
import { emptyDatabase } from './database.ts'
import { openOperator } from './operator.ts'

const program = fileURLToPath(new URL('../cli/main.ts', import.meta.url))

/** Starts an operator command in a separate process, for a database and a data folder. */
export function beginCommand(url: string, data: string, args: string[]) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, DATABASE_URL: url, CARETAKER_DATA: data },
    stdio: 'ignore',
  })
  const ended = once(child, 'close').then(([status]) => status as number | null)
  return { child, ended }
}

/** Runs an operator command for a database and a data folder. */
export const runCommand = (url: string, data: string, ...args: string[]) =>
  openOperator({ DATABASE_URL: url, CARETAKER_DATA: data }).run(args)

/** Runs a command that succeeds, and returns its output. */
export async function commandDone(url: string, data: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(url, data, ...args)
  assert.equal(code, 0, stderr)
  return stdout
}

/** Runs a command that must be refused with a matching reason. */
export async function commandRefused(reason: RegExp, url: string, data: string, ...args: string[]): Promise<void> {
  const { code, stderr } = await runCommand(url, data, ...args)
  assert.equal(code, 1, stderr)
  assert.match(stderr, reason)
  assert.doesNotMatch(stderr, /\n\s+at /, 'no stack trace')
}

/** Ends the product's connections to a database, given a superuser's address: a restore requires an unused database. */
export async function endConnections(url: string): Promise<void> {
  const client = new pg.Client(Object.assign(new URL(url), { pathname: '/postgres' }).href)
  await client.connect()
  await client.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name like 'caretaker%'",
    [new URL(url).pathname.slice(1)],
  )
  await client.end()
}

export interface OwnedDatabase {
  database: TestDatabase
  /** The address with its owner, who is not a superuser. */
  url: string
  /** Drops the database and its owner. */
  drop(): Promise<void>
}

/** An empty database whose owner is not a superuser but may create roles, as in an organisation's database. */
export async function ownedDatabase(): Promise<OwnedDatabase> {
  const database = await emptyDatabase()
  const name = new URL(database.url).pathname.slice(1)
  const role = `owner_of_${name}`
  await database.owner.query(`create role ${role} login createrole password 'owner'`)
  await database.owner.query(`grant caretaker_app, caretaker_idp to ${role} with admin option`)
  await database.owner.query(`alter database ${name} owner to ${role}`)
  await endConnections(database.url)
  return {
    database,
    url: Object.assign(new URL(database.url), { username: role, password: 'owner' }).href,
    drop: async () => {
      // Also on the machines of a distributed database.
      await database.owner.query(`alter database ${name} owner to current_user`)
      await database.owner.query(`reassign owned by ${role} to current_user`)
      await database.owner.query(`drop owned by ${role}`)
      await database.owner.query(`drop role ${role}`)
      await database.drop()
    },
  }
}
