import type { Page } from '@playwright/test'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import { getEmered } from '@caretaker/contract/devices.ts'
import { ask } from './fixtures/api.ts'
import { origin } from './fixtures/address.ts'
import { newClient } from './fixtures/client.ts'
import { badMessages, connectDevice } from './fixtures/device.ts'
import { addDevice } from './fixtures/operator.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'
const heading = (page: Page) => page.getByRole('heading', { level: 1 })
const head = (page: Page) => page.getByRole('main').locator('header').first()
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const notFound = (page: Page) => page.getByRole('main').getByText('Not found.', { exact: true })
/** The table that replaces a chart. */
const readings = (page: Page, chart: string) => page.getByRole('region', { name: `${chart}, readings` })

const day = 86_400_000
/** A device page polls every 3 s; the rest is for the round trip. */
const soon = { timeout: 4000 }

test('a report over MQTT is on the device page within 3 s, without a reload [dev-2detail-34]', async ({ page }) => {
  const { tenant } = await newClient(page, 'Speaking Lettings')
  const credentials = await addDevice(tenant, '--product', 'EM')
  await page.goto(`/${tenant}/EmergencyLights/${credentials.deviceId}`)
  await expect(heading(page)).toContainText(credentials.serial)
  await expect(head(page)).toContainText('Never connected')
  const voltage = card(page, 'Battery voltage')
  await expect(voltage.getByText('No data available.')).toBeVisible()

  const device = await connectDevice(credentials)
  await device.publish('telemetry', { ts: Date.now(), values: { batteryVoltage: 6.42, lampPower: 3.1 } })
  await expect(voltage.locator('header')).toContainText('6.42\u00A0V', soon)
  await expect(voltage.locator('canvas')).toBeVisible()
  await expect(card(page, 'Lamp power').locator('header')).toContainText('3.1\u00A0W')
  await expect(head(page)).toContainText('Connected')
  await expect(head(page)).not.toContainText('Never connected')

  await voltage.getByRole('button', { name: 'Show Battery voltage as a table' }).click()
  await expect(readings(page, 'Battery voltage').getByRole('cell')).toHaveText(['6.42\u00A0V'])
  await device.publish('telemetry', { ts: Date.now(), values: { batteryVoltage: 6.31 } })
  await expect(readings(page, 'Battery voltage').getByRole('cell')).toHaveText(['6.31\u00A0V', '6.42\u00A0V'], soon)
  await device.publish('state', { firmware: '7.8.9' })
  await expect(card(page, 'Identity')).toContainText('7.8.9', soon)
  await device.end()
})

test('malformed and hostile messages change nothing on the page, run nothing, and are counted', async ({ page }) => {
  const { tenant } = await newClient(page, 'Hostile Lettings')
  const [credentials, other] = await Promise.all([addDevice(tenant, '--product', 'EM'), addDevice(tenant)])
  await page.goto(`/${tenant}/EmergencyLights/${credentials.deviceId}`)
  const voltage = card(page, 'Battery voltage')
  const device = await connectDevice(credentials)
  await device.publish('telemetry', { ts: Date.now(), values: { batteryVoltage: 6.5 } })
  await expect(voltage.locator('header')).toContainText('6.5\u00A0V')

  const before = await badMessages(origin)
  const now = Date.now()
  await device.publish('telemetry', '{"ts": 1, "values"')
  await device.publish('telemetry', { ts: now, values: { batteryVoltage: 999_999 } })
  await device.publish('telemetry', { ts: now, values: { batteryVoltage: '6.66' } })
  await device.publish('telemetry', { ts: now, values: { constructor: 6.66, __proto__: 1 } })
  await device.publish('telemetry', { ts: now - 8 * day, values: { batteryVoltage: 6.66 } })
  await device.publish('telemetry', { ts: now + day, values: { batteryVoltage: 6.66 } })
  await device.publish('state', ['firmware', '6.66'])
  await device.publish('tests', { eventId: 'x', testType: 'T9', start: now, componentStates: {}, series: [] })
  await device.publish('telemetry', { ts: now, values: { batteryVoltage: 6.66 } }, other.deviceId)
  const after = await badMessages(origin)
  // Other devices may send rejected messages at the same time.
  for (const [reason, count] of Object.entries({
    'not JSON': 1,
    'unknown metric': 1,
    'wrong time': 2,
    'not a number': 1,
    'wrong shape': 3,
    'not allowed': 1,
  }))
    expect(after[reason]! - before[reason]!, reason).toBeGreaterThanOrEqual(count)

  // A well-formed but hostile value is shown as plain text.
  const script = '<img src=x onerror="window.hacked = 1"><script>window.hacked = 1</script>'
  await device.publish('state', { firmware: script, [script.slice(0, 50)]: 'x' })
  await expect(card(page, 'Identity')).toContainText(script)
  expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false)
  await expect(page.locator('main img')).toHaveCount(0)

  await device.publish('telemetry', { ts: Date.now(), values: { batteryVoltage: 6.4 } })
  await voltage.getByRole('button', { name: 'Show Battery voltage as a table' }).click()
  await expect(readings(page, 'Battery voltage').getByRole('cell')).toHaveText(['6.4\u00A0V', '6.5\u00A0V'])
  await expect(page.getByText('6.66')).toHaveCount(0)
  await device.end()
})

test("a device is not found if it belongs to another client or listing, does not exist, or has none of the user's tags [dev-2dash-4]", async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(404), consoleText(400))
  const { meridianLight, livelyLight, livelyBoiler, untaggedLight } = demoDevices
  const own = await pageOf(manager)
  for (const address of [
    `/northgate/EmergencyLights/${meridianLight.deviceId}`,
    `/northgate/EmergencyLights/${livelyBoiler.deviceId}`,
    '/northgate/EmergencyLights/00000000-0000-4000-8000-000000000000',
    '/northgate/EmergencyLights/no-device',
  ]) {
    await own.goto(address)
    await expect(notFound(own)).toBeVisible()
    await expect(own.getByText(meridianLight.serial)).toHaveCount(0)
  }
  await own.getByRole('main').getByRole('link', { name: 'Emergency Lights' }).click()
  await expect(heading(own)).toHaveText('Emergency Lights')

  // A user of both clients finds it only in its own client.
  const both = await pageOf('contractor@multi.example')
  await both.goto(`/northgate/EmergencyLights/${meridianLight.deviceId}`)
  await expect(notFound(both)).toBeVisible()
  await both.goto(`/meridian/EmergencyLights/${meridianLight.deviceId}`)
  await expect(heading(both)).toHaveText(meridianLight.name)

  const limited = await pageOf('limited@northgate.example')
  await limited.goto(`/northgate/EmergencyLights/${untaggedLight.deviceId}`)
  await expect(notFound(limited)).toBeVisible()
  await limited.goto(`/northgate/EmergencyLights/${livelyLight.deviceId}`)
  await expect(heading(limited)).toHaveText(livelyLight.name)

  // With direct calls, another client's device gets the same response as one that does not exist.
  const answers = await Promise.all(
    [meridianLight.deviceId, '00000000-0000-4000-8000-000000000000'].map((deviceId) =>
      ask(own, getEmered, { body: { tenant: 'northgate', deviceId } }),
    ),
  )
  expect(answers[0]).toEqual(answers[1])
  expect(answers[0]!.status).toBe(404)
})
