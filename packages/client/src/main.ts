/** The command line for lists: it calls the API with a key, without access to the database. */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { CallError } from '@caretaker/contract/error-texts.ts'
import { importLines } from '@caretaker/contract/import-lines.ts'
import type { Import } from '@caretaker/contract/imports.ts'
import { openClient } from './client.ts'
import type { ListName } from './lists.ts'
import { exportList, importList, ListError, listNames, undoList } from './lists.ts'

const usage = `Usage: npm run lists -- export LIST FILE [--columns a,b]
       npm run lists -- import FILE [--yes] [--json]
       npm run lists -- import undo ID [--json]

LIST is one of ${listNames.join(', ')}.
FILE ends in .csv or .xlsx. An import shows a preview, and changes data only with --yes.
The environment names the portal (CARETAKER), an API key (KEY) and the client (TENANT).`

class UsageError extends Error {}

/** Whether `parseArgs` rejects the arguments. */
const isOfArguments = (error: unknown): error is TypeError =>
  error instanceof TypeError && String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')

const isList = (name: string | undefined): name is ListName => listNames.some((one) => one === name)

/** The client of the installation that the environment names. */
function connected() {
  const { CARETAKER: origin, KEY: key, TENANT: tenant } = process.env
  if (!origin || !key || !tenant) throw new UsageError('Set CARETAKER, KEY and TENANT.')
  return { client: openClient({ origin, key }), tenant }
}

async function run(): Promise<void> {
  const options = {
    columns: { type: 'string' },
    yes: { type: 'boolean' },
    json: { type: 'boolean' },
    help: { type: 'boolean' },
  } as const
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const [verb, ...named] = positionals
  const print = (list: Import) =>
    process.stdout.write(`${values.json ? JSON.stringify(list) : importLines(list).join('\n')}\n`)
  if (values.help) process.stdout.write(`${usage}\n`)
  else if (verb === 'export' && named.length === 2) {
    const [list, file] = named
    const format = path.extname(file!).slice(1).toLowerCase()
    if (!isList(list)) throw new UsageError(`There is no list ${list}.`)
    if (format !== 'csv' && format !== 'xlsx') throw new UsageError(`${file} does not end in .csv or .xlsx.`)
    const { client, tenant } = connected()
    const exported = await exportList(client, tenant, { list, format, columns: values.columns?.split(',') })
    // An existing file may have been changed to be imported.
    await writeFile(file!, Buffer.from(await exported.arrayBuffer()), { flag: 'wx' }).catch((error: unknown) => {
      const { code } = error as NodeJS.ErrnoException
      throw new ListError(code === 'EEXIST' ? `${file} already exists.` : `${file} cannot be written.`)
    })
    process.stdout.write(`${file}\n`)
  } else if (verb === 'import' && named.length === 2 && named[0] === 'undo') {
    const { client, tenant } = connected()
    print(await undoList(client, tenant, named[1]!))
  } else if (verb === 'import' && named.length === 1) {
    const { client, tenant } = connected()
    const content = await readFile(named[0]!).catch(() => {
      throw new ListError(`${named[0]} cannot be read.`)
    })
    const file = new File([content], path.basename(named[0]!))
    for await (const list of importList(client, tenant, file, { yes: values.yes })) print(list)
  } else throw new UsageError('Name a command.')
}

try {
  await run()
} catch (error) {
  const isMisused = error instanceof UsageError || isOfArguments(error)
  if (!isMisused && !(error instanceof ListError) && !(error instanceof CallError)) throw error
  process.stderr.write(`${error.message}\n${isMisused ? `\n${usage}\n` : ''}`)
  process.exitCode = isMisused ? 2 : 1
}
