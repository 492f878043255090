import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { addWebhook } from '@caretaker/contract/webhooks.ts'
import { inTenant } from '@caretaker/server/postgres/tenant.ts'
import { testApp } from '@caretaker/server/testing/app.ts'
import { deliverWebhooks } from '@caretaker/server/webhooks/deliver.ts'
import { tell } from '@caretaker/server/webhooks/outbox.ts'
import { percentile, rounded } from './figures.ts'

const tenant = 'north'
const manager = 'manager@north.test'

/**
 * Webhooks: how many deliveries a second reach quick receivers, alone and beside one that never answers, and how late they
 * are. `--messages` for each of `--receivers`.
 */
export async function run(args: string[]): Promise<void> {
  const option = (usual: number) => ({ type: 'string', default: String(usual) }) as const
  const { values } = parseArgs({ args, options: { messages: option(5_000), receivers: option(2) } })
  const [messages, receivers] = [Number(values.messages), Number(values.receivers)]
  const app = await testApp({ CARETAKER_WEBHOOK_NETWORKS: '127.0.0.1' })
  await app.addTenant(tenant)
  await app.addMember(tenant, manager, 'Manager')
  let arrived = 0
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      if (request.url === '/slow') return
      arrived++
      response.writeHead(204).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const add = (path: string) =>
    app.send(
      addWebhook,
      {
        params: { tenant },
        body: { name: path, url: `http://127.0.0.1:${port}/${path}`, events: ['test.finished'] },
      },
      manager,
    )
  for (let n = 0; n < receivers; n++) await add(`quick${n}`)

  const measure = async () => {
    arrived = 0
    const happened = Array.from({ length: 100 }, () => ({
      ...{ event: 'test.finished' as const, deviceId: crypto.randomUUID(), at: new Date() },
      data: { test: { result: 'Passed', reason: '', componentStates: { Battery: 'Ok', Lamp: 'Ok' } } },
    }))
    const [begun, cpu] = [performance.now(), process.cpuUsage()]
    const stopping = new AbortController()
    let written = false
    const write = async () => {
      for (let n = 0; n < messages; n += happened.length)
        await inTenant(app.database.db, tenant, (tx) => tell(tx, happened))
      written = true
    }
    const work = async () => {
      while (!written || arrived < messages * receivers) {
        await Promise.race([
          deliverWebhooks(app.context, stopping.signal),
          until(() => arrived >= messages * receivers),
        ])
        await sleep(5)
      }
    }
    await Promise.all([write(), work()])
    const seconds = (performance.now() - begun) / 1000
    const { user, system } = process.cpuUsage(cpu)
    stopping.abort()
    const { rows } = await app.database.owner.query<{ late: number }>(
      `select extract(epoch from tried_at - delivery.at) * 1000 as late from webhook_delivery as delivery
       join webhook_endpoint as endpoint on endpoint.id = endpoint_id where endpoint.name <> 'slow' and tried_at is not null`,
    )
    const late = rows.map((row) => Number(row.late)).sort((a, b) => a - b)
    await app.database.owner.query('delete from webhook_message')
    const deliveries = messages * receivers
    return {
      perSecond: Math.round(deliveries / seconds),
      // Of this process, the receivers in it included: what a busy machine does not change.
      cpuMsEach: rounded((user + system) / 1000 / deliveries, 3),
      lateMs: { p50: rounded(percentile(late, 0.5)), p95: rounded(percentile(late, 0.95)) },
    }
  }
  await measure()
  const alone = await measure()
  await add('slow')
  const besideSlow = await measure()
  console.log(JSON.stringify({ bench: 'webhooks', messages, receivers, alone, besideSlow }, null, 2))
  console.log(
    `webhooks: ${besideSlow.perSecond} deliveries/s beside a receiver that never answers (at least ${leastPerSecond.toLocaleString('en-GB')}), ${alone.perSecond} without it`,
  )
  server.closeAllConnections()
  process.exit(besideSlow.perSecond < leastPerSecond ? 1 : 0)
}

/** Deliveries a second that must be made beside a receiver that is slow. */
const leastPerSecond = 1_000

async function until(so: () => boolean): Promise<void> {
  while (!so()) await sleep(20)
}
