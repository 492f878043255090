import assert from 'node:assert/strict'
import { test } from 'vitest'
import { readConfig, SettingError } from './config.ts'
import { addressForDevices } from './mqtt/device-keys.ts'

test('without settings everything is embedded, on the ports of the demo', () => {
  const config = readConfig({})
  assert.equal(config.origin, 'http://localhost:8080')
  assert.equal(config.mqtt.port, 1883)
  assert.equal(config.demo, true)
  assert.equal(config.demoDevices, 2000)
  assert.deepEqual(config.parts, ['api', 'ingest', 'worker'])
  assert.deepEqual(config.oidc, {
    issuer: 'http://localhost:8080/oidc',
    clientId: 'caretaker-web',
    audience: 'http://localhost:8080/api',
    embedded: true,
    trustsEmails: false,
    directory: 'embedded',
  })
})

test("with an organisation's own database the demo is off by default", () => {
  const own = { DATABASE_URL: 'postgres://caretaker@db.test/caretaker' }
  assert.equal(readConfig(own).demo, false)
  assert.equal(readConfig({ ...own, CARETAKER_DEMO: 'on' }).demo, true)
  assert.equal(readConfig({ CARETAKER_DEMO: 'off' }).demo, false)
})

test('an empty setting counts as unset', () => {
  assert.equal(readConfig({ PORT: '' }).port, 8080)
})

test('every invalid setting is named in one error', () => {
  const read = () =>
    readConfig({ PORT: '99999', DATABASE_URL: 'mysql://x', CARETAKER_DEMO: 'yes', CARETAKER_DEMO_DEVICES: '5' })
  assert.throws(read, (error) => {
    assert.ok(error instanceof SettingError)
    for (const name of ['PORT', 'DATABASE_URL', 'CARETAKER_DEMO', 'CARETAKER_DEMO_DEVICES'])
      assert.match(error.message, new RegExp(`${name}:`))
    assert.ok(!error.message.includes('\n'))
    return true
  })
})

test('an external issuer needs its audience; an unknown part is named', () => {
  assert.throws(() => readConfig({ OIDC_ISSUER: 'https://id.test' }), /OIDC_AUDIENCE/)
  assert.throws(() => readConfig({}, ['api', 'dance']), /Unknown part dance/)
  assert.deepEqual(readConfig({}, ['worker']).parts, ['worker'])
})

test('the mobile app has a placeholder address in the demo, none by default, and never one with a query', () => {
  assert.equal(readConfig({}).appUrl, 'https://app.caretaker.example')
  assert.equal(readConfig({ CARETAKER_DEMO: 'off' }).appUrl, undefined)
  const url = 'https://app.test/caretaker/'
  assert.equal(readConfig({ CARETAKER_DEMO: 'off', CARETAKER_APP_URL: url }).appUrl, 'https://app.test/caretaker')
  for (const wrong of ['javascript:alert(1)', 'app.test', 'https://app.test/?a=b', 'https://app.test/#a'])
    assert.throws(() => readConfig({ CARETAKER_APP_URL: wrong }), /CARETAKER_APP_URL: must/, wrong)
})

test('boiler resets go to this server unless another address is set', () => {
  assert.equal(readConfig({}).resetUrl, undefined)
  const url = 'https://resets.test/boilers?key=1'
  assert.equal(readConfig({ CARETAKER_RESET_URL: url }).resetUrl, url)
  for (const wrong of ['javascript:alert(1)', '/api/reset', 'https://resets.test/#a'])
    assert.throws(() => readConfig({ CARETAKER_RESET_URL: wrong }), /CARETAKER_RESET_URL: must/, wrong)
})

test('files are in a bucket only if one is set', () => {
  assert.equal(readConfig({}).filesUrl, undefined)
  const url = 'http://key:sec%2Fret@minio.test:9000/caretaker?region=eu-west-2'
  assert.equal(readConfig({ FILES_URL: url }).filesUrl, url)
  for (const wrong of [
    'https://s3.test',
    'https://s3.test/',
    'https://s3.test/a/b',
    's3://a:b@s3.test/bucket',
    'bucket',
  ])
    assert.throws(() => readConfig({ FILES_URL: wrong }), /FILES_URL: must/, wrong)
})

test('the origin has no trailing slash', () => {
  assert.equal(readConfig({ CARETAKER_ORIGIN: 'https://caretaker.test/' }).origin, 'https://caretaker.test')
})

