import type { Page } from '@playwright/test'
import type { ViewData } from '@caretaker/contract/devices.ts'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import type { PropertyDevice } from '@caretaker/contract/properties.ts'
import { demoDevices, demoHomes, demoPropertyId } from '@caretaker/demo/fixtures.ts'
import { ask } from './fixtures/api.ts'
import { bend, rows, sidebar, turnFeatures } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

// Its tests change the same rows of the demo, so they run one after the other.
test.describe.configure({ mode: 'default' })

const manager = 'manager@northgate.example'
const guest = 'guest@northgate.example'
const addressOf = (reference: string, tab = 'info') => `/northgate/Properties/${demoPropertyId(reference)}/${tab}`
const tabs = (page: Page) => page.getByRole('navigation', { name: 'Sections of this page' }).getByRole('link')
const field = (page: Page, label: string) =>
  page.locator('dl > div').filter({ has: page.locator('dt').getByText(label, { exact: true }) })
const heading = (page: Page) => page.getByRole('heading', { level: 1 })
const refused = (page: Page) => page.getByRole('main').getByText("You don't have permission.")
const law = (page: Page) => page.getByRole('combobox', { name: "Awaab's Law Status" })
const flag = (page: Page) => page.getByRole('switch', { name: 'Void Property Flag' })

test('homes are there where the client has them: in the sidebar, as a list, as a page with its tabs, each at an address of its own [core-1-8] [core-2.4-4] [core-2.4-5] [core-2.4-6] [core-2.4-7] [core-2.4-8] [core-2.4-9] [est-2.3-1] [est-2.3-2] [est-2.3-3] [est-2.3-4] [est-2.3-5] [est-2.3-6] [est-2.3-7] [est-2.3-8] [est-2.3-9] [est-2.3-10] [est-2.3-11] [est-2.3-12] [est-2.3-13] [est-2.3-14] [est-2.3-15] [est-2.3-16] [est-2.3-17] [est-2.3-18] [est-5-62]', async ({
  pageOf,
  expectedErrors,
}) => {
  test.slow()
  expectedErrors.push(consoleText(500))
  const page = await pageOf(manager)
  await turnFeatures(page, { ManagedService: true, PropertyRecords: true, AuditTab: true, HideDeviceTab: false })
  await page.goto('/northgate/Dashboard')
  await sidebar(page).getByRole('link', { name: 'Properties' }).click()
  await expect(page).toHaveURL('/northgate/Properties')
  const size = page.getByRole('combobox', { name: 'Rows per page' })
  await expect(size).toHaveValue('25')
  await expect(size.getByRole('option')).toHaveText(['25', '50', '100'])
  const first = rows(page).first()
  const reference = (await first.getByRole('gridcell').nth(1).textContent())!.trim()
  await first.getByRole('gridcell').nth(3).click()
  await expect(page).toHaveURL(/\/northgate\/Properties\/[0-9a-f-]{36}\/info$/)
  await expect(heading(page)).toContainText(reference)
  await expect(page.getByRole('main').locator('header svg').first()).toBeVisible()
  await page.getByRole('main').getByRole('link', { name: 'Properties' }).click()
  await expect(page).toHaveURL('/northgate/Properties')

  const all = {
    info: 'Info',
    services: 'Services',
    devices: 'Devices',
    telemetry: 'Telemetry',
    thermoScheduler: 'Thermo-Scheduler',
    propertyRecords: 'Property Records',
    propertyAudit: 'Audit',
  }
  const tabOf = (label: string) => tabs(page).filter({ hasText: new RegExp(`^${label}`) })
  for (const [tab, label] of Object.entries(all)) {
    await page.goto(addressOf(demoHomes.lively, tab))
    for (const other of Object.values(all)) await expect(tabOf(other)).toBeVisible()
    await expect(page.locator('nav [aria-current="page"]', { hasText: new RegExp(`^${label}`) })).toBeVisible()
    await expect(refused(page)).toHaveCount(0)
  }
  await page.goto(`/northgate/Properties/${demoPropertyId(demoHomes.lively)}`)
  await expect(heading(page)).toContainText(demoHomes.lively)
  for (const [name, isEnabled, tab] of [
    ['ManagedService', false, 'services'],
    ['HideDeviceTab', true, 'devices'],
    ['PropertyRecords', false, 'propertyRecords'],
    ['AuditTab', false, 'propertyAudit'],
  ] as const) {
    await page.unrouteAll({ behavior: 'wait' })
    await turnFeatures(page, {
      ...{ ManagedService: true, PropertyRecords: true, AuditTab: true, HideDeviceTab: false },
      [name]: isEnabled,
    })
    await page.goto(addressOf(demoHomes.lively, tab))
    await expect(refused(page)).toBeVisible()
    for (const [other, label] of Object.entries(all)) await expect(tabOf(label)).toHaveCount(other === tab ? 0 : 1)
  }

  // What does not load has no tabs.
  await page.unrouteAll({ behavior: 'wait' })
  await page.route(`**/properties/${demoPropertyId(demoHomes.lively)}`, (route) =>
    route.fulfill({ status: 500, json: {} }),
  )
  await page.goto(addressOf(demoHomes.lively))
  await expect(page.getByText('Failed to retrieve property data')).toBeVisible()
  await expect(tabs(page)).toHaveCount(0)
  await expect(page.getByText('Property Details')).toHaveCount(0)

  // Without the feature, and without the capability.
  for (const close of [
    () => turnFeatures(page, { PropertyCentric: false }),
    () =>
      bend(page, '**/capabilities', ({ properties }: { properties: { ViewProperties: boolean } }) => {
        properties.ViewProperties = false
      }),
  ]) {
    await page.unrouteAll({ behavior: 'wait' })
    await close()
    for (const address of ['/northgate/Properties', addressOf(demoHomes.lively)]) {
      await page.goto(address)
      await expect(refused(page)).toBeVisible()
      await expect(tabs(page)).toHaveCount(0)
    }
    await expect(sidebar(page).getByRole('link', { name: 'Properties' })).toHaveCount(0)
  }
})

