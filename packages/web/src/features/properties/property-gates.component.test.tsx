import { expect, test } from 'vitest'
import type { Locator } from 'vitest/browser'
import { page } from 'vitest/browser'
import { getPropertyDamp } from '@caretaker/contract/damp.ts'
import type { PropertyDevice } from '@caretaker/contract/properties.ts'
import { getProperty, putPropertyDetails } from '@caretaker/contract/properties.ts'
import { getClientSettings } from '@caretaker/contract/session.ts'
import type { Feature } from '@caretaker/rules/identity/features.ts'
import { loading, offeredIn, rowMenu } from '../../testing/device-screen.ts'
import { idOf } from '../../testing/examples/devices.ts'
import { aHome, aHomeDevice, homePages } from '../../testing/examples/homes.ts'
import { expectCount, expectTexts } from '../../testing/expect.ts'
import { rows } from '../../testing/list-screen.ts'
import { answer, answerStatus, exampleOf, refuse } from '../../testing/network.ts'
import { clientOf, openPortal, settings } from '../../testing/portal.tsx'
import { main, refused, region, sidebar, tabs } from '../../testing/screen.ts'

const home = aHome()
const addressOf = (tab = 'info') => `/northgate/Properties/${home.propertyId}/${tab}`
const heading = page.getByRole('heading', { level: 1 })
const link = sidebar.getByRole('link', { name: 'Properties' })
const field = (label: string) =>
  page.getByCss('dl > div').filter({ has: page.getByCss('dt').getByText(label, { exact: true }) })

const allTabs = {
  info: 'Info',
  services: 'Services',
  devices: 'Devices',
  telemetry: 'Telemetry',
  thermoScheduler: 'Thermo-Scheduler',
  propertyRecords: 'Property Records',
  propertyAudit: 'Audit',
}
const tabOf = (label: string) => tabs.filter({ hasText: new RegExp(`^${label}`) })
const forTabs: Feature[] = ['PropertyCentric', 'ManagedService', 'PropertyRecords', 'AuditTab']

test('the list of properties is in the sidebar with 25 rows per page; a row leads to its property with reference and icon, and the header leads back to the list [core-2.4-4] [core-2.4-5] [est-2.3-3] [est-2.3-4] [est-2.3-5] [est-2.3-6] [est-5-62]', async () => {
  const portal = await openPortal('/northgate/Dashboard', { features: forTabs, answers: homePages(home) })
  await link.click()
  await expect.poll(() => portal.address()).toBe('/northgate/Properties')
  const size = page.getByRole('combobox', { name: 'Rows per page' })
  await expect.element(size, loading).toHaveValue('25')
  await expectTexts(size.getByRole('option'), ['25', '50', '100'])
  await rows.first().getByRole('gridcell').nth(3).click()
  await expect.poll(() => portal.address()).toBe(addressOf())
  await expect.element(heading, loading).toMatchTextContent(home.propertyReference)
  await expect.element(main.getByCss('header svg').first()).toBeVisible()
  await main.getByRole('link', { name: 'Properties' }).click()
  await expect.poll(() => portal.address()).toBe('/northgate/Properties')
  await portal.go(`/northgate/Properties/${home.propertyId}`)
  await expect.element(heading, loading).toMatchTextContent(home.propertyReference)
})

test.each(Object.entries(allTabs))(
  'the tab %s of a home has an address of its own [core-2.4-6] [est-2.3-8] [est-2.3-9] [est-2.3-11] [est-2.3-13] [est-2.3-14] [est-2.3-15] [est-2.3-17]',
  async (tab, label) => {
    await openPortal(addressOf(tab), { features: forTabs, answers: homePages(home) })
    for (const other of Object.values(allTabs)) await expect.element(tabOf(other), loading).toBeVisible()
    const active = page.getByCss('nav[aria-label="Sections of this page"] [aria-current="page"]')
    await expect.element(active).toMatchTextContent(new RegExp(`^${label}`))
    await expectCount(refused, 0)
  },
)

test.each([
  ['ManagedService', 'services'],
  ['HideDeviceTab', 'devices'],
  ['PropertyRecords', 'propertyRecords'],
  ['AuditTab', 'propertyAudit'],
] as const)(
  'the feature %s switches the tab %s of a home, and no other [core-2.4-9] [est-2.3-10] [est-2.3-12] [est-2.3-16] [est-2.3-18]',
  async (feature, tab) => {
    const features = feature.startsWith('Hide') ? [...forTabs, feature] : forTabs.filter((one) => one !== feature)
    await openPortal(addressOf(tab), { features, answers: homePages(home) })
    await expect.element(refused, loading).toBeVisible()
    for (const [other, label] of Object.entries(allTabs)) await expectCount(tabOf(label), other === tab ? 0 : 1)
  },
)

