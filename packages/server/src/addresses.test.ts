import assert from 'node:assert/strict'
import { test } from 'vitest'
import { storeAddresses, withInstalledAddresses, withStoredOrigin } from './addresses.ts'
import { readConfig } from './config.ts'
import { addressForDevices } from './mqtt/device-keys.ts'
import { testDatabase } from './testing/database.ts'

test('a process without api uses the origin of those with it, in e-mails and tokens', async () => {
  const database = await testDatabase()
  try {
    const worker = readConfig({}, ['worker'])
    assert.deepEqual(await withStoredOrigin(worker, database.owner), worker, 'before the first start of one')
    await storeAddresses(database.owner, readConfig({ CARETAKER_ORIGIN: 'https://homes.example' }))
    const { origin, mailFrom, oidc } = await withStoredOrigin(worker, database.owner)
    assert.equal(origin, 'https://homes.example')
    assert.equal(mailFrom, 'Caretaker <no-reply@homes.example>')
    assert.equal(oidc.issuer, 'https://homes.example/oidc')
    for (const own of [
      readConfig({ CARETAKER_ORIGIN: 'https://other.example' }, ['worker']),
      readConfig({}, ['api', 'worker']),
    ])
      assert.deepEqual(await withStoredOrigin(own, database.owner), own)
    const sender = { SMTP_FROM: 'desk@homes.example', OIDC_ISSUER: 'https://id.example', OIDC_AUDIENCE: 'x' }
    const config = await withStoredOrigin(readConfig(sender, ['worker']), database.owner)
    assert.deepEqual([config.mailFrom, config.oidc.issuer], ['desk@homes.example', 'https://id.example'])
  } finally {
    await database.drop()
  }
})

test('a command uses the addresses of its settings or of the installation, or reports that it knows none', () => {
  const installed = { origin: 'https://homes.example', mqtt: 'mqtts://devices.example' }
  const lines: string[] = []
  const given = (env: Record<string, string>, known?: typeof installed) => {
    const config = withInstalledAddresses(readConfig(env), known, (line) => lines.push(line))
    return [config.origin, addressForDevices(config)]
  }
  const [own, broker] = [{ CARETAKER_ORIGIN: 'https://own.example' }, { MQTT_URL: 'mqtt://broker.example' }]
  assert.deepEqual(given({ PORT: '9000' }, installed), [installed.origin, installed.mqtt])
  assert.deepEqual(given(own, installed), ['https://own.example', installed.mqtt])
  assert.deepEqual(given(broker, installed), [installed.origin, 'mqtt://broker.example'])
  assert.deepEqual(given(own), ['https://own.example', 'mqtt://own.example:1883'])
  assert.equal(lines.length, 0)
  assert.deepEqual(given({ PORT: '9000' }), ['', ''])
  assert.equal(lines.length, 1, 'it is lines once')
  assert.match(lines[0]!, /^The address of this installation is not known yet: .* CARETAKER_ORIGIN/)
  lines.length = 0
  const away = withInstalledAddresses(readConfig(broker), undefined, (line) => lines.push(line))
  assert.equal(addressForDevices(away), 'mqtt://broker.example')
  assert.equal(lines.length, 0, 'what is not needed is not missed')
})
