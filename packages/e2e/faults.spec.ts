import type { Locator, Page } from '@playwright/test'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import { dayAt, dayText } from '@caretaker/rules/calendar/days.ts'
import { boilerReset } from '@caretaker/contract/actions.ts'
import { dialog } from './fixtures/actions.ts'
import { ask } from './fixtures/api.ts'
import type { NewClient } from './fixtures/client.ts'
import { newClient } from './fixtures/client.ts'
import { fillGasCheck, records, save, standing } from './fixtures/compliance.ts'
import type { TestDevice } from './fixtures/device.ts'
import { connectDevice } from './fixtures/device.ts'
import { toast } from './fixtures/lists.ts'
import { addDevice } from './fixtures/operator.ts'
import { expect, test } from './fixtures/test.ts'

// The operator's command takes a while to create a client.
test.describe.configure({ timeout: 150_000 })

const { failedAutofill } = demoDevices
const alarm = (page: Page): Locator => page.getByRole('region', { name: 'Alarm', exact: true })
const tabs = (page: Page): Locator => page.getByRole('navigation', { name: 'Sections of this page' })
const tab = (page: Page, name: string): Locator => tabs(page).getByRole('link', { name: new RegExp(`^${name}\\b`) })
const button = (page: Page, name: string): Locator => alarm(page).getByRole('button', { name, exact: true })
const replyTimeout = { timeout: 20_000 }
const none = { faultCode: 'None', fault: null }
const fault = (more: object = {}) => {
  const timestamp = new Date(Date.now() - 3_600_000).toISOString()
  const code = { faultCode: 'EA', description: 'Flame not detected', timestamp }
  return { faultCode: 'EA', fault: { ...code, faultSource: 'boiler', isResettable: true, ...more } }
}

/** Records the commands that a device receives, and replies to the last one on request. */
async function answering(device: TestDevice) {
  const received: string[] = []
  await device.receiveCommands((commandId) => received.push(commandId))
  return async (status: 'confirmed' | 'failed', message?: string) => {
    await expect.poll(() => received.length, replyTimeout).toBeGreaterThan(0)
    const commandId = received.pop()
    received.length = 0
    await device.publish('replies', { commandId, status, ...(message && { message }) })
  }
}

async function withBoiler(
  page: Page,
): Promise<{ client: NewClient; boiler: TestDevice; deviceId: string; address: string }> {
  const client = await newClient(page, 'Cold Homes', { role: 'BoilerEngineer' })
  const credentials = await addDevice(client.tenant, '--product', 'BX')
  const boiler = await connectDevice(credentials)
  const { deviceId } = credentials
  return { client, boiler, deviceId, address: `/${client.tenant}/Boilers/${deviceId}` }
}

async function reset(page: Page, name: string): Promise<void> {
  await button(page, name).click()
  await dialog(page, /^Reset boiler /)
    .getByRole('button', { name: 'Reset boiler' })
    .click()
}

