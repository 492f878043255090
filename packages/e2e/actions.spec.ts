import type { Page } from '@playwright/test'
import type { StoriedDevice } from '@caretaker/demo/fixtures.ts'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import {
  boilerReset,
  emeredJoinNetwork,
  getDeviceTags,
  removeDevice,
  updateDeviceTags,
} from '@caretaker/contract/actions.ts'
import { getTenantTags, setDeviceAccessRightsTag } from '@caretaker/contract/tags.ts'
import type { Device, DeviceRow } from '@caretaker/contract/devices.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import { act, bendRows, dialog, headMenu, menuItem, offeredIn, openRow, rowMenu } from './fixtures/actions.ts'
import { ask } from './fixtures/api.ts'
import { newClient } from './fixtures/client.ts'
import { connectDevice } from './fixtures/device.ts'
import { answer, choose, stay, toast } from './fixtures/lists.ts'
import { addDevice } from './fixtures/operator.ts'
import { bend, rows } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

// Clients of their own are made by the operator's command, which takes its time.
test.describe.configure({ timeout: 120_000 })

const manager = 'manager@northgate.example'
const lightingEngineer = 'lighting@northgate.example'
const boilerEngineer = 'boiler@northgate.example'
const guest = 'guest@northgate.example'
const limited = 'limited@northgate.example'
const { livelyLight, untaggedLight, stockLight, inWholesale, livelyGateway, harbourLight } = demoDevices
const { livelyBoiler, boilerLockout, allocatedDot, connectedDot } = demoDevices

const appUrl = 'https://app.caretaker.example'
const pageOfDevice = (area: string, { deviceId }: StoriedDevice) => `/northgate/${area}/${deviceId}`
const heading = (page: Page) => page.getByRole('heading', { level: 1 })
const somethingWrong = 'Something has gone wrong, please try again'

/** What the row of a device offers a person. */
async function offeredOn(page: Page, listing: string, { serial }: StoriedDevice): Promise<string[]> {
  return offeredIn(page, rowMenu(await openRow(page, `northgate/${listing}`, serial)))
}

test('a row offers what the role allows with an installed light [dev-6single-1 dev-6single-4 dev-6single-7 dev-6single-9 dev-6single-12 dev-6single-13]', async ({
  pageOf,
}) => {
  const engineer = ['View in app', 'Flick test', 'Join Network', 'Leave Network', 'Uninstall']
  const managers = [...engineer.slice(0, 2), 'Update tags', 'Update access rights tag', ...engineer.slice(2)]
  for (const [email, offered] of [
    [manager, managers],
    [lightingEngineer, engineer],
    [guest, []],
    // Carries a tag herself: she could otherwise hand on her own restriction.
    [limited, managers.filter((action) => action !== 'Update access rights tag')],
  ] as const)
    expect(await offeredOn(await pageOf(email), 'EmergencyLights', livelyLight), email).toEqual(offered)
  const page = await pageOf(boilerEngineer)
  await page.goto(`/northgate/EmergencyLights?search=${livelyLight.serial}`)
  await expect(page.getByRole('main').getByText("You don't have permission.")).toBeVisible()
  await expect(rowMenu(page.locator('tbody'))).toHaveCount(0)
})

test('only lights and repeaters join and leave, and a boiler engineer is none of lights [dev-6single-1 dev-6single-4 dev-6single-12 dev-6single-13]', async ({
  pageOf,
}) => {
  const engineer = await pageOf(boilerEngineer)
  const onBoiler = await offeredOn(engineer, 'Boilers', livelyBoiler)
  expect(onBoiler).toContain('View in app')
  expect(onBoiler).toContain('Uninstall')
  expect(onBoiler).not.toContain('Join Network')
  expect(onBoiler).not.toContain('Update tags')
  // A gateway does not join; the same row as a repeater does.
  expect(await offeredOn(engineer, 'NetworkingDevices', livelyGateway)).toEqual(['View in app', 'Uninstall'])
  await bendRows(engineer, (row) => (row.deviceProductId = 'ZR'))
  expect(await offeredOn(engineer, 'NetworkingDevices', livelyGateway)).toEqual([
    'View in app',
    'Join Network',
    'Leave Network',
    'Uninstall',
  ])
})

