import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { Registry } from 'prom-client'
import { readConfig } from '@caretaker/server/config.ts'
import type { Context } from '@caretaker/server/context.ts'
import { startAlertWatch } from '@caretaker/server/features/alerts/watch.ts'
import { openStore } from '@caretaker/server/files/store.ts'
import { deliverMails } from '@caretaker/server/mail/deliver.ts'
import { openDb, openPool } from '@caretaker/server/postgres/pool.ts'

/** The instructions for a process that evaluates alerts. */
export interface WatchOrder {
  url: string
  /** Settings in addition to the defaults; with SMTP_URL it sends pending e-mails. */
  settings: Record<string, string>
  /** The number under which it claims e-mails, so that others can take them over when it is gone. */
  claimant: number
}

const { url, settings, claimant } = JSON.parse(process.argv[2]!) as WatchOrder
const config = readConfig({ CARETAKER_DATA: '/nonexistent', ...settings })
const owner = openPool(url, 'owner', 2)
const db = openDb(openPool(url, 'app', 4))
const context: Context = {
  ...{ config, db, anonymousDb: db, owner, idp: owner },
  ...{ files: openStore(config), log: pino({ level: 'error' }), metrics: new Registry(), claimant: () => claimant },
}
process.on('disconnect', () => process.exit(0))
await startAlertWatch(context)
process.send?.('ready')
while (config.smtpUrl) {
  await deliverMails(context)
  await sleep(50)
}
