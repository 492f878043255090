import type { Page } from '@playwright/test'
import { expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'

/** What a page and its context hold, in words that are the same for all that are new. */
async function held(page: Page) {
  const stored = await page.evaluate(async () => ({
    local: Object.keys(localStorage).map((key) => key.replace(/:.*/, '')),
    session: Object.keys(sessionStorage),
    databases: (await indexedDB.databases()).map(({ name }) => name),
    caches: await caches.keys(),
    isDark: matchMedia('(prefers-color-scheme: dark)').matches,
    isPointedAt: document.querySelector(':hover') !== null,
  }))
  const cookies = (await page.context().cookies()).map(({ name }) => name)
  return { ...stored, cookies, size: page.viewportSize(), tabs: page.context().pages().length }
}

let fresh: Awaited<ReturnType<typeof held>>
let first: Page
test.describe.configure({ mode: 'serial' })

test('a page is left in disorder', async ({ pageOf }) => {
  first = await pageOf(manager)
  await first.goto('/livez')
  fresh = await held(first)
  await first.evaluate(async () => {
    localStorage.setItem('left', 'x')
    sessionStorage.setItem('left', 'x')
    document.cookie = 'left=x'
    await caches.open('left')
    await new Promise((done) => (indexedDB.open('left').onsuccess = done))
  })
  await first.emulateMedia({ colorScheme: 'dark' })
  await first.setViewportSize({ width: 300, height: 300 })
  await first.mouse.move(100, 10)
  await first.context().newPage()
  await first.route('**/livez', (route) => route.abort())
  expect(await held(first)).not.toEqual(fresh)
})

test('the next test that is given it finds it as if it were new', async ({ pageOf }) => {
  const page = await pageOf(manager)
  expect(page).toBe(first)
  await page.goto('/livez')
  expect(await held(page)).toEqual(fresh)
  await page.clock.install()
})

test('one whose clock was stopped is given to nobody else', async ({ pageOf }) => {
  expect(await pageOf(manager)).not.toBe(first)
})
