import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { test } from 'vitest'
import { connectAsync } from 'mqtt'
import { getEmered } from '@caretaker/contract/devices.ts'
import { topic } from '@caretaker/contract/mqtt/topics.ts'
import { getSession } from '@caretaker/contract/session.ts'
import { contentsOfBackup } from '@caretaker/server/testing/contents.ts'
import { eventually } from '@caretaker/server/testing/device-link.ts'
import { openOperator } from '@caretaker/server/testing/operator.ts'
import { programUnderTest } from '@caretaker/server/testing/program.ts'
import { signInAs } from '@caretaker/server/testing/sign-in.ts'
import { demoPassword } from './fixtures.ts'

const { settings, start, folder } = programUnderTest(new URL('./main.ts', import.meta.url))

async function caretaker(env: NodeJS.ProcessEnv, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await openOperator(env as Record<string, string>).run(args)
  assert.equal(code, 0, stderr)
  return stdout
}

test('a destroyed installation is restored from a backup made while it was running', async () => {
  const data = path.join(folder, 'works')
  const env = await settings({ CARETAKER_DATA: data, CARETAKER_DEMO: 'on', CARETAKER_DEMO_DEVICES: '200' })
  const origin = `http://localhost:${env.PORT}`
  const [first, second] = [path.join(folder, 'first.zip'), path.join(folder, 'second.zip')]
  const person = { email: 'manager@northgate.example', password: demoPassword }

  const server = await start(env)
  assert.match(server.startupOutput, /is ready/, server.errorOutput())
  const device = JSON.parse(
    await caretaker(env, 'device', 'add', '--tenant', 'northgate', '--serial', 'EM1234567X', '--json'),
  ) as { deviceId: string; username: string; password: string }
  const connect = () =>
    connectAsync(`mqtt://127.0.0.1:${env.MQTT_PORT}`, {
      ...{ clientId: device.deviceId, username: device.username, password: device.password, reconnectPeriod: 0 },
    })
  let reports = 0
  let stopped = false
  const client = await connect()
  const report = async (to: typeof client) => {
    const reading = { ts: Date.now(), values: { batteryVoltage: 3 + (reports % 5) / 10 } }
    await to.publishAsync(topic(device.deviceId, 'telemetry'), JSON.stringify(reading), { qos: 1 })
    reports++
  }
  const reporting = (async () => {
    while (!stopped) await report(client)
  })()
  // The device reports before the backup starts.
  await eventually(
    async () => reports,
    (count) => count > 0,
  )
  const before = reports
  assert.match(await caretaker(env, 'backup', first), /everything as of/)
  assert.ok(reports > before, 'it was at work meanwhile')
  stopped = true
  await reporting
  await client.endAsync()
  assert.equal(await server.stop(), 0)

  rmSync(data, { recursive: true })
  assert.match(await caretaker(env, 'restore', first), /^Restored [\d,]+ rows, [\d,]+ files/)
  await caretaker(env, 'backup', second)
  const [was, is] = [await contentsOfBackup(first), await contentsOfBackup(second)]
  assert.ok(Object.keys(was).length > 150, `${Object.keys(was).length} parts and files`)
  // A copy drops the addresses of the original.
  const { 'tables/idp.secret.copy.zst': secrets, ...rest } = is
  const { 'tables/idp.secret.copy.zst': former, ...all } = was
  assert.deepEqual(rest, all)
  assert.ok(secrets && former && secrets !== former)

  const again = await start(env)
  assert.match(again.startupOutput, /is ready/, again.errorOutput())
  try {
    const { tokens } = await signInAs(origin, person)
    const ask = async (to: { method: string; path: string }, body?: object) => {
      const answer = await fetch(`${origin}${to.path}`, {
        method: to.method,
        headers: {
          authorization: `Bearer ${tokens.access_token}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        body: body && JSON.stringify(body),
      })
      assert.equal(answer.status, 200, to.path)
      return answer.json()
    }
    const { tenants } = (await ask(getSession)) as { tenants: { id: string }[] }
    assert.deepEqual(
      tenants.map(({ id }) => id),
      ['northgate'],
    )
    const open = async () =>
      (
        (await ask(getEmered, { tenant: 'northgate', deviceId: device.deviceId })) as {
          data: Record<string, string | null>
        }
      ).data
    const { serialNumber, lastHeard } = await open()
    assert.equal(serialNumber, 'EM1234567X')
    // The device keeps its identity, and its reports are stored.
    const back = await connect()
    await report(back)
    await back.endAsync()
    await eventually(
      async () => (await open()).lastHeard,
      // The backup may have been made before the report was recorded, and then contains no time.
      (at) => (at ?? '') > (lastHeard ?? ''),
    )
  } finally {
    assert.equal(await again.stop(), 0)
  }
})
