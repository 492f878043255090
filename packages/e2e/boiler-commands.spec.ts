import type { Locator, Page } from '@playwright/test'
import { demoDevices, demoHomes } from '@caretaker/demo/fixtures.ts'
import type { Boiler } from '@caretaker/contract/boilers.ts'
import {
  patchPowerSwitchSettings,
  toggleBoilerBuzzer,
  updateChSetPoint,
  updateOccupierId,
} from '@caretaker/contract/boilers.ts'
import type { ViewData } from '@caretaker/contract/devices.ts'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import { dialog } from './fixtures/actions.ts'
import { ask } from './fixtures/api.ts'
import { newClient } from './fixtures/client.ts'
import { addDevice } from './fixtures/operator.ts'
import { bend, hold, turnFeature } from './fixtures/portal.ts'
import type { Told } from './fixtures/simulator.ts'
import { simulate, speakAbove } from './fixtures/simulator.ts'
import { expect, test } from './fixtures/test.ts'

// Clients of their own are made by the operator's command, which takes its time.
test.describe.configure({ timeout: 180_000 })

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
/** A row of a card, by its label. */
const row = (page: Page, title: string, label: string) =>
  card(page, title)
    .locator('dl > div')
    .filter({ has: page.locator('dt').getByText(label, { exact: true }) })
const setting = (page: Page, label: string) => row(page, 'Heating settings', label)
/** The button of a setting that is on or off; beside it may stand the ways out of a command that waits. */
const toggleOf = (field: Locator) => field.locator('button[aria-pressed]')
const waiting = 'Waiting for device confirmation'
/** A device answers within three seconds, and the page hears of it within three more. */
const answered = { timeout: 20_000 }

async function openBoiler(page: Page, tenant: string, deviceId: string): Promise<void> {
  await page.goto(`/${tenant}/Boilers/${deviceId}`)
  await expect(card(page, 'Location')).toBeVisible()
}

async function setTo(page: Page, label: string, value: string): Promise<void> {
  await setting(page, label)
    .getByRole('button', { name: `Edit ${label}` })
    .click()
  await setting(page, label).getByRole('textbox', { name: label }).fill(value)
  await setting(page, label).getByRole('button', { name: 'Save', exact: true }).click()
}