test('what is not installed is claimed or installed, in each kind of status [dev-6single-1 dev-6single-2 dev-6single-3 dev-6single-4 dev-6single-9 dev-6single-12 dev-6single-13]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  expect(await offeredOn(page, 'EmergencyLights', stockLight)).toEqual(['Install', 'Update tags'])
  expect(await offeredOn(page, 'EmergencyLights', inWholesale)).toEqual([
    'Claim from Wholesaler',
    'Install',
    'Update tags',
  ])
  expect(await offeredOn(await pageOf(guest), 'EmergencyLights', inWholesale)).toEqual([])
  expect(await offeredOn(await pageOf(guest), 'EmergencyLights', stockLight)).toEqual([])

  // A status of each kind, in the rows of one page; that each of them is of its kind is the rules' to prove.
  const statuses = ['FailedEquipment', 'PreventativeMaintenance', 'Allocated', 'AwaitingRecycling'] as const
  const given = new Map<string, DeviceStatus>()
  await bendRows(page, (row, at) => {
    row.deviceInWholesale = false
    row.deviceStatus = statuses[at % statuses.length]!
    given.set(row.deviceId, row.deviceStatus)
  })
  await page.goto('/northgate/EmergencyLights')
  await expect(rows(page)).not.toHaveCount(0)
  for (let at = 0; at < statuses.length; at++) {
    const row = rows(page).nth(at)
    const status = given.get((await row.getAttribute('data-row')) ?? '')!
    const offered = await offeredIn(page, rowMenu(row))
    const isInstalled = ['FailedEquipment', 'PreventativeMaintenance'].includes(status)
    for (const action of [
      'View in app',
      'Uninstall',
      'Update access rights tag',
      'Join Network',
      'Leave Network',
      'Flick test',
    ])
      expect(offered.includes(action), `${action}: ${status}`).toBe(isInstalled)
    expect(offered.includes('Install'), status).toBe(!isInstalled)
    expect(offered, status).not.toContain('Claim from Wholesaler')
  }
})

test('an installed device in wholesale is claimed and not viewed [dev-6single-1 dev-6single-2]', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await bendRows(page, (row) => (row.deviceInWholesale = true))
  const offered = await offeredOn(page, 'EmergencyLights', livelyLight)
  expect(offered).toContain('Claim from Wholesaler')
  expect(offered).not.toContain('View in app')
  expect(offered).not.toContain('Flick test')
})

test('a device that is read-only for the person is neither uninstalled nor changed [dev-6single-5 dev-6single-9 dev-6single-12 dev-6single-13]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await bendRows(page, (row) => (row.userHasReadOnlyAccess = true))
  expect(await offeredOn(page, 'EmergencyLights', livelyLight)).toEqual(['Update tags'])
})

test("the access rights tag is updated where the device's own flag says so [core-6-36 dev-6single-9]", async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  const edit = page.getByRole('button', { name: 'Edit access rights tag' })
  await page.goto(pageOfDevice('EmergencyLights', livelyLight))
  await expect(edit).toBeVisible()
  expect(await offeredIn(page, headMenu(page))).toContain('Update access rights tag')
  await bend(page, '**/api/GetEmered', ({ data }: { data: Device }) => (data.userCanUpdateAccessRightsTag = false))
  await page.reload()
  await expect(heading(page)).toHaveText(livelyLight.name)
  await expect(headMenu(page)).toBeVisible()
  await expect(edit).toHaveCount(0)
  expect(await offeredIn(page, headMenu(page))).not.toContain('Update access rights tag')
  await bendRows(page, (row) => (row.userCanUpdateAccessRightsTag = false))
  expect(await offeredOn(page, 'EmergencyLights', livelyLight)).not.toContain('Update access rights tag')
})

