import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { choose, rowOf, toast } from './fixtures/lists.ts'
import { expect, test } from './fixtures/test.ts'

const dialog = (page: Page) => page.getByRole('dialog')
const save = (page: Page) => dialog(page).getByRole('button', { name: 'Save' })
const field = (page: Page, name: string) => dialog(page).getByRole(name === 'Name' ? 'textbox' : 'combobox', { name })

/** Adds a luminaire on the page: LED and Integral, with a lead acid battery of 12 V and 7 Ah. */
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

test('a standard luminaire fills the six fields of a light, and the footer shows the changes', async ({
  newClient,
}) => {
  const client = await newClient()
  const light = await client.light()
  const [page, settings] = [await client.pageOf('LightingEngineer'), await client.pageOf('Manager')]
  await settings.goto(client.at('Settings/luminaire'))
  const name = `Bought ${randomUUID().slice(0, 8)}`
  await add(settings, name)
  await page.goto(client.at(`EmergencyLights/${light.deviceId}`))
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

  // A changed capacity no longer matches the standard luminaire.
  await page.getByRole('button', { name: 'Edit luminaire' }).click()
  await expect(form.getByRole('combobox', { name: 'Standard luminaire' })).toHaveValue(name)
  await form.getByRole('combobox', { name: 'Battery capacity' }).fill('4')
  await expect(form).toContainText('Changes 1 of 6: battery capacity.')
  await expect(form.getByRole('combobox', { name: 'Standard luminaire' })).toHaveValue('')
  await settings.getByRole('button', { name: `Delete: ${name}` }).click()
  await expect(dialog(settings)).toContainText('the light that uses it keeps its equipment.')
  await dialog(settings).getByRole('button', { name: 'Delete' }).click()
  await expect(rowOf(settings, name)).toHaveCount(0)
  await form.getByRole('button', { name: 'Cancel' }).click()
  await expect(equipment).toContainText('Lead Acid, 12 V, 7 Ah')
})
