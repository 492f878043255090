import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { getDeviceCommands } from '@caretaker/contract/lighting.ts'
import { getProperty } from '@caretaker/contract/properties.ts'
import { getThermostatSchedules, sendThermostatSchedule } from '@caretaker/contract/schedules.ts'
import type { ThermostatSchedules } from '@caretaker/contract/schedules.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { emptyWeek, scheduleOf } from '@caretaker/rules/properties/schedule.ts'
import { loading } from '../../../testing/device-screen.ts'
import { idOf } from '../../../testing/examples/devices.ts'
import { aHome, aHomeDevice, homePages } from '../../../testing/examples/homes.ts'
import { expectCount } from '../../../testing/expect.ts'
import { answer } from '../../../testing/network.ts'
import { openPortal } from '../../../testing/portal.tsx'
import { region } from '../../../testing/screen.ts'

const stat = aHomeDevice({
  ...{ deviceId: idOf(61), product: 'TH', serialNumber: 'TH000061', deviceType: 'Thermostat' },
})
const none: ThermostatSchedules = {
  takesSchedules: true,
  desired: { heating: null, hotWater: null },
  reported: { heating: null, hotWater: null },
}
const heating = region('Heating')
const water = region('Domestic Hot Water')
const number = (what: string) => heating.getByRole('textbox', { name: `Heating, Monday, ${what}`, exact: true })
const draft = 'Draft, not sent to the thermostat'

interface Given {
  role?: Role
  schedules?: ThermostatSchedules
}

async function open({ role = 'Manager', schedules = none }: Given = {}) {
  const portal = await openPortal(`/northgate/Properties/${idOf(50)}/thermoScheduler`, {
    ...{ features: ['PropertyCentric'], role },
    answers: [
      ...homePages(aHome(), [stat]),
      answer(getThermostatSchedules, schedules),
      answer(getDeviceCommands, []),
      answer(sendThermostatSchedule, { status: 'queued', commandId: idOf(90) }),
    ],
  })
  await expect.element(heating, loading).toBeVisible()
  return portal
}

test('Saving keeps a draft in this browser without a call; it survives a reload, only for this user and property [est-2.3-109] [est-2.3-110]', async () => {
  const portal = await open()
  const save = heating.getByRole('button', { name: 'Save' })
  await expect.element(save).toBeDisabled()
  await expect.element(heating.getByText('Saving keeps a draft in this browser')).toBeVisible()
  await number('Time 1').fill('390')
  await number('Temperature 1').fill('19.5')
  await save.click()
  await expect.element(save).toBeDisabled()
  await expect.element(heating.getByText(draft)).toBeVisible()
  await expectCount(water.getByText(draft), 0)
  expect(portal.sentTo(sendThermostatSchedule)).toEqual([])

  // The draft stays, whatever page is opened in between, and is private in a shared browser.
  const kept = Object.keys(localStorage).filter((key) => key.startsWith('caretaker-draft'))
  expect(kept).toEqual([`caretaker-draft person northgate schedule ${idOf(50)} heating`])
  const home = (id: string) => `/northgate/Properties/${id}/thermoScheduler`
  portal.use(answer(getProperty, ({ params }) => aHome({ propertyId: params.propertyId })))
  await portal.go(home(idOf(52)))
  await expect.element(number('Temperature 1'), loading).toHaveValue('0')
  await expectCount(page.getByText(draft), 0)
  await portal.go(home(idOf(50)))
  await expect.element(heating.getByText(draft), loading).toBeVisible()
  await expect.element(number('Temperature 1')).toHaveValue('19.5')
  await heating.getByRole('button', { name: 'Discard draft' }).click()
  await expect.element(number('Temperature 1')).toHaveValue('0')
  await expectCount(page.getByText(draft), 0)
})

test('a temperature is limited to the range of a V-Stat, and an emptied number is 0 [est-2.3-108]', async () => {
  await open()
  const temperature = number('Temperature 1')
  for (const [typed, kept] of [
    ['3', '5'],
    ['35', '35'],
    ['0', '0'],
    ['', '0'],
  ] as const) {
    await temperature.fill(typed)
    await number('Time 1').click()
    await expect.element(temperature).toHaveValue(kept)
  }
  await temperature.fill('3')
  await temperature.fill('36')
  await expect.element(temperature).not.toHaveValue('36')
})

test('Send to thermostat stores the week on the server, and the draft is gone', async () => {
  const portal = await open()
  const send = heating.getByRole('button', { name: 'Send to thermostat' })
  await expect.element(send, loading).toBeDisabled()
  await number('Time 1').fill('390')
  await number('Temperature 1').fill('19.5')
  await heating.getByRole('button', { name: 'Save' }).click()
  await send.click()
  const week = { ...scheduleOf(emptyWeek()), Monday: [[390, 19.5]] as [number, number][] }
  portal.use(answer(getThermostatSchedules, { ...none, desired: { heating: week, hotWater: null } }))
  await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
  await expectCount(page.getByRole('dialog'), 0)
  expect(portal.sentTo(sendThermostatSchedule).map(({ body }) => body)).toEqual([{ part: 'heating', week }])
  await expectCount(page.getByText(draft), 0)
  await expect.element(number('Temperature 1')).toHaveValue('19.5')
  const sent = heating.getByRole('group', { name: 'Heating on TH000061' })
  await expect.element(sent.getByText('Waiting for device confirmation')).toBeVisible()
  await expect.element(send).toBeDisabled()
  const confirmed = { heating: week, hotWater: null }
  await open({ schedules: { ...none, desired: confirmed, reported: confirmed } })
  await expect.element(sent.getByText('State confirmed')).toBeVisible()
})

test('read-only users cannot send, and nothing can be sent to a V-Stat whose firmware does not support schedules', async () => {
  await open({ role: 'Guest' })
  await expect.element(heating.getByRole('button', { name: 'Save' })).toBeVisible()
  await expectCount(page.getByRole('button', { name: 'Send to thermostat' }), 0)
  await open({ schedules: { ...none, takesSchedules: false } })
  await expect.element(heating.getByText('The firmware of TH000061 takes no schedules.'), loading).toBeVisible()
  await expectCount(page.getByRole('button', { name: 'Send to thermostat' }), 0)
})
