// `node tools/run.mjs file.ts …`: installs what is missing, then runs that program on Node 24.
import path from 'node:path'
import { become, refuse, root } from './child.mjs'
import { ensureInstalled, node24, nodeFlags } from './install.mjs'

const [file, ...args] = process.argv.slice(2)
if (!file) refuse('Name the program to run: node tools/run.mjs FILE.ts [arguments]')
await ensureInstalled()
await become(node24(), [...nodeFlags, path.resolve(root, file), ...args])
