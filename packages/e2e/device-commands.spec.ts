import type { Page } from '@playwright/test'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import type { Command } from '@caretaker/contract/lighting.ts'
import { getDeviceCommands, runT0Test, takeBackCommand } from '@caretaker/contract/lighting.ts'
import { act, dialog, headMenu } from './fixtures/actions.ts'
import { ask } from './fixtures/api.ts'
import { newClient } from './fixtures/client.ts'
import { connectDevice } from './fixtures/device.ts'
import { bend } from './fixtures/portal.ts'
import { addDevice } from './fixtures/operator.ts'
import { expect, test } from './fixtures/test.ts'

// Clients of their own are made by the operator's command, which takes its time.
test.describe.configure({ timeout: 120_000 })

const { boilerLockout, failedT180, untaggedLight } = demoDevices
const waiting = 'Waiting for device confirmation'
const life = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

async function commandsOf(page: Page, body: { tenant: string; deviceId: string }): Promise<Command[]> {
  return (await ask(page, getDeviceCommands, { body })).data as Command[]
}

/** A client with one light that never connects, at the page of the light. */
async function withLight(page: Page) {
  const { tenant } = await newClient(page, 'Silent Homes')
  const device = await addDevice(tenant, '--product', 'EM')
  await page.goto(`/${tenant}/EmergencyLights/${device.deviceId}`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  return { device, body: { tenant, deviceId: device.deviceId } }
}

test('what was not sent yet says so, is taken back, and the device never hears of it', async ({ page }) => {
  const { device, body } = await withLight(page)
  await act(page, headMenu(page), 'Join Network')
  const join = life(page, 'Join Network')
  await expect(join).toContainText(waiting)
  await expect(join).toContainText('Asked for by Ada Marsh')
  await expect(join).toContainText(
    /Not sent yet: the device is not connected\. It is sent when the device connects, until/,
  )
  await join.getByRole('button', { name: 'Take back' }).click()
  await expect(join).toContainText(/Taken back at .+ by Ada Marsh, before it was sent\./)
  await expect(join).toContainText('State confirmed')
  await expect(join.getByRole('listitem')).toHaveText(['Queued', 'Sent', 'Taken back'])
  const light = await connectDevice(device)
  await light.answerCommands('confirmed')
  await light.say('state', { networkJoined: false })
  // Another one is heard, and the one before it was not.
  await join.getByRole('button', { name: 'Try again' }).click()
  await expect(join).toContainText('Confirmed at', { timeout: 30_000 })
  // It says yes and, a moment later, still reports otherwise: that confirms nothing, and can be asked for again.
  await expect(join).toContainText(waiting)
  await expect(join).toContainText('The device reports that it is not in the network.', { timeout: 30_000 })
  await expect(join.getByRole('button')).toHaveText(['Try again', 'Take back'])
  await light.say('state', { networkJoined: true })
  await expect(join).toContainText('State confirmed', { timeout: 20_000 })
  await expect(join.getByRole('button')).toHaveCount(0)
  expect((await commandsOf(page, body)).map(({ status }) => status)).toEqual(['confirmed', 'withdrawn'])
  await light.end()
})

test('whoever opens the page later sees the last command of each kind, who asked for it, and what became of it', async ({
  pageOf,
}) => {
  const page = await pageOf('guest@northgate.example')
  await page.goto(`/northgate/EmergencyLights/${failedT180.deviceId}`)
  const flick = life(page, 'Flick test')
  await expect(flick).toContainText('Asked for by Callum Hargreaves at')
  await expect(flick).toContainText(/Refused at .+: The battery is charging\./)
  const leave = life(page, 'Leave Network')
  await expect(leave).toContainText('Asked for by Priya Nair at')
  await expect(leave).toContainText(/Not delivered: until .+ the device could not be reached\./)
  // What has a state is still waited for; a test that was refused is not.
  await expect(leave).toContainText(waiting)
  await expect(flick).toContainText('Refused by the device')
  for (const one of [flick, leave]) {
    // Who only reads is told, and offered nothing.
    await expect(one.getByRole('button')).toHaveCount(0)
  }
  const engineer = await pageOf('lighting@northgate.example')
  await engineer.goto(`/northgate/EmergencyLights/${failedT180.deviceId}`)
  for (const name of ['Flick test', 'Leave Network'])
    await expect(life(engineer, name).getByRole('button')).toHaveText(['Try again', 'Take back'])
})

test('what was sent says that it cannot be taken back, and one that expired unanswered says that', async ({
  pageOf,
}) => {
  const page = await pageOf('lighting@northgate.example')
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
  const sent = { status: 'sent', sentAt: at(-1), answeredAt: null, message: null, expiresAt: at(14) }
  let become: object = sent
  await bend(page, '**/api/GetDeviceCommands', ({ data }: { data: object[] }) => {
    for (const command of data) Object.assign(command, become)
  })
  await page.goto(`/northgate/EmergencyLights/${failedT180.deviceId}`)
  const flick = life(page, 'Flick test')
  await expect(flick).toContainText(/Sent at .+, not answered yet\. What was sent cannot be taken back; it expires at/)
  await expect(flick.getByRole('button')).toHaveCount(0)
  become = { ...sent, expiresAt: at(0), status: 'expired' }
  await expect(flick).toContainText(/Expired at .+: it was sent at .+ and not answered\./, { timeout: 20_000 })
  await expect(flick.getByRole('button')).toHaveText(['Try again', 'Take back'])
})

test('nobody takes back by hand what they may not ask for', async ({ pageOf }) => {
  const engineer = await pageOf('lighting@northgate.example')
  const body = { tenant: 'northgate', deviceId: failedT180.deviceId }
  const before = await commandsOf(engineer, body)
  const commandId = before[0]!.commandId
  for (const [email, status] of [
    ['guest@northgate.example', 403],
    ['boiler@northgate.example', 404],
    ['manager@harbour.example', 404],
  ] as const) {
    const page = await pageOf(email)
    expect((await ask(page, takeBackCommand, { body: { ...body, commandId } })).status, email).toBe(status)
  }
  expect(await commandsOf(engineer, body)).toEqual(before)
  // A command of another light is none of this one's.
  await ask(engineer, runT0Test, { form: { tenant: 'northgate', deviceId: untaggedLight.deviceId } })
  const other = { ...body, deviceId: untaggedLight.deviceId }
  const foreign = (await commandsOf(engineer, other))[0]!.commandId
  expect((await ask(engineer, takeBackCommand, { body: { ...body, commandId: foreign } })).status).toBe(404)
})

test('a boiler reset asks first, with what the last resets did', async ({ pageOf }) => {
  const page = await pageOf('boiler@northgate.example')
  await page.goto(`/northgate/Boilers/${boilerLockout.deviceId}`)
  const reset = life(page, 'Reset boiler')
  await expect(reset).toContainText('Asked for by Tom Ashworth at')
  const before = await commandsOf(page, { tenant: 'northgate', deviceId: boilerLockout.deviceId })
  await page.getByRole('main').getByRole('button', { name: 'Reset boiler' }).first().click()
  const asking = dialog(page, `Reset boiler ${boilerLockout.serial}`)
  await expect(asking).toContainText('Reset twice in 30 days; third lockout means a visit.')
  await expect(asking.getByRole('list', { name: 'Last resets' }).getByRole('listitem')).toHaveCount(2)
  await expect(asking.getByRole('listitem').first()).toContainText(/, Tom Ashworth: Confirmed at/)
  await asking.getByRole('button', { name: 'Cancel' }).click()
  await expect(asking).toHaveCount(0)
  expect(await commandsOf(page, { tenant: 'northgate', deviceId: boilerLockout.deviceId })).toEqual(before)
})
