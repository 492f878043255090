import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { connectAsync } from 'mqtt'
import { topic } from '@caretaker/contract/mqtt/topics.ts'
import { openPools } from '@caretaker/server/testing/database.ts'
import { eventually } from '@caretaker/server/testing/device-link.ts'
import { startMosquitto } from '@caretaker/server/testing/mosquitto.ts'
import { freePort } from '@caretaker/server/testing/ports.ts'
import { makeAccount, signInAs } from '@caretaker/server/testing/sign-in.ts'
import { rounded } from './figures.ts'
import { inDatabase, ownServer } from './own-server.ts'

const manager = { email: 'manager@north.test', password: 'a long enough password' }
const parts = ['api', 'ingest', 'worker']
/** What `deploy/compose.yaml` gives a part, and the network of this machine, on which database and broker are. */
const confined = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'all', '--security-opt', 'no-new-privileges']

/**
 * Runs a built image as compose does, with its parts apart, on a database and a broker of this machine: the schema is migrated by it,
 * somebody signs in, what a device says is stored, the engine finds each part healthy, and each ends when it is told to.
 * `--image caretaker:0.1.0`, `--engine docker`; `--server URL` for a Postgres other than the embedded one.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      image: { type: 'string', default: 'caretaker:0.1.0' },
      engine: { type: 'string', default: 'podman' },
      ...ownServer,
    },
  })
  const engine = (...order: string[]) => {
    const { status, stdout, stderr, error } = spawnSync(values.engine, order, { encoding: 'utf8' })
    if (error) throw error
    return { status, said: stdout.trim(), complaint: stderr.trim() }
  }
  const must = (...order: string[]) => {
    const { status, said, complaint } = engine(...order)
    assert.equal(status, 0, `${values.engine} ${order[0]}: ${complaint}`)
    return said
  }
  const broker = await startMosquitto()
  const name = `caretaker-${randomBytes(3).toString('hex')}`
  try {
    await inDatabase(values, async ({ url }) => {
      const [port, ...health] = [await freePort('localhost'), await freePort(), await freePort(), await freePort()]
      const origin = `http://localhost:${port}`
      const settings = { DATABASE_URL: url, MQTT_URL: broker.url, CARETAKER_ORIGIN: origin, PORT: String(port) }
      const inContainer = (more: Record<string, string> = {}) => [
        ...['--network', 'host', ...confined],
        ...Object.entries({ ...settings, ...more }).flatMap(([setting, value]) => ['--env', `${setting}=${value}`]),
      ]
      const operator = (...order: string[]) =>
        must(
          ...['run', '--rm', ...inContainer(), '--entrypoint', 'node', values.image, 'packages/server/src/cli/main.ts'],
          ...order,
        )
      operator('migrate')
      operator('tenant', 'add', '--id', 'north', '--name', 'North')
      operator('user', 'invite', '--tenant', 'north', '--email', manager.email, '--role', 'Manager')
      const device = JSON.parse(operator('device', 'add', '--tenant', 'north', '--serial', 'EM1000123X', '--json')) as {
        deviceId: string
        password: string
        mqttUrl: string
      }
      const started = performance.now()
      for (const [at, part] of parts.entries())
        must(
          'run',
          '--detach',
          '--name',
          `${name}-${part}`,
          ...inContainer({ HEALTH_PORT: String(health[at]) }),
          values.image,
          part,
        )
      const readyOf = (at: number) =>
        fetch(`http://127.0.0.1:${health[at]}/readyz`).then(
          ({ status }) => status,
          () => 0,
        )
      await eventually(
        () => Promise.all(parts.map((_, at) => readyOf(at))),
        (all) => all.every((status) => status === 200),
        120_000,
      )
      const readyMs = Math.round(performance.now() - started)

      const database = openPools(url)
      await makeAccount(database, manager.email, manager.password)
      const { tokens } = await signInAs(origin, manager)
      assert.ok(tokens.access_token)
      const page = await fetch(origin)
      assert.match(await page.text(), /<div id="root">|<title>/)
      const light = await connectAsync(device.mqttUrl, {
        clientId: randomUUID(),
        username: device.deviceId,
        password: device.password,
      })
      const told = JSON.stringify({ ts: Date.now(), values: { batteryVoltage: 3.6 } })
      await light.publishAsync(topic(device.deviceId, 'telemetry'), told, { qos: 1 })
      await light.endAsync()
      await eventually(
        async () => (await database.owner.query('select from point where tenant_id = $1', ['north'])).rowCount,
        (count) => count === 1,
      )
      await database.drop()

      const memory: Record<string, number> = {}
      const endedMs: Record<string, number> = {}
      for (const part of parts) {
        const id = `${name}-${part}`
        const ids = must(
          'exec',
          id,
          'sh',
          '-c',
          'id -u; touch /app/x 2>/dev/null && echo written; grep ^Pss: /proc/1/smaps_rollup',
        )
        const [, pss] = /^\d+\nPss: +(\d+) kB$/.exec(ids) ?? assert.fail(`${part} is root, or may write: ${ids}`)
        assert.doesNotMatch(ids, /^0$/m)
        memory[part] = Math.round(Number(pss) / 1024)
        if (values.engine === 'podman') must('healthcheck', 'run', id)
        const from = performance.now()
        must('stop', '--time', '30', id)
        endedMs[part] = Math.round(performance.now() - from)
        assert.equal(must('inspect', '--format', '{{.State.ExitCode}}', id), '0', `${part} ended by force`)
      }
      const size = Math.round(Number(must('image', 'inspect', '--format', '{{.Size}}', values.image)) / 1e6)
      console.log(JSON.stringify({ image: values.image, megabytes: size, readyMs, memoryMB: memory, endedMs }, null, 2))
      console.log(
        `container: ${size} MB; three parts ready after ${rounded(readyMs / 1000)} s, no root, nothing written, signed in, a reading stored, each ended by itself`,
      )
    })
  } finally {
    for (const part of parts) engine('rm', '--force', '--volumes', `${name}-${part}`)
    await broker.stop()
  }
}
