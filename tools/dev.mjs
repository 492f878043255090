// `npm run dev`: the web pages with hot reload at http://localhost:5173, in front of a server that runs on PORT (8080).
// Start that server with CARETAKER_ORIGIN=http://localhost:5173: the identity provider accepts only this address.
import path from 'node:path'
import { createServer } from 'vite'
import { root } from './child.mjs'
import { ensureInstalled, underNode24 } from './install.mjs'

await ensureInstalled()
await underNode24(import.meta.url)
const target = `http://localhost:${process.env.PORT ?? 8080}`
// Requests keep the browser's origin: the identity provider compares redirect addresses with it.
const served = ['/api', '/oidc', '/login/', '/account/', '/map/', '/scim/']
const proxy = Object.fromEntries(served.map((prefix) => [prefix, { target, changeOrigin: false }]))
const folder = path.join(root, 'packages', 'web')
const server = await createServer({ root: folder, server: { port: 5173, strictPort: true, proxy } })
await server.listen()
console.log(`Pages with hot reload at http://localhost:5173, calls go to ${target}`)
