import type { Page } from '@playwright/test'
import type { Building, Floor } from '@caretaker/contract/buildings.ts'
import { addBuilding, updateFloorPosition, uploadFloorPlan } from '@caretaker/contract/buildings.ts'
import { updateDeviceBuildingLocation, updateDeviceGeoLocation } from '@caretaker/contract/devices.ts'
import { gridOn } from '@caretaker/rules/buildings/geometry.ts'
import { ask } from '../fixtures/api.ts'
import { newClient } from '../fixtures/client.ts'
import { addDevices } from '../fixtures/operator.ts'
import { expect, test } from '../fixtures/test.ts'
import { looked, spread, tell } from './figures.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 10)
const pins = Number(process.env.BENCH_PINS ?? 500)
const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 240"><rect width="400" height="240" fill="#fff"/>
  <path d="M0 120h400M100 0v240M200 0v240M300 0v240" stroke="#3a4250" stroke-width="2"/></svg>`

/** Resolves with the time, in ms since the page began, at which so many markers were painted. */
const painted = (page: Page, least: number) =>
  page.evaluate(
    (wanted) =>
      new Promise<number>((resolve) => {
        const look = () => {
          if (document.querySelectorAll('[data-marker]').length < wanted) return
          watch.disconnect()
          requestAnimationFrame(() => setTimeout(() => resolve(performance.now())))
        }
        const watch = new MutationObserver(look)
        watch.observe(document, { childList: true, subtree: true })
        look()
      }),
    least,
  )

test('maps from the address to the picture, while they are moved, and a floor full of pins', async ({
  page,
  pageOf,
}) => {
  // A large client's devices, in clusters: what a browser gets is bounded, however many there are.
  const manager = await pageOf('manager@northgate.example')
  await manager.goto('/northgate/FloorPlan')
  await painted(manager, 1)
  const first: number[] = []
  for (let round = 0; round < rounds; round++) {
    await manager.goto('/northgate/FloorPlan', { waitUntil: 'commit' })
    first.push(await painted(manager, 1))
  }

  const frames = { perSecond: 0, longest: 0 }
  const box = (await manager.getByRole('region', { name: 'Map of devices' }).boundingBox())!
  const at = { x: box.x + box.width / 2, y: box.y + box.height * 0.75 }
  await manager.mouse.move(at.x, at.y)
  await manager.mouse.down()
  const counting = manager.evaluate(
    () =>
      new Promise<number[]>((resolve) => {
        const gaps: number[] = []
        const begun = performance.now()
        let last = begun
        const step = (now: number) => {
          gaps.push(now - last)
          last = now
          if (now - begun < 3000) requestAnimationFrame(step)
          else resolve(gaps)
        }
        requestAnimationFrame(step)
      }),
  )
  const until = Date.now() + 3000
  for (let step = 0; Date.now() < until; step++)
    await manager.mouse.move(at.x + 120 * Math.sin(step / 12), at.y + 60 * Math.sin(step / 17))
  const gaps = (await counting).slice(1)
  await manager.mouse.up()
  frames.perSecond = Math.round((1000 * gaps.length) / gaps.reduce((sum, gap) => sum + gap, 0))
  frames.longest = Math.round(Math.max(...gaps))

  // A floor of a building, opened from another one.
  const { tenant } = await newClient(page, 'Pinned Homes')
  const devices = await addDevices(tenant, pins, '--product', 'EM')
  const made = await ask(page, addBuilding, {
    body: {
      tenant,
      building: {
        ...{ name: 'Full House', lat: 53.8, lng: -1.55 },
        floors: ['0', '1'].map((name) => ({ name, width: 120, height: 72, rotation: 17 })),
      },
    },
  })
  const { building, floors } = made.data as Building
  const [, upper] = floors as [Floor, Floor]
  const plan = { ...upper, lat: 53.8, lng: -1.55 }
  const { floor } = upper
  const file = { name: 'full.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(drawing) }
  expect((await ask(page, uploadFloorPlan, { form: { tenant, building, floor, file: file as never } })).status).toBe(
    200,
  )
  const { lat, lng, width, height, rotation } = plan
  await ask(page, updateFloorPosition, { body: { tenant, building, floor, lat, long: lng, width, height, rotation } })
  const places = gridOn(plan, devices.length)
  const waiting = devices.map(({ deviceId }, index) => ({ deviceId, place: places[index]! }))
  const work = async () => {
    for (let one = waiting.pop(); one; one = waiting.pop()) {
      const { deviceId, place } = one
      await ask(page, updateDeviceBuildingLocation, {
        body: { tenant, deviceId, buildingId: building, floorId: floor },
      })
      const body = { tenant, deviceId, latitude: place.lat, longitude: place.lng }
      expect((await ask(page, updateDeviceGeoLocation, { body })).status).toBe(200)
    }
  }
  await Promise.all(Array.from({ length: 6 }, work))
  const opened: number[] = []
  for (let round = 0; round < rounds; round++) {
    await page.goto(`/${tenant}/BuildingMap?building=${building}&floor=0`)
    const next = page.getByRole('navigation', { name: 'Floors' }).getByRole('button', { name: /^1:/ })
    await expect(next).toBeVisible()
    await expect(page.locator('[data-marker]')).toHaveCount(0)
    await looked(page)
    opened.push(
      await next.evaluate(
        (button, wanted) =>
          new Promise<number>((resolve) => {
            const begun = performance.now()
            const watch = new MutationObserver(() => {
              if (document.querySelectorAll('[data-marker]').length < wanted || !document.querySelector('[data-plan]'))
                return
              watch.disconnect()
              requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begun)))
            })
            watch.observe(document.body, { childList: true, subtree: true })
            ;(button as HTMLElement).click()
          }),
        // The outermost may lie beyond the window.
        Math.ceil(pins * 0.9),
      ),
    )
  }
  const renderer = await page.evaluate(() => {
    const gl = document.createElement('canvas').getContext('webgl')
    const told = gl?.getExtension('WEBGL_debug_renderer_info')
    return told ? String(gl!.getParameter(told.UNMASKED_RENDERER_WEBGL)) : 'none'
  })
  tell({ renderer, firstPaintedMs: spread(first), frames, pins, floorMs: spread(opened) })
})
