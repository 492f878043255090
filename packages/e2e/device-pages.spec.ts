import type { Page } from '@playwright/test'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import type { Device } from '@caretaker/contract/devices.ts'
import { getBoiler } from '@caretaker/contract/boilers.ts'
import { getEmered, getNetworkingDevice } from '@caretaker/contract/devices.ts'
import type { Answer } from '@caretaker/contract/route.ts'
import type { getDeviceTelemetryCharts } from '@caretaker/contract/telemetry.ts'
import { statusWords } from '@caretaker/rules/devices/status.ts'
import { ask } from './fixtures/api.ts'
import { origin } from './fixtures/address.ts'
import { newClient } from './fixtures/client.ts'
import { badMessages, connectDevice } from './fixtures/device.ts'
import { addDevice } from './fixtures/operator.ts'
import { dashboard, withoutStream } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'
const heading = (page: Page) => page.getByRole('heading', { level: 1 })
const head = (page: Page) => page.getByRole('main').locator('header').first()
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const notFound = (page: Page) => page.getByRole('main').getByText('Not found.', { exact: true })
/** The table that stands in for a chart. */
const readings = (page: Page, chart: string) => page.getByRole('region', { name: `${chart}, readings` })
type ChartsAnswer = NonNullable<Answer<typeof getDeviceTelemetryCharts>['data']>
const day = 86_400_000
/** A device page asks every 3 s; the rest is the way there and back. */
const soon = { timeout: 4000 }

for (const [area, route, device, charts, ids] of [
  ['EmergencyLights', getEmered, demoDevices.livelyLight, ['Battery voltage', 'Lamp power'], 'core-2.4-14'],
  ['Boilers', getBoiler, demoDevices.livelyBoiler, [], 'core-2.4-30'],
  ['NetworkingDevices', getNetworkingDevice, demoDevices.livelyGateway, ['Connected devices'], 'core-2.4-18'],
] as const)
  test(`a device of ${area} has a page with what and where it is, how it is, and what it measured [${ids} dev-2detail-30 dev-2detail-31]`, async ({
    pageOf,
  }) => {
    const page = await pageOf(manager)
    await page.goto(`/northgate/${area}/${device.deviceId}`)
    await expect(heading(page)).toHaveText(device.name)
    const { data } = await ask(page, route, { body: { tenant: 'northgate', deviceId: device.deviceId } })
    const known = data as Device
    await expect(head(page)).toContainText(device.serial)
    await expect(head(page)).toContainText(known.deviceStatus === 'Ok' ? 'Passed' : statusWords(known.deviceStatus))
    await expect(head(page)).toContainText(/Connected|Not connected|Intermittent/)
    if (known.buildingName) {
      for (const text of [known.buildingName, known.floorName!, known.room!]) {
        await expect(head(page)).toContainText(text)
        await expect(card(page, 'Location')).toContainText(text)
      }
    } else {
      expect(known.room).toBeTruthy()
      await expect(head(page).getByText(known.room!, { exact: true })).toHaveCount(0)
    }
    const identity = area === 'Boilers' ? 'Controller' : 'Identity'
    await expect(card(page, identity)).toContainText(device.serial)
    for (const title of charts) await expect(card(page, title).getByRole('img')).toBeVisible()
  })

test('charts that fail to load leave the rest of the page alone and can be tried again', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(500))
  const page = await pageOf(manager)
  await page.route('**/api/GetDeviceTelemetryCharts', (route) => route.fulfill({ status: 500, json: {} }))
  await page.goto(`/northgate/EmergencyLights/${demoDevices.livelyLight.deviceId}`)
  await expect(page.getByText('Something went wrong, please retry.').first()).toBeVisible()
  await expect(card(page, 'Identity')).toContainText(demoDevices.livelyLight.serial)
  await expect(card(page, 'Emergency equipment')).toBeVisible()
  await page.unroute('**/api/GetDeviceTelemetryCharts')
  await card(page, 'Battery voltage').getByRole('button', { name: 'Retry' }).click()
  await expect(card(page, 'Battery voltage').locator('canvas')).toBeVisible()
})

test('a chart for which the server has nothing says so in its card, and leaves the others and the page alone', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  const address = `/northgate/EmergencyLights/${demoDevices.livelyLight.deviceId}`
  const answers = (change: (data: ChartsAnswer) => unknown) =>
    page.route('**/api/GetDeviceTelemetryCharts', async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as { data: ChartsAnswer }
      await route.fulfill({ response, json: { ...body, data: change(body.data) } })
    })
  const wrong = page.getByText('Something went wrong, please retry.', { exact: true })
  for (const missing of [{ series: null }, undefined]) {
    await answers((data) => ({
      ...data,
      charts: data.charts.map((chart) =>
        chart.title === 'Battery voltage'
          ? { ...chart, dataSeries: missing ? chart.dataSeries.map((one) => ({ ...one, ...missing })) : null }
          : chart,
      ),
    }))
    await page.goto(address)
    await expect(card(page, 'Battery voltage').getByText('Something went wrong, please retry.')).toBeVisible()
    await expect(wrong).toHaveCount(1)
    await expect(card(page, 'Lamp power').locator('canvas')).toBeVisible()
    await page.unrouteAll()
    await card(page, 'Battery voltage').getByRole('button', { name: 'Retry' }).click()
    await expect(card(page, 'Battery voltage').locator('canvas')).toBeVisible()
    await expect(wrong).toHaveCount(0)
  }
  await answers(() => null)
  await page.goto(address)
  await expect(card(page, 'Lamp power').getByText('Something went wrong, please retry.')).toBeVisible()
  await expect(card(page, 'Identity')).toContainText(demoDevices.livelyLight.serial)
})

