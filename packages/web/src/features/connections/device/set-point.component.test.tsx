import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { changeSetPoint, getSetPoint } from '@caretaker/contract/connections.ts'
import { getThirdPartyDevice } from '@caretaker/contract/devices.ts'
import type { Command } from '@caretaker/contract/lighting.ts'
import { getDeviceCommands } from '@caretaker/contract/lighting.ts'
import { card, loading } from '../../../testing/device-screen.ts'
import { idOf } from '../../../testing/examples/devices.ts'
import { expectCount } from '../../../testing/expect.ts'
import type { ServerAnswer } from '../../../testing/network.ts'
import { answer, exampleOf } from '../../../testing/network.ts'
import { openPortal } from '../../../testing/portal.tsx'
import { main } from '../../../testing/screen.ts'

const deviceId = idOf(5)
const device = {
  ...exampleOf(getThirdPartyDevice),
  deviceId,
  deviceName: 'Hall thermostat',
  productId: 'ADEY' as const,
}
const range = { min: 5, max: 35, step: 0.5 }
const minutes = (count: number) => new Date(Date.now() + count * 60_000).toISOString()
const command = (more: Partial<Command> = {}): Command => ({
  ...{ commandId: idOf(900), name: 'changeSetPoint', args: { setPoint: 21 }, status: 'sent', message: null },
  ...{ requestedBy: 'Priya Nair', createdAt: minutes(-2), sentAt: minutes(-1), answeredAt: null },
  ...{ expiresAt: minutes(1438), withdrawnAt: null, withdrawnBy: null, lateAnswer: null, reportedTest: null },
  ...more,
})
const setPoint = (more: object = {}) =>
  answer(getSetPoint, { reported: 19, desired: 21, range, refusal: null, ...more })

async function open(answers: ServerAnswer[], options: Parameters<typeof openPortal>[1] = {}) {
  const portal = await openPortal(`/northgate/ThirdParty/${deviceId}`, {
    answers: [answer(getThirdPartyDevice, device), ...answers],
    ...options,
  })
  await expect.element(page.getByRole('heading', { level: 1 }), loading).toBeVisible()
  return portal
}
const commands = (...all: Command[]) => answer(getDeviceCommands, all)

test("a sent set point waits for the sensor's next message, and shows what the thermostat reports", async () => {
  await open([setPoint(), commands(command())])
  await expect.element(card('Thermostat').getByText("Waiting for the sensor's next message")).toBeVisible()
  await expect.element(card('Thermostat')).toMatchTextContent('The thermostat reports 19 °C.')
  await expectCount(card('Thermostat').getByRole('button', { name: 'Take back' }), 0)
})

test('only a report of the same value confirms it', async () => {
  await open([setPoint({ reported: 21 }), commands(command({ status: 'confirmed', answeredAt: minutes(0) }))])
  await expect.element(card('Thermostat').getByText('Confirmed by the thermostat')).toBeVisible()
})

test('a failure gives its reason and can be tried again', async () => {
  const message = 'ChirpStack refuses the API token. Enter a new one in the settings of the connection.'
  const portal = await open([
    ...[setPoint(), commands(command({ status: 'failed', message, sentAt: minutes(-1), answeredAt: minutes(0) }))],
    answer(changeSetPoint, { status: 'queued', commandId: idOf(901) }),
  ])
  await expect.element(card('Thermostat')).toMatchTextContent(message)
  await card('Thermostat').getByRole('button', { name: 'Try again' }).click()
  await expect.poll(() => portal.sentTo(changeSetPoint).at(-1)?.body).toEqual({ setPoint: 21 })
})

test('another set point is entered within its range and steps', async () => {
  const portal = await open([
    ...[setPoint({ desired: null }), commands()],
    answer(changeSetPoint, { status: 'queued', commandId: idOf(901) }),
  ])
  await card('Thermostat').getByRole('button', { name: 'Edit set point' }).click()
  const field = card('Thermostat').getByRole('textbox')
  await field.fill('40')
  await userEvent.keyboard('{Enter}')
  await expect.element(card('Thermostat')).toMatchTextContent('a number from 5 to 35 °C')
  await field.fill('20.5')
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => portal.sentTo(changeSetPoint).at(-1)?.body).toEqual({ setPoint: 20.5 })
})

test('without a way to send, the reason is shown; readers have no pencil; other devices have no card', async () => {
  const refusal = 'The connection Halifax cannot send.'
  await open([setPoint({ refusal }), commands()])
  await expect.element(card('Thermostat')).toMatchTextContent(refusal)
  await expectCount(card('Thermostat').getByRole('button', { name: 'Edit set point' }), 0)
  await open([setPoint(), commands()], { role: 'Guest' })
  await expect.element(card('Thermostat'), loading).toMatchTextContent('21 °C')
  await expectCount(card('Thermostat').getByRole('button', { name: 'Edit set point' }), 0)
  await open([setPoint({ range: null }), commands()])
  await expect.element(main.getByText('Hall thermostat').first(), loading).toBeVisible()
  await expectCount(page.getByRole('region', { name: 'Thermostat' }), 0)
})