test('each feature of the Info tab shows its own fields and no others; who may only read has every pencil, and the server refuses [est-2.3-24] [est-2.3-25] [est-2.3-26] [est-2.3-30] [est-2.3-33] [est-2.3-40] [est-2.3-41] [est-2.3-42] [est-2.3-43] [est-2.3-52] [est-3-40] [est-6-7]', async ({
  pageOf,
  expectedErrors,
}) => {
  test.slow()
  expectedErrors.push(consoleText(403))
  const page = await pageOf(guest)
  const on = { Surveys: true, PropertyContext: true, VoidFlag: true, AwaabsLaw: true, HideCustomerPersonalData: false }
  const context = [
    'Property Architype',
    'Number of floors in property',
    'Apartment level in Tower Block',
    'Number of rooms',
    'Orientation of property',
    'Number of Inhabitants',
  ]
  const surveys = page.getByRole('region', { name: 'Surveys' })
  const parts = {
    Surveys: [surveys],
    PropertyContext: context.map((label) => field(page, label)),
    VoidFlag: [flag(page)],
    AwaabsLaw: [law(page)],
    HideCustomerPersonalData: [field(page, 'Address')],
  }
  const show = async (features: Record<string, boolean>) => {
    await page.unrouteAll({ behavior: 'wait' })
    await turnFeatures(page, features)
    await page.goto(addressOf(demoHomes.damp))
    await expect(field(page, 'Property REF')).toBeVisible()
  }
  await show(on)
  for (const some of Object.values(parts)) for (const one of some) await expect(one).toBeVisible()
  const damp = page.getByRole('region', { name: 'Damp and mould risk' })
  await expect(damp).toContainText('An estimate from temperature, humidity and the weather')
  await expect(damp.getByRole('list', { name: 'Damp and mould risk of each room' })).toContainText(
    /Cold surfaces were at 80 % humidity or more on \d of the last 7 days\./,
  )
  for (const label of ['Property Survey', 'HHSRS', 'Survey 3'])
    await expect(
      surveys.getByRole('link', { name: label }).or(surveys.getByRole('button', { name: label })),
    ).toBeVisible()
  await law(page)
    .or(page.getByRole('textbox', { name: "Awaab's Law Status" }))
    .first()
    .click()
  await expect(page.getByRole('option')).toHaveText([
    'None',
    'Investigation',
    'Summary',
    'Repairs',
    'Audit',
    'Feedback',
  ])
  await page.keyboard.press('Escape')
  for (const label of ['Property REF', 'Postcode', 'EPC rating', 'Gas Safety Test', 'Chemical Test', ...context])
    await expect(page.getByRole('button', { name: `Edit ${label}`, exact: true })).toBeEnabled()
  await page.getByRole('button', { name: 'Edit Property REF' }).click()
  await field(page, 'Property REF').getByRole('textbox').fill('Mine')
  await field(page, 'Property REF').getByRole('button', { name: 'Save' }).click()
  await expect(field(page, 'Property REF')).toContainText("You don't have permission")
  await field(page, 'Property REF').getByRole('button', { name: 'Cancel' }).click()
  await expect(field(page, 'Property REF')).toContainText(demoHomes.damp)

  for (const name of Object.keys(parts) as (keyof typeof parts)[]) {
    await show({ ...on, [name]: !on[name] })
    for (const [other, some] of Object.entries(parts))
      for (const one of some)
        if (other === name) await expect(one).toHaveCount(0)
        else await expect(one).toBeVisible()
  }
})