/** The client with a capability or feature as given. */
async function bendFlags(page: Page, url: string, name: string, on: boolean): Promise<void> {
  await bend(page, url, (answered: never) => turn(answered, name, on))
}

/** Whatever the shape of the answer, the flag of that name is turned. */
function turn(value: unknown, name: string, on: boolean): void {
  if (typeof value !== 'object' || value === null) return
  const found = value as Record<string, unknown>
  if (found['name'] === name && 'isEnabled' in found) found['isEnabled'] = on
  for (const [key, inner] of Object.entries(found)) {
    if (key === name && typeof inner === 'boolean') found[key] = on
    else turn(inner, name, on)
  }
}

test('in the newer screens it is updated with the capability and not without [core-6-37]', async ({ pageOf }) => {
  const page = await pageOf(manager)
  const edit = page.getByRole('button', { name: 'Edit access rights tag' })
  // The flag of the device does not count there.
  await bend(page, '**/api/GetBoiler', ({ data }: { data: Device }) => (data.userCanUpdateAccessRightsTag = false))
  await page.goto(pageOfDevice('Boilers', livelyBoiler))
  await expect(heading(page)).toHaveText(livelyBoiler.name)
  await expect(edit).toBeVisible()
  await bendFlags(page, '**/capabilities', 'EditAccessRightsTags', false)
  await page.reload()
  await expect(heading(page)).toHaveText(livelyBoiler.name)
  await expect(headMenu(page)).toBeVisible()
  await expect(edit).toHaveCount(0)
})

test('the page of a device offers the same but the tags, which it shows itself [dev-6single-8 dev-6other-9]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  expect(await offeredOn(page, 'EmergencyLights', livelyLight)).toContain('Update tags')
  for (const [area, device] of [
    ['EmergencyLights', livelyLight],
    ['Boilers', livelyBoiler],
    ['NetworkingDevices', livelyGateway],
  ] as const) {
    await page.goto(pageOfDevice(area, device))
    await expect(heading(page)).toHaveText(device.name)
    const offered = await offeredIn(page, headMenu(page))
    expect(offered).toContain('Uninstall')
    expect(offered).not.toContain('Update tags')
    await expect(page.getByRole('button', { name: 'Add tag' })).toBeVisible()
  }
})

test('the thermostat of a module in a home with a hub is not uninstalled, unless both may be installed [dev-6other-14 dev-6other-15]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await bendRows(page, (row) => {
    row.deviceStatus = 'Ok'
    row.deviceIsThermostatWithHomeHub = true
  })
  expect(await offeredOn(page, 'MultiDots', connectedDot)).toContain('Uninstall')
  await bendFlags(page, '**/features', 'BcmAndGatewayDualInstall', false)
  const offered = await offeredOn(page, 'MultiDots', connectedDot)
  expect(offered).toContain('Update tags')
  expect(offered).not.toContain('Uninstall')
})

