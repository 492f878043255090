import type { Page } from '@playwright/test'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import { expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'

/** What the map looks at, as the address says it. */
const lookedAt = (page: Page) => {
  const [lat, lng, zoom] = (new URL(page.url()).searchParams.get('at') ?? '').replaceAll('"', '').split(',').map(Number)
  return { lat, lng, zoom }
}
const zoomOf = (page: Page) => lookedAt(page).zoom
const side = (page: Page) => page.getByRole('complementary', { name: 'What the map shows' })
const total = (page: Page) => side(page).getByText(/^[\d,]+ of [\d,]+$/)

test('the floor plan opens on the device that is asked for, at zoom 20 and no nearer than 21, also without a map below [est-2.1-61] [est-2.1-63] [est-9-5] [est-9-6] [dev-2detail-29]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  const { livelyLight } = demoDevices
  // No program draws here: what stands on the map is there all the same.
  await page.addInitScript(() => {
    HTMLCanvasElement.prototype.getContext = () => null
  })
  await page.goto(`/northgate/FloorPlan?deviceId=${livelyLight.deviceId}`)
  await expect(page.getByText('This browser cannot draw the map below')).toBeVisible()
  const card = page.getByRole('region', { name: livelyLight.name, exact: true })
  await expect(card).toContainText(livelyLight.serial)
  await expect(page.locator(`[data-marker="${livelyLight.deviceId}"]`)).toHaveAttribute('aria-pressed', 'true')
  await expect.poll(() => zoomOf(page)).toBe(20)
  for (let press = 0; press < 3; press++) await page.getByRole('button', { name: 'Zoom in', exact: true }).click()
  await expect.poll(() => zoomOf(page)).toBe(21)
  await expect(total(page)).toBeVisible()
})
