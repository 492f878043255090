import type { Page } from '@playwright/test'
import { addBuilding } from '@caretaker/contract/buildings.ts'
import { ask } from './fixtures/api.ts'
import { sidebar } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

const title = (page: Page) => page.getByRole('heading', { level: 1 })

test('the list says how each building fares, and leads managers to buildings and to what it counts [est-2.1-4] [est-2.1-5] [est-2.1-6] [est-2.1-8] [est-2.1-9]', async ({
  pageOf,
}) => {
  const page = await pageOf('manager@northgate.example')
  await page.goto('/northgate/Buildings')
  const heads = page.getByRole('columnheader').filter({ hasText: /./ })
  await expect(heads).toHaveText(['Pin', 'Name', 'Number of devices', 'Fails', 'Warnings', 'Offline'])
  await expect(page.getByRole('link', { name: 'Add a building' })).toBeVisible()
  const figure = page.getByRole('link', { name: /: Fails of / }).first()
  const count = (await figure.innerText()).trim()
  await figure.click()
  await expect(page).toHaveURL(/\/northgate\/EmergencyLights\?filters=/)
  await expect(page.getByRole('main').locator('header')).toContainText(`${count} of`)
  await page.goto('/northgate/Buildings')
  await page.getByRole('link', { name: /^Beech Hill Court/ }).click()
  await expect(page).toHaveURL(/\/northgate\/Buildings\/[0-9a-f-]{36}$/)
  await expect(title(page)).toHaveText('Beech Hill Court')
})

test('who only reads stays on the list, engineers of lighting may add, and limited people have no buildings [core-6-21] [est-2.1-2] [est-2.1-3] [est-2.1-7] [est-2.1-10] [est-2.1-11]', async ({
  pageOf,
}) => {
  const guest = await pageOf('guest@northgate.example')
  await guest.goto('/northgate/Buildings')
  const name = guest.getByText('Beech Hill Court')
  await name.click()
  await expect(guest).toHaveURL('/northgate/Buildings')
  await expect(guest.getByRole('link', { name: /Add a building|^Beech Hill/ })).toHaveCount(0)
  const building = { name: 'Not mine', lat: 53, lng: -1, floors: [{ name: '0' }] }
  expect((await ask(guest, addBuilding, { body: { tenant: 'northgate', building } })).status).toBe(403)

  const engineer = await pageOf('lighting@northgate.example')
  await engineer.goto('/northgate/Buildings')
  await expect(engineer.getByRole('link', { name: 'Add a building' })).toBeVisible()

  const limited = await pageOf('limited@northgate.example')
  await limited.goto('/northgate/EmergencyLights')
  await expect(sidebar(limited).getByRole('link', { name: 'Emergency Lights' })).toBeVisible()
  await expect(sidebar(limited).getByRole('link', { name: 'Buildings' })).toHaveCount(0)
  for (const address of ['Buildings', 'Buildings/Add', 'Buildings/beech-hill-court']) {
    await limited.goto(`/northgate/${address}`)
    await expect(limited.getByRole('main').getByText("You don't have permission.")).toBeVisible()
  }
})
