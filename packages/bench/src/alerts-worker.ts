import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { openFeed } from '@caretaker/server/changes/feed.ts'
import { readConfig } from '@caretaker/server/config.ts'
import { startAlertWatch, watchTenant } from '@caretaker/server/features/alerts/watch.ts'
import { openDb, openPool } from '@caretaker/server/postgres/pool.ts'

/** What a process that watches alerts is told. */
export interface WatchOrder {
  url: string
  tenant: string
  /** How much faster than ours its clock goes, and from which of our times on; what watches by itself keeps to ours. */
  speed: number
  zero: number
}

const order = JSON.parse(process.argv[2]!) as WatchOrder
const db = openDb(openPool(order.url, 'app', 3))
const context = {
  ...{ config: readConfig({ CARETAKER_DATA: '/nonexistent' }), db, owner: openPool(order.url, 'owner', 2) },
  log: pino({ level: 'error' }),
}
if (order.speed === 1) await startAlertWatch(context)
process.send?.('ready')
const feed = openFeed()
while (order.speed !== 1) {
  const now = Date.now()
  await watchTenant(context, feed, order.tenant, order.zero + (now - order.zero) * order.speed)
  await sleep(100)
}
