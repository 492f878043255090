import { newClient } from '../fixtures/client.ts'
import { connectDevice } from '../fixtures/device.ts'
import { addDevice, addDevices } from '../fixtures/operator.ts'
import { expect, test } from '../fixtures/test.ts'
import { runNightlyPacking } from '../fixtures/time.ts'
import { waitToRead, report } from './figures.ts'

const rounds = Number(process.env.BENCH_ROUNDS)
/** Rounds before the measured ones, because a freshly started server has not compiled its code yet. */
const warm = 3
const minute = 60_000
const week = 7 * 24 * 60
/** Rounded as sensors report it. */
const tenths = (value: number) => Math.round(value * 10) / 10

test('charts from the click to the painted picture', async ({ page }) => {
  const { tenant } = await newClient(page, 'Measured Homes')
  const module = await addDevice(tenant, '--product', 'BX')
  const rooms = await addDevices(tenant, 6, '--product', 'MD', '--parent', module.serial)
  const device = await connectDevice(module)
  const now = Date.now()
  for (let from = 0; from < week - 1; from += 500) {
    const minutes = Array.from({ length: Math.min(500, week - 1 - from) }, (_, n) => from + n)
    const publish = (id: string, values: (n: number) => object) =>
      device.publish(
        'telemetry',
        minutes.map((n) => ({ ts: now - n * minute, values: values(n) })),
        id,
      )
    for (const [at, room] of rooms.entries())
      await publish(room.deviceId, (n) => ({ temperature: tenths(19 + at / 5 + Math.sin(n / 200)), humidity: 50 + at }))
    await publish(module.deviceId, (n) => ({
      flowTemperature: tenths(45 + 15 * Math.sin(n / 90)),
      returnTemperature: tenths(38 + 9 * Math.sin(n / 90)),
      modulation: 50,
      burnerHours: tenths(4000 - n / 120),
      pumpHours: tenths(8000 - n / 60),
      burnerStarts: 9000 - n,
      systemPressure: 1.4,
      outsideTemperature: 8,
    }))
  }
  await runNightlyPacking(tenant, [module.deviceId, ...rooms.map(({ deviceId }) => deviceId)])
  const address = `/${tenant}/Boilers/${module.deviceId}/telemetry`

  /** Presses a control, and returns the ms until every card has been drawn with new data. */
  const pressed = (press: string, cards: string[]) =>
    page.evaluate(
      ([label, wanted]) =>
        new Promise<number>((resolve) => {
          const isDrawn = (id: string) => {
            const card = document.querySelector(`[data-card="${id}"]`)
            if (!card || card.textContent.includes('Loading')) return false
            // A card that shows another range is drawn again.
            if (card.getAttribute('data-old') === card.getAttribute('data-from')) return false
            const isLines = card.getAttribute('data-type') === 'lineGraph' && !card.textContent.includes('No data')
            return !isLines || card.querySelector('canvas') !== null
          }
          for (const card of document.querySelectorAll('[data-card]'))
            card.setAttribute('data-old', card.getAttribute('data-from')!)
          const startedAt = performance.now()
          const look = () => {
            if (!wanted.every(isDrawn)) return
            watch.disconnect()
            requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - startedAt)))
          }
          const watch = new MutationObserver(look)
          watch.observe(document.body, { childList: true, subtree: true, attributes: true })
          const target = [...document.querySelectorAll<HTMLElement>('label, [role="option"]')].find(
            (one) => one.textContent === label,
          )
          target!.click()
        }),
      [press, cards] as const,
    )
  const drawn = async (cards: string[]) => {
    for (const id of cards) await expect(page.locator(`[data-card="${id}"]`)).not.toContainText('Loading')
  }

  const six: number[] = []
  for (let round = 0; round < warm + rounds; round++) {
    // A fresh page without cached data.
    await page.goto(`${address}?range=previousMonth`)
    await expect(page.getByRole('radio', { name: 'Last 7 days' })).toBeAttached()
    await drawn(['events'])
    await waitToRead(page)
    six.push(await pressed('Last 7 days', ['rooms']))
  }
  const twelve: number[] = []
  const monitoring = ['burnerHours', 'meanFlow', 'burnerStarts', 'faults', 'flowReturn', 'modulation', 'pressure']
  const rest = ['outside', 'rooms', 'burnerBars', 'pumpBars', 'events']
  for (let round = 0; round < warm + rounds; round++) {
    await page.goto(address)
    await drawn(['rooms', 'events'])
    await page.getByRole('combobox', { name: 'View' }).click()
    await expect(page.getByRole('option', { name: 'Boiler Monitoring' })).toBeVisible()
    await waitToRead(page)
    twelve.push(await pressed('Boiler Monitoring', [...monitoring, ...rest]))
  }
  await device.end()
  report({ sixSeriesOfAWeek: six.slice(warm), twelveCards: twelve.slice(warm) })
})
