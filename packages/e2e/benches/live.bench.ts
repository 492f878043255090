import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { updateChSetPoint } from '@caretaker/contract/boilers.ts'
import { demoPeople } from '@caretaker/demo/fixtures.ts'
import { origin } from '../fixtures/address.ts'
import { ask, storedUser } from '../fixtures/api.ts'
import { connectDevice } from '../fixtures/device.ts'
import { addDevices } from '../fixtures/operator.ts'
import { expect, test } from '../fixtures/test.ts'
import { paintedText, report } from './figures.ts'
import type { LoadOrder, LoadReport } from './live-load.ts'

const tenant = 'northgate'
const manager = 'manager@northgate.example'
const pages = Number(process.env.BENCH_PAGES)
const perSecond = Number(process.env.BENCH_MESSAGES)
const rounds = Number(process.env.BENCH_ROUNDS)
const perPerson = 29
/**
 * How long the load runs before anything is measured, in ms: a freshly started server is slower because its code is not compiled
 * yet.
 */
const warming = 20_000
const reportingDevices = 100
/** The number of open pages that show a reporting device with all its readings. */
const devicePages = 20

test('a reading, a state and a reply reach an open page while other users are active and devices report', async ({
  pageOf,
  browser,
  signedIn,
}) => {
  // Managers open the device pages because they see every device; a lighting engineer sees no boilers.
  const viewers = demoPeople.filter(({ roles }) => tenant in roles && roles[tenant] !== 'LightingEngineer')
  const all = viewers.map(({ email }) => email)
  const people = [manager, ...all.filter((email) => email !== manager)]
  const [watched, ...others] = await addDevices(tenant, reportingDevices + 1, '--product', 'BX')
  const tokens: string[] = []
  for (let open = 0; open < pages - 1; open += perPerson) {
    const context = await browser.newContext({
      storageState: await signedIn(people[(open / perPerson) % people.length]!),
    })
    const page = await context.newPage()
    await page.goto(`${origin}/api/settings`)
    tokens.push((await storedUser(page))!.access_token)
    await context.close()
  }
  const open = Array.from({ length: pages - 1 }, (_, n) => ({
    token: tokens[Math.floor(n / perPerson)]!,
    ...(n < devicePages && { deviceId: others[n % others.length]!.deviceId }),
  }))
  const looking = await start({ role: 'look', origin, tenant, pages: open })

  const page = await pageOf(manager)
  await page.goto(`/${tenant}/Boilers/${watched!.deviceId}/telemetry?view=monitoring`)
  const device = await connectDevice(watched!)
  await device.publish('telemetry', { ts: Date.now(), values: { systemPressure: 1.5 } })
  const where = '[data-card="pressure"] header'
  await paintedText(page, where, '1.5\u00A0bar')
  const speaking = await start({ role: 'speak', devices: others, perSecond })

  await page.waitForTimeout(warming)
  const startedAt = Date.now()
  const before = await speaking.report()
  /**
   * The times from sending until the page shows each value. Values are sent at random intervals, independent of the server's
   * cycles.
   */
  const measured = async (
    valueOf: (round: number) => Promise<{ where: string; text: string; send: () => Promise<void> }>,
  ) => {
    const taken: number[] = []
    for (let round = 0; round < rounds; round++) {
      const { where, text, send } = await valueOf(round)
      await page.waitForTimeout(300 + Math.random() * 500)
      const painted = paintedText(page, where, text)
      const sent = performance.timeOrigin + performance.now()
      await send()
      taken.push((await painted) - sent)
    }
    return taken
  }
  const reading = await measured(async (round) => {
    const value = (100 + round) / 100
    const send = () => device.publish('telemetry', { ts: Date.now(), values: { systemPressure: value } })
    return { where, text: `${value}\u00A0bar`, send }
  })
  await page.goto(`/${tenant}/Boilers/${watched!.deviceId}/info`)
  const state = await measured(async (round) => {
    const firmware = `9.${round}.0`
    return { where: 'main', text: firmware, send: () => device.publish('state', { firmware }) }
  })
  await device.publish('state', { chMax: 60 })
  await expect(page.getByRole('main')).toContainText(/60\s*°C/)
  const received: string[] = []
  await device.receiveCommands((commandId) => void received.push(commandId))
  const answer = await measured(async (round) => {
    const known = received.length
    const body = { tenant, deviceId: watched!.deviceId, chSetPoint: 61 + (round % 10) }
    await ask(page, updateChSetPoint, { body })
    await expect.poll(() => received.length).toBeGreaterThan(known)
    const [commandId, message] = [received.at(-1)!, `no for time ${round}.`]
    return {
      where: 'main',
      text: message,
      send: () => device.publish('replies', { commandId, status: 'failed', message }),
    }
  })
  const seconds = (Date.now() - startedAt) / 1000
  const { sent, failed: notSent } = await speaking.report()
  const { sent: _, ...pageFigures } = await looking.report()
  speaking.end()
  looking.end()
  report({
    ...{ pages, devicePages, messagesPerSecond: Math.round((sent - before.sent) / seconds), notSent },
    ...{ others: pageFigures, paintedMs: { reading, state, answer } },
  })
})

/** Starts a part of the load in its own process; resolves when it is running. */
async function start(order: LoadOrder) {
  const child = fork(fileURLToPath(new URL('live-load.ts', import.meta.url)), { execArgv: [] })
  const answer = async () => ((await once(child, 'message')) as [LoadReport])[0]
  const ready = answer()
  child.send(order)
  await Promise.race([
    ready,
    once(child, 'exit').then(() => {
      throw new Error(`what should ${order.role} has ended`)
    }),
  ])
  return {
    report: () => {
      const reply = answer()
      child.send('report')
      return reply
    },
    end: () => child.disconnect(),
  }
}
