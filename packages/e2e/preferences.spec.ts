import { dashboard } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'
const phone = { viewport: { width: 390, height: 844 } }

test('preferences are kept in this browser, survive a reload and are not sent anywhere [core-3-58 core-9-2 core-9-3]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager, phone)
  const sent: string[] = []
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
  await page.goto('/northgate/Dashboard')
  await expect(dashboard(page)).toBeVisible()
  const drawer = page.getByRole('dialog')
  await page.getByRole('button', { name: /menu/i }).first().click()
  await expect(drawer).toBeVisible()
  await page.reload()
  await expect(drawer).toBeVisible()
  const stored = await page.evaluate(async () => {
    const [found] = await indexedDB.databases()
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(found!.name!)
      request.addEventListener('success', () => resolve(request.result))
      request.addEventListener('error', () => reject(request.error as Error))
    })
    return { version: database.version, stores: [...database.objectStoreNames] }
  })
  expect(stored).toEqual({ version: 1, stores: ['userPreferences'] })
  expect(sent.filter((request) => request.includes('showMenu'))).toEqual([])
})