test('what is done in the mobile app leads there, and nowhere without one [dev-4status-5 dev-4status-8]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  const leads = async (listing: string, device: StoriedDevice, action: string) => {
    await rowMenu(await openRow(page, `northgate/${listing}`, device.serial)).click()
    return menuItem(page, action)
  }
  await expect(await leads('EmergencyLights', livelyLight, 'View in app')).toHaveAttribute(
    'href',
    `${appUrl}/northgate/EmeredDetails/${livelyLight.deviceId}`,
  )
  await (await leads('EmergencyLights', inWholesale, 'Claim from Wholesaler')).click()
  await expect(page).toHaveURL(`/northgate/MoveFromWholesale/${inWholesale.serial}`)
  await (await leads('EmergencyLights', stockLight, 'Install')).click()
  await expect(page).toHaveURL(`/northgate/EmeredInstall/${stockLight.serial}/${stockLight.deviceId}`)
  await expect(page.getByRole('main').locator('form, input, select, textarea')).toHaveCount(0)
  await (await leads('MultiDots', allocatedDot, 'Complete Install')).click()
  const { serial, deviceId } = allocatedDot
  const address = new RegExp(
    `/northgate/ConnectedDeviceInstall/MultiDot/${livelyBoiler.deviceId}/${serial}/${deviceId}`,
  )
  await expect(page).toHaveURL(address)
  await expect(page.getByRole('link', { name: 'Open in the mobile app' })).toBeVisible()
  // Not for what is installed, nor for an allocated device that connects to nothing.
  expect(await offeredOn(page, 'MultiDots', connectedDot)).not.toContain('Complete Install')
  await bendRows(page, (row) => (row.deviceStatus = 'Allocated'))
  expect(await offeredOn(page, 'Boilers', livelyBoiler)).not.toContain('Complete Install')
  for (const [product, offered] of [
    ['PM', true],
    ['PS', true],
    ['MD', true],
    ['ED', true],
    ['AF', false],
  ] as const) {
    await bendRows(page, (row) => {
      row.deviceStatus = 'Allocated'
      row.deviceProductId = product
    })
    expect((await offeredOn(page, 'MultiDots', connectedDot)).includes('Complete Install'), product).toBe(offered)
  }
  await bend(page, '**/api/settings', (settings: { appUrl: string | null }) => (settings.appUrl = null))
  const withoutApp = await offeredOn(page, 'MultiDots', allocatedDot)
  for (const action of ['View in app', 'Claim from Wholesaler', 'Install', 'Complete Install'])
    expect(withoutApp).not.toContain(action)
})

