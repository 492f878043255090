import { demoPeople } from '@caretaker/demo/fixtures.ts'
import { streamChanges } from '@caretaker/contract/changes.ts'
import { origin } from '../fixtures/address.ts'
import { storedUser } from '../fixtures/api.ts'
import type { SpeakingDevice } from '../fixtures/device.ts'
import { connectDevice } from '../fixtures/device.ts'
import { addDevices } from '../fixtures/operator.ts'
import { expect, test } from '../fixtures/test.ts'
import { paintedText, spread, tell } from './figures.ts'

const tenant = 'northgate'
const pages = Number(process.env.BENCH_PAGES ?? 200)
const perSecond = Number(process.env.BENCH_MESSAGES ?? 1000)
const rounds = Number(process.env.BENCH_ROUNDS ?? 100)
const perPerson = 25
const speakers = 100

test('a reading on an open page, while others look and devices speak', async ({ pageOf, browser, signedIn }) => {
  const people = demoPeople.filter(({ roles }) => tenant in roles).map(({ email }) => email)
  const stopping = new AbortController()
  let heard = 0
  for (let open = 0; open < pages - 1; open += perPerson) {
    const email = people[(open / perPerson) % people.length]!
    const context = await browser.newContext({ storageState: await signedIn(email) })
    const page = await context.newPage()
    await page.goto(`${origin}/api/settings`)
    const token = (await storedUser(page))!.access_token
    await context.close()
    for (let n = 0; n < Math.min(perPerson, pages - 1 - open); n++) {
      const response = await fetch(origin + streamChanges.path.replace('{tenant}', tenant), {
        headers: { authorization: `Bearer ${token}` },
        signal: stopping.signal,
      })
      expect(response.status).toBe(200)
      void response.body!.pipeTo(new WritableStream({ write: () => void heard++ })).catch(() => undefined)
    }
  }

  const [watched, ...others] = await addDevices(tenant, speakers + 1, '--product', 'BX')
  const page = await pageOf('manager@northgate.example')
  await page.goto(`/${tenant}/Boilers/${watched!.deviceId}/telemetry?view=monitoring`)
  const device = await connectDevice(watched!)
  await device.say('telemetry', { ts: Date.now(), values: { systemPressure: 1.5 } })
  const where = '[data-card="pressure"] header'
  await paintedText(page, where, '1.5\u00A0bar')

  const speaking: SpeakingDevice[] = []
  for (const one of others) speaking.push(await connectDevice(one))
  let said = 0
  const begun = Date.now()
  const pace = setInterval(() => {
    for (const wanted = ((Date.now() - begun) / 1000) * perSecond; said < wanted; said++)
      void speaking[said % speaking.length]!.say('telemetry', {
        ts: Date.now(),
        values: { flowTemperature: 40 + (said % 300) / 10, systemPressure: 1.4 },
      }).catch(() => undefined)
  }, 10)

  const taken: number[] = []
  for (let round = 0; round < rounds; round++) {
    const value = (100 + round) / 100
    const painted = paintedText(page, where, `${value}\u00A0bar`)
    const sent = performance.timeOrigin + performance.now()
    await device.say('telemetry', { ts: Date.now(), values: { systemPressure: value } })
    taken.push((await painted) - sent)
    // At no fixed time of what the server does in turns.
    await page.waitForTimeout(300 + Math.random() * 500)
  }
  clearInterval(pace)
  const seconds = (Date.now() - begun) / 1000
  stopping.abort()
  tell({ pages, heard, messagesPerSecond: Math.round(said / seconds), paintedMs: spread(taken) })
})