test('an installation that other machines can reach must name its address: nothing is guessed from a request', () => {
  for (const HOST of ['0.0.0.0', '::', '10.0.0.5', 'portal.test', '127.0.0.1.evil.test']) {
    assert.throws(
      () => readConfig({ HOST }),
      (error) => {
        assert.ok(error instanceof SettingError)
        assert.match(error.message, /^HOST .* can be called from elsewhere: set CARETAKER_ORIGIN .*$/)
        return true
      },
    )
    assert.equal(readConfig({ HOST, CARETAKER_ORIGIN: 'https://portal.test' }).origin, 'https://portal.test')
  }
  for (const HOST of ['127.0.0.1', '127.1.2.3', '::1', 'localhost'])
    assert.equal(readConfig({ HOST }).origin, 'http://localhost:8080')
})

test('the address for devices has a host and optionally a port, and no credentials', () => {
  const given = (url: string) => addressForDevices(readConfig({ MQTT_PUBLIC_URL: url }))
  assert.equal(given('mqtts://devices.example:8884'), 'mqtts://devices.example:8884')
  assert.equal(given('mqtt://10.0.0.5/'), 'mqtt://10.0.0.5')
  for (const wrong of [
    ...['https://devices.example', 'devices.example:1883', 'mqtt://', 'mqtt:devices.example'],
    ...['mqtt://user:secret@devices.example', 'mqtt://devices.example/path', 'mqtt://devices.example?a=b'],
  ])
    assert.throws(() => given(wrong), /MQTT_PUBLIC_URL: must/, wrong)
  // By default it is the broker's own address.
  const origin = { CARETAKER_ORIGIN: 'https://homes.example' }
  assert.equal(addressForDevices(readConfig({})), 'mqtt://localhost:1883')
  assert.equal(addressForDevices(readConfig({ ...origin, MQTT_PORT: '1884' })), 'mqtt://homes.example:1884')
  const tls = { MQTT_TLS_CERT: 'cert.pem', MQTT_TLS_KEY: 'key.pem' }
  assert.equal(addressForDevices(readConfig({ ...origin, ...tls })), 'mqtts://homes.example:1883')
  const broker = { MQTT_URL: 'mqtts://ingest:secret@broker.example:8883' }
  assert.equal(addressForDevices(readConfig({ ...origin, ...broker })), 'mqtts://broker.example:8883')
  const both = { ...broker, MQTT_PUBLIC_URL: 'mqtts://devices.example' }
  assert.equal(addressForDevices(readConfig(both)), 'mqtts://devices.example')
})

test('trusted proxies are a number, or addresses and networks', () => {
  const trusted = (text?: string) => readConfig({ CARETAKER_TRUSTED_PROXIES: text }).trustedProxies
  assert.equal(trusted(), undefined)
  assert.equal(trusted('2'), 2)
  assert.deepEqual(trusted('10.0.0.5, 10.1.0.0/16,2001:db8::/32'), ['10.0.0.5', '10.1.0.0/16', '2001:db8::/32'])
  for (const wrong of ['0', 'on', 'all', '1,2', '10.0.0', '10.0.0.0/33', '10.0.0.0/8/8', 'proxy.test', '10.0.0.1,'])
    assert.throws(() => trusted(wrong), /CARETAKER_TRUSTED_PROXIES: must/, wrong)
  assert.throws(() => readConfig({ CARETAKER_BEHIND_PROXY: 'on' }), /CARETAKER_TRUSTED_PROXIES/)
})

test('a metrics token must not be short', () => {
  assert.equal(readConfig({ CARETAKER_METRICS_TOKEN: 'a token of the figures' }).metricsToken, 'a token of the figures')
  assert.throws(() => readConfig({ CARETAKER_METRICS_TOKEN: 'short' }), /CARETAKER_METRICS_TOKEN/)
})

test('the support page shows the configured texts, with neutral defaults', () => {
  assert.deepEqual(readConfig({}).support, {
    email: 'support@caretaker.example',
    phone: '+44 1632 960 100',
    videos: 'https://videos.caretaker.example/',
  })
  const own = { CARETAKER_SUPPORT_EMAIL: 'help@homes.test', CARETAKER_SUPPORT_PHONE: '0161 496 0000' }
  assert.equal(readConfig(own).support.email, 'help@homes.test')
  assert.equal(readConfig(own).support.phone, '0161 496 0000')
  for (const wrong of [
    { CARETAKER_SUPPORT_EMAIL: 'help' },
    { CARETAKER_SUPPORT_PHONE: 'ring the bell' },
    { CARETAKER_SUPPORT_VIDEOS: 'javascript:alert(1)' },
  ])
    assert.throws(() => readConfig(wrong), new RegExp(Object.keys(wrong)[0]!))
})

