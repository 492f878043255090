import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import { addDeviceNote, boilerRepairForm, emeredRepairForm } from '@caretaker/contract/maintenance.ts'
import { ask } from './fixtures/api.ts'
import { connectDevice } from './fixtures/device.ts'
import { counted, toast } from './fixtures/lists.ts'
import { addDevice } from './fixtures/operator.ts'
import { answerOnce } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

// These tests change the same demo rows, so they run one after the other.
test.describe.configure({ mode: 'default' })

const form = (page: Page) => page.getByRole('dialog', { name: /^Repair / })
const openForm = (page: Page) =>
  page.getByRole('region', { name: 'Repair forms' }).getByRole('button', { name: 'Repair' }).click()
const noteForm = (page: Page) => page.getByRole('form', { name: 'Add note' })
const submit = (page: Page) => form(page).getByRole('button', { name: /^Save repair/ })
const forms = (page: Page) => page.getByRole('list', { name: 'Repair forms' }).getByRole('listitem')
const notes = (page: Page) => page.getByRole('list', { name: 'Notes' }).getByRole('listitem')
const tab = (page: Page) => page.getByRole('main').getByRole('link', { name: 'Maintenance', exact: true })
const nothing = 'Form has not been completed'

test('an engineer writes a note on a boiler and fills in its repair form; both are kept with name and time, and a note is plain text [core-1-12 dev-1purpose-3 dev-2detail-7 dev-5val-22 dev-8err-8 dev-8err-23 dev-8err-39]', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(500))
  const boiler = await addDevice('northgate', '--product', 'BX')
  const device = await connectDevice(boiler)
  await device.publish('state', { firmware: '1.0' })
  const page = await pageOf('boiler@northgate.example')
  await page.goto(`/northgate/Boilers/${boiler.deviceId}`)
  await tab(page).click()
  await expect(page).toHaveURL(new RegExp(`/Boilers/${boiler.deviceId}/maintenance$`, 'i'))
  await expect(page.getByText('No notes to show')).toBeVisible()
  await expect(page.getByText('No logs to show')).toBeVisible()

  const [posts, adds] = [counted(page, 'POST', '/api/RecordDeviceRepair'), counted(page, 'POST', '/api/AddDeviceNote')]
  await openForm(page)
  await submit(page).click()
  await expect(form(page)).toContainText(nothing)
  await page.keyboard.press('Escape')
  await noteForm(page).getByRole('button', { name: 'Add note' }).click()
  await expect(noteForm(page).getByRole('alert')).toHaveText(nothing)
  expect([posts(), adds()]).toEqual([0, 0])

  const written = '<img src=x onerror="document.title=1"> Key is with the <b>caretaker</b>'
  await noteForm(page).getByLabel('Note').fill(written)
  await answerOnce(page, '**/api/AddDeviceNote', (route) => route.fulfill({ status: 500, json: {} }))
  await noteForm(page).getByRole('button', { name: 'Add note' }).click()
  await expect(toast(page, 'Error! Please try again. If problem persists please contact support')).toBeVisible()
  await expect(noteForm(page).getByLabel('Note')).toHaveValue(written)
  await noteForm(page).getByRole('button', { name: 'Add note' }).click()
  await expect(toast(page, 'Form has successfully been submitted')).toBeVisible()
  await expect(notes(page)).toHaveCount(1)
  await expect(notes(page)).toContainText(written)
  await expect(notes(page)).toContainText(/Tom Ashworth \d\d\/\d\d\/\d{4} \d\d:\d\d/)
  await expect(notes(page).locator('img, p b:has-text("caretaker")')).toHaveCount(0)

  await openForm(page)
  await form(page).getByLabel('Note').fill('New fan')
  await submit(page).click()
  await expect(forms(page)).toHaveCount(1)
  await expect(forms(page)).toContainText('New fan')
  await expect(forms(page)).toContainText(/Tom Ashworth \d\d\/\d\d\/\d{4} \d\d:\d\d/)
  await expect(page.getByRole('main').locator('header [data-tone]').first()).toContainText('Repaired equipment')

  // A read-only user sees both and is offered neither form.
  const guest = await pageOf('guest@northgate.example')
  await guest.goto(page.url())
  await expect(notes(guest)).toHaveCount(1)
  await expect(forms(guest)).toHaveCount(1)
  await expect(guest.getByRole('main').getByRole('form')).toHaveCount(0)
  const sent = { tenant: 'northgate', deviceId: boiler.deviceId }
  expect((await ask(guest, boilerRepairForm, { form: { ...sent, description: 'Mine' } })).status).toBe(403)
  expect((await ask(guest, addDeviceNote, { form: { ...sent, deviceType: 'BX', note: 'Mine' } })).status).toBe(403)
  const other = await pageOf('manager@meridian.example')
  expect((await ask(other, addDeviceNote, { form: { ...sent, deviceType: 'BX', note: 'Mine' } })).status).toBe(404)
  const long = `<p>${'x'.repeat(100_000)}</p>`
  expect((await ask(page, addDeviceNote, { form: { ...sent, deviceType: 'BX', note: long } })).status).toBe(400)
  await device.end()
})

