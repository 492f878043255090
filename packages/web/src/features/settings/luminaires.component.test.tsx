import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { StandardLuminaire } from '@caretaker/contract/equipment.ts'
import {
  addStandardLuminaire,
  deleteStandardLuminaire,
  getBatteryLimits,
  getStandardLuminaires,
} from '@caretaker/contract/equipment.ts'
import { getEquipmentLists } from '@caretaker/contract/products.ts'
import { equipmentLists } from '@caretaker/rules/lighting/equipment.ts'
import { choose } from '../../testing/device-screen.ts'
import { idOf, listingsOf } from '../../testing/examples/devices.ts'
import { expectCount, expectTexts } from '../../testing/expect.ts'
import { dialog, rows, toast } from '../../testing/list-screen.ts'
import { answer } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'
import { main, refused, sidebar } from '../../testing/screen.ts'

const address = '/northgate/Settings/luminaire'
const lists = equipmentLists()
const bulkhead: StandardLuminaire = {
  ...{ luminaireId: idOf(1), id: idOf(1), name: 'Bulkhead', lampType: 'LED', inverterType: 'Integral' },
  ...{ batteryType: 'Lead Acid', batteryVoltage: 12, batteryCapacity: 7, lights: 4 },
}
const unused: StandardLuminaire = { ...bulkhead, luminaireId: idOf(2), id: idOf(2), name: 'Spare', lights: 0 }

/** The tab of luminaires, with create and delete. */
function open(options: Parameters<typeof openPortal>[1] = {}) {
  let all = [bulkhead, unused]
  return openPortal(address, {
    ...options,
    answers: [
      ...listingsOf([]),
      answer(getStandardLuminaires, () => all),
      answer(getEquipmentLists, lists),
      answer(getBatteryLimits, { isWide: false, version: 1 }),
      answer(addStandardLuminaire, ({ body: { tenant: _, ...given } }) => {
        const added = { ...bulkhead, ...given, luminaireId: idOf(3), id: idOf(3), lights: 0 }
        all = [...all, added]
        return added
      }),
      answer(deleteStandardLuminaire, ({ body: { luminaireId } }) => {
        all = all.filter((one) => one.luminaireId !== luminaireId)
        return { luminaireId }
      }),
    ],
  })
}
const row = (name: string) => rows.filter({ hasText: name })
const field = (name: string) => dialog.getByRole(name === 'Name' ? 'textbox' : 'combobox', { name })
const save = dialog.getByRole('button', { name: 'Save' })

test('the tab Standard Luminaires of the settings lists them with their six fields and the lights that have each [dev-2settings-4 dev-2settings-6]', async () => {
  const portal = await open()
  await portal.go('/northgate/Settings/tags')
  await page.getByRole('link', { name: 'Standard Luminaires' }).click()
  await expect.poll(() => portal.address()).toBe(address)
  const heads = ['Name', 'Lamp type', 'Inverter type', 'Battery type', 'Battery voltage (V)', 'Battery capacity (Ah)']
  for (const name of heads) await expect.element(page.getByRole('columnheader', { name })).toBeVisible()
  for (const text of ['LED', 'Integral', 'Lead Acid', '12', '7'])
    await expect.element(row('Bulkhead').getByRole('gridcell', { name: text, exact: true })).toBeVisible()
  // If there are no lights, the number is not a link.
  await expectCount(row('Spare').getByRole('link'), 0)
  await row('Bulkhead').getByRole('link', { name: '4 lights with Bulkhead' }).click()
  await expect.poll(() => portal.address()).toMatch(/\/northgate\/EmergencyLights.*luminaire/)
})

