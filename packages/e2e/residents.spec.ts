import type { Page } from '@playwright/test'
import { getAppResident } from '@caretaker/contract/residents.ts'
import { withHomes } from './fixtures/clients.ts'
import { rowOf, toast } from './fixtures/lists.ts'
import { expect, test } from './fixtures/test.ts'

const main = (page: Page) => page.getByRole('main')
const dialog = (page: Page) => page.getByRole('dialog')

test("the support contacts, a resident's access and their savings and tips are stored by the server [est-1-14] [est-1-15] [est-1-16] [est-2.5-18] [est-2.5-19] [est-7.3-1] [est-7.3-3] [est-7.3-4] [est-7.3-5] [est-7.3-6] [est-7.3-8] [est-7.3-9] [est-4-28] [est-4-29] [est-4-30]", async ({
  newClient,
}) => {
  const client = await newClient({
    ...withHomes,
    features: [...withHomes.features, 'ManageResidentAccess', 'ManageApplication'],
  })
  await client.resident({ home: await client.home(), name: 'Rhona Pike' })
  const page = await client.pageOf('Manager')
  await page.goto(client.at('Settings/residents'))
  const card = main(page).getByRole('region', { name: 'Support Contact Details' })
  await card.getByLabel('Support Email').fill('desk@homes.example')
  await card.getByLabel('Support Phone').fill('01134960188')
  await card.getByRole('button', { name: 'Save' }).click()
  await expect(toast(page, 'Resident app settings saved successfully')).toBeVisible()

  const row = rowOf(page, 'Rhona Pike')
  await expect(row).toContainText('Waiting for approval')
  await row.getByRole('button', { name: /^Approve: / }).click()
  await dialog(page).getByRole('button', { name: 'Approve' }).click()
  await expect(row.getByRole('button', { name: /^Revoke: / })).toBeVisible()
  const tips = row.getByRole('button', { name: /: savings and tips of / })
  const text = dialog(page).getByRole('textbox', { name: 'Savings and tips in Markdown' })
  await tips.click()
  await text.fill('## Warm rooms')
  await dialog(page).getByRole('button', { name: 'Save' }).click()
  await expect(tips).toContainText('Set ')

  await page.reload()
  await expect(card.getByLabel('Support Email')).toHaveValue('desk@homes.example')
  await expect(card.getByLabel('Support Phone')).toHaveValue('1134960188')
  await tips.click()
  await expect(text).toHaveValue('## Warm rooms')
  await dialog(page).getByRole('button', { name: 'Delete' }).click()
  await expect(toast(page, 'Savings and tips deleted successfully!')).toBeVisible()
  await tips.click()
  await expect(text).toHaveValue('')
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await row.getByRole('button', { name: /^Revoke: / }).click()
  await dialog(page).getByRole('button', { name: 'Revoke' }).click()
  await expect(row).toContainText('Waiting for approval')
})

test('a manager creates, replaces and revokes the key of the resident app; users who may not manage keys have no such card', async ({
  newClient,
}) => {
  const client = await newClient({ features: ['ManageResidentAccess', 'ManageApplication'] })
  const { tenant } = client
  const page = await client.pageOf('Manager')
  await page.goto(client.at('Settings/residents'))
  const card = main(page).getByRole('region', { name: 'Key of the resident app' })
  await expect(card).toContainText('None: until you add a key, no more residents can sign up in the resident app.')
  await card.getByRole('button', { name: 'Add key' }).click()
  const createKey = async () => {
    await expect(dialog(page)).toContainText('it is not shown again')
    const key = (await dialog(page).locator('[data-secret]').textContent())!
    expect(key).toMatch(/^resident_[\w-]{43}$/)
    await dialog(page).getByRole('button', { name: 'Done' }).click()
    await expect(dialog(page)).toHaveCount(0)
    return key
  }
  const first = await createKey()
  await expect(card).toContainText('last used never')
  const asks = (key: string) =>
    fetch(new URL(getAppResident.path.replace('{tenant}', tenant).replace('{userId}', 'ann'), page.url()), {
      headers: { authorization: `Bearer ${key}` },
    })
  // The key is accepted, but the property does not exist.
  expect((await asks(first)).status).toBe(404)
  await card.getByRole('button', { name: 'Replace key' }).click()
  await dialog(page).getByRole('button', { name: 'Replace' }).click()
  await expect(dialog(page)).toHaveCount(1)
  const second = await createKey()
  expect([(await asks(first)).status, (await asks(second)).status]).toEqual([401, 404])
  await expect(card.getByRole('listitem')).toHaveCount(1)
  await card.getByRole('button', { name: /^Revoke the key made / }).click()
  await dialog(page).getByRole('button', { name: 'Revoke' }).click()
  await expect(card).toContainText('None: until you add a key')
  expect((await asks(second)).status).toBe(401)

  const other = await client.pageOf('Guest')
  await other.goto(client.at('Settings/residents'))
  await expect(main(other).getByLabel('Support Email')).toBeVisible()
  await expect(main(other).getByText('Key of the resident app')).toHaveCount(0)
})
