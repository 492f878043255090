// `npm start`: installs and builds what is missing, then becomes the server.
import path from 'node:path'
import { become, refuse, root } from './child.mjs'
import { ensureBuilt, ensureInstalled, node24, nodeFlags } from './install.mjs'

await ensureInstalled()
if (!(await ensureBuilt())) refuse('Caretaker does not start without its web pages.')
const main = path.join(root, 'packages', 'server', 'src', 'main.ts')
await become(node24(), [...nodeFlags, main, ...process.argv.slice(2)], { detached: true })