test.describe('in a client of its own', () => {
  /** A client with one installed device. */
  async function withDevice(page: Page, product: string) {
    const { tenant } = await newClient(page, 'One Device Homes')
    const device = await addDevice(tenant, '--product', product)
    return { tenant, device, body: { tenant, deviceId: device.deviceId } }
  }

  test('a device is uninstalled after a question, and is in inventory then [dev-8err-14 dev-8err-3]', async ({
    page,
    expectedErrors,
  }) => {
    expectedErrors.push(consoleText(500))
    const { tenant, device } = await withDevice(page, 'EM')
    const row = await openRow(page, `${tenant}/EmergencyLights`, device.serial)
    await act(page, rowMenu(row), 'Uninstall')
    const asked = dialog(page, `Uninstall ${device.serial}`)
    await expect(asked).toContainText('data is permanently removed')
    await asked.getByRole('button', { name: 'Cancel' }).click()
    await expect(asked).toHaveCount(0)
    expect(await offeredIn(page, rowMenu(row))).toContain('Uninstall')
    await act(page, rowMenu(row), 'Uninstall')
    await answer(page, 'POST', '**/api/RemoveDevice', 500)
    await asked.getByRole('button', { name: 'Uninstall' }).click()
    await expect(asked.getByRole('alert')).toHaveText(somethingWrong)
    await page.unroute('**/api/RemoveDevice')
    await asked.getByRole('button', { name: 'Uninstall' }).click()
    await expect(toast(page, 'Uninstalled successfully!')).toBeVisible()
    await expect(asked).toHaveCount(0)
    await expect(row).toContainText('Not installed')
    expect(await offeredIn(page, rowMenu(row))).not.toContain('Uninstall')
  })

  test('a light joins and leaves, and what the light says is shown [dev-8err-5 dev-8err-2 dev-8err-4]', async ({
    page,
    expectedErrors,
  }) => {
    expectedErrors.push(consoleText(500))
    const { tenant, device, body } = await withDevice(page, 'EM')
    const light = await connectDevice(device)
    const row = await openRow(page, `${tenant}/EmergencyLights`, device.serial)
    await act(page, rowMenu(row), 'Leave Network')
    await expect(toast(page, 'Request Successful')).toBeVisible()
    await expect(toast(page, /Leave Network: (not )?sent to the device/)).toBeVisible()
    await light.answerCommands('confirmed')
    await expect(toast(page, new RegExp(`Leave Network: confirmed by .*${device.serial}`))).toBeVisible({
      timeout: 30_000,
    })
    await light.end()
    // The same from the page of the light, whose answer is no.
    const deaf = await connectDevice(device)
    await page.goto(`/${tenant}/EmergencyLights/${body.deviceId}`)
    await act(page, headMenu(page), 'Join Network')
    await expect(toast(page, 'Request Successful')).toBeVisible()
    await deaf.answerCommands('failed', 'No network in reach.')
    await expect(toast(page, 'Join Network: No network in reach.')).toBeVisible({ timeout: 30_000 })
    await deaf.end()
    // A refusal says why; a server that fails does not.
    const no = { isSuccessful: false, data: null, reason: null, message: 'The light is on the network already.' }
    await answer(page, 'POST', '**/api/EmeredJoinNetwork', 200, no)
    await act(page, headMenu(page), 'Join Network')
    await expect(toast(page, no.message)).toBeVisible()
    await answer(page, 'POST', '**/api/EmeredLeaveNetwork', 500)
    await act(page, headMenu(page), 'Leave Network')
    await expect(toast(page, somethingWrong)).toBeVisible()
  })

  for (const [product, command, name, ids] of [
    ['BX', 'Reset boiler', 'Boiler', 'dev-7actions-2 dev-8err-32 dev-8err-33 est-8-7 est-8-8'],
    ['AF', 'Reset autofill', 'Autofill', 'dev-8err-30 dev-8err-31 est-8-5 est-8-6'],
  ] as const)
    test(`${command} says what the device made of it [${ids}]`, async ({ page, expectedErrors }) => {
      expectedErrors.push(consoleText(409), consoleText(500), consoleText(503))
      const { tenant, device, body } = await withDevice(page, product)
      const spoken = await connectDevice(device)
      const faultSource = name.toLowerCase()
      await spoken.say('state', { faultCode: 'EA', fault: { faultSource, isResettable: true } })
      await page.goto(`/${tenant}/Boilers/${body.deviceId}`)
      const asking = dialog(page, `${command} ${device.serial}`)
      const press = async () => {
        await act(page, headMenu(page), command)
        await asking.getByRole('button', { name: command }).click()
        await expect(asking).toHaveCount(0)
      }
      await press()
      await expect(toast(page, new RegExp(`${command}: (not )?sent to the device`))).toBeVisible()
      await spoken.answerCommands('confirmed')
      const success = `${name} reset on ${device.serial} was successful!`
      await expect(toast(page, success)).toBeVisible({ timeout: 30_000 })
      await spoken.end()
      const failing = await connectDevice(device)
      await press()
      await expect(toast(page, new RegExp(`${command}: (not )?sent to the device`))).toBeVisible()
      await failing.answerCommands('failed')
      await expect(toast(page, `Failed to reset ${name}!`)).toBeVisible({ timeout: 30_000 })
      await toast(page, `Failed to reset ${name}!`).getByRole('button', { name: 'Dismiss' }).click()
      await failing.end()
      await expect(toast(page, `Failed to reset ${name}!`)).toHaveCount(0)
      await answer(page, 'POST', `**/api/${name}Reset`, 500)
      await press()
      await expect(toast(page, `Failed to reset ${name}!`)).toBeVisible()
      // The settings may name another service for a boiler's, which does what it does by itself.
      if (name === 'Boiler') {
        await toast(page, `Failed to reset ${name}!`).getByRole('button', { name: 'Dismiss' }).click()
        const elsewhere = `${new URL(page.url()).origin}/elsewhere/resets`
        await bend(page, '**/api/settings', (settings: { resetUrl: string }) => (settings.resetUrl = elsewhere))
        await page.reload()
        for (const [reply, text] of [
          [{ status: 503, json: 'The boilers are asleep' }, 'Failed to reset Boiler!'],
          [{ status: 409, json: 'The boilers are asleep' }, 'The boilers are asleep'],
          [{ json: { isSuccessful: true, data: null, reason: null, message: null } }, success],
        ] as const) {
          await page.route(elsewhere, (route) => route.fulfill(reply), { times: 1 })
          const request = page.waitForRequest(elsewhere)
          await press()
          expect((await request).method()).toBe('POST')
          expect((await request).postDataJSON()).toEqual(body)
          await expect(toast(page, text)).toBeVisible()
        }
      }
      // Without a fault there is nothing to reset.
      const mended = await connectDevice(device)
      await mended.say('state', { faultCode: 'None' })
      await expect(page.getByRole('region', { name: 'Alarm', exact: true })).toHaveCount(0, { timeout: 20_000 })
      expect(await offeredIn(page, headMenu(page))).not.toContain(command)
      await mended.end()
    })

  test('tags and the access rights tag are changed, and taken back [core-8-21 dev-8err-6 dev-6other-9]', async ({
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
    // What is chosen is not offered again.
    await expect(page.getByRole('option')).toHaveText(['Remedials'])
    await page.getByRole('option', { name: 'Remedials' }).click()
    await tagging.getByRole('button', { name: 'Save' }).click()
    await stay(toast(page, 'Request Successful'))
    expect(await tagNames()).toEqual(['Remedials', 'Stairwell'])
    await toast(page, 'Request Successful').getByRole('button', { name: 'Undo' }).click()
    await expect(toast(page, 'The change was taken back.')).toBeVisible()
    expect(await tagNames()).toEqual([])

    // The same one by one on the page of the device.
    await page.goto(`/${tenant}/EmergencyLights/${device.deviceId}`)
    const chip = (name: string) => page.locator(`[data-tag="${name}"]`)
    // A page that is still being laid out may move away from under a list that has just opened, which then closes or is hidden.
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
    // The page may hear of the next change before it is said: the toast of this one must not be taken for that of the next.
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

test('a call without words of its own shows what the server said, each fault of a field too [dev-8err-41 dev-8err-42]', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(400), consoleText(403))
  const page = await pageOf(manager)
  await page.goto(pageOfDevice('EmergencyLights', untaggedLight))
  const fault = { field: 'body.deviceId', message: 'This light is being replaced.' }
  await answer(page, 'POST', '**/api/EmeredJoinNetwork', 400, {
    message: 'Request failed.',
    domainErrors: [],
    validationErrors: [fault],
  })
  await act(page, headMenu(page), 'Join Network')
  await expect(toast(page, fault.message)).toHaveRole('alert')
  await expect(toast(page, 'Request failed.')).toHaveRole('alert')
  await answer(page, 'POST', '**/api/EmeredLeaveNetwork', 403)
  await act(page, headMenu(page), 'Leave Network')
  await expect(toast(page, "You don't have permission.")).toHaveRole('alert')
})

test('whoever is not offered an action is refused it by hand, whatever client they name', async ({ pageOf }) => {
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

test('rows that the person may not touch have no menu', async ({ pageOf }) => {
  const page = await pageOf(guest)
  const shown: DeviceRow[] = []
  await bendRows(page, (row) => shown.push(row))
  await page.goto('/northgate/EmergencyLights')
  await expect(rows(page)).not.toHaveCount(0)
  expect(shown.every((row) => row.userHasReadOnlyAccess)).toBe(true)
  await expect(page.locator('tbody').getByRole('button', { name: /^Actions/ })).toHaveCount(0)
  await page.goto(pageOfDevice('EmergencyLights', livelyLight))
  await expect(heading(page)).toHaveText(livelyLight.name)
  await expect(page.getByText(livelyLight.serial).first()).toBeVisible()
  await expect(headMenu(page)).toHaveCount(0)
  await expect(page.getByRole('button', { name: /Add tag|Remove tag|Edit access/ })).toHaveCount(0)
})
