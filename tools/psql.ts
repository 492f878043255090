/**
 * `npm run psql`: a shell on the database of the installation, embedded or external. Runs the program psql if it is installed,
 * otherwise a small shell of its own, because the embedded Postgres comes without psql.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { Client, QueryArrayResult } from 'pg'
import { loadConfig, SettingError } from '../packages/server/src/config.ts'
import { joinDatabase } from '../packages/server/src/postgres/open.ts'
import { openPool } from '../packages/server/src/postgres/pool.ts'
import { isMain } from './child.mjs'

/** The environment variables with which psql finds a database, so that the process list does not show the password. */
export function psqlEnvironment(url: string): Record<string, string> {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url)
  const socket = searchParams.get('host')
  const mode = searchParams.get('sslmode')
  return {
    PGHOST: socket ?? hostname.replace(/^\[|\]$/g, ''),
    PGPORT: port || '5432',
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)) || 'postgres',
    ...(mode && { PGSSLMODE: mode }),
  }
}

/** The SQL of a backslash command that the small shell supports. */
function statementOf(command: string): string {
  const [name, table = ''] = command.split(/\s+/)
  if (name === '\\dt')
    return `select table_schema as schema, table_name as name from information_schema.tables
      where table_schema in ('public', 'idp') and table_type = 'BASE TABLE' order by 1, 2`
  if (name === '\\d' && /^[\w.]+$/.test(table))
    return `select attname as column, format_type(atttypid, atttypmod) as type, attnotnull as "not null" from pg_attribute
      where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped order by attnum`
  throw new Error(`Unknown command ${command}. Known: \\dt, \\d TABLE, \\q, and SQL that ends with a semicolon.`)
}

function cell(value: unknown): string {
  if (value === null) return ''
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Rows as a table with a heading, in the style of psql. */
export function tableOf(columns: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const cells = [[...columns], ...rows.map((row) => row.map(cell))]
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => row[at]!.length)))
  const lines = cells.map((row) =>
    row
      .map((each, at) => each.padEnd(widths[at]!))
      .join(' | ')
      .trimEnd(),
  )
  const rule = widths.map((width) => '-'.repeat(width)).join('-+-')
  return [lines[0], rule, ...lines.slice(1), `(${rows.length} ${rows.length === 1 ? 'row' : 'rows'})`].join('\n')
}

/** Runs a command or SQL and returns the text to print. */
export async function answerOf(client: Pick<Client, 'query'>, typed: string): Promise<string> {
  const sql = typed.startsWith('\\') ? statementOf(typed) : typed
  const found = (await client.query({ text: sql, rowMode: 'array' })) as QueryArrayResult | QueryArrayResult[]
  return [found]
    .flat()
    .map(({ fields, rows, command, rowCount }) =>
      fields?.length
        ? tableOf(
            fields.map(({ name }) => name),
            rows,
          )
        : [command, rowCount].filter((part) => part !== null).join(' '),
    )
    .join('\n')
}

/** The small shell: `-c SQL`, SQL from standard input, or typed lines. Returns the exit code. */
async function smallShell(url: string, args: readonly string[]): Promise<number> {
  const pool = openPool(url, 'owner', 1)
  const client = await pool.connect()
  let code = 0
  const run = async (typed: string) => {
    try {
      console.log(await answerOf(client, typed))
    } catch (error) {
      console.error(error instanceof Error ? error.message : error)
      code = 1
    }
  }
  try {
    if (args[0] === '-c' && args[1]) await run(args[1])
    else if (args.length > 0) {
      console.error('Without the program psql, only -c SQL and SQL from standard input are supported.')
      code = 2
    } else if (!process.stdin.isTTY) await run(await text(process.stdin))
    else {
      console.log('SQL ends with a semicolon. \\dt lists the tables, \\d TABLE its columns, \\q quits.')
      code = await typedLines(run)
    }
  } finally {
    client.release()
    await pool.end()
  }
  return code
}

async function typedLines(run: (typed: string) => Promise<void>): Promise<number> {
  const lines = createInterface({ input: process.stdin, output: process.stdout, prompt: 'caretaker=# ' })
  let typed = ''
  lines.prompt()
  for await (const line of lines) {
    typed = `${typed}\n${line}`.trim()
    if (typed === '\\q') break
    if (typed.startsWith('\\') || typed.endsWith(';')) {
      await run(typed)
      typed = ''
    }
    lines.setPrompt(typed ? 'caretaker-# ' : 'caretaker=# ')
    lines.prompt()
  }
  lines.close()
  return 0
}

async function main(args: string[]): Promise<number> {
  const database = await joinDatabase(loadConfig(), (line) => console.error(line))
  try {
    if (spawnSync('psql', ['--version']).status !== 0) return await smallShell(database.url, args)
    // Ctrl+C ends a query in psql, not the shell.
    process.on('SIGINT', () => {})
    const env = { ...process.env, ...psqlEnvironment(database.url) }
    const [code] = (await once(spawn('psql', args, { stdio: 'inherit', env }), 'close')) as [number | null]
    return code ?? 1
  } finally {
    await database.stop()
  }
}

if (isMain(import.meta.url))
  try {
    process.exitCode = await main(process.argv.slice(2))
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