test('the repair form of a light asks what was replaced, and a flick test starts at once [dev-2detail-17 dev-8err-10]', async ({
  pageOf,
}) => {
  const light = await addDevice('northgate', '--product', 'EM')
  const device = await connectDevice(light)
  await device.publish('state', { firmware: '1.0' })
  await device.replyToCommands('confirmed')
  const page = await pageOf('lighting@northgate.example')
  await page.goto(`/northgate/EmergencyLights/${light.deviceId}`)
  await tab(page).click()
  await openForm(page)
  await submit(page).click()
  await expect(form(page)).toContainText('Choose at least one part or write a note')
  await form(page).getByLabel('Inverter', { exact: true }).check()
  await form(page).getByLabel('Lamp', { exact: true }).check()
  await expect(form(page).getByLabel('Function test now')).toBeChecked()
  const sent = page.waitForRequest('**/api/RecordDeviceRepair')
  await submit(page).click()
  const body = (await sent).postDataJSON() as { deviceId: string; parts: { part: string }[] }
  expect(body.deviceId).toBe(light.deviceId)
  expect(body.parts.map(({ part }) => part)).toEqual(['inverter', 'lamp'])
  await expect(toast(page, 'Device marked as repaired and flick test queued')).toBeVisible()
  await expect(forms(page)).toContainText('Inverter, lamp')
  await openForm(page)
  await expect(form(page).getByLabel('Inverter', { exact: true })).not.toBeChecked()
  await page.keyboard.press('Escape')
  await page.goto(`/northgate/EmergencyLights/${light.deviceId}`)
  const progress = page.getByRole('region', { name: 'Flick test' })
  // A confirmed command is not yet a test.
  await expect(progress.getByText(/has reported no test since/)).toBeVisible({ timeout: 30_000 })
  await device.publish('tests', {
    eventId: randomUUID(),
    testType: 'T0',
    start: Date.now(),
    componentStates: {},
    series: [],
  })
  await expect(progress.getByText('Confirmed by the device')).toBeVisible({ timeout: 30_000 })

  // A repair recorded next to the conditions creates a repair form, like any other repair.
  await page.getByRole('button', { name: 'Repair', exact: true }).first().click()
  await form(page).getByLabel('Repaired by').fill('Ada Fitter')
  await form(page).getByLabel('Note').fill('New board')
  await submit(page).click()
  await expect(form(page)).toHaveCount(0)
  await tab(page).click()
  await expect(forms(page)).toHaveCount(2)
  await expect(forms(page).first()).toContainText(/Equipment repaired by Ada Fitter on .*New board/s)

  // A boiler engineer cannot open the page, nor can a user who is restricted to other devices.
  const boilers = await pageOf('boiler@northgate.example')
  await boilers.goto(page.url())
  await expect(boilers.getByRole('main').getByText("You don't have permission.")).toBeVisible()
  const limited = await pageOf('limited@northgate.example')
  const hidden = { tenant: 'northgate', deviceId: demoDevices.untaggedLight.deviceId, lamp: 'true' as const }
  expect((await ask(limited, emeredRepairForm, { form: hidden })).status).toBe(404)
  await device.end()
})
