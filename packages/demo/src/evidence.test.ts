import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import type { TestApp } from '@caretaker/server/testing/app.ts'
import { testApp } from '@caretaker/server/testing/app.ts'
import { testDatabase } from '@caretaker/server/testing/database.ts'
import { compareFailedLights } from '@caretaker/server/testing/failed-lights.ts'
import { demoDevices, demoTenants, smallestDemo } from './fixtures.ts'
import { seedDemo } from './seed.ts'

let app: TestApp
let dataDir: string
beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'caretaker-evidence-'))
  const database = await testDatabase()
  const { owner } = database.product
  await seedDemo({ owner, devices: smallestDemo, now: new Date(), issuer: 'embedded', dataDir, historyDays: 1 })
  app = await testApp({ CARETAKER_DATA: dataDir }, database)
})
afterAll(async () => {
  await app.close()
  rmSync(dataDir, { recursive: true, force: true })
})

test.each(Object.keys(demoTenants))('the failed lights of %s are the same wherever they are shown', async (tenant) => {
  const who = `checks@${tenant}.test`
  await app.addMember(tenant, who, 'Manager')
  const failed = await compareFailedLights(app, tenant, who)
  if (tenant === 'northgate') {
    assert.ok(failed.includes(demoDevices.failedT180.serial))
    assert.ok(failed.length > 3)
  }
})
