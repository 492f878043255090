import type { Locator, Page } from '@playwright/test'
import { demoDevices, demoHomes } from '@caretaker/demo/fixtures.ts'
import { searchEverything } from '@caretaker/contract/search.ts'
import { ask } from './fixtures/api.ts'
import { findings } from './fixtures/axe.ts'
import { counted } from './fixtures/lists.ts'
import { dashboard, hold, rows } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'
const { livelyLight, boilerLockout, untaggedLight } = demoDevices
const label = 'Search devices, buildings and people'
const searchPath = searchEverything.path

const field = (page: Page): Locator => page.getByRole('combobox', { name: label })
const palette = (page: Page): Locator => page.getByRole('dialog', { name: 'Search' })
const group = (page: Page, name: string): Locator => palette(page).getByRole('group', { name })
const option = (page: Page, text: string | RegExp): Locator =>
  palette(page).getByRole('option').filter({ hasText: text })
const chosen = (page: Page): Locator => palette(page).getByRole('option', { selected: true })

/** Opens the palette on the Dashboard and types. */
async function look(page: Page, text: string): Promise<void> {
  await page.goto('/northgate/Dashboard')
  await expect(dashboard(page)).toBeVisible()
  await page.keyboard.press('Control+k')
  await field(page).fill(text)
}

/** Waits until the server has answered to a text. */
async function answered(page: Page, text: string): Promise<void> {
  const answer = page.waitForResponse(
    (response) => response.url().endsWith(searchPath) && response.request().postDataJSON().search === text,
  )
  await look(page, text)
  await answer
}

test('Ctrl K or ⌘ K anywhere and the field in the top bar open the palette; Escape closes it and gives the focus back', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/Users')
  await expect(rows(page)).not.toHaveCount(0)
  const filter = page.getByRole('searchbox')
  await filter.focus()
  for (const key of ['Control+k', 'Meta+k']) {
    await page.keyboard.press(key)
    await expect(field(page)).toBeFocused()
    await expect(palette(page)).toHaveCount(1)
    await page.keyboard.press(key)
    await expect(palette(page)).toHaveCount(1)
    await page.keyboard.press('Escape')
    await expect(palette(page)).toHaveCount(0)
    await expect(filter).toBeFocused()
  }
  await page.getByRole('banner').getByRole('button', { name: label }).click()
  await expect(field(page)).toBeFocused()
  const box = await palette(page).boundingBox()
  expect(box).toMatchObject({ width: 660, y: 120 })
  // A question that is open comes first.
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Create user' }).click()
  await expect(page.getByRole('dialog', { name: 'Create user' })).toBeVisible()
  await page.keyboard.press('Control+k')
  await expect(palette(page)).toHaveCount(0)
})

test('what is typed before the palette is there is not lost', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/Users')
  await expect(rows(page)).not.toHaveCount(0)
  // Its script has not been asked for yet.
  const release = await hold(page, '**/assets/palette-*.js')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('ald')
  release()
  await expect(field(page)).toBeFocused()
  await page.keyboard.type('er')
  await expect(field(page)).toHaveValue('alder')
})

test('buildings and devices are found with what matches marked and their status; a building opens its lights', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await look(page, 'beech hill c')
  const building = group(page, 'Buildings').getByRole('option')
  await expect(building).toHaveCount(1)
  await expect(building).toContainText('Beech Hill Court')
  await expect(building).toContainText('Failed')
  await expect(building.locator('mark').first()).toHaveText('Beech')
  const found = Number(/(\d+) found/.exec(await group(page, 'Devices').innerText())?.[1])
  expect(found).toBeGreaterThan(8)
  await expect(chosen(page)).toContainText('Beech Hill Court')
  await page.keyboard.press('Enter')
  await expect(palette(page)).toHaveCount(0)
  await expect(page).toHaveURL(/\/northgate\/EmergencyLights\?filters=/)
  await expect(rows(page)).not.toHaveCount(0)
  for (const row of await rows(page).all()) await expect(row).toContainText('Beech Hill Court')
})

