import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { postMail } from '../mail/mail.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import { queueFlickTest } from '../testing/device-link.ts'
import { addDevice } from '../testing/furnish/devices.ts'
import { openArchive, textOf } from './archive.ts'
import { backUp } from './backup.ts'
import { readManifest } from './manifest.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-moment-'))
const tenants = ['north', 'south', 'east', 'west']
let app: TestApp
beforeAll(async () => {
  app = await testApp({ CARETAKER_DATA: folder, SMTP_URL: 'smtp://127.0.0.1:9' })
  for (const id of tenants) await app.addTenant(id)
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

/** All values of a table's column in a backup, for all tenants. */
async function valuesIn(file: string, table: string, column: string): Promise<string[]> {
  const archive = await openArchive(file)
  try {
    const { parts } = await readManifest(archive)
    const found = parts.filter((part) => part.table === table)
    const texts = await Promise.all(
      found.map(async ({ name, columns }) => {
        const lines = (await textOf(await archive.read(name))).split('\n').slice(0, -1)
        return lines.map((line) => line.split('\t')[columns.indexOf(column)]!)
      }),
    )
    return texts.flat().sort()
  } finally {
    archive.close()
  }
}

test('queued messages are in a backup together with their rows, despite concurrent writes', async () => {
  const { context, database } = app
  const devices = await Promise.all(tenants.map(async (tenant) => ({ tenant, id: await addDevice(app, tenant) })))
  let written = 0
  let isOver = false
  const writers = devices.map(async (device) => {
    const mail = { to: 'somebody@north.test', subject: 'Now', text: 'Now', html: 'Now' }
    for (; !isOver; written++) {
      await inTenant(database.db, device.tenant, (tx) => postMail(tx, context.config, mail))
      await queueFlickTest(database, device)
    }
  })
  try {
    for (let n = 0; n < 5; n++) {
      const [file, before] = [path.join(folder, `${randomUUID()}.zip`), written]
      await backUp(context, file)
      assert.ok(written > before, 'others wrote meanwhile')
      for (const [queue, of, table] of [
        ['public.mail_outbox', 'mail_id', 'public.mail'],
        ['public.command_outbox', 'command_id', 'public.command'],
      ] as const) {
        const waiting = await valuesIn(file, queue, of)
        assert.ok(waiting.length > 0)
        assert.deepEqual(waiting, await valuesIn(file, table, 'id'), `${table} and ${queue}`)
      }
    }
  } finally {
    isOver = true
    await Promise.all(writers)
  }
})
