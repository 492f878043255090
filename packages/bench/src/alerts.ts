import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startDeviceLink } from '@caretaker/server/mqtt/device-link.ts'
import { startEmbedded } from '@caretaker/server/postgres/embedded.ts'
import type { TestApp } from '@caretaker/server/testing/app.ts'
import { testApp } from '@caretaker/server/testing/app.ts'
import { furnish } from './alerts-estate.ts'
import { killing } from './alerts-kills.ts'
import type { FaultReport } from './alerts-load.ts'
import type { Speakers } from './alerts-parts.ts'
import { caughtUp, startSpeakers, startWorker } from './alerts-parts.ts'
import { percentile, rounded } from './figures.ts'
import { ofItsSize, ownServer, withItsFiles } from './own-server.ts'

const tenant = 'north'
/** The limits of the product: lag behind a message in ms, and how much slower an acknowledgement may be with the worker running. */
const mostBehind = 2000
const mostSlowdown = 1.1
/** The delay of the rules in minutes, long enough that nothing becomes due while the lag is measured or workers are killed. */
const delay = 24 * 60
/** The longest turn, in seconds. In each turn, devices report either with or without the worker. */
const longestTurn = 5
/** Seconds of warm-up for each, so that compiling and planning in a fresh process are not measured. */
const warmUpSeconds = 3
/** How long the worker may take to see the last changes, in ms. */
const seenWithin = 120_000

/**
 * Alerts: how far the worker lags behind reports over MQTT, how much it slows the ingest, and whether e-mails are lost
 * or duplicated when it is killed. Of the `--definitions`, `--rules` cover each of the `--devices`, all for the same
 * failure. Devices send `--changes` a second, for `--seconds` without the worker and with it; then it is killed
 * `--kills` times. `--server URL` uses your own Postgres.
 */
export async function run(args: string[]): Promise<void> {
  const option = (usual: number) => ({ type: 'string', default: String(usual) }) as const
  const { values } = parseArgs({
    args,
    options: {
      ...{ devices: option(100_000), definitions: option(1000), changes: option(1000) },
      ...{ seconds: option(20), kills: option(100), rules: option(5) },
      server: ownServer.server,
    },
  })
  const [devices, definitions, changes] = [Number(values.devices), Number(values.definitions), Number(values.changes)]
  // More than a gateway may send by default.
  const many = '1000000000'
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-bench-'))
  // The database may run as another user.
  chmodSync(folder, 0o755)
  const embedded = values.server ? undefined : await startEmbedded(folder, ofItsSize)
  process.env.CARETAKER_TEST_DATABASE = values.server ?? embedded!.url
  const app = await testApp({ MQTT_PORT: '0', CARETAKER_DEVICE_MESSAGES: many, CARETAKER_DEVICE_MB: many })
  // The product itself, without the test's change tracking.
  app.database.unwatch()
  await app.addTenant(tenant)
  await app.addTenant('south')
  const gateways = await furnish(app.database.owner, {
    ...{ tenant, devices, gateways: 160, definitions, rulesOfDevice: Number(values.rules), delay },
  })
  if (embedded) await withItsFiles(app.database.owner)
  const link = await startDeviceLink(app.context)
  const port = link.port!
  const atOnce = Math.max(1, Math.floor(app.context.config.mqtt.waitingPerAddress / 2))
  const speakers = await startSpeakers({ port, atOnce, gateways, isMixed: true })
  const measured = await measure(app, speakers, { devices, changes, seconds: Number(values.seconds) })
  await speakers.stop()
  const { owner, db, url } = app.database
  const killed = await killing({ url, owner, db, port, atOnce, kills: Number(values.kills) })

  const { behind, turns } = measured
  const [alone, together] = [turns.flatMap((turn) => turn.alone), turns.flatMap((turn) => turn.together)]
  const times = (acknowledged: number[]) => ({
    p50: percentile(acknowledged, 0.5),
    p95: percentile(acknowledged, 0.95),
  })
  // Each turn is compared with the adjacent one, so that other load on the machine affects both.
  const slowdowns = turns.map((turn) => rounded(percentile(turn.together, 0.5) / percentile(turn.alone, 0.5), 3))
  const slowdown = middle(slowdowns)
  const result = {
    bench: 'alerts',
    ...{ devices, definitions, rulesOfDevice: Number(values.rules), changesPerSecond: changes },
    behindMs: { p50: percentile(behind, 0.5), p95: percentile(behind, 0.95) },
    acknowledgedAfterMs: { alone: times(alone), together: times(together) },
    ...{ slowdown, slowdowns },
    ...killed,
  }
  console.log(JSON.stringify(result, null, 2))
  console.log(
    `alerts: p95 ${result.behindMs.p95} ms behind the message (at most ${mostBehind}); at ${changes} a second it is acknowledged after ${result.acknowledgedAfterMs.together.p50} ms, ${result.acknowledgedAfterMs.alone.p50} ms without the worker, ${slowdown} times as long in the middle of ${turns.length} turns (at most ${mostSlowdown}); over ${killed.kills} kills ${killed.mails} e-mails came, ${killed.lost} of ${killed.failures} failures were told of by none and ${killed.doubled} by two (none); ${killed.cameTwice} came twice under one id (at most one a kill)`,
  )
  const isSlow = result.behindMs.p95 > mostBehind || slowdown > mostSlowdown
  const isWrong = killed.lost || killed.doubled || killed.unknown || killed.cameTwice > killed.kills
  if (isSlow || isWrong) process.exitCode = 1
  await link.stop()
  await app.close()
  await embedded?.stop()
  rmSync(folder, { recursive: true, force: true })
}

