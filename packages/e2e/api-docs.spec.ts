import type { Page } from '@playwright/test'
import { findings } from './fixtures/axe.ts'
import { expect, test } from './fixtures/test.ts'

const phone = { width: 390, height: 844 }
const narrow = { width: 320, height: 640 }
const call = (page: Page, id: string) => page.locator(`details.call#${id}`)
const found = (page: Page) => page.getByRole('status')
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search calls' })

test('a call of the API can be found by search, and its address can be shared', async ({ page }) => {
  await page.goto('/api/docs')
  await expect(found(page)).toHaveText(/^\d{3} calls$/)
  await search(page).fill('flick test')
  await expect(found(page)).toHaveText(/^\d of \d{3} calls$/)
  await expect(call(page, 'runT0Test')).toBeVisible()
  await expect(call(page, 'listUsers')).toBeHidden()
  await expect(page).toHaveURL(/\?search=flick\+test$/)
  await page.reload()
  await expect(search(page)).toHaveValue('flick test')
  await expect(call(page, 'listUsers')).toBeHidden()
  await search(page).fill('runt0test')
  await search(page).press('Enter')
  await expect(page).toHaveURL(/#runT0Test$/)
  await expect(call(page, 'runT0Test')).toHaveAttribute('open', '')
  await search(page).fill('kettle')
  await expect(page.getByText('No matching calls.')).toBeVisible()
})

test('the address of a call opens it, with its parameters, responses and errors', async ({ page }) => {
  await page.goto('/api/docs#createUser')
  const user = call(page, 'createUser')
  await expect(user).toHaveAttribute('open', '')
  await expect(user).toBeInViewport()
  await expect(user.getByRole('table', { name: 'Parameters of Create user' })).toContainText('tenant')
  await expect(user.getByRole('row', { name: /^email .* required$/ })).toBeVisible()
  for (const refusal of ['400 Invalid', '401 Unauthorized', '409 Conflict', '422 Refused'])
    await expect(user.getByRole('link', { name: refusal })).toBeVisible()
  await expect(user.getByText('curl -sS')).toBeVisible()
  await user.getByRole('link', { name: 'User', exact: true }).click()
  await expect(page.locator('details#shape-User')).toHaveAttribute('open', '')
})

test('a key opens the search, and code can be copied', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/api/docs')
  await page.keyboard.press('/')
  await expect(search(page)).toBeFocused()
  await page.getByRole('button', { name: 'Copy TypeScript' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("call('FetchViewData'")
})

test('the API page is accessible and fits a phone, in light and dark', async ({ page }) => {
  await page.goto('/api/docs#fetchViewData')
  await expect(call(page, 'fetchViewData')).toHaveAttribute('open', '')
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  // The page has hundreds of similar closed sections, and axe takes a minute for all of them, so every tenth is checked.
  await page.evaluate(() => {
    for (const [at, one] of document.querySelectorAll('details:is(.call, .shape):not([open])').entries())
      if (at % 10) one.remove()
  })
  for (const [colorScheme, viewport] of [
    ['light', narrow],
    ['light', phone],
    ['dark', { width: 1440, height: 900 }],
  ] as const) {
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme })
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    if (viewport === narrow) continue
    expect(await findings(page)).toEqual([])
  }
})