test('a boiler confirms a setting, refuses it, stays silent, answers late, twice and with another value; the page tells each [dev-4heat-7 dev-4heat-8 dev-4heat-9 dev-4heat-10 dev-4heat-11 dev-4heat-12]', async ({
  page,
}) => {
  const { tenant } = await newClient(page, 'Answering Homes')
  const gateway = await addDevice(tenant, '--product', 'MG')
  const boiler = await addDevice(tenant, '--product', 'BX', '--parent', gateway.serial)
  const simulated = simulate([{ ...boiler, model: 'boiler', product: 'BX', traits: { chMax: 60, dhwSetPoint: 52 } }])
  const above = await speakAbove(gateway)
  const told = (...answers: Told[]) => above.rehearse(boiler.deviceId, answers)
  await openBoiler(page, tenant, boiler.deviceId)
  const chMax = setting(page, 'CH max')
  await expect(chMax).toContainText('60 °C', answered)

  // Confirms: the value that was asked for is shown at once, and what the device says about it.
  await told({ way: 'confirm', seconds: 4 })
  await setTo(page, 'CH max', '52')
  await expect(chMax).toContainText('52 °C')
  await expect(chMax.getByText(waiting)).toBeVisible()
  await expect(chMax).toContainText('The device still reports 60 °C.')
  await expect(chMax.getByText(waiting)).toHaveCount(0, answered)

  // Refuses: the documented text stays, with the reason; taken back, desired is what it reports.
  await told('refuse')
  await setTo(page, 'CH max', '58')
  await expect(chMax).toContainText(/Refused at .+: Told to refuse\. The device still reports 52 °C\./, answered)
  await expect(chMax.getByText(waiting)).toBeVisible()
  await chMax.getByRole('button', { name: 'Take back' }).click()
  await expect(chMax).toContainText('52 °C')
  await expect(chMax.getByText(waiting)).toHaveCount(0)

  // Says yes and does something else: that is not what was asked for, and can be asked for again.
  await told('other')
  await setTo(page, 'CH max', '48')
  await expect(chMax).toContainText(/Confirmed at .+, but the device reports 45 °C\./, answered)
  await chMax.getByRole('button', { name: 'Try again' }).click()
  await expect(chMax.getByText(waiting)).toHaveCount(0, answered)
  await expect(chMax).toContainText('48 °C')

  // Late, and twice: waits the longer, and then it is as asked.
  await told({ way: 'late', seconds: 4 }, 'twice')
  const buzzer = setting(page, 'Buzzer')
  const release = await hold(page, '**/api/ToggleBoilerBuzzer')
  await expect(toggleOf(buzzer)).toHaveText('Turn buzzer on')
  await expect(toggleOf(buzzer)).toHaveAttribute('aria-pressed', 'false')
  await toggleOf(buzzer).click()
  await expect(toggleOf(buzzer)).toHaveText('Sending ...')
  release()
  await expect(toggleOf(buzzer)).toHaveText('Buzzer is on')
  await expect(toggleOf(buzzer)).toHaveAttribute('aria-pressed', 'true')
  await expect(buzzer.getByText(waiting)).toBeVisible()
  const limit = setting(page, 'CH limit')
  await expect(toggleOf(limit)).toHaveText('Limit CH Max')
  const releaseLimit = await hold(page, '**/api/ToggleCHAccess')
  await toggleOf(limit).click()
  await expect(toggleOf(limit)).toHaveText('Sending ...')
  releaseLimit()
  await expect(toggleOf(limit)).toHaveText('CH Max Limited')
  for (const one of [buzzer, limit]) await expect(one.getByText(waiting)).toHaveCount(0, answered)

  // Silent: waiting is no fault, until it lasts.
  await told('silent')
  await setTo(page, 'DHW set point', '55')
  const dhw = setting(page, 'DHW set point')
  await expect(dhw).toContainText(/Sent \d+ s ago\. The device still reports 52 °C\./, answered)
  await expect(dhw.getByRole('button', { name: 'Take back' })).toHaveCount(0)
  const longAgo = new Date(Date.now() - 6 * 60_000).toISOString()
  await bend(page, '**/api/GetDeviceCommands', ({ data }: { data: { createdAt: string }[] }) => {
    for (const command of data) command.createdAt = longAgo
  })
  await expect(dhw).toContainText(/No answer for 6 min\. The device still reports 52 °C\./, answered)
  await above.end()
  await simulated()
})

test('a field is edited in its row: what is not valid is said in the words of the rule and not sent [dev-2detail-1 dev-2detail-4 dev-2detail-36 dev-2detail-37 dev-5val-23 dev-5val-24 dev-5val-25 dev-5val-26 dev-5val-28]', async ({
  pageOf,
}) => {
  const page = await pageOf('boiler@northgate.example')
  const { deviceId, name } = demoDevices.boilerLockout
  await openBoiler(page, 'northgate', deviceId)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(name)
  await expect(page.getByRole('link', { name: 'Info', exact: true })).toHaveAttribute('aria-current', 'page')
  await expect(setting(page, 'Thermostat')).toContainText('Own-brand OpenTherm thermostat connected to BCM')
  for (const [label, text] of [
    ['Manufacturer', 'Worcester Bosch'],
    ['Model', 'Greenstar 30i'],
    ['GC number', '47-406-13'],
  ] as const) {
    // No call changes them.
    await expect(row(page, 'Boiler', label)).toContainText(text)
    await expect(row(page, 'Boiler', label).getByRole('button')).toHaveCount(0)
  }
  const calls: string[] = []
  page.on('request', (request) => {
    if (/Update|settings$/.test(request.url()) && !request.url().includes('ShouldUpdate')) calls.push(request.url())
  })
  for (const [title, label, values, text] of [
    ['Heating settings', 'CH max', ['29', '81', 'warm'], 'CH max should be greater than 30'],
    ['Heating settings', 'DHW set point', ['39', '66'], 'DHW should range from 40°C to 65°C'],
    ['Location', 'Property reference', [' '], 'Property Reference can not be empty'],
    ['Location', 'Address', [' '], 'Address can not be empty'],
    ['Location', 'Location', [' '], 'Location can not be empty'],
  ] as const) {
    const field = row(page, title, label)
    await expect(field.getByRole('textbox')).toHaveCount(0)
    await field.getByRole('button', { name: `Edit ${label}`, exact: true }).click()
    const save = field.getByRole('button', { name: 'Save', exact: true })
    await expect(save).toBeDisabled()
    for (const value of values) {
      await field.getByRole('textbox', { name: label }).fill(value)
      await expect(field.getByText(text, { exact: true })).toBeVisible()
      await expect(save).toBeDisabled()
      await page.keyboard.press('Enter')
    }
    await page.keyboard.press('Escape')
    await expect(field.getByRole('textbox')).toHaveCount(0)
  }
  expect(calls).toEqual([])
})