test('what a device of a home is offered follows from its state; its access rights tag is edited in its row and kept [est-2.3-61] [est-2.3-69] [est-2.3-70] [est-2.3-71] [est-2.3-72] [est-2.3-73] [est-2.3-74]', async ({
  pageOf,
}) => {
  test.slow()
  const page = await pageOf(manager)
  const menuOf = (serial: string) =>
    rows(page)
      .filter({ hasText: serial })
      .getByRole('button', { name: /^Actions: / })
  const offered = async (serial: string): Promise<string[]> => {
    await menuOf(serial).click()
    await expect(page.getByRole('menuitem').first()).toBeVisible()
    const all = await page.getByRole('menuitem').allTextContents()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('menu')).toHaveCount(0)
    return all
  }
  const show = async (home: string, change?: (device: PropertyDevice) => void) => {
    await page.unrouteAll({ behavior: 'wait' })
    if (change)
      await bend(page, '**/properties/*/devices', ({ results }: { results: PropertyDevice[] }) =>
        results.forEach(change),
      )
    await page.goto(addressOf(home, 'devices'))
    await expect(rows(page).first()).toBeVisible()
  }
  const { allocatedDot, livelyBoiler, boilerLockout, failedAutofill, thermostatDot } = demoDevices
  await show(demoHomes.lively)
  expect(await offered(allocatedDot.serial)).toContain('Complete Install')
  expect(await offered(livelyBoiler.serial)).not.toContain('Complete Install')
  expect(await offered(livelyBoiler.serial)).not.toContain('Reset boiler')
  expect(await offered(livelyBoiler.serial)).toContain('Uninstall')
  await show(demoHomes.lively, (device) => (device.canUninstall = false))
  expect(await offered(allocatedDot.serial)).not.toContain('Uninstall')

  await show(demoHomes.boilerLockout)
  expect(await offered(boilerLockout.serial)).toContain('Reset boiler')
  await show(demoHomes.boilerLockout, (device) => {
    if (device.fault) device.fault.isResettable = false
  })
  expect(await offered(boilerLockout.serial)).not.toContain('Reset boiler')

  await show(demoHomes.failedAutofill)
  expect(await offered(failedAutofill.serial)).toContain('Reset autofill')
  for (const change of [{ status: 'Ok' }, { parentProductId: 'ZH' }] as Partial<PropertyDevice>[]) {
    await show(demoHomes.failedAutofill, (device) => Object.assign(device, change))
    expect(await offered(failedAutofill.serial)).not.toContain('Reset autofill')
  }

  const found = await ask(page, fetchViewData, {
    body: { tenant: 'northgate', listing: 'MultiDots', search: thermostatDot.serial },
  })
  const [dot] = (found.data as ViewData).rows
  for (const isEnabled of [false, true]) {
    await page.unrouteAll({ behavior: 'wait' })
    await turnFeatures(page, { BcmAndGatewayDualInstall: isEnabled })
    await page.goto(`/northgate/Properties/${dot!.devicePropertyId}/devices`)
    expect((await offered(thermostatDot.serial)).includes('Uninstall')).toBe(isEnabled)
  }

  await show(demoHomes.dropsOut)
  const { serial } = demoDevices.dropsOut
  const row = rows(page).filter({ hasText: serial })
  const before = (await row.getByRole('gridcell').nth(2).textContent())!.trim()
  const wanted = before === 'East Patch' ? 'Not set' : 'East Patch'
  await page.getByRole('button', { name: `Edit access rights tag of ${serial}` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').or(dialog.getByRole('combobox')).first().click()
  await page.getByRole('option', { name: wanted === 'Not set' ? 'No restrictions' : wanted }).click()
  await dialog.getByRole('button', { name: /Save|Update/ }).click()
  await expect(dialog).toHaveCount(0)
  await page.reload()
  await expect(row.getByRole('gridcell').nth(2)).toContainText(wanted)
})