test('with outbound messages off no service is queried, no boiler is reset elsewhere, and an external broker is rejected', () => {
  const services = { POSTCODE_SERVICE: 'postcodes.io', CARETAKER_RESET_URL: 'https://reset.test/' }
  const on = readConfig(services)
  assert.deepEqual([on.outbound, on.postcodes?.service, on.resetUrl], [true, 'postcodes.io', 'https://reset.test/'])
  const off = readConfig({ ...services, CARETAKER_OUTBOUND: 'off' })
  assert.deepEqual([off.outbound, off.postcodes, off.resetUrl], [false, undefined, undefined])
  assert.throws(() => readConfig({ CARETAKER_OUTBOUND: 'off', MQTT_URL: 'mqtt://broker.test' }), {
    name: 'SettingError',
    message: /^CARETAKER_OUTBOUND=off and MQTT_URL: commands would reach the devices/,
  })
})

test('a postcode service is queried only if one is set, with the key that it needs', () => {
  assert.equal(readConfig({}).postcodes, undefined)
  assert.deepEqual(
    readConfig({ POSTCODE_SERVICE: 'postcodes.io', POSTCODE_SERVICE_URL: 'http://codes.test/' }).postcodes,
    { service: 'postcodes.io', url: 'http://codes.test', key: undefined },
  )
  for (const [wrong, reason] of [
    [{ POSTCODE_SERVICE: 'os-places' }, /os-places needs POSTCODE_SERVICE_KEY/],
    [{ POSTCODE_SERVICE: 'nobody' }, /POSTCODE_SERVICE:/],
    [{ POSTCODE_SERVICE_KEY: 'secret' }, /Set POSTCODE_SERVICE to the service/],
    [{ POSTCODE_SERVICE: 'postcodes.io', POSTCODE_SERVICE_URL: 'codes.test' }, /POSTCODE_SERVICE_URL: must/],
  ] as const)
    assert.throws(() => readConfig(wrong), reason)
})

test('a bucket can be given in parts, which result in the same address', () => {
  const parts = { S3_BUCKET: 'files', S3_KEY: 'KEY', S3_SECRET: 'a/b+c%' }
  assert.equal(
    readConfig({ ...parts, S3_ENDPOINT: 'http://minio.example:9000', S3_REGION: 'eu-west-2' }).filesUrl,
    'http://KEY:a%2Fb%2Bc%25@minio.example:9000/files?region=eu-west-2',
  )
  assert.equal(
    readConfig({ S3_BUCKET: 'files', S3_REGION: 'eu-west-2' }).filesUrl,
    'https://s3.eu-west-2.amazonaws.com/files?region=eu-west-2',
  )
  assert.throws(() => readConfig({ ...parts, FILES_URL: 'https://s3.example.org/other' }), /name two buckets/)
  assert.throws(() => readConfig({ ...parts, S3_SECRET: '' }), /belong together/)
  assert.throws(() => readConfig({ ...parts, S3_BUCKET: 'a/b' }), /must be the name of a bucket/)
})

test('other machines can reach an installation by its host, its broker, or its published addresses', () => {
  const away = 'https://x.example'
  for (const [env, by] of [
    [{}, undefined],
    [{ HOST: '127.1.2.3', MQTT_HOST: '::1', CARETAKER_ORIGIN: 'http://[::1]:8080' }, undefined],
    [{ CARETAKER_ORIGIN: 'http://localhost:9000', MQTT_PUBLIC_URL: 'mqtt://127.0.0.1' }, undefined],
    [{ HOST: '0.0.0.0', CARETAKER_ORIGIN: away }, 'HOST 0.0.0.0'],
    [{ HOST: '::', CARETAKER_ORIGIN: 'http://localhost:8080' }, 'HOST ::'],
    [{ MQTT_HOST: '10.0.0.5' }, 'MQTT_HOST 10.0.0.5'],
    [{ MQTT_HOST: '10.0.0.5', MQTT_URL: 'mqtt://localhost' }, undefined],
    [{ CARETAKER_ORIGIN: away }, `CARETAKER_ORIGIN ${away}`],
    [{ CARETAKER_ORIGIN: 'https://localhost.x.example' }, 'CARETAKER_ORIGIN https://localhost.x.example'],
    [{ MQTT_PUBLIC_URL: 'mqtts://x.example' }, 'MQTT_PUBLIC_URL mqtts://x.example'],
  ] as const)
    assert.equal(readConfig(env).exposedBy, by, JSON.stringify(env))
})
