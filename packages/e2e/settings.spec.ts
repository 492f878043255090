import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import type { Tag } from '@caretaker/contract/tags.ts'
import { getTenantTags, tenantCreateTag, tenantDeleteTag, tenantUpdateTag } from '@caretaker/contract/tags.ts'
import { ask } from './fixtures/api.ts'
import { rowOf, toast } from './fixtures/lists.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

// These tests change the same demo rows, so they run one after the other.
test.describe.configure({ mode: 'default' })

const manager = 'manager@northgate.example'
const tenant = 'northgate'
const tagsPage = '/northgate/Settings/tags'
const accessPage = '/northgate/Settings/accessRightsTags'
const dialog = (page: Page) => page.getByRole('dialog')
const newName = (start: string) => `${start}${randomUUID().slice(0, 8)}`

async function add(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^Add/ }).click()
  await dialog(page).getByLabel('Name').fill(name)
  await dialog(page).getByRole('button', { name: 'Add' }).click()
}

async function remove(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Delete: ${name}` }).click()
  await dialog(page).getByRole('button', { name: 'Delete' }).click()
}

async function edit(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Edit: ${name}` }).click()
  await expect(dialog(page).getByLabel('Name')).toHaveValue(name)
}

test('a manager of miscellaneous devices adds, edits and deletes tags, and lower roles cannot [dev-6other-10]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto(tagsPage)
  const [former, later] = [newName('New'), newName('New')]
  await add(page, former)
  await expect(rowOf(page, former)).toBeVisible()
  await edit(page, former)
  await dialog(page).getByLabel('Name').fill(later)
  await dialog(page).getByRole('button', { name: 'Save' }).click()
  await expect(toast(page, 'Tag updated successfully!')).toBeVisible()
  await expect(rowOf(page, later)).toBeVisible()
  await expect(rowOf(page, former)).toHaveCount(0)
  const tags = async () =>
    ((await ask(page, getTenantTags, { body: { tenant } })).data as { tags: Tag[] }).tags.map((tag) => tag.name)
  expect(await tags()).toContain(later)

  const { data } = await ask(page, getTenantTags, { body: { tenant } })
  const { id } = (data as { tags: Tag[] }).tags.find((tag) => tag.name === later)!
  for (const email of ['guest@northgate.example', 'lighting@northgate.example', 'boiler@northgate.example']) {
    const other = await pageOf(email)
    await other.goto(tagsPage)
    await expect(rowOf(other, later)).toBeVisible()
    await expect(other.getByRole('button', { name: /^(Add|Edit|Delete)/ })).toHaveCount(0)
    const answers = [
      await ask(other, tenantCreateTag, { body: { tenant, name: newName('New') } }),
      await ask(other, tenantUpdateTag, { body: { tenant, id, name: newName('New') } }),
      await ask(other, tenantDeleteTag, { body: { tenant, id } }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
  }
  expect(await tags()).toContain(later)
  await remove(page, later)
  await expect(rowOf(page, later)).toHaveCount(0)
  expect(await tags()).not.toContain(later)
})

test('an access rights tag can be created only once, ignoring the case of its name [core-7.4-2 core-8-23 core-8-27 est-8-2 est-2.5-21 est-2.5-22]', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(409))
  const page = await pageOf(manager)
  await page.goto(accessPage)
  const name = newName('Patch ')
  await add(page, name)
  await expect(toast(page, 'Tag created successfully!')).toBeVisible()
  await expect(rowOf(page, name)).toBeVisible()
  await add(page, name.toUpperCase())
  await expect(toast(page, 'Access Rights Tag already exists')).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await page
    .getByRole('dialog', { name: 'Discard what you have typed?' })
    .getByRole('button', { name: 'Discard' })
    .click()
  await expect(rowOf(page, new RegExp(name, 'i'))).toHaveCount(1)
  await remove(page, name)
  await expect(toast(page, 'Tag deleted!')).toBeVisible()
  await expect(rowOf(page, name)).toHaveCount(0)
})

test.afterAll(async ({ browser, signedIn }) => {
  // Left behind by a failed test.
  const context = await browser.newContext({ storageState: await signedIn(manager) })
  const page = await context.newPage()
  const { data } = await ask(page, getTenantTags, { body: { tenant } })
  for (const tag of (data as { tags: Tag[] }).tags.filter(({ name }) => /^New[0-9a-f]{8}$/.test(name)))
    await ask(page, tenantDeleteTag, { body: { tenant, id: tag.id } })
  await context.close()
})