interface Pace {
  devices: number
  changes: number
  seconds: number
}
interface Measured {
  /** The time until each message was acknowledged, without the worker and with it. */
  turns: { alone: number[]; together: number[] }[]
  /** The worker's lag for some of the messages. */
  behind: number[]
}

/**
 * Alternates turns with and without the worker, so that other load on the machine affects both. The order changes, because the
 * amount of data grows over time.
 */
async function measure(
  { database: { owner, url } }: TestApp,
  speakers: Speakers,
  { devices, changes, seconds }: Pace,
): Promise<Measured> {
  const count = Math.max(1, Math.ceil(seconds / longestTurn))
  const wanted = { messages: Math.round((changes * seconds) / count), perSecond: changes }
  const behind: number[] = []
  const warmUp = () => speakers.send({ ...wanted, messages: changes * warmUpSeconds })
  const alone = async () => {
    await warmUp()
    return speakers.send(wanted)
  }
  const together = async () => {
    const begun = new Date()
    const worker = await startWorker({ url, settings: {}, claimant: 1 })
    await caughtUp(owner, tenant, begun)
    await warmUp()
    const { onReport, seen } = look(owner, behind)
    const acknowledged = await speakers.send(wanted, onReport)
    await seen()
    await worker.kill()
    return acknowledged
  }
  // Not measured: the worker's first check of all devices, and the first report of each, for which the database writes full pages.
  const first = await startWorker({ url, settings: {}, claimant: 1 })
  await caughtUp(owner, tenant, new Date())
  await speakers.send({ messages: devices, perSecond: 2 * changes })
  await caughtUp(owner, tenant, new Date())
  await first.kill()
  const turns: Measured['turns'] = []
  for (let turn = 0; turn < count; turn++)
    if (turn % 2) {
      const watched = await together()
      turns.push({ together: watched, alone: await alone() })
    } else turns.push({ alone: await alone(), together: await together() })
  return { turns, behind }
}

function middle(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const [low, high] = [sorted[(sorted.length - 1) >> 1]!, sorted[sorted.length >> 1]!]
  return rounded((low + high) / 2, 3)
}

/** Waits for some devices' reports to appear in the stored state, and measures the lag. */
function look(owner: TestApp['database']['owner'], behind: number[]) {
  const waiting = new Map<string, FaultReport>()
  let isOver = false
  const looking = (async () => {
    for (let end = Infinity; !isOver || waiting.size;) {
      if (isOver) end = Math.min(end, Date.now() + seenWithin)
      if (Date.now() > end) throw new Error(`the worker did not see ${waiting.size} changes within ${seenWithin} ms`)
      const { rows } = await owner.query<{ id: string }>(
        `select device_id as id from device_spell
         where tenant_id = $1 and device_id = any($2::uuid[]) and kind = 'DEVICESTATUS' and key = 'FailedEquipment' and ended_at is null`,
        [tenant, [...waiting.keys()]],
      )
      const faulty = new Set(rows.map(({ id }) => id))
      for (const [id, { isFaulty, at }] of waiting) {
        if (isFaulty !== faulty.has(id)) continue
        behind.push(Date.now() - at)
        waiting.delete(id)
      }
      // Rare enough not to affect what is measured.
      await sleep(100)
    }
  })()
  return {
    onReport: (report: FaultReport) => void waiting.set(report.deviceId, report),
    seen: async () => {
      isOver = true
      await looking
    },
  }
}