test('a device opens its page, with Ctrl Enter in a new tab; the last line opens the listing with the same search', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await look(page, livelyLight.serial.toLowerCase())
  await expect(chosen(page)).toContainText(livelyLight.serial)
  const opened = page.context().waitForEvent('page')
  await page.keyboard.press('Control+Enter')
  await expect(await opened).toHaveURL(new RegExp(livelyLight.deviceId))
  await expect(palette(page)).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await expect(chosen(page)).toHaveText(`Search Emergency Lights for ‘${livelyLight.serial.toLowerCase()}’↵`)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`/northgate/EmergencyLights\\?search=${livelyLight.serial}`, 'i'))
  await expect(rows(page)).toHaveCount(1)

  await page.keyboard.press('Control+k')
  await field(page).fill(livelyLight.serial)
  await expect(chosen(page)).toContainText(livelyLight.name)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/northgate/EmergencyLights/${livelyLight.deviceId}`)
})

test('arrows go round the lines, and the field says which one is meant to those who do not see it', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await look(page, '')
  const lines = palette(page).getByRole('option')
  await expect(chosen(page)).toHaveText(/Dashboard/)
  const named = async () => {
    const id = await field(page).getAttribute('aria-activedescendant')
    return page.locator(`[id="${id}"]`)
  }
  await page.keyboard.press('ArrowUp')
  await expect(lines.last()).toHaveAttribute('aria-selected', 'true')
  await expect(await named()).toHaveText(/Logout/)
  await expect(lines.last()).toBeInViewport()
  await page.keyboard.press('ArrowDown')
  await expect(await named()).toHaveText(/Dashboard/)
  await expect(field(page)).toHaveAttribute('aria-expanded', 'true')
  await field(page).fill('nothing is called like this')
  await expect(palette(page).getByText('Nothing found for ‘nothing is called like this’')).toBeVisible()
  await expect(field(page)).toHaveAttribute('aria-expanded', 'false')
})

test('after > only commands are offered, and they do what they say', async ({ pageOf }) => {
  const page = await pageOf(manager, { colorScheme: 'light' })
  const asked = counted(page, 'POST', searchPath)
  await look(page, '> dark')
  await expect(palette(page).getByRole('option')).toHaveCount(1)
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark')
  await expect(palette(page)).toHaveCount(0)
  await page.keyboard.press('Control+k')
  await field(page).fill('>')
  await expect(palette(page).getByRole('group')).toHaveCount(1)
  await expect(group(page, 'Actions')).toBeVisible()
  await expect(option(page, 'Change Client')).toHaveCount(0)
  expect(asked()).toBe(0)
})

test('who belongs to several clients changes the client from the palette', async ({ pageOf }) => {
  const page = await pageOf('contractor@multi.example')
  await look(page, 'change cl')
  await option(page, 'Change Client').click()
  await expect(page.getByRole('heading', { name: 'Select Client' })).toBeVisible()
})

test('the server is asked once a pause and from two letters on; what was found stays until the next answer', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  const asked = counted(page, 'POST', searchPath)
  await answered(page, 'beech hill')
  await expect(group(page, 'Buildings')).toBeVisible()
  expect(asked()).toBe(1)
  const release = await hold(page, `**${searchPath}`)
  // Letter by letter without a pause, however busy the machine is.
  await field(page).evaluate((input: HTMLInputElement) => {
    const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!
    for (const letter of ' court') {
      set!.call(input, input.value + letter)
      input.dispatchEvent(new Event('input', { bubbles: true }))
    }
  })
  await expect.poll(asked).toBe(2)
  await expect(group(page, 'Buildings').getByRole('option').first()).toContainText('Beech Hill')
  release()
  await expect(group(page, 'Buildings').getByRole('option')).toHaveCount(1)
  await field(page).fill('b')
  await expect(group(page, 'Buildings')).toHaveCount(0)
  expect(asked()).toBe(2)
})

test('a search that fails reads Failed to Load beside the pages, and Retry asks again', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(500))
  const page = await pageOf(manager)
  await page.route(`**${searchPath}`, (route) => route.fulfill({ status: 500, json: {} }))
  await look(page, 'boiler')
  await expect(palette(page).getByRole('alert')).toContainText('Failed to Load')
  await expect(option(page, 'Boilers')).toBeVisible()
  await page.unroute(`**${searchPath}`)
  await palette(page).getByRole('button', { name: 'Retry' }).click()
  await expect(palette(page).getByRole('alert')).toHaveCount(0)
  await expect(group(page, 'Devices')).toBeVisible()
})

for (const [who, seen, unseen] of [
  [manager, ['Users', 'Tags', 'Access rights tags', 'My Account'], ['Audit', 'Mailbox']],
  ['guest@northgate.example', ['Emergency Lights', 'Boilers', 'Tags'], ['Users', 'Audit']],
  ['limited@northgate.example', ['Users', 'Boilers'], ['Settings', 'Tags', 'Audit']],
  ['lighting@northgate.example', ['Emergency Lights'], ['Boilers', 'Users']],
  ['boiler@northgate.example', ['Boilers'], ['Emergency Lights', 'Users']],
  ['admin@caretaker.example', ['Audit', 'Users'], ['Mailbox']],
] as const)
  test(`${who} is offered the pages that they may open, and no other`, async ({ pageOf }) => {
    const page = await pageOf(who)
    await look(page, '')
    const pages = group(page, 'Views and pages')
    for (const name of seen) await expect(pages.getByText(name, { exact: true }).first()).toBeVisible()
    for (const name of unseen) await expect(pages.getByText(name, { exact: true })).toHaveCount(0)
  })

test('people are found by those who administer them, and lead to their line', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await look(page, 'hargreaves')
  await expect(group(page, 'People').getByRole('option')).toContainText('lighting@northgate.example')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/northgate\/Users\?filter=/)
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page)).toContainText('Callum Hargreaves')
})

for (const [who, tenant, text, why] of [
  ['guest@northgate.example', 'northgate', 'hargreaves', 'no people for whoever does not administer them'],
  ['boiler@northgate.example', 'northgate', livelyLight.serial, 'no emergency light for a boiler engineer'],
  ['lighting@northgate.example', 'northgate', boilerLockout.serial, 'no boiler for a lighting engineer'],
  ['limited@northgate.example', 'northgate', untaggedLight.serial, 'nothing without one of the own access rights tags'],
  ['manager@harbour.example', 'harbour', livelyLight.serial, "nothing of another client's"],
] as const)
  test(`${who} finds ${why}`, async ({ pageOf }) => {
    const page = await pageOf(who)
    const answer = page.waitForResponse(`**${searchPath}`)
    await page.goto(`/${tenant}/Dashboard`)
    await expect(dashboard(page)).toBeVisible()
    await page.keyboard.press('Control+k')
    await field(page).fill(text)
    const { data } = (await (await answer).json()) as { data: { devices: { items: unknown[] } } }
    expect(data.devices.items).toEqual([])
    await expect(palette(page).getByText(`Nothing found for ‘${text}’`)).toBeVisible()
    await expect(palette(page).getByRole('option')).toHaveCount(0)
  })

test("another client's search is refused to whoever does not belong to it", async ({ pageOf }) => {
  const page = await pageOf('manager@harbour.example')
  const { status } = await ask(page, searchEverything, { body: { tenant: 'northgate', search: livelyLight.serial } })
  expect([403, 404]).toContain(status)
})

test('on a phone an icon opens the palette, which fills the screen and closes by a button', async ({ pageOf }) => {
  const viewport = { width: 390, height: 844 }
  const page = await pageOf(manager, { viewport })
  await page.goto('/northgate/Dashboard')
  const icon = page.getByRole('banner').getByRole('button', { name: label })
  await icon.click()
  await expect(field(page)).toBeFocused()
  expect(await palette(page).boundingBox()).toMatchObject({ x: 0, y: 0, ...viewport })
  await field(page).fill('beech hill')
  await expect(group(page, 'Buildings')).toBeVisible()
  await palette(page).getByRole('button', { name: 'Close' }).click()
  await expect(palette(page)).toHaveCount(0)
  await expect(icon).toBeFocused()
})

test('the palette is accessible in light, in dark and on a phone, and holds at 320 px', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await look(page, 'beech hill')
  await expect(group(page, 'Buildings')).toBeVisible()
  const found = () => findings(page, { include: '[role="dialog"]' })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme)
    expect(await found()).toEqual([])
  }
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(palette(page).getByRole('button', { name: 'Close' })).toBeVisible()
  expect(await found()).toEqual([])
  await page.setViewportSize({ width: 320, height: 640 })
  await expect.poll(() => palette(page).evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
})

test('a home stands above its devices, what is failing first, and leads to them', async ({ pageOf }) => {
  const page = await pageOf(manager)
  const { data } = await ask(page, searchEverything, {
    body: { tenant: 'northgate', search: demoHomes.boilerLockout },
  })
  const devices = (data as { devices: { items: { serialNumber: string }[] } }).devices.items
  expect(devices.length).toBeGreaterThan(2)
  await answered(page, demoHomes.boilerLockout)
  const home = group(page, 'Property')
  await expect(home.getByRole('option')).toHaveCount(devices.length + 1)
  const lines = await home.getByRole('option').allInnerTexts()
  expect(lines[0]).toContain(demoHomes.boilerLockout)
  // In lockout, and so the first of them.
  expect(lines[1]).toContain(boilerLockout.serial)
  expect(lines[1]).toContain('Failed')
  for (const [at, { serialNumber }] of devices.entries()) expect(lines[at + 1]).toContain(serialNumber)
  const inset = (at: number) =>
    home
      .getByRole('option')
      .nth(at)
      .locator('svg')
      .first()
      .evaluate((icon) => icon.getBoundingClientRect().x)
  expect(await inset(1)).toBeGreaterThan(await inset(0))
  await page.keyboard.press('Enter')
  await expect(rows(page)).not.toHaveCount(0)
  const references = await rows(page).evaluateAll((all) => all.map((row) => (row as HTMLElement).innerText))
  for (const row of references) expect(row).toContain(demoHomes.boilerLockout)
  // To who sees no boilers the home leads nowhere, and none of them is told.
  const other = await pageOf('lighting@northgate.example')
  await answered(other, demoHomes.boilerLockout)
  await expect(option(other, boilerLockout.serial)).toHaveCount(0)
})
