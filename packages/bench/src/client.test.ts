import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, test } from 'vitest'
import { openClient } from '@caretaker/client/client.ts'
import { fetchViewData } from '@caretaker/contract/calls/devices.ts'
import { addDeviceNote } from '@caretaker/contract/calls/maintenance.ts'
import { getAccessRightsTags, tenantCreateTag } from '@caretaker/contract/calls/tags.ts'
import { makeKey } from '@caretaker/server/testing/api-key.ts'
import type { TestApp } from '@caretaker/server/testing/app.ts'
import { testApp } from '@caretaker/server/testing/app.ts'
import { addDevice } from '@caretaker/server/testing/furnish/devices.ts'
import { freePort } from '@caretaker/server/testing/ports.ts'
import { childEnv } from '../../../tools/child.mjs'

const tenant = 'north'
let base: TestApp
let key: string
let light: string
let port: number
beforeAll(async () => {
  base = await testApp()
  await base.addTenant(tenant)
  await base.addMember(tenant, 'manager@north.test', 'Manager')
  key = await makeKey(base, tenant, 'manager@north.test')
  light = await addDevice(base, tenant, { product: 'EM' })
  port = await freePort('localhost')
})
afterAll(() => base.close())

const start = async () => {
  const server = await testApp({}, base.database)
  await server.app.listen({ port, host: 'localhost' })
  return server.app
}
const client = () => openClient({ origin: `http://localhost:${port}`, key, longestDelay: 10_000, attempts: 20 })

test('the client pages through a list, and throws the message of a rejected call', async () => {
  for (let n = 0; n < 60; n++) await addDevice(base, tenant, { product: 'MD', name: `Sensor ${n}` })
  const server = await start()
  try {
    const { call, all } = client()
    const devices = new Set<string>()
    const body = { tenant, listing: 'MultiDots' as const, pageSize: 25 }
    for await (const row of all(fetchViewData, { body })) devices.add(row.deviceId)
    assert.equal(devices.size, 60)
    assert.deepEqual(await call(getAccessRightsTags, { params: { tenant } }), [])
    await call(tenantCreateTag, { body: { tenant, name: 'Once' } })
    await assert.rejects(call(tenantCreateTag, { body: { tenant, name: 'Once' } }), { name: 'CallError' })
    await assert.rejects(call(getAccessRightsTags, { params: { tenant: 'south' } }), { status: 404 })
  } finally {
    await server.close()
  }
})

test('a program that writes while the server is restarted ten times loses nothing and doubles nothing', async () => {
  const { call } = client()
  const [fewest, mostRestarts] = [300, 10]
  const wanted: string[] = []
  let server = await start()
  let restarts = 0
  let hasFailed = false
  const write = async () => {
    while (!hasFailed && (wanted.length < fewest || restarts < mostRestarts)) {
      const note = `Note ${wanted.length}`
      wanted.push(note)
      await call(addDeviceNote, { form: { tenant, deviceId: light, deviceType: 'EM', note } })
    }
  }
  const writing = Promise.all(Array.from({ length: 6 }, write))
  writing.catch(() => (hasFailed = true))
  while (!hasFailed && restarts < mostRestarts) {
    await sleep(100)
    // Responses are lost, and transactions are rolled back, as when the process is killed.
    server.server.closeAllConnections()
    await base.database.owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and usename = 'caretaker_app' and state <> 'idle'`,
    )
    await server.close()
    server = await start()
    restarts++
  }
  try {
    await writing
    const { rows } = await base.database.owner.query<{ note: string }>('select note from device_note')
    assert.deepEqual(rows.map(({ note }) => note).toSorted(), wanted.toSorted())
    assert.equal(restarts, mostRestarts)
  } finally {
    await server.close()
  }
})

test('the example of the integrator guide runs unchanged', async () => {
  const root = path.resolve(import.meta.dirname, '../../..')
  const guide = readFileSync(path.join(root, 'docs/guides/integrator.md'), 'utf8')
  const [, program] = /^```ts\n(import \{ openClient \}.*?)^```$/ms.exec(guide)!
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-client-'))
  const server = await start()
  try {
    symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction')
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(path.join(folder, 'program.ts'), program!)
    const env = childEnv({ CARETAKER: `http://localhost:${port}`, KEY: key, TENANT: tenant })
    const { stdout } = await promisify(execFile)(process.execPath, ['program.ts'], { cwd: folder, env })
    assert.match(stdout, /^EM1\w+ \w+\n$/)
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