test('a lockout is shown on every tab until the device reports the reset: first refused, then done [dev-4heat-13 dev-4heat-14 dev-4heat-15 dev-4heat-16 dev-2detail-5 dev-8err-38]', async ({
  page,
}) => {
  const { client, boiler, deviceId, address } = await withBoiler(page)
  await boiler.publish('state', { ...none, firmware: '4.1' })
  await page.goto(address)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(tab(page, 'Fault History')).toHaveText('Fault History')
  await expect(alarm(page)).toHaveCount(0)

  const fan = { faultCode: 'F9', description: 'Fan speed' }
  await boiler.publish('state', { ...fault({ ...fan, isResettable: false }), faultCode: fan.faultCode })
  await expect(alarm(page)).toContainText('Fault F9 – fan speed', replyTimeout)
  await expect(alarm(page)).toContainText('The fault must be cleared at the boiler.')
  await expect(alarm(page).getByRole('button')).toHaveCount(0)
  await expect(tab(page, 'Fault History')).toHaveText('Fault History1')

  await boiler.publish('state', { ...fault(), remoteResetSupported: false })
  await expect(alarm(page)).toContainText('Lockout EA – flame not detected', replyTimeout)
  await expect(alarm(page)).toContainText('cannot be reset remotely')
  await expect(alarm(page).getByRole('button')).toHaveCount(0)

  await boiler.publish('state', { remoteResetSupported: true })
  await expect(button(page, 'Reset boiler')).toHaveText('Reset', replyTimeout)
  await expect(alarm(page)).toContainText('There is no heating or hot water until it is reset.')
  await expect(alarm(page)).toContainText(/Since \d\d:\d\d today, 1 h|Since \d\d\/\d\d\/\d{4}/)

  // It is listed among the items that need attention, and the engineer opens it from there.
  await page.goto(`/${client.tenant}`)
  const failed = page.getByRole('article', { name: 'Failed boilers and sensors' })
  await expect(failed).toContainText(/^1 ?Failed boilers/)
  await failed.getByRole('listitem').getByRole('link').click()
  await expect(page).toHaveURL(new RegExp(`/Boilers/${deviceId}$`))

  // The reset is sent and the boiler refuses it: the panel stays, and the next attempt starts a step earlier.
  const answer = await answering(boiler)
  await reset(page, 'Reset boiler')
  await expect(button(page, 'Sending ...')).toBeDisabled()
  await expect(alarm(page)).toContainText(/Reset sent at \d\d:\d\d today by Ada Marsh\./)
  await answer('failed', 'The burner is cooling')
  await expect(alarm(page)).toContainText(
    /The boiler refused the reset by Ada Marsh at .+: The burner is cooling\./,
    replyTimeout,
  )
  await expect(button(page, 'Reset again')).toBeEnabled()

  // On the other tabs it is one line with the same button.
  await tab(page, 'Fault History').click()
  await expect(alarm(page)).toContainText(/Lockout EA – flame not detected\s*since \d\d/)
  await expect(alarm(page)).not.toContainText('There is no heating')
  // An earlier fault may be its cause; the readings from that time are one click away.
  await expect(page.getByText(/F9 \(fan speed\) came first/)).toBeVisible()
  const days = /\/telemetry\?from=\d{4}-\d\d-\d\d&to=\d{4}-\d\d-\d\d$/
  await expect(page.getByRole('link', { name: 'Show in telemetry' })).toHaveAttribute('href', days)
  const row = page.getByRole('table', { name: 'All faults' }).getByRole('row').nth(1)
  await expect(row).toContainText(/^EA\s*Flame not detected\s*Boiler.*Still active, 1 reset tried\s*Yes/)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download the faults' }).click()
  const file = await (await download).createReadStream()
  expect(Buffer.concat(await file.toArray()).toString()).toMatch(
    /"EA","Flame not detected","Boiler","\d\d\/\d\d\/\d{4} \d\d:\d\d","","Still active, 1 reset tried","Yes"/,
  )

  await reset(page, 'Reset again')
  await answer('confirmed')
  await expect(toast(page, /^Boiler reset on BX\w+ was successful!/)).toBeVisible(replyTimeout)
  await expect(alarm(page)).toBeVisible()
  await boiler.publish('state', none)
  await expect(alarm(page)).toHaveCount(0, replyTimeout)
  await expect(row).toContainText('Reset by Ada Marsh, 1 reset tried', replyTimeout)
  await expect(tab(page, 'Fault History')).toHaveText('Fault History')

  // The device log contains all events, and can be filtered by category.
  await tab(page, 'History').click()
  const log = page.getByRole('table', { name: 'History' })
  await expect(log).toContainText(/Reset boiler: refused by the device \(The burner is cooling\)\s*Ada Marsh/)
  await expect(log).toContainText('Over: Fault EA of the boiler: Flame not detected.')
  const choose = async (category: string) => {
    await page.getByRole('combobox', { name: 'Category' }).click()
    await page.getByRole('option', { name: category, exact: true }).click()
  }
  await choose('Command')
  await expect(log.getByRole('row')).toHaveCount(3)
  await choose('Change')
  await expect(page.getByText('No logs to show', { exact: true })).toBeVisible()

  // Once the gas check is also recorded, no failed boiler is listed any more.
  await tab(page, 'Compliance').click()
  await fillGasCheck(page, dayText(dayAt(Date.now(), 'Europe/London')))
  await save(page).click()
  await expect(records(page).getByRole('row', { name: /LGSR-1 Pass/ })).toBeVisible()
  await expect(standing(page, 'Gas safety')).toContainText('In date')
  await page.goto(`/${client.tenant}`)
  await expect(failed.getByRole('heading')).toHaveText(/^0 /)
  await boiler.end()
})

