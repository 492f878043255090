import pino from 'pino'
import { Registry } from 'prom-client'
import { readConfig } from '../config.ts'
import { openStore } from '../files/store.ts'
import type { Job } from '../jobs/jobs.ts'
import { jobs, startJobs } from '../jobs/jobs.ts'
import { openPools } from './database.ts'

// A worker in its own process with the jobs of these names. An unknown name is a job that takes one run, reports it,
// and never ends it.
const [url = '', names = '', settings = '{}'] = process.argv.slice(2)
const config = readConfig({ CARETAKER_DATA: '/nonexistent', ...(JSON.parse(settings) as Record<string, string>) })
const context = {
  config,
  ...openPools(url).product,
  files: openStore(config),
  log: pino({ level: 'silent' }),
  metrics: new Registry(),
}
const run = () => new Promise<never>(() => void process.send!('at work'))
const wanted = names.split(',').map((name): Job => {
  const known = jobs.find((job) => job.name === name)
  return known ? { ...known, poll: 0.5 } : { name, cron: '0 0 1 1 *', patience: 3600, poll: 0.5, run }
})
await startJobs(context, wanted)
// Announced work may already be scheduled.
await context.owner.query(
  `insert into pgboss.job (name, policy) select name, policy from pgboss.queue where name = any($1) on conflict do nothing`,
  [wanted.map(({ name }) => name)],
)
