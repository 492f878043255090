import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { streamChanges } from '@caretaker/contract/changes.ts'
import { getSession } from '@caretaker/contract/session.ts'
import { setStatus } from '@caretaker/server/testing/statuses.ts'
import { inTenant } from '@caretaker/server/postgres/tenant.ts'
import { testApp } from '@caretaker/server/testing/app.ts'
import { addDevice } from '@caretaker/server/testing/furnish/devices.ts'
import type { Heard, ListenOrder } from './changes-listeners.ts'
import { percentile, rounded } from './figures.ts'

const perPerson = 25

/**
 * Open streams of changes: `--streams N` of them (1,000 unless given) in one client on one process. Memory that they take,
 * the process's time at rest, and milliseconds from the commit of a change until the last listener has heard of it.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { streams: { type: 'string', default: '1000' } } })
  const count = Number(values.streams)
  const app = await testApp()
  const tenant = 'north'
  await app.addTenant(tenant)
  await app.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.app.server.address() as AddressInfo
  const tokens: string[] = []
  for (let person = 0; person < count / perPerson; person++) {
    const email = `person-${person}@north.test`
    await app.addMember(tenant, email, 'Manager')
    await app.send(getSession, {}, email)
    tokens.push(await app.token(email, { exp: Math.floor(Date.now() / 1000) + 3600 }))
  }
  const light = await addDevice(app, tenant)
  const before = memory()

  const listeners = fork(fileURLToPath(new URL('./changes-listeners.ts', import.meta.url)), { stdio: 'inherit' })
  const path = streamChanges.path.replace('{tenant}', tenant)
  listeners.send({ url: `http://127.0.0.1:${port}${path}`, tokens, perPerson } satisfies ListenOrder)
  await once(listeners, 'message')
  await sleep(2000)
  const open = memory()

  const seconds = 25
  const used = process.cpuUsage()
  await sleep(seconds * 1000)
  const { user, system } = process.cpuUsage(used)

  const taken: number[] = []
  for (let time = 0; time < 20; time++) {
    const heard = once(listeners, 'message') as Promise<[Heard]>
    await inTenant(app.database.db, tenant, (tx) => setStatus(tx, light, time % 2 ? 'Ok' : 'FailedEquipment'))
    const committed = Date.now()
    taken.push((await heard)[0].last - committed)
    await sleep(300)
  }
  listeners.kill()
  const result = {
    bench: 'changes',
    streams: count,
    kilobytesEach: rounded((open - before) / count / 1024),
    coresAtRest: rounded((user + system) / 1e6 / seconds, 4),
    heardByAllMs: { p50: percentile(taken, 0.5), p95: percentile(taken, 0.95) },
  }
  console.log(JSON.stringify(result, null, 2))
  console.log(
    `changes: ${count} open streams take ${result.kilobytesEach} kB each and ${result.coresAtRest} cores at rest; all have heard of a change p95 ${result.heardByAllMs.p95} ms after its commit`,
  )
  await app.close()
}

function memory(): number {
  globalThis.gc?.()
  return process.memoryUsage().rss
}
