import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { getDeviceCommands, stopLightTest } from '@caretaker/contract/lighting.ts'
import type { RunningTest } from '@caretaker/rules/lighting/running.ts'
import { aLight, aRow, idOf, lightPage, listingsOf } from '../../testing/examples/devices.ts'
import { answer, exampleOf } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'
import { dialog, toast } from '../../testing/device-screen.ts'

const started = Date.now() - 50 * 60_000
const runningTest: RunningTest = {
  testType: 'T180',
  startedAt: new Date(started).toISOString(),
  endsAt: new Date(started + 180 * 60_000).toISOString(),
}
const light = aLight({ runningTest })
const path = `/northgate/EmergencyLights/${idOf(1)}`
const words = /3-hour test \(T180\): running since .*\d\d:\d\d, 2 h (9|10) min left/

test('a running test is shown above the page of its light and is stopped after a confirmation', async () => {
  const portal = await openPortal(path, {
    role: 'LightingEngineer',
    answers: [...lightPage(light), answer(stopLightTest, { commandId: idOf(9) })],
  })
  const panel = page.getByRole('region', { name: 'In progress' })
  await expect.element(panel).toMatchTextContent(words)
  await panel.getByRole('button', { name: 'Stop test' }).click()
  const question = dialog('Stop test')
  await expect.element(question).toMatchTextContent('Stop the 3-hour test (T180) of Stairwell B?')
  expect(portal.sentTo(stopLightTest)).toHaveLength(0)
  await question.getByRole('button', { name: 'Stop test' }).click()
  await expect.element(toast('Stop test sent')).toBeVisible()
  expect(portal.sentTo(stopLightTest)[0]!.body).toEqual({ tenant: 'northgate', deviceId: idOf(1) })
})

test('a test with a queued stop command cannot be stopped twice', async () => {
  const command = { ...exampleOf(getDeviceCommands)[0]!, name: 'stopTest', status: 'queued' } as const
  await openPortal(path, {
    role: 'LightingEngineer',
    answers: [...lightPage(light), answer(getDeviceCommands, [command])],
  })
  const stop = page.getByRole('region', { name: 'In progress' }).getByRole('button', { name: 'Stop test' })
  await expect.element(stop).toBeDisabled()
  await expect.element(stop).toHaveAttribute('title', 'Stop command queued')
})

test('a guest sees the running test and cannot stop it', async () => {
  await openPortal(path, { role: 'Guest', answers: lightPage(light) })
  const panel = page.getByRole('region', { name: 'In progress' })
  await expect.element(panel).toMatchTextContent(words)
  await expect.element(panel.getByRole('button')).not.toBeInTheDocument()
})

test('a list shows in the same words that a light is being tested, and never hides why a light has failed', async () => {
  await openPortal('/northgate/EmergencyLights/Listing', {
    role: 'LightingEngineer',
    answers: listingsOf([
      aRow({ deviceId: idOf(1), deviceRunningTest: runningTest }),
      aRow({
        ...{ deviceId: idOf(2), deviceRunningTest: runningTest },
        ...{ deviceStatus: 'FailedEquipment', deviceStatusReason: 'Battery T180' },
      }),
    ]),
  })
  const [sound, failed] = ['EM000001', 'EM000002'].map((serial) => page.getByRole('row').filter({ hasText: serial }))
  await expect.element(sound!).toMatchTextContent(words)
  await expect.element(failed!.getByText('Battery T180')).toBeVisible()
  await expect.element(failed!).not.toMatchTextContent(words)
  await expect
    .element(failed!.getByText('Running', { exact: true }))
    .toHaveAttribute('title', expect.stringMatching(words))
})
