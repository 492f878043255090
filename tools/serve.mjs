// The server with its demo, for `npm start`: missing web pages are built while the database is prepared.
import { existsSync } from 'node:fs'
import { SettingError } from '../packages/server/src/config.ts'
import { runServer } from '../packages/server/src/program.ts'
import { ensureBuilt } from './install.mjs'

const pages = ensureBuilt().then((isBuilt) => {
  if (!isBuilt) throw new SettingError('Caretaker does not start without its web pages.')
})
// The server checks the result when it needs the pages, and then stops its database.
pages.catch(() => {})

// An installation may omit the demo.
const demo = new URL('../packages/demo/src/world.ts', import.meta.url)
runServer(existsSync(demo) ? async () => (await import(demo.href)).world : undefined, pages)
