// `npm start`: installs and builds what is missing, then becomes the server.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { become, refuse, root } from './child.mjs'
import { ensureBuilt, ensureInstalled, node24, nodeFlags } from './install.mjs'

await ensureInstalled()
if (!(await ensureBuilt())) refuse('Caretaker does not start without its web pages.')
const mainOf = (name) => path.join(root, 'packages', name, 'src', 'main.ts')
// An installation may leave the demo out.
const main = existsSync(mainOf('demo')) ? mainOf('demo') : mainOf('server')
await become(node24(), [...nodeFlags, main, ...process.argv.slice(2)], { detached: true })
