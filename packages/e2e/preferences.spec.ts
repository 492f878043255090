import { getCapabilities, getFeatures, getTenantInfo } from '@caretaker/contract/tenants.ts'
import { bend, dashboard } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'
const phone = { viewport: { width: 390, height: 844 } }
const addressOf = (path: string) => `**${path.replaceAll(/\{\w+\}/g, '*')}`

test('preferences are kept in this browser, survive a reload and are sent to nobody [core-3-58 core-9-2 core-9-3]', async ({
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

test('a client with a logo of its own shows it, by day and by night; another shows its name [core-2.3-9 core-2.3-10 core-2.3-11]', async ({
  pageOf,
}) => {
  for (const scheme of ['light', 'dark'] as const) {
    const page = await pageOf(manager, { colorScheme: scheme })
    await bend(page, addressOf(getTenantInfo.path), (answer: { data: { settings: object } }) => {
      answer.data.settings = { logo: { light: '/mark.svg?light', dark: '/mark.svg?dark' } }
    })
    await page.goto('/northgate/Dashboard')
    await expect(page.getByRole('banner').getByRole('img', { name: 'Northgate Homes' })).toHaveAttribute(
      'src',
      `/mark.svg?${scheme}`,
    )
  }
  const plain = await pageOf(manager)
  await plain.goto('/northgate/Dashboard')
  await expect(plain.getByRole('banner').getByText('Northgate Homes')).toBeVisible()
  await expect(plain.getByRole('banner').getByRole('img', { name: 'Northgate Homes' })).toHaveCount(0)
})

for (const [what, route] of [
  ['features', getFeatures],
  ['capabilities', getCapabilities],
] as const)
  test(`when fetching ${what} fails, the person is told [${what === 'features' ? 'core-8-13' : 'core-8-14'}]`, async ({
    pageOf,
    expectedErrors,
  }) => {
    expectedErrors.push('500')
    const page = await pageOf(manager)
    await page.route(addressOf(route.path), (answer) =>
      answer.fulfill({ status: 500, json: { message: '', domainErrors: [], validationErrors: [] } }),
    )
    await page.goto('/northgate/Dashboard')
    await expect(page.getByText(`An error occurred while fetching ${what}.`).first()).toBeVisible()
  })
