import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { parse } from 'yaml'
import { systemFigures } from '@caretaker/rules/system/figures.ts'
import { readConfig } from '@caretaker/server/config.ts'
import type { Server } from '@caretaker/server/server.ts'
import { startServer } from '@caretaker/server/server.ts'
import type { TestDatabase } from '@caretaker/server/testing/database.ts'
import { testDatabase } from '@caretaker/server/testing/database.ts'
import { freePort } from '@caretaker/server/testing/ports.ts'
import { root } from './child.mjs'
import { skipBecause } from '@caretaker/server/testing/skipping.ts'

interface Rule {
  alert: string
  expr: string
  annotations: { summary: string }
}
const read = (...parts: string[]) => readFileSync(path.join(root, ...parts), 'utf8')
const rules = (parse(read('deploy/prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
)
const dashboard = JSON.parse(read('deploy/grafana/caretaker.json')) as {
  panels: { id: number; targets?: { expr: string }[] }[]
}
const dashboardQueries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
const metricsIn = (query: string) => [...query.matchAll(/\b(?:caretaker|process|nodejs)_\w+/g)].map(([name]) => name)

const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-watching-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let database: TestDatabase
let server: Server
beforeAll(async () => {
  database = await testDatabase()
  server = await startServer(
    readConfig({
      DATABASE_URL: database.url,
      CARETAKER_DATA: folder,
      CARETAKER_LOG: 'silent',
      PORT: '0',
      MQTT_PORT: '0',
      HEALTH_PORT: String(await freePort()),
    }),
  ).started
})
afterAll(async () => {
  await server.stop()
  await database.drop()
})

test('the alert rules and the dashboard use only metrics that the product exports', async () => {
  const metricNames = new Set<string>()
  for (const { name, type } of server.context.metrics.getMetricsAsArray() as unknown as {
    name: string
    type: string
  }[]) {
    metricNames.add(name)
    if (type === 'histogram') for (const part of ['bucket', 'count', 'sum']) metricNames.add(`${name}_${part}`)
  }
  const asked = [...rules.map(({ expr }) => expr), ...dashboardQueries].flatMap(metricsIn)
  assert.ok(asked.length > 40)
  assert.deepEqual([...new Set(asked.filter((name) => !metricNames.has(name)))], [])
})

test('the alert rules use the limits of the figures shown to developers, and every figure with a limit has a rule', () => {
  const bounded = Object.values(systemFigures).filter((figure) => 'most' in figure || 'least' in figure)
  for (const figure of bounded) {
    const rule = rules.find(({ alert }) => alert === figure.alert)
    const series = 'part' in figure ? `${figure.metric}{part="${figure.part}"}` : figure.metric
    const bound = 'most' in figure ? `max(${series}) > ${figure.most}` : `min(${series}) < ${figure.least}`
    assert.equal(rule?.expr, bound)
  }
})

test('the operations manual has instructions for every rule', () => {
  const manual = read('docs/operations.md')
  const missing = rules.map(({ alert }) => alert).filter((alert) => !manual.includes(`**${alert}**`))
  assert.deepEqual(missing, [])
  const alertNames = [...manual.matchAll(/\*\*(Caretaker[A-Z]\w+)\*\*/g)].map(([, alert]) => alert!)
  assert.deepEqual(
    alertNames.filter((name) => !rules.some(({ alert }) => alert === name)),
    [],
  )
})

test('every panel of the dashboard has its own id and uses the selected data source', () => {
  const ids = dashboard.panels.map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
  for (const panel of dashboard.panels as { datasource?: { uid: string }; targets?: unknown }[])
    if (panel.targets) assert.equal(panel.datasource?.uid, '${datasource}')
})

const promtool = (...args: string[]) => spawnSync('promtool', args, { cwd: root, encoding: 'utf8' })
const withoutPromtool = promtool('--version').status === 0 ? false : 'promtool (of the package prometheus) is not here'

test('Prometheus accepts the rules, and their tests pass', skipBecause(withoutPromtool), () => {
  const { status, stdout, stderr } = promtool('test', 'rules', 'deploy/prometheus/alerts.test.yml')
  assert.equal(status, 0, stdout + stderr)
  const tried = read('deploy/prometheus/alerts.test.yml')
  for (const { alert } of rules) assert.match(tried, new RegExp(`alertname: ${alert}\\n\\s+exp_alerts`), alert)
})

test(
  'Prometheus accepts the response of /metrics, and promtool reports no faulty metric name',
  skipBecause(withoutPromtool),
  async () => {
    const answer = await fetch(`http://127.0.0.1:${server.healthPort}/metrics`)
    const input = await answer.text()
    // The names that prom-client's dashboards for Node.js expect.
    for (const name of ['nodejs_eventloop_lag_seconds', 'process_resident_memory_bytes', 'nodejs_heap_size_used_bytes'])
      assert.match(input, new RegExp(`^${name} \\d`, 'm'))
    assert.match(input, /^caretaker_part_seen_seconds\{part="worker"\} \d/m)
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' })
    assert.equal(status, 0, stdout + stderr)
  },
)

test('no pod is restarted because an external service is unavailable', () => {
  const pod = read('deploy/helm/caretaker/templates/deployments.yaml')
  const asked = [...pod.matchAll(/(\w+)Probe:\n\s+httpGet: \{ path: (\S+),/g)].map(([, probe, asks]) => [probe, asks])
  assert.deepEqual(asked, [
    ['startup', '/livez'],
    ['liveness', '/livez'],
    ['readiness', '/readyz'],
  ])
})

test('Prometheus accepts the queries of the dashboard', skipBecause(withoutPromtool), () => {
  // Evaluated as rules, because promtool runs plain queries only against a running server.
  const query = (expr: string, at: number) => ({
    record: `query:${at}`,
    expr: expr.replaceAll('$__rate_interval', '1m'),
  })
  const file = path.join(folder, 'dashboard.yml')
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: dashboardQueries.map(query) }] }))
  const { status, stderr } = promtool('check', 'rules', file)
  assert.equal(status, 0, stderr)
})
