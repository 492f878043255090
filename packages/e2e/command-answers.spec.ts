import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { dialog } from './fixtures/actions.ts'
import { simulate, connectParent } from './fixtures/simulator.ts'
import { expect, test } from './fixtures/test.ts'

// For all commands and replies, see packages/server/src/features/commands/rehearsed.test.ts for the server and
// packages/web/src/device-page/command-answers.component.test.tsx for the pages.

const waiting = 'Waiting for device confirmation'
/** A device replies within three seconds, and the page receives the reply within another three. */
const answered = { timeout: 30_000 }
const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

test('a boiler rejects a command, confirms it when it is repeated, and burns as requested', async ({ newClient }) => {
  test.slow()
  const client = await newClient({ name: 'Answering Homes' })
  const gateway = await client.gateway()
  const boiler = await client.boiler({ parent: gateway })
  // It requests hot water at any hour, in any month.
  const set = { chMax: 60, dhwSetPoint: 48, callsFor: 'hot water', flowTemperature: 30, latitude: 80 }
  const since = { faultSince: Date.now() - 3_600_000, faultEventId: randomUUID() }
  const ended = simulate([
    { ...boiler, model: 'boiler', product: 'BX', story: 'boiler lockout', traits: { ...set, ...since } },
  ])
  const parent = await connectParent(gateway)
  const page = await client.pageOf('Manager')
  await page.goto(client.at(`Boilers/${boiler.deviceId}`))
  const alarm = region(page, 'Alarm')
  const rightNow = region(page, 'Right now')
  await expect(alarm).toBeVisible(answered)
  await expect(rightNow).toContainText('Burner off, locked out', answered)

  await parent.rehearse(boiler.deviceId, ['refuse', 'refuse'])
  const chMax = region(page, 'Heating settings')
    .locator('dl > div')
    .filter({ has: page.locator('dt').getByText('CH max', { exact: true }) })
  await chMax.getByRole('button', { name: 'Edit CH max' }).click()
  await chMax.getByRole('textbox', { name: 'CH max' }).fill('52')
  await chMax.getByRole('button', { name: 'Save', exact: true }).click()
  const requestedBy = `Requested by ${client.manager.name} at \\d`
  const refused = `${waiting}Refused at .+: Told to refuse\\. The device still reports 60 °C\\. ${requestedBy}`
  await expect(chMax).toContainText(new RegExp(refused), answered)
  const reset = async (name: string) => {
    await alarm.getByRole('button', { name }).click()
    await dialog(page, `Reset boiler ${boiler.serial}`).getByRole('button', { name: 'Reset boiler' }).click()
  }
  await reset('Reset boiler')
  const no = `The boiler refused the reset by ${client.manager.name} at .+: Told to refuse\\.`
  await expect(alarm).toContainText(new RegExp(no), answered)

  await chMax.getByRole('button', { name: 'Try again' }).click()
  await expect(chMax.getByText(waiting)).toHaveCount(0, answered)
  await expect(chMax).toContainText(/State confirmed52 °C since \d/)
  await reset('Reset again')
  await expect(alarm).toHaveCount(0, answered)
  await expect(rightNow).toContainText(/Burner on, \d+ %/, answered)
  await expect(region(page, 'Reset boiler')).toContainText(new RegExp(requestedBy))
  await parent.end()
  await ended()
})
