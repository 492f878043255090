import pino from 'pino'
import { Registry } from 'prom-client'
import { readConfig } from '../config.ts'
import { openStore } from '../files/store.ts'
import { startJobs } from '../jobs/jobs.ts'
import { openPools } from './database.ts'

// A worker of its own process, which takes one run of a job, says so, and never ends it.
const [url = '', name = ''] = process.argv.slice(2)
const config = readConfig({ CARETAKER_DATA: '/nonexistent' })
const context = {
  config,
  ...openPools(url),
  files: openStore(config),
  log: pino({ level: 'silent' }),
  metrics: new Registry(),
}
const run = () => new Promise<never>(() => void process.send!('at work'))
await startJobs(context, [{ name, cron: '0 0 1 1 *', patience: 3600, poll: 0.5, run }])
await context.owner.query(
  `insert into pgboss.job (name, policy) select name, policy from pgboss.queue where name = $1`,
  [name],
)
