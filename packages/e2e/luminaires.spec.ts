import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { deleteStandardLuminaire, getStandardLuminaires } from '@caretaker/contract/equipment.ts'
import type { StandardLuminaire } from '@caretaker/contract/equipment.ts'
import { batteryTypes, equipmentLists } from '@caretaker/rules/lighting/equipment.ts'
import { ask } from './fixtures/api.ts'
import { choose, rowOf, toast } from './fixtures/lists.ts'
import { addDevice } from './fixtures/operator.ts'
import { sidebar } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

// Its tests change the same rows of the demo, so they run one after the other.
test.describe.configure({ mode: 'default' })

const [manager, engineer, guest] = ['manager', 'lighting', 'guest'].map((who) => `${who}@northgate.example`)
const tenant = 'northgate'
const address = '/northgate/Settings/luminaire'
const dialog = (page: Page) => page.getByRole('dialog')
const save = (page: Page) => dialog(page).getByRole('button', { name: 'Save' })
const field = (page: Page, name: string) => dialog(page).getByRole(name === 'Name' ? 'textbox' : 'combobox', { name })

/** Adds one by the page, LED and Integral, with a lead acid battery of 12 V and 7 Ah. */
async function add(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add luminaire' }).click()
  await field(page, 'Name').fill(name)
  await choose(page, 'Lamp type', 'LED')
  await choose(page, 'Inverter type', 'Integral')
  await field(page, 'Battery type').fill('lead')
  await page.getByRole('option', { name: 'Lead Acid' }).click()
  await choose(page, 'Battery voltage', '12')
  await choose(page, 'Battery capacity', '7')
  await save(page).click()
  await expect(toast(page, 'Request Successful')).toBeVisible()
  await expect(dialog(page)).toHaveCount(0)
}

test('standard luminaires are listed, added and deleted without a reload by who may manage them, and read by others [dev-2settings-4 dev-2settings-6 dev-2settings-7 dev-2settings-8 dev-2settings-9]', async ({
  pageOf,
}) => {
  const [page, reading] = [await pageOf(manager!), await pageOf(guest!)]
  await page.goto('/northgate/Settings/tags')
  await page.getByRole('link', { name: 'Standard Luminaires' }).click()
  await expect(page).toHaveURL(address)
  await reading.goto(address)
  const heads = ['Name', 'Lamp type', 'Inverter type', 'Battery type', 'Battery voltage (V)', 'Battery capacity (Ah)']
  for (const name of heads) await expect(page.getByRole('columnheader', { name })).toBeVisible()
  const name = `Bought ${randomUUID().slice(0, 8)}`
  await add(page, name)
  // Who only looks sees it come and go, and is offered nothing.
  for (const one of [page, reading])
    for (const text of ['LED', 'Integral', 'Lead Acid', '12', '7'])
      await expect(rowOf(one, name).getByRole('gridcell', { name: text, exact: true })).toBeVisible()
  await expect(reading.getByRole('button', { name: /^(Add|Delete)/ })).toHaveCount(0)
  const { data } = await ask(reading, getStandardLuminaires, { body: { tenant } })
  const { luminaireId } = (data as StandardLuminaire[]).find((one) => one.name === name)!
  expect((await ask(reading, deleteStandardLuminaire, { body: { tenant, luminaireId } })).status).toBe(403)

  // The lights that are counted are what the number leads to; where there are none it leads nowhere.
  await expect(rowOf(page, name).getByRole('link')).toHaveCount(0)
  const used = page
    .getByRole('grid')
    .getByRole('link', { name: /^\d+ lights? with / })
    .first()
  const count = Number(await used.innerText())
  await used.click()
  await expect(page).toHaveURL(/\/northgate\/EmergencyLights.*luminaire/)
  await expect(page.locator('tbody tr[data-row]')).toHaveCount(Math.min(count, 100))
  await page.goBack()

  await page.getByRole('button', { name: `Delete: ${name}` }).click()
  await expect(dialog(page)).toContainText('No light changes')
  await dialog(page).getByRole('button', { name: 'Delete' }).click()
  for (const one of [page, reading]) await expect(rowOf(one, name)).toHaveCount(0)

  // Who sees no lighting has no such tab.
  const boilers = await pageOf('boiler@northgate.example')
  await boilers.goto(address)
  await expect(boilers.getByRole('main').getByText("You don't have permission.")).toBeVisible()
  await sidebar(boilers).getByRole('link', { name: 'Settings' }).click()
  await expect(boilers.getByRole('link', { name: 'Access rights tags' })).toBeVisible()
  await expect(boilers.getByRole('link', { name: 'Standard Luminaires' })).toHaveCount(0)
})