test('a property that fails to load shows no tabs, and can be loaded again [est-2.3-7]', async () => {
  const portal = await openPortal(addressOf(), {
    features: forTabs,
    answers: [...homePages(home), answerStatus(getProperty, 500)],
  })
  await expect.element(page.getByText('Failed to retrieve property data'), loading).toBeVisible()
  await expectCount(tabs, 0)
  await expectCount(page.getByText('Property Details'), 0)
  portal.use(answer(getProperty, home))
  await main.getByRole('button', { name: 'Retry' }).click()
  await expect.element(tabOf('Info')).toBeVisible()
})

test.each([
  ['the feature PropertyCentric', { features: [] }],
  ['the capability ViewProperties', { features: forTabs, capabilities: { viewProperties: false } }],
])(
  'without %s there are no homes, in the sidebar or by their address [core-1-8] [core-2.4-7] [core-2.4-8] [est-2.3-1] [est-2.3-2]',
  async (_, options) => {
    const session = { tenants: ['northgate', 'harbour'].map((tenant) => clientOf(tenant)) }
    const portal = await openPortal('/northgate/Properties', { ...options, session, answers: homePages(home) })
    for (const address of ['/northgate/Properties', addressOf()]) {
      await portal.go(address)
      await expect.element(refused, loading).toBeVisible()
      await expectCount(tabs, 0)
    }
    await expectCount(link, 0)
    // The same user in a client that has both.
    const other = await openPortal('/harbour/Properties', { features: forTabs, session, answers: homePages(home) })
    await expect.element(link, loading).toBeVisible()
    await expect.poll(() => other.address()).toBe('/harbour/Properties')
    await expectCount(refused, 0)
  },
)

const context = [
  'Property Architype',
  'Number of floors in property',
  'Apartment level in Tower Block',
  'Number of rooms',
  'Orientation of property',
  'Number of Inhabitants',
]
const surveys = region('Surveys')
const law = page.getByRole('combobox', { name: "Awaab's Law Status" })
/** The content that each feature of the Info tab shows or hides. */
const parts: Partial<Record<Feature, Locator[]>> = {
  Surveys: [surveys],
  PropertyContext: context.map(field),
  VoidFlag: [page.getByRole('switch', { name: 'Void Property Flag' })],
  AwaabsLaw: [law],
  HideCustomerPersonalData: [field('Address')],
}
const forInfo: Feature[] = ['PropertyCentric', 'Surveys', 'PropertyContext', 'VoidFlag', 'AwaabsLaw']
async function openInfo(features: Feature[], more: Parameters<typeof openPortal>[1] = {}) {
  const portal = await openPortal(addressOf(), {
    ...{ role: 'LightingEngineer', features },
    ...more,
    answers: [...homePages(home), ...(more.answers ?? [])],
  })
  await expect.element(field('Property REF'), loading).toBeVisible()
  return portal
}

test.each(Object.keys(parts) as Feature[])(
  'the feature %s of the Info tab switches its own fields and no others [est-2.3-24] [est-2.3-26] [est-2.3-30] [est-2.3-33] [est-2.3-40] [est-2.3-41] [est-2.3-42] [est-2.3-43] [est-6-7]',
  async (feature) => {
    await openInfo(forInfo)
    for (const some of Object.values(parts)) for (const one of some) await expect.element(one).toBeVisible()
    await openInfo(forInfo.includes(feature) ? forInfo.filter((one) => one !== feature) : [...forInfo, feature])
    for (const [other, some] of Object.entries(parts))
      for (const one of some)
        if (other === feature) await expectCount(one, 0)
        else await expect.element(one).toBeVisible()
  },
)

test("the Info tab has three links to surveys and the six statuses of Awaab's Law [est-2.3-25] [est-3-40]", async () => {
  await openInfo(forInfo)
  for (const label of ['Property Survey', 'HHSRS', 'Survey 3'])
    await expect
      .element(surveys.getByRole('link', { name: label }).or(surveys.getByRole('button', { name: label })))
      .toBeVisible()
  await law.click()
  await expectTexts(page.getByRole('option'), [...['None', 'Investigation', 'Summary', 'Repairs', 'Audit', 'Feedback']])
})

test('a guest reads every field of the Info tab and has no control to edit one', async () => {
  await openInfo(forInfo, { role: 'Guest' })
  for (const label of ['Property REF', 'Postcode', 'EPC rating', 'Void Property Flag', ...context])
    await expect.element(field(label)).toBeVisible()
  await expectCount(page.getByRole('button', { name: /^Edit / }), 0)
  await expectCount(page.getByRole('switch'), 0)
  await field('Property REF').click()
  await expectCount(field('Property REF').getByRole('textbox'), 0)
})

test('a lighting engineer has every edit button of the Info tab, and a refused change keeps the old value [est-2.3-52]', async () => {
  const portal = await openInfo(forInfo, { answers: [refuse(putPropertyDetails, 'forbidden')] })
  for (const label of ['Property REF', 'Postcode', 'EPC rating', 'Gas Safety Test', 'Chemical Test', ...context])
    await expect.element(page.getByRole('button', { name: `Edit ${label}`, exact: true })).toBeEnabled()
  const reference = field('Property REF')
  await page.getByRole('button', { name: 'Edit Property REF' }).click()
  await reference.getByRole('textbox').fill('Mine')
  await reference.getByRole('button', { name: 'Save' }).click()
  await expect.element(reference).toMatchTextContent("You don't have permission")
  expect(portal.sentTo(putPropertyDetails)).toMatchObject([{ body: { propertyReference: 'Mine' } }])
  await reference.getByRole('button', { name: 'Cancel' }).click()
  await expect.element(reference).toMatchTextContent(home.propertyReference)
})

