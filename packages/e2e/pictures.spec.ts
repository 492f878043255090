import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from '@playwright/test'
import { demoDevices, demoHomes, demoPropertyId } from '@caretaker/demo/fixtures.ts'
import { rows } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

/**
 * The screenshots in the guides, taken from the running demo. Every run opens each page, so that a screenshot of a
 * removed page fails; `npm run pictures` takes them again.
 */
const takes = process.env.CARETAKER_PICTURES === 'take'
const guides = path.resolve(import.meta.dirname, '../../docs/guides')
const folder = path.join(guides, 'pictures')
/** The largest size of a screenshot, in bytes. */
const heaviest = 150_000

const manager = 'manager@northgate.example'
const developer = 'dev@caretaker.example'
const main = (page: Page) => page.getByRole('main')
const region = (page: Page, name: string) => main(page).getByRole('region', { name, exact: true })

interface Picture {
  name: string
  email?: string
  address: string
  /** Waits until everything that the guide describes is visible. */
  ready(page: Page): Promise<void>
}

const pictures: Picture[] = [
  {
    name: 'dashboard',
    email: manager,
    address: '/northgate/Dashboard',
    ready: (page) => expect(region(page, 'Heating devices').locator('footer')).toBeVisible(),
  },
  {
    name: 'failed-lights',
    email: manager,
    address: '/northgate/EmergencyLights/Listing/emered-failed',
    ready: (page) => expect(rows(page)).not.toHaveCount(0),
  },
  {
    name: 'property',
    email: manager,
    address: `/northgate/Properties/${demoPropertyId(demoHomes.boilerLockout)}/info`,
    ready: (page) => expect(main(page).getByText('Gas Safety').first()).toBeVisible(),
  },
  {
    name: 'reports',
    email: manager,
    address: '/northgate/Reporting',
    ready: (page) => expect(main(page).getByRole('button', { name: 'Download' }).first()).toBeVisible(),
  },
  {
    name: 'light',
    email: 'lighting@northgate.example',
    address: `/northgate/EmergencyLights/${demoDevices.livelyLight.deviceId}`,
    ready: (page) => expect(region(page, 'Emergency equipment')).toBeVisible(),
  },
  {
    name: 'boiler',
    email: 'boiler@northgate.example',
    address: `/northgate/Boilers/${demoDevices.boilerLockout.deviceId}`,
    ready: (page) => expect(region(page, 'Right now')).toContainText('bar'),
  },
  {
    name: 'schedules',
    email: 'lighting@northgate.example',
    address: '/northgate/EmergencyLightSchedules',
    ready: (page) => expect(rows(page)).not.toHaveCount(0),
  },
  {
    name: 'clients',
    email: developer,
    address: '/northgate/Settings/Tenants',
    ready: (page) => expect(rows(page)).not.toHaveCount(0),
  },
  {
    name: 'client',
    email: developer,
    address: '/northgate/Settings/Tenants/harbour',
    ready: (page) => expect(region(page, 'In use')).toBeVisible(),
  },
  {
    name: 'api',
    address: '/api/docs#fetchViewData',
    ready: (page) => expect(page.getByRole('table', { name: 'Body of Fetch view data' })).toBeVisible(),
  },
]

// Guides show smaller screenshots: three quarters of the size, half of the bytes.
const look = { viewport: { width: 1440, height: 800 }, deviceScaleFactor: 0.75, colorScheme: 'light' } as const
test.use(look)

for (const { name, email, address, ready } of pictures)
  test(`the page in the picture '${name}' exists`, async ({ page: anybody, pageOf }) => {
    const page = email ? await pageOf(email, look) : anybody
    await page.goto(address)
    await ready(page)
    await expect(page.getByText(/^Loading/)).toHaveCount(0)
    const file = path.join(folder, `${name}.png`)
    if (takes) {
      await page.evaluate(() => document.fonts.ready)
      mkdirSync(folder, { recursive: true })
      writeFileSync(file, await page.screenshot({ animations: 'disabled', caret: 'hide' }))
    }
    expect(existsSync(file), `npm run pictures takes ${file}`).toBe(true)
    expect(readFileSync(file).length).toBeLessThanOrEqual(heaviest)
  })

test('every picture of the guides is used by a guide, and every used picture is taken here', () => {
  const shown = readdirSync(guides)
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) => [...readFileSync(path.join(guides, file), 'utf8').matchAll(/\]\(pictures\/([^)]+)\.png\)/g)])
    .map(([, name]) => name!)
  const taken = pictures.map(({ name }) => name).sort()
  expect([...new Set(shown)].sort()).toEqual(taken)
  expect(readdirSync(folder).sort()).toEqual(taken.map((name) => `${name}.png`))
})