test('what a device says over MQTT is on its page within 3 s, without a reload [dev-2detail-34]', async ({ page }) => {
  const { tenant } = await newClient(page, 'Speaking Lettings')
  const credentials = await addDevice(tenant, '--product', 'EM')
  await page.goto(`/${tenant}/EmergencyLights/${credentials.deviceId}`)
  await expect(heading(page)).toContainText(credentials.serial)
  await expect(head(page)).toContainText('Never connected')
  const voltage = card(page, 'Battery voltage')
  await expect(voltage.getByText('No data available.')).toBeVisible()

  const device = await connectDevice(credentials)
  await device.say('telemetry', { ts: Date.now(), values: { batteryVoltage: 6.42, lampPower: 3.1 } })
  await expect(voltage.locator('header')).toContainText('6.42\u00A0V', soon)
  await expect(voltage.locator('canvas')).toBeVisible()
  await expect(card(page, 'Lamp power').locator('header')).toContainText('3.1\u00A0W')
  await expect(head(page)).toContainText('Connected')
  await expect(head(page)).not.toContainText('Never connected')

  await voltage.getByRole('button', { name: 'Show Battery voltage as a table' }).click()
  await expect(readings(page, 'Battery voltage').getByRole('cell')).toHaveText(['6.42\u00A0V'])
  await device.say('telemetry', { ts: Date.now(), values: { batteryVoltage: 6.31 } })
  await expect(readings(page, 'Battery voltage').getByRole('cell')).toHaveText(['6.31\u00A0V', '6.42\u00A0V'], soon)
  await device.say('state', { firmware: '7.8.9' })
  await expect(card(page, 'Identity')).toContainText('7.8.9', soon)
  await device.end()
})

/** Waits until a page asks for nothing but whether its device has changed: of what it was made with it may hear once more. */
async function quiet(page: Page) {
  const calls: string[] = []
  page.on('request', (request) => calls.push(new URL(request.url()).pathname))
  // Whether the server is there at all is asked by the connection bar.
  const ofPage = () => calls.filter((path) => path !== '/readyz')
  const aRound = async () => {
    const answered = page.waitForResponse('**/api/ShouldUpdateDevice')
    await page.clock.runFor(3000)
    await answered
  }
  await expect(async () => {
    calls.length = 0
    await aRound()
    expect(ofPage()).toEqual(['/api/ShouldUpdateDevice'])
  }).toPass()
  return { ofPage, aRound }
}

test('a device page asks every 3 s whether its device has changed, and for no more while it has not [dev-2detail-34]', async ({
  page,
}) => {
  await page.clock.install()
  // The stream tells of what the client was made with, some time after.
  await withoutStream(page)
  const { tenant } = await newClient(page, 'Silent Lettings')
  const { deviceId, serial } = await addDevice(tenant, '--product', 'ZG')
  await page.goto(`/${tenant}/NetworkingDevices/${deviceId}`)
  await expect(heading(page)).toContainText(serial)
  await expect(page.getByText('No data available.').first()).toBeVisible()
  const { ofPage, aRound } = await quiet(page)
  for (let round = 2; round <= 4; round++) {
    await aRound()
    expect(ofPage()).toEqual(Array<string>(round).fill('/api/ShouldUpdateDevice'))
  }
})

test('while an update is pending a device page does not ask for another [dev-2detail-35]', async ({ page }) => {
  await page.clock.install()
  // It is the poll alone that brings one.
  await withoutStream(page)
  const { tenant } = await newClient(page, 'Patient Lettings')
  const { deviceId, serial } = await addDevice(tenant, '--product', 'ZG')
  await page.goto(`/${tenant}/NetworkingDevices/${deviceId}`)
  await expect(heading(page)).toContainText(serial)
  await expect(page.getByText('No data available.').first()).toBeVisible()
  await quiet(page)
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route(
    '**/api/ShouldUpdateDevice',
    async (route) => {
      const response = await route.fetch()
      const { data, ...envelope } = (await response.json()) as { data: object }
      await route.fulfill({ response, json: { ...envelope, data: { ...data, shouldUpdate: true } } })
    },
    { times: 1 },
  )
  await page.route('**/api/GetNetworkingDevice', (route) => released.then(() => route.continue()), { times: 1 })
  const pending = page.waitForRequest('**/api/GetNetworkingDevice')
  const told = page.waitForResponse('**/api/ShouldUpdateDevice')
  let isAsked = false
  void page.waitForRequest('**/api/ShouldUpdateDevice').then(() => (isAsked = true))
  await expect
    .poll(async () => {
      if (!isAsked) await page.clock.runFor(3000)
      return isAsked
    })
    .toBe(true)
  await told
  await pending
  let asked = 0
  page.on('request', (request) => (asked += request.url().endsWith('/api/ShouldUpdateDevice') ? 1 : 0))
  for (let round = 0; round < 3; round++) await page.clock.runFor(3000)
  expect(asked).toBe(0)
  release()
  await expect
    .poll(async () => {
      await page.clock.runFor(3000)
      return asked
    })
    .toBeGreaterThan(0)
})

