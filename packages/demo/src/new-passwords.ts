import { loadConfig, SettingError } from '@caretaker/server/config.ts'
import { prepareSchema } from '@caretaker/server/postgres/migrate.ts'
import { joinDatabase } from '@caretaker/server/postgres/open.ts'
import { openPool } from '@caretaker/server/postgres/pool.ts'
import { holdsDemo } from '@caretaker/server/world.ts'
import { passwordLines, replacePasswords } from './passwords.ts'

// `npm run demo:passwords`: random passwords for all demo users of an installation, running or not.
async function run(): Promise<void> {
  const database = await joinDatabase(loadConfig(), (line) => process.stderr.write(`${line}\n`))
  const owner = openPool(database.url, 'owner', 1)
  try {
    await prepareSchema(owner, database.own)
    if (!(await holdsDemo(owner))) throw new SettingError('There is no demo in this database.')
    process.stdout.write(passwordLines(await replacePasswords(owner, 'all')))
  } finally {
    await owner.end()
    await database.stop()
  }
}

run().catch((error: unknown) => {
  if (!(error instanceof SettingError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
})