test(
  'a standard luminaire is added and deleted without a reload, and the delete dialog explains that no light changes [dev-2settings-9]',
  { timeout: 60_000 },
  async () => {
    const portal = await open()
    await page.getByRole('button', { name: 'Add luminaire' }).click()
    await field('Name').fill('Bought')
    await choose('Lamp type', 'LED')
    await choose('Inverter type', 'Integral')
    await field('Battery type').fill('lead')
    await page.getByRole('option', { name: 'Lead Acid' }).click()
    await choose('Battery voltage', '12')
    await choose('Battery capacity', '7')
    await save.click()
    await expect.element(toast('Request Successful')).toBeVisible()
    await expectCount(dialog, 0)
    await expect.element(row('Bought')).toBeVisible()
    expect(portal.sentTo(addStandardLuminaire)).toMatchObject([
      { body: { name: 'Bought', batteryType: 'Lead Acid', batteryVoltage: 12, batteryCapacity: 7 } },
    ])
    await page.getByRole('button', { name: 'Delete: Bulkhead' }).click()
    await expect.element(dialog).toMatchTextContent('No lights are changed')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await expectCount(row('Bulkhead'), 0)
    await expectCount(rows, 2)
  },
)

test('managers add and delete standard luminaires, guests read them, and people who see no lighting have no such tab [dev-2settings-7 dev-2settings-8]', async () => {
  await open()
  await expect.element(page.getByRole('button', { name: 'Add luminaire' })).toBeVisible()
  for (const name of ['Bulkhead', 'Spare'])
    await expect.element(row(name).getByRole('button', { name: /^Delete/ })).toBeVisible()
  await open({ role: 'Guest' })
  await expect.element(row('Bulkhead')).toBeVisible()
  await expectCount(page.getByRole('button', { name: /^(Add|Delete)/ }), 0)
  await open({ role: 'BoilerEngineer' })
  await expect.element(refused).toBeVisible()
  await sidebar.getByRole('link', { name: 'Settings' }).click()
  await expect.element(page.getByRole('link', { name: 'Access rights tags' })).toBeVisible()
  await expectCount(main.getByRole('link', { name: 'Standard Luminaires' }), 0)
})

test.each([
  ['Lamp type', lists.lampTypes],
  ['Inverter type', lists.inverterTypes],
  [
    'Battery type',
    ['Alkaline', 'Lead Acid', 'Lithium Ion', 'Lithium Polymer', 'Nickel Cadmium', 'Nickel Metal Hydride', 'Zinc Air'],
  ],
  ['Battery voltage', lists.batteryVoltage],
  ['Battery capacity', lists.batteryCapacity],
] as const)(
  'the field %s of a standard luminaire offers its list of equipment [core-3-15 core-3-16]',
  async (name, offered) => {
    await open()
    await page.getByRole('button', { name: 'Add luminaire' }).click()
    await field(name).click()
    await expectTexts(
      page.getByRole('option'),
      offered.map((one) => new RegExp(`^${String(one).replace('.', '\\.')}( ?usual [\\d.]+ V)?$`)),
    )
  },
)

test(
  'an invalid standard luminaire shows the messages of its rules and cannot be saved [dev-5val-30 dev-5val-31 dev-5val-32 dev-5val-33 dev-5val-34 dev-5val-35 dev-5val-36 dev-5val-37 dev-5val-38 dev-5val-39 dev-5val-40 dev-5val-41 dev-5val-42 dev-5val-43]',
  { timeout: 60_000 },
  async () => {
    const portal = await open()
    await page.getByRole('button', { name: 'Add luminaire' }).click()
    for (const [name, wrong, text] of [
      ['Name', '', 'Name is required'],
      ['Name', 'BULKHEAD', 'Name already being used'],
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
      await field(name).fill('x')
      await field(name).fill(wrong)
      await userEvent.tab()
      await expect.element(dialog.getByText(text, { exact: true })).toBeVisible()
      await expect.element(save).toBeDisabled()
    }
    await field('Battery voltage').fill('12')
    await userEvent.tab()
    await expectCount(dialog.getByText('Battery Voltage can not be greater than 12V'), 0)
    expect(portal.sentTo(addStandardLuminaire)).toEqual([])
  },
)
