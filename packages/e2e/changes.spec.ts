import { addTagToDevice, removeTagFromDevice } from '@caretaker/contract/actions.ts'
import { streamChanges } from '@caretaker/contract/changes.ts'
import { tenantCreateTag } from '@caretaker/contract/tags.ts'
import { ask } from './fixtures/api.ts'
import { newClient } from './fixtures/client.ts'
import { connectDevice } from './fixtures/device.ts'
import { rowOf } from './fixtures/lists.ts'
import { addDevice, addDevices } from './fixtures/operator.ts'
import { rows } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

const updateButton = 'Newer data is available'
const streamOf = (tenant: string) => streamChanges.path.replace('{tenant}', tenant)

test('a change by another user appears on an open listing within a second', async ({ page }) => {
  test.slow()
  const { tenant } = await newClient(page, 'Prompt Lettings')
  const devices = await addDevices(tenant, 9, '--product', 'EM')
  const tag = (await ask(page, tenantCreateTag, { body: { tenant, name: 'Prompt' } })).data as { id: string }
  const listening = page.waitForResponse((response) => response.url().includes(streamOf(tenant)))
  await page.goto(`/${tenant}/EmergencyLights?columns=serial,tags`)
  await expect(rows(page)).toHaveCount(9)
  expect((await listening).status()).toBe(200)

  const taken: number[] = []
  for (const { deviceId, serial } of devices) {
    const painted = page.evaluate(
      (text) =>
        new Promise<number>((resolve) => {
          const row = () =>
            [...document.querySelectorAll('tbody tr[data-row]')].find((one) => one.textContent.includes(text))
          const look = () => {
            if (!row()?.textContent.includes('Prompt')) return
            watch.disconnect()
            requestAnimationFrame(() => resolve(Date.now()))
          }
          const watch = new MutationObserver(look)
          watch.observe(document.body, { childList: true, subtree: true, characterData: true })
          look()
        }),
      serial,
    )
    const { status } = await ask(page, addTagToDevice, { body: { tenant, deviceId, tagId: tag.id } })
    expect(status).toBe(200)
    const committed = Date.now()
    taken.push((await painted) - committed)
  }
  taken.sort((a, b) => a - b)
  console.log(`change → painted: p50 ${taken[4]} ms, longest ${taken[8]} ms`)
  // Well below the polling interval of 10 s, so the stream delivered them.
  expect(taken[4]).toBeLessThan(1500)
})

test('while rows are selected, changes wait behind the dot', async ({ page }) => {
  const { tenant } = await newClient(page, 'Patient Lettings')
  const [device] = await addDevices(tenant, 3, '--product', 'EM')
  const tag = (await ask(page, tenantCreateTag, { body: { tenant, name: 'Waiting' } })).data as { id: string }
  const body = { tenant, deviceId: device!.deviceId, tagId: tag.id }
  await page.goto(`/${tenant}/EmergencyLights?columns=serial,tags`)
  await expect(rows(page)).toHaveCount(3)
  await rows(page).first().getByRole('checkbox').check()
  await ask(page, addTagToDevice, { body })
  await expect(page.getByRole('status').getByText(updateButton)).toBeAttached({ timeout: 5000 })
  await expect(rowOf(page, device!.serial)).not.toContainText('Waiting')
  await page.getByRole('button', { name: 'Update' }).click()
  await expect(rowOf(page, device!.serial)).toContainText('Waiting')
  // Without a selection, changes are shown.
  await rows(page).first().getByRole('checkbox').uncheck()
  await ask(page, removeTagFromDevice, { body })
  await expect(rowOf(page, device!.serial)).not.toContainText('Waiting', { timeout: 5000 })
})

test('a device page shows a report of the device without a reload', async ({ page }) => {
  const { tenant } = await newClient(page, 'Talkative Lettings')
  const credentials = await addDevice(tenant, '--product', 'EM')
  // The 3 s poll is blocked, so only the stream can deliver it.
  await page.route('**/api/ShouldUpdateDevice', () => {})
  await page.goto(`/${tenant}/EmergencyLights/${credentials.deviceId}`)
  await expect(page.getByRole('heading', { level: 1 })).toContainText(credentials.serial)
  const device = await connectDevice(credentials)
  await device.publish('state', { firmware: '7.8.9' })
  await expect(page.getByText('7.8.9')).toBeVisible({ timeout: 5000 })
  await device.end()
})

test('the page of a heat pump shows a report of its power switch without a reload', async ({ page }) => {
  const { tenant } = await newClient(page, 'Switching Lettings')
  const pump = await addDevice(tenant, '--product', 'ASHP')
  const power = await addDevice(tenant, '--product', 'PS', '--parent', pump.serial)
  await page.route('**/api/ShouldUpdateDevice', () => {})
  const device = await connectDevice(pump)
  await device.publish('state', { relays: { 1: true, 2: false } }, power.deviceId)
  await page.goto(`/${tenant}/Boilers/${pump.deviceId}`)
  const immersion = page.getByRole('region', { name: 'Heat saviour' }).getByRole('switch', { name: 'Immersion heater' })
  await expect(immersion).not.toBeChecked()
  await device.publish('state', { relays: { 1: true, 2: true } }, power.deviceId)
  await expect(immersion).toBeChecked({ timeout: 5000 })
  await device.end()
})

test('a broken stream is opened again and delivers the missed changes', async ({ page, expectedErrors }) => {
  expectedErrors.push('Failed to load resource', 'net::ERR')
  const { tenant } = await newClient(page, 'Broken Lettings')
  const device = await addDevice(tenant, '--product', 'EM')
  const tag = (await ask(page, tenantCreateTag, { body: { tenant, name: 'Missed' } })).data as { id: string }
  await page.goto(`/${tenant}/EmergencyLights?columns=serial,tags`)
  await expect(rows(page)).toHaveCount(1)
  let refused = 0
  await page.route(`**${streamOf(tenant)}**`, (route) => {
    refused++
    return route.abort()
  })
  // The polls are blocked, so only the stream can deliver it.
  await page.route('**/api/ShouldUpdateView', () => {})
  // A hidden tab closes its stream. When it becomes visible, it opens a new one, which the test cuts.
  for (const state of ['hidden', 'visible'])
    await page.evaluate((now) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => now })
      document.dispatchEvent(new Event('visibilitychange'))
    }, state)
  await expect.poll(() => refused).toBeGreaterThan(0)
  await ask(page, addTagToDevice, { body: { tenant, deviceId: device.deviceId, tagId: tag.id } })
  await page.unroute(`**${streamOf(tenant)}**`)
  await expect(rowOf(page, device.serial)).toContainText('Missed', { timeout: 20_000 })
})
