import type { Page } from '@playwright/test'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import {
  boilerReset,
  emeredJoinNetwork,
  getDeviceTags,
  removeDevice,
  updateDeviceTags,
} from '@caretaker/contract/actions.ts'
import { getTenantTags, setDeviceAccessRightsTag } from '@caretaker/contract/tags.ts'
import { act, dialog, openRow, rowMenu } from './fixtures/actions.ts'
import { ask } from './fixtures/api.ts'
import { newClient } from './fixtures/client.ts'
import { answer, choose, keepOpen, toast } from './fixtures/lists.ts'
import { addDevice } from './fixtures/operator.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

// The operator's command takes a while to create a client.
test.describe.configure({ timeout: 120_000 })

const manager = 'manager@northgate.example'
const lightingEngineer = 'lighting@northgate.example'
const boilerEngineer = 'boiler@northgate.example'
const guest = 'guest@northgate.example'
const limited = 'limited@northgate.example'
const { livelyLight, untaggedLight, harbourLight } = demoDevices
const { boilerLockout } = demoDevices

test.describe('in a client of its own', () => {
  /** A client with one installed device. */
  async function withDevice(page: Page, product: string) {
    const { tenant } = await newClient(page, 'One Device Homes')
    const device = await addDevice(tenant, '--product', product)
    return { tenant, device, body: { tenant, deviceId: device.deviceId } }
  }

  test('tags and the access rights tag can be changed and undone [core-8-21 dev-8err-6 dev-6other-9]', async ({
    page,
    expectedErrors,
  }) => {
    expectedErrors.push(consoleText(500))
    const { tenant, device, body } = await withDevice(page, 'EM')
    await page.goto(`/${tenant}/Settings/tags`)
    for (const name of ['Stairwell', 'Remedials']) {
      await page.getByRole('button', { name: 'Add tag' }).click()
      await page.getByLabel('Name').fill(name)
      await dialog(page, 'Add tag').getByRole('button', { name: 'Add' }).click()
      await expect(dialog(page, 'Add tag')).toHaveCount(0)
    }
    await page.goto(`/${tenant}/Settings/accessRightsTags`)
    await page.getByRole('button', { name: /^Add/ }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('East')
    await page.getByRole('dialog').getByRole('button', { name: /^Add/ }).click()
    await expect(page.getByRole('dialog')).toHaveCount(0)
    const tagNames = async () =>
      ((await ask(page, getDeviceTags, { body })).data as { tags: { name: string }[] }).tags.map(({ name }) => name)

    const row = await openRow(page, `${tenant}/EmergencyLights`, device.serial)
    await act(page, rowMenu(row), 'Update tags')
    const tagging = dialog(page, `Update tags of ${device.serial}`)
    await expect(tagging.getByRole('button', { name: 'Save' })).toBeDisabled()
    await tagging.getByRole('combobox', { name: 'Tags' }).click()
    await page.getByRole('option', { name: 'Stairwell' }).click()
    // A chosen tag is not offered again.
    await expect(page.getByRole('option')).toHaveText(['Remedials'])
    await page.getByRole('option', { name: 'Remedials' }).click()
    await tagging.getByRole('button', { name: 'Save' }).click()
    await keepOpen(toast(page, 'Request Successful'))
    expect(await tagNames()).toEqual(['Remedials', 'Stairwell'])
    await toast(page, 'Request Successful').getByRole('button', { name: 'Undo' }).click()
    await expect(toast(page, 'The change was undone.')).toBeVisible()
    expect(await tagNames()).toEqual([])

    // The same on the device's page, one tag at a time.
    await page.goto(`/${tenant}/EmergencyLights/${device.deviceId}`)
    const chip = (name: string) => page.locator(`[data-tag="${name}"]`)
    // While a page is still loading, its layout can shift under a list that has just opened, which then closes.
    const choice = page.getByRole('combobox', { name: 'Tag to add' })
    await expect(async () => {
      if (await choice.isVisible()) await choice.scrollIntoViewIfNeeded({ timeout: 5000 })
      else await page.getByRole('button', { name: 'Add tag' }).click({ timeout: 5000 })
      await page.getByRole('option', { name: 'Stairwell' }).click({ timeout: 5000 })
    }).toPass()
    await expect(chip('Stairwell')).toBeVisible()
    await expect.poll(tagNames).toEqual(['Stairwell'])
    await page.getByRole('button', { name: 'Remove tag Stairwell' }).click()
    await expect(chip('Stairwell')).toHaveCount(0)
    await expect.poll(tagNames).toEqual([])

    const rights = dialog(page, `Update access rights tag of ${device.serial}`)
    await page.getByRole('button', { name: 'Edit access rights tag' }).click()
    await choose(page, 'Access rights tag', 'East')
    await answer(page, 'PUT', '**/AccessRightsTag', 500)
    await rights.getByRole('button', { name: 'Save' }).click()
    await expect(rights.getByRole('alert')).toHaveText('Failed to update device access rights tag!')
    await page.unroute('**/AccessRightsTag')
    await rights.getByRole('button', { name: 'Save' }).click()
    await expect(toast(page, 'Access Tag Updated Successfully')).toBeVisible()
    const shown = page.locator('dl > div').filter({ hasText: 'Access rights tag' })
    await expect(shown).toContainText('East')
    // Dismiss this toast, so that it is not mistaken for the toast of the next change.
    await toast(page, 'Access Tag Updated Successfully').getByRole('button', { name: 'Dismiss' }).click()
    await expect(toast(page, 'Access Tag Updated Successfully')).toHaveCount(0)
    await page.getByRole('button', { name: 'Edit access rights tag' }).click()
    await choose(page, 'Access rights tag', 'No restrictions')
    await rights.getByRole('button', { name: 'Save' }).click()
    await expect(shown).toContainText('Not set')
    await toast(page, 'Access Tag Updated Successfully').getByRole('button', { name: 'Undo' }).click()
    await expect(shown).toContainText('East')
  })
})

test('a user without an action is refused it by a direct call, whatever client they name', async ({ pageOf }) => {
  const light = { tenant: 'northgate', deviceId: livelyLight.deviceId }
  const untagged = { tenant: 'northgate', deviceId: untaggedLight.deviceId }
  const boiler = { tenant: 'northgate', deviceId: boilerLockout.deviceId }
  const harbour = { tenant: 'northgate', deviceId: harbourLight.deviceId }
  const managers = await pageOf(manager)
  const before = await ask(managers, getDeviceTags, { body: light })
  const tags = (await ask(managers, getTenantTags, { body: { tenant: 'northgate' } })).data as {
    tags: { id: string }[]
  }
  const tagIds = tags.tags.map(({ id }) => id)
  for (const [email, body, status] of [
    [guest, light, 403],
    [boilerEngineer, light, 404],
    [limited, untagged, 404],
    ['manager@harbour.example', light, 404],
    [manager, harbour, 404],
  ] as const) {
    const page = await pageOf(email)
    const answers = [
      await ask(page, emeredJoinNetwork, { body }),
      await ask(page, removeDevice, { body }),
      await ask(page, updateDeviceTags, { body: { ...body, tagIds } }),
      await ask(page, setDeviceAccessRightsTag, { params: body, body: { accessRightsTagId: null } }),
    ]
    for (const { status: given } of answers) expect([status, 403], email).toContain(given)
  }
  const engineer = await pageOf(lightingEngineer)
  expect((await ask(engineer, boilerReset, { body: boiler })).status).not.toBe(200)
  expect((await ask(engineer, updateDeviceTags, { body: { ...light, tagIds } })).status).toBe(403)
  expect(await ask(managers, getDeviceTags, { body: light })).toEqual(before)
})
