import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { parseEnv } from 'node:util'
import { afterAll, test } from 'vitest'
import { readConfig } from '@caretaker/server/config.ts'
import { secretSettings } from '@caretaker/server/given-settings.ts'
import { startServer } from '@caretaker/server/server.ts'
import { certificates } from '@caretaker/server/testing/certificates.ts'
import { testDatabase } from '@caretaker/server/testing/database.ts'
import { eventually } from '@caretaker/server/testing/device-link.ts'
import { freePort } from '@caretaker/server/testing/ports.ts'
import { skipBecause } from '@caretaker/server/testing/skipping.ts'
import { root } from './child.mjs'

const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-single-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const [, chapter] = /^## On one Linux server\n([^]*?)^## /m.exec(read('docs/operations.md'))!
const units = readdirSync(path.join(root, 'deploy/systemd')).filter((name) => /\.(?:service|timer)$/.test(name))
const settings = parseEnv(read('deploy/systemd/settings')) as Record<string, string>

const has = (program: string) => !spawnSync(program, ['--version']).error
const withoutSystemd = has('systemd-analyze') ? false : 'systemd-analyze (of the package systemd) is not here'
const withoutNginx = has('nginx') ? false : 'nginx is not here'

test('systemd accepts the units, and every timer has its service', skipBecause(withoutSystemd), () => {
  const files = units.map((name) => {
    const file = path.join(folder, name)
    writeFileSync(file, read(`deploy/systemd/${name}`).replaceAll('/usr/bin/node', process.execPath))
    return file
  })
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...files], { encoding: 'utf8' })
  assert.deepEqual([status, stderr.trim()], [0, ''])
  for (const name of units.filter((one) => one.endsWith('.timer')))
    assert.ok(units.includes(name.replace('.timer', '.service')), name)
})

test('the units start programs of the repository, and pass secrets as files only', () => {
  for (const name of units.filter((one) => one.endsWith('.service'))) {
    const unit = read(`deploy/systemd/${name}`)
    const [, program] = /^ExecStart=.* (packages\/\S+\.ts)/m.exec(unit)!
    assert.ok(existsSync(path.join(root, program!)), program)
    assert.match(unit, /^User=caretaker$/m)
    const passed = [...unit.matchAll(/^Environment=(\w+)=%d\/(\S+)$/gm)]
    assert.ok(passed.length)
    for (const [, setting, credential] of passed) {
      assert.ok(
        secretSettings.some((secret) => `${secret}_FILE` === setting),
        setting,
      )
      assert.match(unit, new RegExp(`^LoadCredential=${credential}:/etc/caretaker/secrets/${credential}$`, 'm'))
      assert.ok(chapter!.includes(`/etc/caretaker/secrets/${credential}`), credential)
    }
    assert.doesNotMatch(unit, /:\/\/[^/\s]*:[^/\s]*@/)
  }
  for (const secret of secretSettings) assert.ok(!(secret in settings), secret)
})

test('no command of the chapter gives a program a password as an argument', () => {
  // `echo` is part of the shell.
  const given = chapter!.split('\n').filter((line) => /\$password|\$\(cat|DATABASE_URL=/.test(line))
  assert.deepEqual(
    given.filter((line) => !/^\s*echo "/.test(line)),
    [],
  )
})

test('the files that the chapter installs exist, and its hook can be run', () => {
  const installed = [...chapter!.matchAll(/(?<![\w/-])deploy\/[\w./*-]+/g)]
    .map(([file]) => file)
    .filter((file) => !file.includes('*'))
  assert.ok(installed.length >= 3)
  for (const file of installed) assert.ok(existsSync(path.join(root, file)), file)
  assert.ok(statSync(path.join(root, 'deploy/systemd/certificate-hook')).mode & 0o100)
})

test(
  'with the settings and the site of the chapter the portal answers over TLS, and plain HTTP leads there',
  skipBecause(withoutNginx),
  async () => {
    const database = await testDatabase()
    const [port, tls, plain] = [await freePort(), await freePort(), await freePort()]
    const [certificate] = certificates
    const files = { cert: path.join(folder, 'cert.pem'), key: path.join(folder, 'key.pem') }
    writeFileSync(files.cert, certificate.cert)
    writeFileSync(files.key, certificate.key)
    const secret = path.join(folder, 'database-url')
    writeFileSync(secret, `${database.url}\n`)
    const config = readConfig({
      ...settings,
      ...{ DATABASE_URL_FILE: secret, CARETAKER_DATA: path.join(folder, 'data'), CARETAKER_LOG: 'silent' },
      ...{ PORT: String(port), MQTT_HOST: '127.0.0.1', MQTT_PORT: '0', HEALTH_PORT: String(await freePort()) },
      ...{ MQTT_TLS_CERT: files.cert, MQTT_TLS_KEY: files.key },
    })
    assert.deepEqual(config.unknownSettings, [])
    const server = await startServer(config).started
    const site = read('deploy/nginx/tls.conf')
      .replaceAll('listen 80;', `listen 127.0.0.1:${plain};`)
      .replaceAll('listen 443 ssl http2;', `listen 127.0.0.1:${tls} ssl http2;`)
      .replaceAll(/^.*\[::\].*\n/gm, '')
      .replace('http://127.0.0.1:8080', `http://127.0.0.1:${port}`)
      .replace(/ssl_certificate .*;/, `ssl_certificate ${files.cert};`)
      .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${files.key};`)
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${folder}/${kind};`,
    )
    const file = path.join(folder, 'nginx.conf')
    writeFileSync(
      file,
      `pid ${folder}/nginx.pid; error_log stderr warn; events {} http { access_log off; ${temporary.join(' ')}\n${site} }`,
    )
    const nginx = spawn('nginx', ['-c', file, '-g', 'daemon off;'], { stdio: 'inherit' })
    const ended = once(nginx, 'exit')
    try {
      const answer = await eventually(
        () => ask(tls, '/readyz').catch(() => undefined),
        (one) => one !== undefined,
      )
      assert.deepEqual([answer!.status, JSON.parse(answer!.body).status], [200, 'ready'])
      const moved = await fetch(`http://127.0.0.1:${plain}/Dashboard`, { redirect: 'manual' })
      assert.deepEqual([moved.status, moved.headers.get('location')], [308, 'https://127.0.0.1/Dashboard'])
      const refused = await fetch(`http://127.0.0.1:${plain}/api/session`, { redirect: 'manual' })
      assert.equal(refused.status, 403)
    } finally {
      nginx.kill('SIGTERM')
      await ended
      await server.stop()
      await database.drop()
    }

    function ask(at: number, address: string): Promise<{ status: number | undefined; body: string }> {
      return new Promise((resolve, reject) => {
        const call = request(
          { host: 'localhost', port: at, path: address, ca: certificate.cert, agent: false },
          (response) => void text(response).then((body) => resolve({ status: response.statusCode, body }), reject),
        )
        call.on('error', reject)
        call.end()
      })
    }
  },
)