test('the dialog offers what is usual, says what is wrong in its words, and sends nothing until all is right [core-3-15 core-3-16 dev-5val-30 dev-5val-31 dev-5val-32 dev-5val-33 dev-5val-34 dev-5val-35 dev-5val-36 dev-5val-37 dev-5val-38 dev-5val-39 dev-5val-40 dev-5val-41 dev-5val-42 dev-5val-43]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager!)
  await page.goto(address)
  await page.getByRole('button', { name: 'Add luminaire' }).click()
  const lists = equipmentLists()
  for (const [name, offered] of [
    ['Lamp type', lists.lampTypes],
    ['Inverter type', lists.inverterTypes],
    ['Battery type', batteryTypes],
    ['Battery voltage', lists.batteryVoltage],
    ['Battery capacity', lists.batteryCapacity],
  ] as const) {
    await field(page, name).click()
    const texts = offered.map((one) => new RegExp(`^${String(one).replace('.', '\\.')}( ?usual [\\d.]+ V)?$`))
    await expect(page.getByRole('option')).toHaveText(texts)
    await field(page, name).press('Escape')
  }
  const taken = await page.locator('tbody tr[data-row]').first().locator('td[data-named]').innerText()
  for (const [name, wrong, text] of [
    ['Name', '', 'Name is required'],
    ['Name', taken.toUpperCase(), 'Name already being used'],
    ['Lamp type', '', 'Lamp type is required'],
    ['Inverter type', '', 'Inverter type is required'],
    ['Battery type', '', 'Battery type is required'],
    ['Battery type', 'Potato', 'Please select battery type from list'],
    ['Battery voltage', '', 'Battery Voltage is required'],
    ['Battery voltage', 'three', 'Battery Voltage needs to be a number'],
    ['Battery voltage', '2.6', 'Battery Voltage must be greater than 2.6V'],
    ['Battery voltage', '12.1', 'Battery Voltage can not be greater than 12V'],
    ['Battery capacity', '', 'Battery Capacity is required'],
    ['Battery capacity', 'many', 'Battery Capacity needs to be a number'],
    ['Battery capacity', '0', 'Battery Capacity must be greater than 0'],
    ['Battery capacity', '20', 'Battery Capacity must be less than 20Ah'],
  ] as const) {
    await field(page, name).fill('x')
    await field(page, name).fill(wrong)
    await field(page, name).blur()
    await expect(dialog(page).getByText(text, { exact: true })).toBeVisible()
    await expect(save(page)).toBeDisabled()
  }
  await field(page, 'Battery voltage').fill('12')
  await field(page, 'Battery voltage').blur()
  await expect(dialog(page).getByText('Battery Voltage can not be greater than 12V')).toHaveCount(0)
})

test('a standard luminaire fills the six fields of a light, of which the foot tells what changes', async ({
  pageOf,
}) => {
  const light = await addDevice(tenant)
  const [page, settings] = [await pageOf(engineer!), await pageOf(manager!)]
  await settings.goto(address)
  const name = `Bought ${randomUUID().slice(0, 8)}`
  await add(settings, name)
  await page.goto(`/northgate/EmergencyLights/${light.deviceId}`)
  await page.getByRole('button', { name: 'Edit luminaire' }).click()
  const form = page.getByRole('form', { name: 'Luminaire' })
  await choose(page, 'Standard luminaire', name)
  for (const [label, value] of [
    ['Lamp type', 'LED'],
    ['Inverter type', 'Integral'],
    ['Battery type', 'Lead Acid'],
    ['Battery voltage', '12'],
    ['Battery capacity', '7'],
  ] as const)
    await expect(form.getByRole('combobox', { name: label })).toHaveValue(value)
  await expect(form).toContainText('Changes 6 of 6')
  await form.getByRole('button', { name: 'Save' }).click()
  const equipment = page.getByRole('region', { name: 'Emergency equipment', exact: true })
  await expect(equipment).toContainText('Lead Acid, 12 V, 7 Ah')
  await expect(rowOf(settings, name).getByRole('link', { name: `1 light with ${name}` })).toBeVisible()

  // Another capacity by hand is no longer the standard one.
  await page.getByRole('button', { name: 'Edit luminaire' }).click()
  await expect(form.getByRole('combobox', { name: 'Standard luminaire' })).toHaveValue(name)
  await form.getByRole('combobox', { name: 'Battery capacity' }).fill('4')
  await expect(form).toContainText('Changes 1 of 6: battery capacity.')
  await expect(form.getByRole('combobox', { name: 'Standard luminaire' })).toHaveValue('')
  await settings.getByRole('button', { name: `Delete: ${name}` }).click()
  await expect(dialog(settings)).toContainText('the one that has it keeps its equipment.')
  await dialog(settings).getByRole('button', { name: 'Delete' }).click()
  await expect(rowOf(settings, name)).toHaveCount(0)
  await form.getByRole('button', { name: 'Cancel' }).click()
  await expect(equipment).toContainText('Lead Acid, 12 V, 7 Ah')
})
