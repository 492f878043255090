import assert from 'node:assert/strict'
import { test } from 'vitest'
import { withoutMosquitto } from '@caretaker/server/testing/mosquitto.ts'
import { killParts } from './parts.ts'
import { skipBecause } from '@caretaker/server/testing/skipping.ts'

test(
  'three api, three ingest and two worker: any may be killed at any moment, the others take over, and nothing is lost or doubled',
  skipBecause(withoutMosquitto),
  async () => {
    const { kills, takenOver, readings, mails, webhooks } = await killParts({ api: 1, ingest: 1, worker: 1 })
    assert.deepEqual(kills, { api: 1, ingest: 1, worker: 1, database: 0, broker: 0 })
    assert.ok(readings > 100 && mails > 0 && webhooks > 100)
    // On a machine with nothing else to do it is half of that (npm run bench -- parts).
    for (const [kind, ms] of Object.entries(takenOver)) assert.ok(ms < 20_000, `${kind} after ${ms} ms`)
  },
)
