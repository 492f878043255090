import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { AddressInfo } from 'node:net'
import { freePort } from './testing/ports.ts'

const program = fileURLToPath(new URL('./main.ts', import.meta.url))
let folder: string
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'caretaker-start-'))
})
after(() => rmSync(folder, { recursive: true, force: true }))

async function settings(more: Record<string, string> = {}) {
  return {
    ...process.env,
    PORT: String(await freePort()),
    MQTT_PORT: String(await freePort()),
    CARETAKER_DATA: path.join(folder, 'data'),
    CARETAKER_DEMO: 'off',
    ...more,
  }
}

/** Starts the program and gives what it said until it was ready or ended. */
async function start(env: NodeJS.ProcessEnv, args: string[] = []) {
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit') as Promise<[number | null]>
  let said = ''
  let complained = ''
  child.stderr.on('data', (chunk) => (complained += String(chunk)))
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk) => {
      said += String(chunk)
      if (said.includes('is ready')) resolve()
    })
    void ended.then(() => resolve())
  })
  return {
    said,
    complaint: () => complained,
    ended,
    stop: async () => {
      child.kill('SIGTERM')
      return (await ended)[0]
    },
  }
}

/** A start that must fail: one line, no stack, and a code that is not zero. */
async function fails(env: NodeJS.ProcessEnv, reason: RegExp, args: string[] = []) {
  const { ended, complaint } = await start(env, args)
  const [code] = await ended
  assert.equal(code, 1)
  assert.match(complaint(), reason)
  assert.equal(complaint().trim().split('\n').length, 1, complaint())
}

test('it starts without the demo, answers, and stops cleanly', async () => {
  const env = await settings()
  const server = await start(env)
  assert.equal(server.said, `Caretaker is ready at http://localhost:${env.PORT}\n`, server.complaint())
  const ready = await fetch(`http://127.0.0.1:${env.PORT}/readyz`)
  assert.deepEqual(await ready.json(), { status: 'ready', database: true })
  assert.equal(await server.stop(), 0)
  await assert.rejects(fetch(`http://127.0.0.1:${env.PORT}/livez`))
})

test('a port in use is one clear line, and the database is stopped again', async () => {
  const busy = createServer().listen(0, '127.0.0.1')
  await once(busy, 'listening')
  const port = String((busy.address() as AddressInfo).port)
  await fails(await settings({ PORT: port }), new RegExp(`Port ${port} is in use. Set PORT`))
  await fails(await settings({ MQTT_PORT: port }), new RegExp(`${port}.*MQTT_PORT`))
  busy.close()
})

test('a second server on the same data folder is refused', async () => {
  const server = await start(await settings())
  await fails(await settings(), /data folder .* is in use by process/)
  assert.equal(await server.stop(), 0)
})

test('wrong settings, an unknown part, a folder that is a file, a database that is away', async () => {
  await fails(await settings({ PORT: 'many' }), /Wrong setting. PORT/)
  await fails(await settings(), /Unknown part dance/, ['dance'])
  const file = path.join(folder, 'file')
  writeFileSync(file, '')
  await fails(await settings({ CARETAKER_DATA: path.join(file, 'data') }), /file/)
  await fails(await settings({ DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' }), /DATABASE_URL/)
  await fails(await settings({ OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_AUDIENCE: 'x' }), /OIDC_ISSUER/)
})

test('the demo, small: ready, its people can be found, and it refuses to become real afterwards', async () => {
  const demo = { CARETAKER_DATA: path.join(folder, 'demo') }
  const env = await settings({ ...demo, CARETAKER_DEMO: 'on', CARETAKER_DEMO_DEVICES: '200' })
  const server = await start(env)
  assert.match(server.said, /is ready/, server.complaint())
  const bad = await fetch(`http://127.0.0.1:${env.PORT}/api/session`, { headers: { authorization: 'Bearer a.b.c' } })
  assert.equal(bad.status, 401)
  assert.equal(await server.stop(), 0)
  await fails(await settings(demo), /holds the demo world, whose passwords are published/)
})

test('parts start by name', async () => {
  const server = await start(await settings(), ['worker'])
  assert.equal(server.said, 'Caretaker is ready: worker\n', server.complaint())
  assert.equal(await server.stop(), 0)
})
