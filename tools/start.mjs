// `npm start`: installs what is missing, then runs the server.
import path from 'node:path'
import { become, root } from './child.mjs'
import { ensureInstalled, node24, nodeFlags } from './install.mjs'

await ensureInstalled()
const serve = path.join(root, 'tools', 'serve.mjs')
await become(node24(), [...nodeFlags, serve, ...process.argv.slice(2)], { detached: true })
