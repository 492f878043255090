import type { AddressInfo } from 'node:net'
import { testApp } from './app.ts'
import { openPools } from './database.ts'

/** Serves the API on a database as a separate process that tests can kill: `uplink-server.ts URL`. Reports its port. */
const { app } = await testApp({}, openPools(process.argv[2]!))
await app.listen({ host: '127.0.0.1', port: 0 })
process.send!((app.server.address() as AddressInfo).port)
