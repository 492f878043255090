import { expect, test } from 'vitest'
import type { Locator } from 'vitest/browser'
import { page } from 'vitest/browser'
import type { DashboardData, WorkCase, Worklist } from '@caretaker/contract/dashboard.ts'
import { getLicenceSummary, getTenantDashboardData, getWorklist } from '@caretaker/contract/dashboard.ts'
import { fetchViewData, getEmered } from '@caretaker/contract/devices.ts'
import { percentages } from '@caretaker/rules/dashboard/percentages.ts'
import type { DeviceCaseName, WorkCaseName } from '@caretaker/rules/dashboard/worklist.ts'
import { deviceCases, deviceView, workCases } from '@caretaker/rules/dashboard/worklist.ts'
import type { HomeCaseName } from '@caretaker/rules/properties/attention.ts'
import { homeCaseView } from '@caretaker/rules/properties/attention.ts'
import { listings, presets } from '@caretaker/rules/devices/list.ts'
import type { Monitoring } from '@caretaker/rules/devices/monitoring.ts'
import type { DeviceSummary } from '@caretaker/rules/devices/status.ts'
import { roles } from '@caretaker/rules/identity/roles.ts'
import type { List } from '@caretaker/rules/lists/list.ts'
import { builtInViews, presetViewId } from '@caretaker/rules/views/view.ts'
import { expectConsoleError } from '../../testing/console.ts'
import { aLight, aRow, idOf, listingsOf } from '../../testing/examples/devices.ts'
import { expectCount, expectTexts } from '../../testing/expect.ts'
import { loading } from '../../testing/device-screen.ts'
import { answer, answerStatus, exampleOf, hold } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'

const widget = (title: string): Locator => page.getByRole('region', { name: title, exact: true })
const figure = (count: number) => count.toLocaleString('en-GB')

/** The counts of each family widget. */
const widgets: Record<string, (data: DashboardData) => DeviceSummary> = {
  'Emergency lights': (data) => data.listings.EmergencyLights,
  'Heating devices': (data) => data.listings.Boilers,
  'Air source heat pumps': (data) => data.monitoring.HeatPump,
  'Heat interface units': (data) => data.heatInterfaceUnit,
  Autofills: (data) => data.autofill,
  Gateways: (data) => data.listings.NetworkingDevices,
  'Multi-dots': (data) => data.listings.MultiDots,
  'Enviro-dots': (data) => data.enviroDot,
  'Power meters': (data) => data.powerMeter,
  'V-Stats': (data) => data.listings.VStats,
  'API Integration': (data) => data.listings.ThirdParty,
}
const titles = Object.keys(widgets)

const none: DeviceSummary = { total: 0, pass: 0, warn: 0, fail: 0, inventory: 0, installed: 0 }
/** Six distinct counts, different for each number. */
const countsOf = (number: number): DeviceSummary => {
  const [pass, warn, fail, inventory] = [1000 + number, 500 + number, 300 + number, 100 + number]
  return { pass, warn, fail, inventory, installed: pass + warn + fail, total: pass + warn + fail + inventory }
}

/** A dashboard in which every count is unique. */
function counted(of: (number: number) => DeviceSummary = countsOf): DashboardData {
  let number = 0
  const example = exampleOf(getTenantDashboardData)
  const each = (value: unknown): unknown => {
    if (typeof value !== 'object') return value
    const inner = value as Record<string, unknown>
    if ('pass' in inner) return of((number += 10))
    return Object.fromEntries(Object.entries(inner).map(([name, one]) => [name, each(one)]))
  }
  const { homeHubs, lights, ...families } = example
  return { ...(each(families) as DashboardData), homeHubs, lights }
}
const dashboardOf = (data: DashboardData) => answer(getTenantDashboardData, data)
const data = counted()