const fault = { code: 'EA', description: 'Flame not detected', source: 'boiler', isResettable: true } as const
const dot = aHomeDevice({ product: 'MD', deviceType: 'Multi-dot', serialNumber: 'MD000051' })
const boiler = aHomeDevice({ status: 'FailedEquipment', deviceStatus: 'FailedEquipment', fault })
const autofill = aHomeDevice({
  ...{ product: 'AF', deviceType: 'Autofill', serialNumber: 'AF000051', parentProductId: 'BX', parentId: idOf(52) },
  ...{ status: 'FailedDevice', deviceStatus: 'FailedDevice', fault: { ...fault, source: 'autofill' } },
})
const connected = { parentId: idOf(52), parentProductId: 'BX', bcmId: idOf(52) } as const

/** Actions of the mobile app are offered if there is one. */
const withApp = answer(getClientSettings, { ...settings, appUrl: 'https://app.caretaker.example' })

/** The actions in the menu of a property's device. */
async function offeredFor(device: PropertyDevice, features: Feature[] = []): Promise<string[]> {
  await openPortal(addressOf('devices'), {
    features: ['PropertyCentric', ...features],
    answers: [...homePages(home, [device]), withApp],
  })
  await expect.element(rows.first(), loading).toBeVisible()
  return offeredIn(rowMenu())
}

interface Offer {
  action: string
  ids: string
  to: [PropertyDevice, Feature[]?][]
  not: [PropertyDevice, Feature[]?][]
}

test.each<Offer>([
  {
    action: 'Complete Install',
    ids: '[est-2.3-69]',
    to: [[{ ...dot, ...connected, status: 'Allocated', deviceStatus: 'Allocated' }]],
    not: [[aHomeDevice()], [{ ...dot, ...connected }]],
  },
  {
    action: 'Reset boiler',
    ids: '[est-2.3-71]',
    to: [[boiler]],
    not: [[aHomeDevice()], [{ ...boiler, fault: { ...fault, isResettable: false } }]],
  },
  {
    action: 'Reset autofill',
    ids: '[est-2.3-70]',
    to: [[autofill], [{ ...autofill, status: 'FailedEquipment', deviceStatus: 'FailedEquipment' }]],
    not: [[{ ...autofill, status: 'Ok', deviceStatus: 'Ok' }], [{ ...autofill, parentProductId: 'ZH' }]],
  },
  {
    action: 'Uninstall',
    ids: '[est-2.3-72] [est-2.3-73] [est-2.3-74]',
    to: [[aHomeDevice()], [{ ...dot, isThermostatWithHomeHub: true }, ['BcmAndGatewayDualInstall']]],
    not: [[aHomeDevice({ canUninstall: false })], [{ ...dot, isThermostatWithHomeHub: true }]],
  },
])('the devices of a home are offered $action by their state $ids', async ({ action, to, not }) => {
  for (const [device, features] of to) expect(await offeredFor(device, features)).toContain(action)
  for (const [device, features] of not) expect(await offeredFor(device, features)).not.toContain(action)
})

test('the Info tab shows the damp and mould risk of each room, as an estimate', async () => {
  const room = {
    ...exampleOf(getPropertyDamp).rooms[0]!,
    coldReason: 'Cold surfaces were at 80 % humidity or more on 3 of the last 7 days.',
  }
  await openInfo(forInfo, { answers: [answer(getPropertyDamp, { ...exampleOf(getPropertyDamp), rooms: [room] })] })
  const card = region('Damp and mould risk')
  await expect.element(card).toMatchTextContent('An estimate from temperature, humidity and the weather')
  await expect
    .element(card.getByRole('list', { name: 'Damp and mould risk of each room' }))
    .toMatchTextContent(/Cold surfaces were at 80 % humidity or more on \d of the last 7 days\./)
})

test('the column of actions in the devices of a property has a readable header [est-2.3-60]', async () => {
  const widthOf = (head: Locator) => {
    const text = document.createRange()
    text.selectNodeContents(head.element())
    const { width } = text.getBoundingClientRect()
    return width <= (head.element() as HTMLElement).clientWidth ? width : 0
  }
  await openPortal(addressOf('devices'), { features: forTabs, answers: homePages(home) })
  const actions = page.getByRole('columnheader', { name: 'Actions', exact: true })
  await expect.element(actions, loading).toHaveTextContent('Actions')
  await expect.poll(() => widthOf(actions)).toBeGreaterThan(30)
  expect(actions.element().querySelector('.visually-hidden')).toBe(null)
})