test('malformed and hostile messages change nothing on the page, run nothing, and are counted', async ({ page }) => {
  const { tenant } = await newClient(page, 'Hostile Lettings')
  const [credentials, other] = await Promise.all([addDevice(tenant, '--product', 'EM'), addDevice(tenant)])
  await page.goto(`/${tenant}/EmergencyLights/${credentials.deviceId}`)
  const voltage = card(page, 'Battery voltage')
  const device = await connectDevice(credentials)
  await device.say('telemetry', { ts: Date.now(), values: { batteryVoltage: 6.5 } })
  await expect(voltage.locator('header')).toContainText('6.5\u00A0V')

  const before = await badMessages(origin)
  const now = Date.now()
  await device.say('telemetry', '{"ts": 1, "values"')
  await device.say('telemetry', { ts: now, values: { batteryVoltage: 999_999 } })
  await device.say('telemetry', { ts: now, values: { batteryVoltage: '6.66' } })
  await device.say('telemetry', { ts: now, values: { constructor: 6.66, __proto__: 1 } })
  await device.say('telemetry', { ts: now - 8 * day, values: { batteryVoltage: 6.66 } })
  await device.say('telemetry', { ts: now + day, values: { batteryVoltage: 6.66 } })
  await device.say('state', ['firmware', '6.66'])
  await device.say('tests', { eventId: 'x', testType: 'T9', start: now, componentStates: {}, series: [] })
  await device.say('telemetry', { ts: now, values: { batteryVoltage: 6.66 } }, other.deviceId)
  const after = await badMessages(origin)
  // Other devices may say what is set aside at this moment.
  for (const [reason, count] of Object.entries({
    'not JSON': 1,
    'unknown metric': 1,
    'wrong time': 2,
    'not a number': 1,
    'wrong shape': 3,
    'not allowed': 1,
  }))
    expect(after[reason]! - before[reason]!, reason).toBeGreaterThanOrEqual(count)

  // Well-formed, and still meant to do harm: it is shown as the text that it is.
  const script = '<img src=x onerror="window.hacked = 1"><script>window.hacked = 1</script>'
  await device.say('state', { firmware: script, [script.slice(0, 50)]: 'x' })
  await expect(card(page, 'Identity')).toContainText(script)
  expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false)
  await expect(page.locator('main img')).toHaveCount(0)

  await device.say('telemetry', { ts: Date.now(), values: { batteryVoltage: 6.4 } })
  await voltage.getByRole('button', { name: 'Show Battery voltage as a table' }).click()
  await expect(readings(page, 'Battery voltage').getByRole('cell')).toHaveText(['6.4\u00A0V', '6.5\u00A0V'])
  await expect(page.getByText('6.66')).toHaveCount(0)
  await device.end()
})

test('where personal data is hidden a device page has no address [dev-2list-43]', async ({ pageOf }) => {
  for (const [email, device, count] of [
    ['manager@meridian.example', demoDevices.meridianBoiler, 0],
    [manager, demoDevices.livelyBoiler, 1],
  ] as const) {
    const page = await pageOf(email)
    await page.goto(`/${device.tenant}/Boilers/${device.deviceId}`)
    await expect(card(page, 'Location')).toBeVisible()
    await expect(card(page, 'Location').getByText('Address', { exact: true })).toHaveCount(count)
    const { data } = await ask(page, getBoiler, { body: { tenant: device.tenant, deviceId: device.deviceId } })
    expect((data as Device).address === null).toBe(count === 0)
  }
})

test("another client's device is not found, nor one that does not exist, is of another listing, or carries none of one's tags [dev-2dash-4]", async ({
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

  // Somebody who belongs to both clients finds it in its own alone.
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

  // The same by hand: another client's is answered like one that does not exist.
  const answers = await Promise.all(
    [meridianLight.deviceId, '00000000-0000-4000-8000-000000000000'].map((deviceId) =>
      ask(own, getEmered, { body: { tenant: 'northgate', deviceId } }),
    ),
  )
  expect(answers[0]).toEqual(answers[1])
  expect(answers[0]!.status).toBe(404)
})

test('back from a device that was opened by its address leads to its listing', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await page.goto(`/northgate/NetworkingDevices/${demoDevices.livelyGateway.deviceId}`)
  await head(page).getByRole('link', { name: 'Networking Devices' }).click()
  await expect(page).toHaveURL('/northgate/NetworkingDevices')
  await page.getByRole('banner').getByRole('link').click()
  await expect(dashboard(page)).toBeVisible()
})