/** A case of the worklist with a number of rows and the worst ones. */
function aCase(name: WorkCaseName, count: number, worst: WorkCase['worst'] = []): WorkCase {
  const ofDevices = (deviceCases as readonly string[]).includes(name)
  const view = ofDevices
    ? { viewId: null, columns: null, ...deviceView(name as DeviceCaseName, '2026-11-02') }
    : { viewId: null, listing: 'Properties', ...homeCaseView(name as HomeCaseName, '2026-11-02') }
  return { ...view, case: name, count, late: name === 'legal deadlines' ? 0 : null, worst } as WorkCase
}
const worklistOf = (cases: WorkCase[], needing: Partial<Worklist['needing']> = {}) =>
  answer(getWorklist, { cases, needing: { homes: 0, lights: 0, gateways: 0, boilers: 0, ...needing } })
const aDevice = (more: object = {}) =>
  ({
    ...{
      kind: 'device',
      deviceId: idOf(1),
      product: 'EL',
      name: 'Stair light',
      building: 'Mill Court',
      room: 'Stair B',
    },
    ...{ address: null, propertyReference: null, faultCode: null, reason: 'Lamp', since: daysAgo(27) },
    ...more,
  }) as WorkCase['worst'][number]
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
const aHome = (more: object = {}) =>
  ({
    ...{ kind: 'home', propertyId: idOf(2), propertyReference: 'NG-000498', address: '50 Kirk Close, Halifax' },
    ...{ check: null, day: null, heating: null, damp: null, deadline: null, since: null, people: null },
    ...more,
  }) as WorkCase['worst'][number]

async function open(options: Parameters<typeof openPortal>[1] = {}, tenant = 'northgate') {
  const portal = await openPortal(`/${tenant}/Dashboard`, {
    ...options,
    answers: [dashboardOf(data), ...(options.answers ?? [])],
  })
  await expect.element(page.getByRole('heading', { name: 'Needs attention' })).toBeVisible()
  await expect.element(widget('Gateways').getByRole('heading')).toBeVisible()
  await expect.element(widget('Gateways').getByRole('status')).not.toBeInTheDocument()
  return portal
}

/** A figure of a widget as a link. */
const link = (card: Locator, name: 'Installed' | 'Inventory' | 'Failed' | 'Warning') =>
  card.getByRole('link', { name: new RegExp(`^${name}`) })

test('the dashboard has a widget for each device family [dev-2dash-1 core-2.4-2]', async () => {
  await open({ features: ['HomeHub', 'ManagedService'] })
  for (const title of [...titles, 'Boilers by heating type', 'Home hubs', 'Managed services'])
    await expectCount(widget(title), 1)
})

test.each(roles)('a person with the role %s opens the dashboard of the client [dev-1purpose-1]', async (role) => {
  await open({ role })
  await expect.element(widget('Gateways').getByCss('footer')).toBeVisible()
})

test('every widget shows the counts of its device family [dev-2dash-2]', async () => {
  await open()
  for (const [title, of] of Object.entries(widgets)) {
    const { total, pass, warn, fail, installed, inventory } = of(data)
    const card = widget(title)
    await expect.element(card.getByCss('header')).toMatchTextContent(figure(total))
    await expectTexts(card.getByRole('listitem').filter({ hasText: /^(Passed|Warning|Failed)/ }), [
      new RegExp(`^Passed ${figure(pass)}`),
      new RegExp(`^Warning ${figure(warn)}`),
      new RegExp(`^Failed ${figure(fail)}`),
    ])
    await expectTexts(card.getByCss('footer b'), [figure(installed), figure(inventory)])
  }
})

