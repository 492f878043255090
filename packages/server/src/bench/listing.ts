import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { demoPeople } from '@caretaker/contract/demo.ts'
import {
  fetchViewData,
  getTenantDashboardData,
  listingSorts,
  shouldUpdateDevice,
  shouldUpdateView,
} from '@caretaker/contract/devices.ts'
import type { Route, Sent } from '@caretaker/contract/route.ts'
import { seedDemo } from '../demo/seed.ts'
import { migrate } from '../postgres/migrate.ts'
import { startEmbedded } from '../postgres/embedded.ts'
import { issuer, testApp } from '../testing/app.ts'
import { openPools } from '../testing/database.ts'
import { percentile, rounded, timed } from './figures.ts'

/**
 * Pages, counts and polls at the API in a tenant of 100,000 devices: p95 in ms of calls one after the other.
 * `--devices N` changes the size of the tenant.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { devices: { type: 'string', default: '100000' }, runs: { type: 'string', default: '100' } },
  })
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-bench-'))
  const server = await startEmbedded(folder)
  const database = openPools(server.url)
  try {
    await migrate(database.owner)
    await seedDemo({ owner: database.owner, devices: Number(values.devices), now: new Date(), issuer, dataDir: folder })
    const app = await testApp({}, database)
    const { email } = demoPeople.find((person) => person.roles.northgate === 'Manager' && !person.carries)!
    const subject = await database.owner.query<{ subject: string }>('select subject from person where email = $1', [
      email,
    ])
    const authorization = `Bearer ${await app.token(email, { sub: subject.rows[0]!.subject })}`

    const call = async <T extends Route>(route: T, sent: Sent<T>) => {
      const { body } = sent as { body: object }
      const response = await app.app.inject({
        method: route.method,
        url: route.path,
        headers: { authorization },
        payload: body,
      })
      if (response.statusCode !== 200) throw new Error(`${route.path}: ${response.body}`)
      return response.json<{ data: { total: number } }>()
    }
    const figures: Record<string, { p50: number; p95: number }> = {}
    const measure = async <T extends Route>(name: string, route: T, sent: Sent<T>) => {
      const samples = await timed(Number(values.runs), () => call(route, sent))
      figures[name] = { p50: rounded(percentile(samples, 0.5)), p95: rounded(percentile(samples, 0.95)) }
    }

    const tenant = 'northgate'
    const page = { tenant, listing: 'EmergencyLights' as const }
    const { data } = await call(fetchViewData, { body: page })
    const pages = Math.ceil(data.total / 100)
    await measure('page 1', fetchViewData, { body: page })
    await measure(`page ${Math.min(500, pages)}`, fetchViewData, { body: { ...page, page: 500 } })
    await measure(`page ${pages}`, fetchViewData, { body: { ...page, page: pages } })
    for (const sort of listingSorts) await measure(`page 1 by ${sort}`, fetchViewData, { body: { ...page, sort } })
    await measure('dashboard', getTenantDashboardData, { body: { tenant } })
    await measure('has the view changed', shouldUpdateView, {
      body: { tenant, deviceTypes: ['EM', 'EL'], date: Date.now() },
    })
    const { rows } = await database.owner.query<{ id: string }>(
      `select id from device where product = 'EM' and tenant_id = 'northgate' limit 1`,
    )
    await measure('has the device changed', shouldUpdateDevice, {
      body: { tenant, deviceId: rows[0]!.id, date: Date.now() },
    })
    await app.app.close()

    console.log(JSON.stringify({ devices: Number(values.devices), lights: data.total, figures }, null, 2))
    console.log(`listing: a page of 100 of ${data.total} lights, p95 ${figures['page 1']!.p95} ms (must be at most 60)`)
  } finally {
    await database.drop()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
