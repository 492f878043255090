import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import tls from 'node:tls'
import { afterAll, beforeAll, test } from 'vitest'
import { readConfig, SettingError } from '../config.ts'
import { certificates } from '../testing/certificates.ts'
import type { TestLink } from '../testing/device-link.ts'
import { eventually, testLink } from '../testing/device-link.ts'
import { startDeviceLink } from './device-link.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-tls-'))
const files = { MQTT_TLS_CERT: path.join(folder, 'cert.pem'), MQTT_TLS_KEY: path.join(folder, 'key.pem') }
const put = ({ cert, key }: { cert: string; key: string }) => {
  writeFileSync(files.MQTT_TLS_CERT, cert)
  writeFileSync(files.MQTT_TLS_KEY, key)
}
const [first, second] = certificates

let world: TestLink
beforeAll(async () => {
  put(first)
  world = await testLink({
    ...files,
    HOST: '192.0.2.1',
    CARETAKER_ORIGIN: 'https://caretaker.test',
    MQTT_HOST: '127.0.0.1',
  })
  await world.addTenant('north')
})
afterAll(async () => {
  await world.close()
  rmSync(folder, { recursive: true })
})

const reading = () => ({ ts: Date.now(), values: { co2: 500 } })
const trusting = { ca: certificates.map(({ cert }) => cert) }
/** The certificate presented to a new connection. */
async function shown(): Promise<string> {
  const socket = tls.connect({ port: world.link.port!, host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { fingerprint256 } = socket.getPeerX509Certificate()!
  socket.destroy()
  return fingerprint256
}

test('with a certificate the broker only accepts TLS, on its own address', async () => {
  assert.equal(world.link.url, `mqtts://127.0.0.1:${world.link.port}`)
  const device = await world.addDevice('north')
  const client = await world.connect(device, trusting)
  await world.publish(client, device.id, 'telemetry', reading())
  const version5 = await world.connect(await world.addDevice('north'), { ...trusting, protocolVersion: 5 })
  assert.ok(version5.connected)
  await assert.rejects(world.connect(device, { ca: second.cert }), /self-signed|certificate/)
  const plain = net.connect(world.link.port!, '127.0.0.1')
  plain.on('error', () => {}).resume()
  plain.write(Buffer.from([0x10, 20, 0, 4]))
  await once(plain, 'close')
  assert.ok(client.connected)
})

test('the broker accepts only suites with forward secrecy', async () => {
  const offer = async (ciphers: string, maxVersion: tls.SecureVersion = 'TLSv1.2') => {
    const socket = tls.connect({
      port: world.link.port!,
      host: '127.0.0.1',
      rejectUnauthorized: false,
      ciphers,
      maxVersion,
    })
    try {
      await once(socket, 'secureConnect')
      return socket.getCipher().name
    } finally {
      socket.destroy()
    }
  }
  assert.match(await offer('ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384'), /^ECDHE-.*-GCM-/)
  for (const weak of ['AES256-GCM-SHA384', 'ECDHE-RSA-AES128-SHA256:ECDHE-ECDSA-AES128-SHA256'])
    await assert.rejects(offer(weak), /handshake failure/i)
  assert.match(await offer('TLS_AES_128_GCM_SHA256', 'TLSv1.3'), /^TLS_/)
})

test('new connections get a renewed certificate, an invalid one is ignored, and open connections stay', async () => {
  const device = await world.addDevice('north')
  const client = await world.connect(device, trusting)
  const before = await shown()
  put(second)
  const renewed = await eventually(shown, (fingerprint) => fingerprint !== before)
  writeFileSync(files.MQTT_TLS_KEY, 'broken')
  await new Promise((resolve) => setTimeout(resolve, 5500))
  assert.equal(await shown(), renewed)
  await world.publish(client, device.id, 'telemetry', reading())
})

test('an unusable certificate and key are reported in one line that names the settings', async () => {
  const start = (env: Record<string, string>) =>
    startDeviceLink({ ...world.context, config: readConfig({ MQTT_PORT: '0', ...env }) })
  await world.link.stop()
  const refused = (pattern: RegExp) => (error: unknown) =>
    error instanceof SettingError && pattern.test(error.message) && !error.message.includes('\n')
  const missing = { MQTT_TLS_CERT: path.join(folder, 'none'), MQTT_TLS_KEY: path.join(folder, 'none') }
  await assert.rejects(start(missing), refused(/^MQTT_TLS_CERT and MQTT_TLS_KEY cannot be used: ENOENT/))
  put({ cert: first.cert, key: second.key })
  await assert.rejects(start(files), refused(/^MQTT_TLS_CERT and MQTT_TLS_KEY cannot be used: .*mismatch/))
  assert.throws(() => readConfig({ MQTT_TLS_CERT: 'x' }), refused(/MQTT_TLS_CERT and MQTT_TLS_KEY belong together/))
})