test.each([
  { area: 'EmergencyLights', title: 'Emergency lights', ids: ' dev-2dash-17' },
  { area: 'Boilers', title: 'Heating devices', ids: ' dev-2dash-18' },
  { area: 'ThirdParty', title: 'API Integration', ids: ' dev-2dash-19' },
  { area: 'NetworkingDevices', title: 'Gateways', ids: '' },
] as const)(
  'the figures of $title open the preset views [dev-2dash-10 dev-2dash-11 dev-2dash-12 dev-2dash-13$ids]',
  async ({ area, title }) => {
    const portal = await open({ answers: listingsOf([]) })
    const list: List = listings[area]
    for (const [name, preset] of [
      ['Installed', 'installed'],
      ['Inventory', 'inventory'],
      ['Failed', 'failed'],
      ['Warning', 'warning'],
    ] as const) {
      const view = builtInViews(list).find(({ viewId }) => viewId === presetViewId(list, preset))!
      await portal.go('/northgate/Dashboard')
      await link(widget(title), name).click()
      await expect.poll(() => portal.address()).toBe(`/northgate/${area}/Listing/${view.viewId}`)
      const sent = () => portal.sentTo(fetchViewData).at(-1)?.body
      await expect.poll(sent, loading).toMatchObject({ listing: area, filters: view.filters })
    }
    await portal.go('/northgate/Dashboard')
    await widget(title).getByRole('link', { name: title, exact: true }).click()
    await expect
      .poll(() => portal.address())
      .toMatch(new RegExp(`^/northgate/${area}(/Listing/${presetViewId(list, presets[0])})?$`))
  },
)

test('a figure of zero is not a link', async () => {
  const without = { ...data.listings.Boilers, warn: 0, fail: 0, inventory: 3, installed: 0, total: 3 }
  await open({ answers: [dashboardOf({ ...data, listings: { ...data.listings, Boilers: without } })] })
  await expect
    .element(widget('Heating devices').getByRole('link', { name: 'Heating devices', exact: true }))
    .toBeVisible()
  await expect.element(link(widget('Heating devices'), 'Inventory')).toBeVisible()
  for (const name of ['Installed', 'Failed', 'Warning'] as const)
    await expectCount(link(widget('Heating devices'), name), 0)
})

test('heat pumps lead to the Bcms page with the filter for heat pumps [dev-2dash-21]', async () => {
  const portal = await open({ answers: listingsOf([]) })
  await widget('Air source heat pumps').getByRole('link', { name: 'Air source heat pumps' }).click()
  const filterAt = () => JSON.parse(new URL(portal.address(), location.origin).searchParams.get('filter')!) as unknown
  await expect.poll(() => portal.address()).toContain('/northgate/Bcms?')
  expect(filterAt()).toEqual({ type: 'ASHP' })
  await portal.go('/northgate/Dashboard')
  await link(widget('Air source heat pumps'), 'Installed').click()
  await expect.poll(() => portal.address()).toContain('/northgate/Bcms?')
  expect(filterAt()).toMatchObject({ type: 'ASHP', options: { statuses: expect.arrayContaining(['Ok', 'Installed']) } })
})

test('hubs, V-Stats and multi-dots lead to their grids, the other sensors to their rows among the boilers [dev-2dash-3 dev-2dash-22 dev-2dash-23 dev-2dash-24]', async () => {
  const portal = await open({ features: ['HomeHub'], answers: listingsOf([]) })
  for (const [title, path] of [
    ['Home hubs', 'HomeHubs'],
    ['V-Stats', 'VStats'],
    ['Multi-dots', 'MultiDots'],
    ['Autofills', 'Boilers/Listing/boiler-main'],
    ['Enviro-dots', 'Boilers/Listing/boiler-main'],
    ['Power meters', 'Boilers/Listing/boiler-main'],
  ] as const) {
    await portal.go('/northgate/Dashboard')
    await widget(title).getByRole('link', { name: title, exact: true }).click()
    await expect.poll(() => portal.address().split('?')[0]).toBe(`/northgate/${path}`)
    if (path.startsWith('Boilers')) expect(portal.address()).toContain('product')
  }
})

test('heat interface units have no link [dev-2dash-25]', async () => {
  await open()
  await expect.element(widget('Autofills').getByRole('link').first()).toBeVisible()
  await expect.element(widget('Heat interface units').getByCss('footer')).toBeVisible()
  await expectCount(widget('Heat interface units').getByRole('link'), 0)
})

