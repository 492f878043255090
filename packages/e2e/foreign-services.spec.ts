import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from '@playwright/test'
import { addBuilding, uploadFloorPlan } from '@caretaker/contract/buildings.ts'
import type { Building } from '@caretaker/contract/buildings.ts'
import { inWorld } from '@caretaker/rules/maps/mercator.ts'
import { ask } from './fixtures/api.ts'
import { alterResponse } from './fixtures/portal.ts'
import { ownProduct } from './fixtures/product.ts'
import type { TileServer } from './fixtures/tiles.ts'
import { counted } from './fixtures/lists.ts'
import { halfWaterWorld, tileServer } from './fixtures/tiles.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

// These tests change the same demo rows, so they run one after the other.
test.describe.configure({ mode: 'default' })

let folder = ''
let road: TileServer
let space: TileServer
let codes: CodeServer
const product = ownProduct(8, () => ({
  MAP_ROADMAP_TILES: road.template,
  MAP_SATELLITE_TILES: space.template,
  MAP_PMTILES: path.join(folder, 'world.pmtiles'),
  MAP_ATTRIBUTION: '© Plain Tiles',
  POSTCODE_SERVICE: 'postcodes.io',
  POSTCODE_SERVICE_URL: codes.url,
}))

test.beforeAll(async () => {
  test.setTimeout(120_000)
  folder = mkdtempSync(path.join(tmpdir(), 'caretaker-tiles-'))
  writeFileSync(path.join(folder, 'world.pmtiles'), halfWaterWorld())
  road = await tileServer([255, 0, 255], [0, 255, 0])
  space = await tileServer([0, 0, 255], [255, 255, 0])
  codes = await codeServer()
  await product.start()
})
test.afterAll(async () => {
  await product.end()
  for (const server of [road, space, codes]) server?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A postcode service like postcodes.io, with a single postcode. */
interface CodeServer {
  url: string
  isDown: boolean
  close: () => void
}

async function codeServer(): Promise<CodeServer> {
  const server = createServer((request, response) => {
    const isKnown = request.url === '/postcodes/HX1%205TX'
    const place = { latitude: 53.7236, longitude: -1.8772 }
    response.writeHead(codes.isDown ? 500 : isKnown ? 200 : 404, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify(isKnown ? { status: 200, result: place } : { status: 404, error: 'Postcode not found' }),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, isDown: false, close: () => void server.close() }
}

type Colour = [red: number, green: number, blue: number]

/** The colours of a horizontal line of pixels across the map, at a given share of its height from the top. */
async function lineOf(page: Page, share: number): Promise<Colour[]> {
  const picture = await page.locator('.maplibregl-canvas').screenshot()
  // A page without a content security policy opens the picture.
  const reader = await page.context().newPage()
  const line = await reader.evaluate(
    async ([data, at]) => {
      const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob())
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')!
      context.drawImage(bitmap, 0, 0)
      return [...context.getImageData(0, Math.floor(bitmap.height * at), bitmap.width, 1).data]
    },
    [picture.toString('base64'), share] as const,
  )
  await reader.close()
  return Array.from({ length: line.length / 4 }, (_, at) => line.slice(4 * at, 4 * at + 3) as Colour)
}

/** The length of each run of one colour, except the first and last run, which the map's edges cut off. */
function runsOf(line: readonly Colour[], colours: readonly Colour[]): number[] {
  const kinds = line.map((pixel) =>
    colours.findIndex((one) => one.every((part, at) => Math.abs(part - pixel[at]!) < 9)),
  )
  const starts = kinds.flatMap((kind, at) => (at > 0 && kind !== kinds[at - 1] ? [at] : []))
  return starts.slice(1).map((start, at) => start - starts[at]!)
}

/** Where one of two colours changes to the other. */
function edgesOf(line: readonly Colour[], [one, other]: readonly Colour[]): number[] {
  const kindOf = (pixel: Colour) => (near(pixel, one!) ? 1 : near(pixel, other!) ? -1 : 0)
  return line.flatMap((pixel, at) => (at > 0 && kindOf(pixel) * kindOf(line[at - 1]!) === -1 ? [at] : []))
}

const near = (a: Colour, b: Colour) => a.every((part, at) => Math.abs(part - b[at]!) < 9)

test('maps are drawn with the tiles of a service, each 256 pixels wide, or with a tile file; missing tiles are reported with Retry [est-7.6-10] [est-9-11]', async ({
  page,
  expectedErrors,
}) => {
  test.setTimeout(240_000)
  expectedErrors.push('net::ERR_FAILED')
  const { tenant } = await product.newClient(page, 'Tile Homes')
  const open = (address: string) => page.goto(`${product.origin}/${tenant}/${address}`)

  // Devices without positions: the map shows the world at zoom 1, two tiles wide.
  await open('FloorPlan')
  const [magenta, green]: Colour[] = [
    [255, 0, 255],
    [0, 255, 0],
  ]
  const runs = async () => runsOf(await lineOf(page, 0.3), [magenta!, green!])
  await expect.poll(async () => (await runs()).length).toBeGreaterThan(1)
  expect(new Set(await runs())).toEqual(new Set([256]))
  expect([...new Set(road.asked.map((tile) => tile.split('/')[0]))]).toEqual(['1'])
  await expect(page.getByText('© Plain Tiles')).toBeVisible()
  await page.getByRole('button', { name: 'Zoom in', exact: true }).click()
  await expect.poll(() => road.asked.some((tile) => tile.startsWith('2/'))).toBe(true)
  await expect.poll(async () => new Set(await runs())).toEqual(new Set([256]))

  // The satellite view uses another service.
  expect(space.asked).toEqual([])
  await page.getByRole('radiogroup', { name: 'Map', exact: true }).getByText('Satellite').click()
  await expect.poll(async () => near((await lineOf(page, 0.3))[700]!, magenta!)).toBe(false)
  expect(space.asked.length).toBeGreaterThan(0)

  // Missing tiles are reported, and requested again on Retry.
  await page.route(road.template.replace('{z}/{x}/{y}', '**'), (route) => route.abort())
  await open('FloorPlan')
  const failureNotice = page.getByText('The background map could not be loaded. The items on it are correct.')
  await expect(failureNotice).toBeVisible()
  await page.unroute(road.template.replace('{z}/{x}/{y}', '**'))
  road.asked.length = 0
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(failureNotice).toHaveCount(0)
  await expect.poll(async () => (await runs()).length).toBeGreaterThan(1)
  expect(road.asked.length).toBeGreaterThan(0)

  // With a single building there is nothing to choose, so it opens.
  const floors = [{ name: '0' }]
  const made = await ask(page, addBuilding, {
    body: { tenant, building: { name: 'Beck Court', lat: 53.72, lng: -1.87, floors } },
  })
  const { building, floors: all } = made.data as Building
  road.asked.length = 0
  await open('BuildingMap')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Building map: Beck Court')
  await expect.poll(() => road.asked.some((tile) => tile.startsWith('19/'))).toBe(true)
  // Its pin is at the right position: the tile edges are where they should be next to it.
  await expect
    .poll(async () => {
      const [pin, canvas] = [
        (await page.locator('[data-marker]').boundingBox())!,
        (await page.locator('.maplibregl-canvas').boundingBox())!,
      ]
      const inTile = (inWorld({ lat: 53.72, lng: -1.87 }).x * 2 ** 19 * 256) % 256
      const begins = pin.x + pin.width / 2 - canvas.x - inTile
      const edges = edgesOf(await lineOf(page, 0.5), [magenta!, green!])
      const off = edges.map((edge) => (((edge - begins) % 256) + 256) % 256)
      return edges.length > 1 && off.every((pixels) => Math.min(pixels, 256 - pixels) < 1.5)
    })
    .toBe(true)

  // Floors.
  const drawing = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>'
  const file = { name: 'ground.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(drawing) }
  const form = { tenant, building, floor: all[0]!.floor, file: file as never }
  expect((await ask(page, uploadFloorPlan, { form })).status).toBe(200)
  road.asked.length = 0
  await open(`PositionFloor?building=${building}&floor=0`)
  await expect(page.locator('img[data-plan]')).toBeVisible()
  await expect.poll(() => road.asked.some((tile) => tile.startsWith('19/'))).toBe(true)

  // A style replaces the tiles; in dark mode, it is not brighter than the items drawn on it.
  await alterResponse(page, '**/api/settings', ({ map }: { map: { styleUrl?: string } }) => (map.styleUrl = road.style))
  await open('FloorPlan')
  const top = async () => (await lineOf(page, 0.3))[700]!
  await expect.poll(async () => near(await top(), [0, 255, 255])).toBe(true)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(async () => Math.max(...(await top())) < 140).toBe(true)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.unroute('**/api/settings')

  // If no tiles are configured, the map file is drawn. The page requests parts of it from the product itself.
  await alterResponse(
    page,
    '**/api/settings',
    ({ map }: { map: { roadmapTiles: string[] } }) => (map.roadmapTiles = []),
  )
  const part = page.waitForResponse('**/map/tiles.pmtiles')
  await open('FloorPlan')
  expect((await part).status()).toBe(206)
  const water: Colour = [0x80, 0xde, 0xea]
  const sides = async () => {
    const line = await lineOf(page, 0.5)
    const middle = Math.floor(line.length / 2)
    return [near(line[middle - 100]!, water), near(line[middle + 100]!, water)]
  }
  await expect.poll(sides).toEqual([false, true])
})

test('a postcode is looked up at the configured service; if it is down, the page shows an error with Retry and saves nothing', async ({
  page,
  expectedErrors,
}) => {
  test.setTimeout(120_000)
  expectedErrors.push(consoleText(503))
  const { tenant } = await product.newClient(page, 'Code Homes')
  await page.goto(`${product.origin}/${tenant}/Buildings/Add`)
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  await page.getByLabel('Building name').fill('Gibbet House')
  await page.getByLabel('Post code').fill('HX1 9ZZ')
  await press('Check Post Code')
  await expect(page.getByText('Post code is invalid')).toBeVisible()

  codes.isDown = true
  const saved = counted(page, 'POST', /\/api\/AddBuilding$/)
  await page.getByLabel('Post code').fill('hx1 5tx')
  await press('Check Post Code')
  await expect(page.getByText('The postcode could not be checked. The postcode service does not respond')).toBeVisible()
  await press('Save Building')
  await expect(page.getByRole('button', { name: 'Retry' })).toBeEnabled()
  expect(saved()).toBe(0)

  codes.isDown = false
  await press('Retry')
  await expect(page.getByText('53.72360, -1.87720')).toBeVisible()
  await expect(page.getByText(/^Contains OS data .*National Statistics data/)).toBeVisible()
  await expect(page.getByText(/a few miles across/)).toHaveCount(0)
  await press('Save Building')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Gibbet House')
  expect(saved()).toBe(1)
})