test('a heat saviour asks before it switches, says what the switch makes of it, and what follows, and is there for heat pumps with a power switch alone [dev-4heat-1 dev-4heat-2 dev-4heat-3 dev-4heat-4 dev-4heat-5 dev-4heat-6 dev-8err-12 dev-8err-13] [est-4-53] [est-4-54] [est-4-55] [est-4-57]', async ({
  page,
  pageOf,
}) => {
  const { tenant } = await newClient(page, 'Saving Homes')
  const pump = await addDevice(tenant, '--product', 'ASHP')
  const power = await addDevice(tenant, '--product', 'PS', '--parent', pump.serial)
  const plugIn = () =>
    simulate([
      { ...pump, model: 'airSourceHeatPump', product: 'ASHP' },
      {
        ...power,
        password: null,
        parentId: pump.deviceId,
        model: 'powerSwitch',
        product: 'PS',
        traits: { relay2: false },
      },
    ])
  const unplug = plugIn()
  await openBoiler(page, tenant, pump.deviceId)
  const saviour = card(page, 'Heat saviour')
  const immersion = saviour.getByRole('group', { name: 'Immersion heater' })
  const flip = immersion.getByRole('switch')
  await expect(immersion.getByText('State confirmed')).toBeVisible(answered)
  await expect(flip).not.toBeChecked()

  const sent: unknown[] = []
  page.on('request', (request) => {
    if (request.url().includes('/powerswitches/') && request.method() === 'PATCH') sent.push(request.postDataJSON())
  })
  await immersion.locator('label').first().click()
  await dialog(page, 'Turn on the immersion heater?').getByRole('button', { name: 'Cancel' }).click()
  await expect(flip).not.toBeChecked()
  expect(sent).toEqual([])

  // While the switch is away nobody hopes that it has done anything.
  await unplug()
  await immersion.locator('label').first().click()
  await dialog(page, 'Turn on the immersion heater?').getByRole('button', { name: 'Turn on' }).click()
  await expect(page.getByText('Heat Saviour enabled successfully!')).toBeVisible()
  expect(sent).toEqual([{ relayPower: { 2: true } }])
  await expect(flip).toBeChecked()
  await expect(immersion.getByText(waiting)).toBeVisible()
  const simulated = plugIn()
  await expect(immersion.getByText('State confirmed')).toBeVisible({ timeout: 40_000 })
  await expect(immersion).toContainText(/On since \d\d\/\d\d\/\d{4}/)

  // Its effect: what is switched off takes no electricity, not even while it stands by.
  const electricity = card(page, 'Right now').locator('dl > div').filter({ hasText: 'Electricity' })
  await expect(electricity.locator('b')).not.toHaveText('0.00')
  const itself = saviour.getByRole('group', { name: 'Air source heat pump' })
  await itself.locator('label').first().click()
  await dialog(page, 'Turn off the air source heat pump?').getByRole('button', { name: 'Turn off' }).click()
  await expect(page.getByText('Heat Saviour disabled successfully!')).toBeVisible()
  await expect(itself.getByText('State confirmed')).toBeVisible(answered)
  await expect(electricity.locator('b')).toHaveText('0.00', answered)
  await simulated()

  // None on a boiler, none on a heat pump without a power switch; who only reads sees how it stands.
  const guest = await pageOf('guest@northgate.example')
  await openBoiler(guest, 'northgate', demoDevices.heatSaviour.deviceId)
  await expect(card(guest, 'Heat saviour').getByRole('group')).toHaveCount(2)
  await expect(card(guest, 'Heat saviour').getByRole('switch')).toHaveCount(0)
  await openBoiler(guest, 'northgate', demoDevices.livelyBoiler.deviceId)
  await expect(card(guest, 'Heat saviour')).toHaveCount(0)
  await bend(guest, '**/api/GetBoiler', ({ data }: { data: Boiler }) => {
    data.powerSwitch = null
  })
  await openBoiler(guest, 'northgate', demoDevices.heatSaviour.deviceId)
  await expect(card(guest, 'Heat saviour')).toHaveCount(0)
})