test('the addresses of two clients differ only in the name of the client [dev-2dash-4]', async () => {
  const linksIn = async (tenant: string) => {
    await open({ answers: [worklistOf([aCase('gateways offline', 3)])] }, tenant)
    await expect.element(page.getByRole('article', { name: 'Gateways offline' }).getByCss('b')).toBeVisible()
    const hrefs = page
      .getByRole('main')
      .getByRole('link')
      .elements()
      .map((one) => one.getAttribute('href')!)
    for (const href of hrefs) expect(href.startsWith(`/${tenant}/`), href).toBe(true)
    return hrefs.map((href) => href.slice(tenant.length + 1))
  }
  const [here, there] = [await linksIn('northgate'), await linksIn('meridian')]
  expect(there.length).toBeGreaterThan(30)
  expect(here).toEqual(there)
})

test('titles are links for people who may read the area [dev-2dash-8]', async () => {
  await open({ role: 'Guest' })
  for (const title of titles.filter((one) => one !== 'Heat interface units'))
    await expect.element(widget(title).getByRole('link', { name: title, exact: true })).toBeVisible()
})

test.each([
  {
    role: 'BoilerEngineer',
    closed: ['Emergency lights'],
    opened: ['Heating devices', 'Air source heat pumps', 'Gateways', 'Multi-dots', 'API Integration'],
  },
  {
    role: 'LightingEngineer',
    closed: ['Heating devices', 'Boilers by heating type', 'Air source heat pumps', 'Autofills'],
    opened: ['Emergency lights', 'Gateways', 'V-Stats', 'API Integration'],
  },
] as const)(
  'for a $role titles and figures of other areas are plain text, and their counts are shown [dev-2dash-2 dev-2dash-9]',
  async ({ role, closed, opened }) => {
    await open({ role })
    for (const title of closed) {
      await expect.element(widget(title).getByRole('heading', { name: title, exact: true })).toBeVisible()
      await expect.element(widget(title).getByCss('footer')).toMatchTextContent(/Installed [\d,]+/)
      await expectCount(widget(title).getByRole('link'), 0)
    }
    for (const title of opened)
      await expect.element(widget(title).getByRole('link', { name: title, exact: true })).toBeVisible()
  },
)

test.each([
  { features: ['ManagedService', 'HomeHub'], shown: ['Managed services', 'Home hubs'] },
  { features: ['SystemDebug'], shown: ['System debug'] },
  { features: ['ManagedService', 'HomeHub', 'SystemDebug'], shown: ['Managed services', 'Home hubs', 'System debug'] },
  { features: [], shown: [] },
] as const)(
  'with the features $features the dashboard has their widgets and no others of features [dev-2dash-5 dev-2dash-6 dev-2dash-7]',
  async ({ features, shown }) => {
    for (const role of ['Manager', 'Developer'] as const) {
      await open({ role, features })
      for (const title of ['Managed services', 'Home hubs', 'System debug'])
        await expectCount(widget(title), (shown as readonly string[]).includes(title) ? 1 : 0)
    }
  },
)

test('the debug panel names the client, the role, features, capabilities and build', async () => {
  await open({
    features: ['SystemDebug'],
    capabilities: { editAccessRightsTags: false, viewProperties: false },
  })
  const panel = widget('System debug')
  await expect.element(panel).toMatchTextContent('Tenantnorthgate')
  await expect.element(panel).toMatchTextContent('RoleManager')
  await expect.element(panel).toMatchTextContent('FeaturesSystemDebug')
  await expect.element(panel).toMatchTextContent('Capabilitiesnone')
  await expect.element(panel).toMatchTextContent('Build1, main, abc')
})