test('an unanswered reset is shown as such, and users without the right are offered none [dev-4heat-17]', async ({
  page,
  pageOf,
}) => {
  const { client, boiler, deviceId, address } = await withBoiler(page)
  await boiler.publish('state', fault())
  await page.goto(address)
  await expect(button(page, 'Reset boiler')).toBeVisible(replyTimeout)
  const { data } = await ask(page, boilerReset, { body: { tenant: client.tenant, deviceId } })
  // The response shows the command as expired, as if its five minutes were over.
  const { commandId } = data as { commandId: string }
  const expiresAt = new Date(Date.now() - 1000).toISOString()
  await page.route('**/api/GetDeviceCommands', async (route) => {
    const response = await route.fetch()
    const json = (await response.json()) as { data: { commandId: string }[] }
    for (const one of json.data) if (one.commandId === commandId) Object.assign(one, { status: 'expired', expiresAt })
    await route.fulfill({ response, json })
  })
  await page.reload()
  await expect(alarm(page)).toContainText('The boiler did not answer the reset by Ada Marsh, which expired at')
  await expect(button(page, 'Reset again')).toBeEnabled()
  await boiler.end()

  // A locked-out autofill is reset on its module's page, to which its address leads.
  const manager = await pageOf('manager@northgate.example')
  await manager.goto(`/northgate/BoilerConnectedDevice/${failedAutofill.deviceId}`)
  await expect(manager).toHaveURL(new RegExp(`/connectedDevices\\?device=${failedAutofill.deviceId}$`))
  await expect(alarm(manager)).toContainText(/^\s*Autofill lockout AF1 – /)
  await expect(button(manager, 'Reset autofill')).toHaveText('Reset')
  const opened = manager.getByRole('region', { name: failedAutofill.name, exact: true })
  await expect(opened.getByRole('button', { name: 'Reset autofill' })).toBeVisible()
  const fills = manager.getByRole('table', { name: 'Fills' }).locator('tbody tr')
  await expect(fills.first()).toContainText(/15 min.*1\.5\sl.*bar.*Locked out$/)
  await expect(fills.filter({ hasText: 'Filled' }).first()).toContainText(/3 min.*1\.1\sl/)
  await expect(opened).toContainText(/Fills come closer together: every \d days before/)
  await expect(opened.getByRole('img', { name: 'Pressure', exact: true })).toHaveAccessibleDescription(
    /Locked out from \d{2}\/\d{2}\/\d{4}/,
  )
  await expect(fills.filter({ hasText: 'Filled' }).nth(2)).toBeVisible()
  // Its location is edited here, because it has no page of its own.
  const facts = manager.getByRole('region', { name: 'Autofill', exact: true })
  const where = `Below the boiler, seen ${Date.now()}`
  await facts.getByRole('button', { name: 'Edit Location details' }).click()
  await facts.getByRole('textbox', { name: 'Location details' }).fill(where)
  await facts.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(facts).toContainText(where)
  await expect(facts.getByRole('textbox')).toHaveCount(0)
  // A boiler engineer may read but not edit miscellaneous devices.
  const engineer = await pageOf('boiler@northgate.example')
  await engineer.goto(`/northgate/BoilerConnectedDevice/${failedAutofill.deviceId}`)
  await expect(engineer.getByRole('region', { name: 'Autofill', exact: true })).toContainText(failedAutofill.serial)
  await expect(engineer.getByRole('button', { name: /^(Reset|Edit)/ })).toHaveCount(0)
  await engineer.goto(new URL(engineer.url()).pathname.replace('/connectedDevices', ''))
  await expect(alarm(engineer)).toContainText('You can see this lockout but cannot reset it.')
})
