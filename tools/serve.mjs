// The server with its demo, as `npm start` runs it: web pages that are missing are built while the database is prepared.
import { existsSync } from 'node:fs'
import { SettingError } from '../packages/server/src/config.ts'
import { runServer } from '../packages/server/src/program.ts'
import { ensureBuilt } from './install.mjs'

const pages = ensureBuilt().then((isBuilt) => {
  if (!isBuilt) throw new SettingError('Caretaker does not start without its web pages.')
})
// The server looks at the outcome when it needs the pages, and stops its database then.
pages.catch(() => {})

// An installation may leave the demo out.
const demo = new URL('../packages/demo/src/world.ts', import.meta.url)
runServer(existsSync(demo) ? async () => (await import(demo.href)).world : undefined, pages)