test('the figures of managed services link to their page with the type [dev-2dash-14 dev-2dash-15 dev-2dash-16]', async () => {
  const licences = { assigned: 371, available: 41, expiringInUnder12Months: 28, total: 412, licences: [] }
  await open({ features: ['ManagedService'], answers: [answer(getLicenceSummary, licences)] })
  const card = widget('Managed services')
  await expect.element(card.getByCss('header')).toMatchTextContent('412')
  for (const [name, count, type] of [
    ['Assigned', '371', 'assigned'],
    ['of these expiring within 12 months', '28', 'expiring'],
    ['Available', '41', 'available'],
  ] as const)
    await expect
      .element(card.getByRole('link', { name: `${name} ${count}`, exact: true }))
      .toHaveAttribute('href', `/northgate/ManagedService?type=${type}`)
  // Expiring licences are also assigned; the parts of the bar add up to the total.
  await expectTexts(card.getByRole('listitem'), [/^Assigned/, /^of these/, /^Available/])
  await expect
    .element(card.getByRole('img'))
    .toHaveAccessibleName(
      /: 343 assigned for 12 months or longer \(83%\), 28 expiring within 12 months \(7%\), 41 available \(10%\)$/,
    )
})

test('boilers by heating type are an accordion with counts and a ring for each kind of monitoring [dev-2dash-26 dev-2dash-27]', async () => {
  const unknown = { ...none, total: 7, inventory: 7 }
  const shown = { ...data, monitoring: { ...data.monitoring, Unknown: unknown } }
  await open({ answers: [dashboardOf(shown)] })
  const card = widget('Boilers by heating type')
  const kinds: Record<string, Monitoring> = {
    Boilers: 'Boiler',
    'Heat pumps': 'HeatPump',
    'Surveyor cubes': 'None',
    'Not yet assigned': 'Unknown',
  }
  await expectCount(card.getByRole('img'), 4)
  for (const [title, kind] of Object.entries(kinds)) {
    const { total, pass, warn, fail, installed } = shown.monitoring[kind]
    const [passed, warning, failed, rest] = percentages([pass, warn, fail, total - installed])
    await expect.element(card.getByRole('heading', { name: `${title} ${figure(total)}` })).toBeVisible()
    const words =
      installed === 0
        ? `${title}: ${figure(total)} not installed (100%)`
        : `${title}: ${figure(pass)} passed (${passed}%), ${figure(warn)} warning (${warning}%), ` +
          `${figure(fail)} failed (${failed}%), ${figure(total - installed)} not installed (${rest}%)`
    await expect.element(card.getByRole('img', { name: words })).toBeVisible()
  }
  const toggle = card.getByRole('button', { name: 'Boilers by heating type' })
  await expect.element(toggle).toHaveAttribute('aria-expanded', 'true')
  await toggle.click()
  await expect.element(toggle).toHaveAttribute('aria-expanded', 'false')
  await expectCount(card.getByRole('img'), 0)
  const { total, pass, warn, fail } = shown.listings.Bcms
  for (const count of [total, pass, warn, fail])
    await expect.element(card.getByCss('header')).toMatchTextContent(figure(count))
  await toggle.click()
  await expectCount(card.getByRole('img'), 4)
})

const titlesOfCards = {
  'legal deadlines': ['Legal deadlines', 'properties'],
  'gas failed': ['Gas safety checks failed', 'properties'],
  'gas overdue': ['Gas overdue or never checked', 'properties'],
  'damp risk': ['Properties at high damp risk', 'properties'],
  'heating off': ['Heating off', 'properties'],
  'failed lights': ['Failed lights', 'lights'],
  'lights overdue': ['Lights overdue or without contact', 'lights'],
  'gateways offline': ['Gateways offline', 'gateways'],
} as const
const withHomes = {
  features: ['PropertyCentric', 'AwaabsLaw', 'VoidFlag'],
  capabilities: { viewProperties: true },
} as const
const needs = widget('Needs attention')
const card = (title: string) => needs.getByRole('article', { name: title })

