import type { Page } from '@playwright/test'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import type { Command } from '@caretaker/contract/lighting.ts'
import { getDeviceCommands, runT0Test, takeBackCommand } from '@caretaker/contract/lighting.ts'
import { act, headMenu } from './fixtures/actions.ts'
import { ask } from './fixtures/api.ts'
import { newClient } from './fixtures/client.ts'
import { connectDevice } from './fixtures/device.ts'
import { addDevice } from './fixtures/operator.ts'
import { expect, test } from './fixtures/test.ts'

// The operator's command takes a while to create a client.
test.describe.configure({ timeout: 120_000 })

const { failedT180, untaggedLight } = demoDevices
const waiting = 'Waiting for device confirmation'
const life = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

async function commandsOf(page: Page, body: { tenant: string; deviceId: string }): Promise<Command[]> {
  return (await ask(page, getDeviceCommands, { body })).data as Command[]
}

/** Creates a client with one light that never connects, and opens the light's page. */
async function withLight(page: Page) {
  const { tenant } = await newClient(page, 'Silent Homes')
  const device = await addDevice(tenant, '--product', 'EM')
  await page.goto(`/${tenant}/EmergencyLights/${device.deviceId}`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  return { device, body: { tenant, deviceId: device.deviceId } }
}

test('an unsent command is shown as such and can be withdrawn, and the device never receives it', async ({ page }) => {
  const { device, body } = await withLight(page)
  await act(page, headMenu(page), 'Join Network')
  const join = life(page, 'Join Network')
  await expect(join).toContainText(waiting)
  await expect(join).toContainText('Requested by Ada Marsh')
  await expect(join).toContainText(
    /Not sent yet: the device is not connected\. It is sent when the device connects, until/,
  )
  await join.getByRole('button', { name: 'Take back' }).click()
  await expect(join).toContainText(/Taken back at .+ by Ada Marsh, before it was sent\./)
  await expect(join).toContainText('State confirmed')
  await expect(join.getByRole('listitem')).toHaveText(['Queued', 'Sent', 'Taken back'])
  const light = await connectDevice(device)
  await light.replyToCommands('confirmed')
  await light.publish('state', { networkJoined: false })
  // The new command is received, and the withdrawn one was not.
  await join.getByRole('button', { name: 'Try again' }).click()
  await expect(join).toContainText('Confirmed at', { timeout: 30_000 })
  // The device accepts the command but a moment later still reports the old state. That does not confirm the command, and it can be
  // repeated.
  await expect(join).toContainText(waiting)
  await expect(join).toContainText('The device reports that it is not in the network.', { timeout: 30_000 })
  await expect(join.getByRole('button')).toHaveText(['Try again', 'Take back'])
  await light.publish('state', { networkJoined: true })
  await expect(join).toContainText('State confirmed', { timeout: 20_000 })
  await expect(join.getByRole('button')).toHaveCount(0)
  expect((await commandsOf(page, body)).map(({ status }) => status)).toEqual(['confirmed', 'withdrawn'])
  await light.end()
})

test('a user cannot withdraw a command by a direct call if they may not request it', async ({ pageOf }) => {
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
  // A command to another light cannot be withdrawn through this one.
  await ask(engineer, runT0Test, { form: { tenant: 'northgate', deviceId: untaggedLight.deviceId } })
  const other = { ...body, deviceId: untaggedLight.deviceId }
  const foreign = (await commandsOf(engineer, other))[0]!.commandId
  expect((await ask(engineer, takeBackCommand, { body: { ...body, commandId: foreign } })).status).toBe(404)
})
