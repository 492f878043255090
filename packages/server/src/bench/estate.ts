import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { demoPeople } from '@caretaker/contract/demo.ts'
import type { Answer, Route, Sent } from '@caretaker/contract/route.ts'
import { isSeeded, seedDemo } from '../demo/seed.ts'
import { migrate } from '../postgres/migrate.ts'
import { startEmbedded } from '../postgres/embedded.ts'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import type { TestDatabase } from '../testing/database.ts'
import { openPools } from '../testing/database.ts'

/** The demo world of a size on a database of its own, and the product's calls as a manager of its largest client. */
export interface Estate {
  tenant: 'northgate'
  test: TestApp
  database: TestDatabase
  /** The answer of a call; a file is received and left. */
  call<T extends Route>(route: T, sent: Sent<T>): Promise<Answer<T>>
}

/** Runs `work` in the demo world; with a folder the database is kept there, and found again the next time. */
export async function inEstate(devices: number, work: (estate: Estate) => Promise<void>, kept?: string): Promise<void> {
  const folder = kept ?? mkdtempSync(path.join(tmpdir(), 'caretaker-bench-'))
  mkdirSync(folder, { recursive: true })
  const server = await startEmbedded(folder)
  const database = openPools(server.url)
  try {
    await migrate(database.owner)
    const test = await testApp({ MQTT_PORT: '0' }, database)
    const issuer = test.context.config.oidc.directory
    if (!(await isSeeded(database.owner)))
      await seedDemo({ owner: database.owner, devices, now: new Date(), issuer, dataDir: folder, historyDays: 1 })
    // As the database does by itself within minutes.
    await database.owner.query('vacuum analyze device')
    await work({ tenant: 'northgate', test, database, call: await callsOf(test) })
    await test.app.close()
  } finally {
    await database.drop()
    await server.stop()
    if (!kept) rmSync(folder, { recursive: true, force: true })
  }
}

async function callsOf({ app, token, database }: TestApp): Promise<Estate['call']> {
  const { email } = demoPeople.find((person) => person.roles.northgate === 'Manager' && !person.carries)!
  const { rows } = await database.owner.query<{ subject: string }>('select subject from person where email = $1', [
    email,
  ])
  return async (route, sent) => {
    const authorization = `Bearer ${await token(email, { sub: rows[0]!.subject })}`
    const { body } = sent as { body: object }
    const response = await app.inject({
      method: route.method,
      url: route.path,
      headers: { authorization },
      payload: body,
    })
    if (response.statusCode !== 200) throw new Error(`${route.path}: ${response.body}`)
    return route.file ? (undefined as Answer<typeof route>) : response.json()
  }
}