test('each card has its count, its two worst and a link to exactly its rows', async () => {
  const cases = Object.keys(titlesOfCards).map((name, at) =>
    aCase(name as WorkCaseName, at === 4 ? 0 : 1200 + at, at === 4 ? [] : [aDevice(), aDevice({ deviceId: idOf(9) })]),
  )
  const portal = await open({ ...withHomes, answers: [worklistOf(cases), ...listingsOf([])] })
  await expectCount(needs.getByRole('article'), 8)
  for (const [at, [title, noun]] of Object.values(titlesOfCards).entries()) {
    const { count, listing } = cases[at]!
    await expect.element(card(title).getByRole('heading', { name: `${figure(count)} ${title}` })).toBeVisible()
    await expectCount(card(title).getByRole('listitem'), count === 0 ? 0 : 2)
    const all = card(title).getByRole('link', { name: /^View / })
    if (count === 0) {
      await expectCount(card(title).getByRole('link'), 0)
      continue
    }
    await expect.element(all).toMatchTextContent(`View ${figure(count)} ${noun}`)
    expect(all.element().getAttribute('href')).toContain(`/northgate/${listing}`)
  }
  await card('Gateways offline')
    .getByRole('link', { name: /^View / })
    .click()
  const { filters, sorts } = cases[7]!
  await expect.poll(() => portal.sentTo(fetchViewData).at(-1)?.body, loading).toMatchObject({ sorts, filters })
})

test('every row shows its duration and leads to its property or device', async () => {
  const soon = new Date(Date.now() + 90 * 60_000).toISOString()
  const rows: [WorkCaseName, WorkCase['worst'][number], RegExp][] = [
    [
      'legal deadlines',
      aHome({ deadline: { step: 'Summary', isEmergency: true, dueAt: soon, lateAt: soon } }),
      /1 hour left/,
    ],
    ['gas failed', aHome({ check: 'Failed', day: daysAgo(11).slice(0, 10) }), /1[01] days ago/],
    ['gas overdue', aHome({ check: 'NeverChecked' }), /Never checked/],
    ['damp risk', aHome({ damp: 'high', since: daysAgo(18) }), /High for 18 days/],
    ['heating off', aHome({ heating: 'LockedOut', since: daysAgo(29 / 24), people: 2 }), /29 h, 2 people/],
    ['failed lights', aDevice(), /27 days/],
  ]
  const cases = rows.map(([name, item]) => aCase(name, 1, [item]))
  await open({ ...withHomes, answers: [worklistOf(cases)] })
  for (const [name, item, text] of rows) {
    const row = card(titlesOfCards[name as keyof typeof titlesOfCards][0]).getByRole('listitem')
    await expect.element(row).toMatchTextContent(text)
    const at = item.kind === 'home' ? `/northgate/Properties/${idOf(2)}` : `/northgate/EmergencyLights/${idOf(1)}`
    await expect.element(row.getByRole('link')).toHaveAttribute('href', at)
  }
  await expect.element(card('Gas safety checks failed').getByRole('listitem')).toMatchTextContent('50 Kirk Close')
})

test('the sentence counts each property, light and gateway once', async () => {
  const cases = [aCase('gas failed', 2), aCase('failed lights', 3)]
  await open({ ...withHomes, answers: [worklistOf(cases, { homes: 22, lights: 48, gateways: 2 })] })
  await expect.element(page.getByText('22 properties, 48 lights and 2 gateways')).toBeVisible()
  await open({ answers: [worklistOf([aCase('gateways offline', 1)], { gateways: 1 })] })
  await expect.element(page.getByText('1 gateway needs attention.')).toBeVisible()
  // If devices of other families have failed, the text does not claim that nothing needs attention.
  await open({ answers: [worklistOf([aCase('gateways offline', 0)])] })
  await expect.element(page.getByText(/^[\d,]+ devices have failed\.$/)).toBeVisible()
  const fine = counted(() => ({ ...none, pass: 5, installed: 5, total: 5 }))
  await open({ answers: [dashboardOf(fine), worklistOf([aCase('gateways offline', 0)])] })
  await expect.element(page.getByText('Nothing needs attention.')).toBeVisible()
})

