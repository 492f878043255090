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
/** How long the load goes on before anything is measured, in ms: a server that has just begun is slower, its code is not compiled yet. */
const warming = 20_000
const speakers = 100
/** Of the open pages so many show a device that speaks, with all its readings. */
const lookers = 20

test('a reading, a state and an answer on an open page, while others look and devices speak', async ({
  pageOf,
  browser,
  signedIn,
}) => {
  // Who manages sees every device, and so has those pages that show one; who looks after lights alone sees no boilers.
  const seeing = demoPeople.filter(({ roles }) => tenant in roles && roles[tenant] !== 'LightingEngineer')
  const all = seeing.map(({ email }) => email)
  const people = [manager, ...all.filter((email) => email !== manager)]
  const [watched, ...others] = await addDevices(tenant, speakers + 1, '--product', 'BX')
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
    ...(n < lookers && { deviceId: others[n % others.length]!.deviceId }),
  }))
  const looking = await start({ role: 'look', origin, tenant, pages: open })

  const page = await pageOf(manager)
  await page.goto(`/${tenant}/Boilers/${watched!.deviceId}/telemetry?view=monitoring`)
  const device = await connectDevice(watched!)
  await device.say('telemetry', { ts: Date.now(), values: { systemPressure: 1.5 } })
  const where = '[data-card="pressure"] header'
  await paintedText(page, where, '1.5\u00A0bar')
  const speaking = await start({ role: 'speak', devices: others, perSecond })

  await page.waitForTimeout(warming)
  const begun = Date.now()
  const before = await speaking.report()
  /** How long each is on its way to the page, said at no fixed time of what the server does in turns. */
  const measured = async (
    say: (round: number) => Promise<{ where: string; text: string; send: () => Promise<void> }>,
  ) => {
    const taken: number[] = []
    for (let round = 0; round < rounds; round++) {
      const { where, text, send } = await say(round)
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
    const send = () => device.say('telemetry', { ts: Date.now(), values: { systemPressure: value } })
    return { where, text: `${value}\u00A0bar`, send }
  })
  await page.goto(`/${tenant}/Boilers/${watched!.deviceId}/info`)
  const state = await measured(async (round) => {
    const firmware = `9.${round}.0`
    return { where: 'main', text: firmware, send: () => device.say('state', { firmware }) }
  })
  await device.say('state', { chMax: 60 })
  await expect(page.getByRole('main')).toContainText(/60\s*°C/)
  const heard: string[] = []
  await device.hearCommands((commandId) => void heard.push(commandId))
  const answer = await measured(async (round) => {
    const known = heard.length
    const body = { tenant, deviceId: watched!.deviceId, chSetPoint: 61 + (round % 10) }
    await ask(page, updateChSetPoint, { body })
    await expect.poll(() => heard.length).toBeGreaterThan(known)
    const [commandId, message] = [heard.at(-1)!, `no for time ${round}.`]
    return { where: 'main', text: message, send: () => device.say('replies', { commandId, status: 'failed', message }) }
  })
  const seconds = (Date.now() - begun) / 1000
  const { said, failed: unsaid } = await speaking.report()
  const { said: _, ...looked } = await looking.report()
  speaking.end()
  looking.end()
  report({
    ...{ pages, lookers, messagesPerSecond: Math.round((said - before.said) / seconds), unsaid },
    ...{ others: looked, paintedMs: { reading, state, answer } },
  })
})

/** Starts a part of the load in a process of its own; resolves when it is at work. */
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
      const told = answer()
      child.send('report')
      return told
    },
    end: () => child.disconnect(),
  }
}
