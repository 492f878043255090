#!/usr/bin/env node
// `npx caretaker`: the operator's command line.
import path from 'node:path'
import { become, root } from './child.mjs'
import { ensureInstalled, node24, nodeFlags } from './install.mjs'

await ensureInstalled()
const cli = path.join(root, 'packages', 'server', 'src', 'cli', 'main.ts')
await become(node24(), [...nodeFlags, cli, ...process.argv.slice(2)])