test('cases without a card and failures of other families are in the row below, with counts and links', async () => {
  const cases = workCases.map((name) => aCase(name, 5))
  const portal = await open({
    ...withHomes,
    features: [...withHomes.features, 'HomeHub'],
    answers: [worklistOf(cases), ...listingsOf([])],
  })
  const also = (title: string) => needs.getByText(title, { exact: false }).getByRole('link')
  await expectCount(needs.getByRole('article'), 12)
  for (const title of ['Tests missed', 'No 3-hour test in 12 months', 'Lights without a group'])
    await expect.element(needs.getByRole('article', { name: title })).toBeVisible()
  await expect.element(needs.getByRole('link', { name: '5 void properties with a risk' })).toBeVisible()
  const { listings: of } = data
  await expectTexts(also('Also failed'), [
    `${figure(of.Boilers.fail)} Boilers`,
    `${figure(of.NetworkingDevices.fail)} Networking Devices`,
    `${figure(of.VStats.fail)} V-Stats`,
    `${figure(of.ThirdParty.fail)} API Integration`,
    `${figure(of.HomeHubs.fail)} Home hubs`,
  ])
  await also('Also failed').nth(1).click()
  await expect.poll(() => portal.address()).toBe('/northgate/NetworkingDevices/Listing/networking-failed')
})

