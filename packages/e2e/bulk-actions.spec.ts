import type { Page } from '@playwright/test'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import type { BulkRun } from '@caretaker/contract/actions.ts'
import {
  bulkAddTags,
  bulkUninstall,
  getBulkAction,
  getBulkActions,
  getDeviceTags,
} from '@caretaker/contract/actions.ts'
import { getTenantTags, tenantCreateTag } from '@caretaker/contract/tags.ts'
import { bulkBar, dialog, selectRows } from './fixtures/actions.ts'
import { ask } from './fixtures/api.ts'
import { newClient } from './fixtures/client.ts'
import { counted, toast } from './fixtures/lists.ts'
import { addDevices } from './fixtures/operator.ts'
import { rowIds, rows, userMenu } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

// The operator's command takes a while to create a client.
test.describe.configure({ timeout: 120_000 })

const manager = 'manager@northgate.example'

const action = (page: Page, name: string) => bulkBar(page).getByRole('button', { name, exact: true })

const close = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last()

/** Creates a client with lights and tags, and opens its listing. */
async function withLights(page: Page, count: number, tags: readonly string[]) {
  const { tenant } = await newClient(page, 'Bulk Lettings')
  await addDevices(tenant, count, '--product', 'EM')
  for (const name of tags) await ask(page, tenantCreateTag, { body: { tenant, name } })
  await page.goto(`/${tenant}/EmergencyLights`)
  await expect(rows(page)).toHaveCount(count)
  return { tenant, ids: await rowIds(page) }
}

async function tagsOf(page: Page, tenant: string, deviceId: string): Promise<string[]> {
  const { data } = await ask(page, getDeviceTags, { body: { tenant, deviceId } })
  return (data as { tags: { name: string }[] }).tags.map(({ name }) => name)
}

test('several devices are uninstalled after a confirmation, and the rows show it', async ({ page }) => {
  const { ids } = await withLights(page, 3, [])
  await selectRows(page, 2)
  await action(page, 'Uninstall').click()
  const asked = dialog(page, 'Uninstall 2 devices')
  await expect(asked).toContainText('permanently removed')
  await asked.getByRole('button', { name: 'Uninstall' }).click()
  await expect(page.getByText('2 done')).toBeVisible()
  await expect(toast(page, 'Uninstalled successfully!')).toBeVisible()
  await close(page).click()
  for (const id of ids.slice(0, 2)) await expect(page.locator(`tr[data-row="${id}"]`)).toContainText('Not installed')
  await expect(page.locator(`tr[data-row="${ids[2]!}"]`)).not.toContainText('Not installed')
})

test('a selection sent in several calls is one action, with its failures, Retry and Undo', async ({ page }) => {
  const { tenant, ids } = await withLights(page, 60, ['Stairwell'])
  await page.getByRole('checkbox', { name: 'Select page' }).check()
  const sent = counted(page, 'POST', '/api/BulkAddTags')
  await action(page, 'Add tags').click()
  await page.getByRole('combobox', { name: 'Tags' }).click()
  await page.getByRole('option', { name: 'Stairwell' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add tags' }).click()
  await expect(page.getByRole('dialog').getByText('60 of 60')).toBeVisible()
  expect(sent()).toBe(3)
  await close(page).click()
  const runs = (await ask(page, getBulkActions, { body: { tenant } })).data as BulkRun[]
  expect(runs).toMatchObject([{ action: 'add tags', names: ['Stairwell'], total: 60, done: 60, failed: 0 }])

  await userMenu(page, 'My bulk actions')
  await expect(page).toHaveURL(`/${tenant}/BulkActions`)
  const run = page.getByRole('region', { name: 'Add tags: 60 devices' })
  await expect(run).toContainText('60 done')
  await expect(run).toContainText('Stairwell')
  await run.getByRole('button', { name: 'Undo' }).click()
  await expect(run).toContainText('This change was undone.')
  expect(await tagsOf(page, tenant, ids[7]!)).toEqual([])

  // Other users cannot find it, in this client or another.
  expect(
    (await ask(page, getBulkAction, { body: { tenant: 'northgate', bulkActionId: runs[0]!.bulkActionId } })).status,
  ).toBe(404)
})

test('a user without a bulk action cannot start it by a direct call', async ({ pageOf }) => {
  const { livelyLight, untaggedLight, harbourLight } = demoDevices
  const managers = await pageOf(manager)
  const { tags } = (await ask(managers, getTenantTags, { body: { tenant: 'northgate' } })).data as {
    tags: { id: string; name: string }[]
  }
  const free = tags.find(({ name }) => name === 'OutOfHours' || name === 'DampWatch')!
  const before = await tagsOf(managers, 'northgate', livelyLight.deviceId)
  for (const [email, deviceId] of [
    ['guest@northgate.example', livelyLight.deviceId],
    ['lighting@northgate.example', livelyLight.deviceId],
    ['boiler@northgate.example', livelyLight.deviceId],
    ['limited@northgate.example', untaggedLight.deviceId],
    ['manager@harbour.example', livelyLight.deviceId],
    [manager, harbourLight.deviceId],
  ] as const) {
    const page = await pageOf(email)
    const body = { tenant: 'northgate', deviceIds: [deviceId] }
    const answers = [await ask(page, bulkAddTags, { body: { ...body, tags: [free.id] } })]
    if (email !== 'lighting@northgate.example') answers.push(await ask(page, bulkUninstall, { body }))
    for (const { status, data } of answers) {
      const results = (data as { results?: { state: string }[] } | undefined)?.results
      expect(status >= 400 || results?.every(({ state }) => state === 'failed'), email).toBe(true)
    }
  }
  expect(await tagsOf(managers, 'northgate', livelyLight.deviceId)).toEqual(before)
})
