import type { Locator, Page } from '@playwright/test'
import { boilersAddress, rowIds, rows } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'
const lights = '/northgate/EmergencyLights'
const boxOf = async (what: Locator) => (await what.boundingBox())!

/** Buttons of the page whose words are cut off. */
const cut = (page: Page) =>
  page
    .getByRole('main')
    .locator('header button, [role="toolbar"] button, [role="toolbar"] + button')
    .evaluateAll((all) =>
      all
        .filter((one) => {
          const { left, right } = one.getBoundingClientRect()
          const inner = one.querySelector('.mantine-Button-label')
          return right > innerWidth || left < 0 || (inner !== null && inner.scrollWidth > inner.clientWidth + 1)
        })
        .map((one) => one.textContent),
    )

for (const menu of ['folded', 'open'])
  test(`at 1024 pixels nothing of a list's bar is cut while the sidebar is ${menu}`, async ({ pageOf }) => {
    const page = await pageOf(manager, { viewport: { width: 1024, height: 768 } })
    for (const address of [
      lights,
      '/northgate/Boilers',
      boilersAddress,
      '/northgate/NetworkingDevices',
      '/northgate/VStats',
    ]) {
      await page.goto(address)
      await expect(rows(page)).not.toHaveCount(0)
      if (menu === 'open' && address === lights) await page.getByRole('button', { name: 'Expand menu' }).click()
      await expect(page.getByRole('button', { name: menu === 'open' ? 'Collapse menu' : 'Expand menu' })).toBeVisible()
      await expect.poll(() => cut(page), { message: address }).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth), address).toBe(1024)
      // Each tool has its name, whether as a word or as an icon.
      for (const name of ['Columns', 'Export', 'Update', 'Save As', 'Manage'])
        await expect(page.getByRole('button', { name, exact: true })).toBeInViewport({ ratio: 1 })
      await page.getByRole('button', { name: 'Export', exact: true }).click()
      await expect(page.getByRole('menuitem', { name: 'Excel' })).toBeVisible()
      await page.keyboard.press('Escape')
    }
  })

test('columns beyond the edge have a hint, which brings them and goes with the last one', async ({ pageOf }) => {
  const page = await pageOf(manager, { viewport: { width: 1024, height: 768 } })
  await page.goto(lights)
  await expect(rows(page)).toHaveCount(100)
  const hint = page.getByTitle('More columns')
  await expect(hint).toBeVisible()
  const last = page.getByRole('columnheader', { name: 'Last test' })
  const actions = page.getByRole('columnheader', { name: 'Actions' })
  expect((await boxOf(last)).x + (await boxOf(last)).width).toBeGreaterThan((await boxOf(actions)).x)
  await hint.click()
  await expect(hint).toHaveCount(0)
  await expect
    .poll(async () => (await boxOf(last)).x + (await boxOf(last)).width)
    .toBeLessThanOrEqual((await boxOf(actions)).x + 1)
  // Where all have room there is none.
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(lights)
  await expect(rows(page)).toHaveCount(100)
  await expect(hint).toHaveCount(0)
})

test('the list of a phone selects a range of rows and its page, and chooses a page', async ({ pageOf }) => {
  const page = await pageOf(manager, { viewport: { width: 390, height: 844 }, hasTouch: true })
  await page.goto(`${lights}?sort=serial`)
  await expect(rows(page)).toHaveCount(100)
  const selected = page.locator('tr[aria-selected="true"]')
  const asks = page.getByRole('status')
  await page.getByRole('button', { name: 'Select range' }).tap()
  await expect(asks.filter({ hasText: 'Press the first row' })).toBeVisible()
  await rows(page).nth(1).getByRole('checkbox').tap()
  await expect(asks.filter({ hasText: 'Press the last row' })).toBeVisible()
  await rows(page).nth(4).getByRole('checkbox').tap()
  await expect(selected).toHaveCount(4)
  await expect(page.getByRole('button', { name: 'Select range' })).toBeVisible()
  // The next one stands for itself again.
  await rows(page).nth(5).getByRole('checkbox').tap()
  await expect(selected).toHaveCount(5)
  await page.getByRole('checkbox', { name: 'Select page' }).tap()
  await expect(selected).toHaveCount(100)
  await page.getByRole('checkbox', { name: 'Select page' }).tap()
  await expect(selected).toHaveCount(0)

  const before = await rowIds(page)
  await page.getByRole('combobox', { name: 'Page' }).selectOption({ label: '3: 201 - 300' })
  await expect(page.getByText('201 - 300 of')).toBeVisible()
  await expect(page).toHaveURL(/page=3/)
  await expect.poll(async () => (await rowIds(page)).filter((id) => before.includes(id)).length).toBe(0)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)

  // Whoever can change nothing selects nothing.
  const guest = await pageOf('guest@northgate.example', { viewport: { width: 390, height: 844 }, hasTouch: true })
  await guest.goto(lights)
  await expect(rows(guest)).toHaveCount(100)
  await expect(guest.getByRole('button', { name: 'Select range' })).toHaveCount(0)
  await expect(guest.getByRole('checkbox')).toHaveCount(0)
})