test('a user changes the order and choice of cards; a hidden card keeps its count', async () => {
  const cases = [aCase('gas failed', 2), aCase('failed lights', 3), aCase('gateways offline', 4)]
  const portal = await open({ ...withHomes, answers: [worklistOf(cases)] })
  const titles = () =>
    needs
      .getByRole('article')
      .elements()
      .map((one) => one.getAttribute('aria-label'))
  await page.getByRole('button', { name: 'Customise' }).click()
  await page.getByRole('button', { name: 'Move Gateways offline up' }).click()
  await page.getByRole('checkbox', { name: 'Gas safety checks failed' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(titles).toEqual(['Gateways offline', 'Failed lights'])
  await expect.element(needs.getByRole('link', { name: '2 gas checks failed' })).toBeVisible()
  // The browser remembers it.
  await portal.go('/northgate/Audit')
  await portal.go('/northgate/Dashboard')
  await expect.poll(titles).toEqual(['Gateways offline', 'Failed lights'])
  await page.getByRole('button', { name: 'Customise' }).click()
  await page.getByRole('button', { name: 'Reset' }).click()
  await expect.poll(titles).toEqual(['Gas safety checks failed', 'Failed lights', 'Gateways offline'])
})

test('on a phone each case is a line with its worst item, and one case is expanded', async () => {
  const cases = [
    aCase('gas failed', 2, [aHome(), aHome({ propertyId: idOf(3) })]),
    aCase('failed lights', 3, [aDevice()]),
  ]
  await open({ ...withHomes, viewport: { width: 390, height: 844 }, answers: [worklistOf(cases)] })
  const link = (title: string) => card(title).getByRole('link', { name: /^View / })
  await expect.element(link('Gas safety checks failed')).toBeVisible()
  await expectCount(link('Failed lights'), 0)
  await card('Failed lights').getByRole('button').click()
  await expect.element(link('Failed lights')).toBeVisible()
  await expectCount(link('Gas safety checks failed'), 0)
})

test('a status has the same colour on the dashboard, in listings and on a page [core-4.1-15]', async () => {
  const colourOf = async (icon: Locator) => {
    await expect.element(icon.first()).toBeInTheDocument()
    return getComputedStyle(icon.first().element()).color
  }
  const portal = await open()
  const onDashboard = new Map<string, string>()
  for (const word of ['Passed', 'Warning', 'Failed'])
    onDashboard.set(
      word,
      await colourOf(
        widget('Emergency lights')
          .getByRole('listitem')
          .filter({ hasText: new RegExp(`^${word}`) })
          .getByCss('svg'),
      ),
    )
  expect(new Set(onDashboard.values()).size).toBe(3)
  for (const [word, status] of [
    ['Passed', 'Ok'],
    ['Warning', 'RepairedEquipment'],
    ['Failed', 'FailedEquipment'],
  ] as const) {
    portal.use(...listingsOf([aRow({ deviceStatus: status })]), answer(getEmered, aLight({ deviceStatus: status })))
    await portal.go(`/northgate/EmergencyLights?search=${word}`)
    const tone = `[data-tone="${word.toLowerCase()}"] svg`
    expect(await colourOf(page.getByCss(`tbody tr[data-row] ${tone}`)), word).toBe(onDashboard.get(word))
    await portal.go(`/northgate/EmergencyLights/${idOf(status.length)}`)
    expect(await colourOf(page.getByCss(`header ${tone}`)), word).toBe(onDashboard.get(word))
  }
})

test('while the counts load the widgets keep their places', async () => {
  const waiting = hold(getTenantDashboardData, dashboardOf(data))
  await openPortal('/northgate/Dashboard', { answers: [waiting] })
  for (const title of titles) await expect.element(widget(title).getByRole('status')).toBeInTheDocument()
  waiting.release()
  await expect.element(widget('Heating devices').getByCss('footer')).toBeVisible()
})

test.each([
  [getTenantDashboardData.path, getTenantDashboardData, () => widget('Heating devices').getByCss('footer')],
  [getWorklist.path, getWorklist, () => widget('Needs attention').getByRole('link', { name: 'View 2 lights' })],
  [getLicenceSummary.path, getLicenceSummary, () => widget('Managed services').getByRole('link').first()],
] as const)('where %s fails, its part of the dashboard can be loaded again', async (_, route, there) => {
  expectConsoleError('500')
  const answers = [
    worklistOf([aCase('failed lights', 2)]),
    answer(getLicenceSummary, { ...exampleOf(getLicenceSummary), assigned: 5 }),
    dashboardOf(data),
  ] as const
  const portal = await openPortal('/northgate/Dashboard', {
    features: ['ManagedService'],
    answers: [...answers, answerStatus(route, 500)],
  })
  await expect.element(page.getByText('Failed to Load')).toBeVisible()
  await expect.element(page.getByRole('main').getByCss('article, footer').first()).toBeVisible()
  portal.use(...answers)
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect.element(there()).toBeVisible()
  await expectCount(page.getByText('Failed to Load'), 0)
})

test('families without devices are shown small after the others [dev-2dash-2]', async () => {
  const empty = counted(() => none)
  const nothing = deviceCases.map((name) => aCase(name, 0))
  await openPortal('/northgate/Dashboard', {
    role: 'LightingEngineer',
    answers: [dashboardOf(empty), worklistOf(nothing)],
  })
  await expect.element(page.getByText('No device is installed yet.')).toBeVisible()
  for (const title of titles) {
    await expect.element(widget(title)).toMatchTextContent(new RegExp(`^${title}0$`))
    await expectCount(widget(title).getByRole('link'), 0)
  }
  await expect.element(widget('Needs attention')).toMatchTextContent('0 Failed lights')
  await expectCount(page.getByRole('main').getByRole('link'), 0)
  // Installed but never tested counts as a warning.
  const five = { total: 5, pass: 0, warn: 2, fail: 2, installed: 4, inventory: 1 }
  const lights = { ...empty, listings: { ...empty.listings, EmergencyLights: five } }
  await openPortal('/northgate/Dashboard', {
    answers: [dashboardOf(lights), worklistOf([aCase('failed lights', 2)], { lights: 2 })],
  })
  await expect.element(page.getByText('2 lights need attention.')).toBeVisible()
  const boxOf = (title: string) => widget(title).element().getBoundingClientRect()
  expect(boxOf('Heating devices').top).toBeGreaterThan(boxOf('Emergency lights').bottom)
  expect(boxOf('Heating devices').height).toBeLessThan(50)
})

test('on a phone everything is in one column and nothing is wider than the screen', async () => {
  await open({ viewport: { width: 390, height: 844 } })
  expect(document.documentElement.scrollWidth).toBe(390)
  for (const title of titles) expect(widget(title).element().getBoundingClientRect().width).toBeGreaterThan(340)
})