test('who may not edit a boiler, where nobody may, and a restricted type have plain text, and the server refuses them [dev-6other-3 dev-6other-6 dev-6other-7 dev-6other-8 dev-4heat-19 core-5-33]', async ({
  pageOf,
}) => {
  const { deviceId } = demoDevices.livelyBoiler
  const body = { tenant: 'northgate', deviceId }
  const pencils = (page: Page) =>
    page
      .getByRole('region', { name: /^(Heating settings|Boiler|Heat pump|Controller|Location)$/ })
      .getByRole('button', { name: /^(Edit (?!access)|Turn|Limit|Buzzer|CH Max)/ })

  const engineer = await pageOf('boiler@northgate.example')
  await openBoiler(engineer, 'northgate', deviceId)
  await expect(pencils(engineer)).not.toHaveCount(0)
  // A heat pump is none of the boiler area's devices: they may read it.
  await openBoiler(engineer, 'northgate', demoDevices.heatSaviour.deviceId)
  await expect(pencils(engineer)).toHaveCount(0)

  const guest = await pageOf('guest@northgate.example')
  await openBoiler(guest, 'northgate', deviceId)
  await expect(setting(guest, 'CH max')).toContainText('°C')
  await expect(pencils(guest)).toHaveCount(0)
  const { powerSwitch } = demoDevices
  for (const { status } of [
    await ask(guest, updateChSetPoint, { body: { ...body, chSetPoint: 60 } }),
    await ask(guest, toggleBoilerBuzzer, { body: { ...body, isLimited: true } }),
    await ask(guest, updateOccupierId, { body: { ...body, occupierId: 'N-1' } }),
    await ask(guest, patchPowerSwitchSettings, {
      params: { tenant: 'northgate', id: powerSwitch.deviceId },
      body: { relayPower: { 1: false } },
    }),
  ])
    expect(status).toBe(403)

  const manager = await pageOf('manager@northgate.example')
  let change: (boiler: Boiler) => void = (boiler) => void (boiler.productId = 'ADEY')
  await bend(manager, '**/api/GetBoiler', ({ data }: { data: Boiler }) => change(data))
  await openBoiler(manager, 'northgate', deviceId)
  await expect(pencils(manager)).toHaveCount(0)
  change = (boiler) => void (boiler.userHasReadOnlyAccess = true)
  await openBoiler(manager, 'northgate', deviceId)
  await expect(pencils(manager)).toHaveCount(0)
  change = () => {}
  await turnFeature(manager, 'HideEditPropertyAndResidentFields', true)
  await openBoiler(manager, 'northgate', deviceId)
  await expect(pencils(manager)).toHaveCount(0)
  await turnFeature(manager, 'HideCustomerPersonalData', true)
  await openBoiler(manager, 'northgate', deviceId)
  await expect(card(manager, 'Location').getByText('Address', { exact: true })).toHaveCount(0)
  await manager.unrouteAll()

  const { data } = await ask(manager, fetchViewData, {
    body: { tenant: 'northgate', listing: 'Boilers', search: demoHomes.void },
  })
  const module = (data as ViewData).rows.find(({ deviceProductId }) => deviceProductId === 'BX')!
  await openBoiler(manager, 'northgate', module.deviceId)
  await expect(setting(manager, 'CH max').getByText('10°C', { exact: true })).toBeVisible()
})
