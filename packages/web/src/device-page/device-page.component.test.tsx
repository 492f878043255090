import { expect, test } from 'vitest'
import type { Locator } from 'vitest/browser'
import { page, userEvent } from 'vitest/browser'
import { getLatLong } from '@caretaker/contract/buildings.ts'
import type { Boiler } from '@caretaker/contract/boilers.ts'
import type { Emered } from '@caretaker/contract/devices.ts'
import { getNetworkingDevice, shouldUpdateDevice, updateDeviceGeoLocation } from '@caretaker/contract/devices.ts'
import type { Command, EmergencyTest } from '@caretaker/contract/lighting.ts'
import { getAllDeviceTests, getAllTests, getDeviceCommands, takeBackCommand } from '@caretaker/contract/lighting.ts'
import { boilerReset } from '@caretaker/contract/actions.ts'
import { getDeviceConditions } from '@caretaker/contract/conditions.ts'
import { getDeviceTestSchedule } from '@caretaker/contract/groups.ts'
import { getDeviceLogs } from '@caretaker/contract/logs.ts'
import { getDeviceTelemetryCharts } from '@caretaker/contract/telemetry.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { pass, stopClock } from '../testing/clock.ts'
import { expectConsoleError } from '../testing/console.ts'
import {
  aBoiler,
  aGateway,
  aLight,
  boilerPage,
  gatewayPage,
  idOf,
  lightPage,
  listingsOf,
} from '../testing/examples/devices.ts'
import { aSeries, charts } from '../testing/examples/telemetry.ts'
import { expectCount, expectTexts, textsOf } from '../testing/expect.ts'
import { answer, answerStatus, exampleOf, hold } from '../testing/network.ts'
import { openPortal } from '../testing/portal.tsx'
import { act, card, dialog, headMenu, loading } from '../testing/device-screen.ts'

const heading = page.getByRole('heading', { level: 1 })
const main = page.getByRole('main')
const head = main.getByCss('header').first()
const tabs = page.getByRole('navigation', { name: 'Sections of this page' }).getByRole('link')
const tab = (name: string) =>
  page.getByRole('navigation', { name: 'Sections of this page' }).getByRole('link', { name: new RegExp(`^${name}\\b`) })
const refused = main.getByText("You don't have permission.")
const wrong = page.getByText('Something went wrong, please retry.', { exact: true })
const waiting = 'Waiting for device confirmation'

const light = aLight()
const boiler = aBoiler()
const gateway = aGateway()
const atLight = `/northgate/EmergencyLights/${light.deviceId}`
const atBoiler = `/northgate/Boilers/${boiler.deviceId}`
const atGateway = `/northgate/NetworkingDevices/${gateway.deviceId}`
const pages = [...lightPage(light), ...boilerPage(boiler), ...gatewayPage(gateway)]

async function open(address: string, options: Parameters<typeof openPortal>[1] = {}) {
  const portal = await openPortal(address, { ...options, answers: [...pages, charts(), ...(options.answers ?? [])] })
  await expect.element(heading, loading).toBeVisible()
  await expect.element(head).toMatchTextContent(/[A-Z]{2}00000\d/)
  return portal
}

for (const { area, address, device, identity, titles, ids } of [
  {
    area: 'EmergencyLights',
    address: atLight,
    device: light,
    identity: 'Identity',
    titles: ['Battery voltage', 'Lamp power'],
    ids: 'core-2.4-14',
  },
  { area: 'Boilers', address: atBoiler, device: boiler, identity: 'Controller', titles: [], ids: 'core-2.4-30' },
  {
    area: 'NetworkingDevices',
    address: atGateway,
    device: gateway,
    identity: 'Identity',
    titles: ['Connected devices'],
    ids: 'core-2.4-18',
  },
])
  test(`a device of ${area} has a page with its identity, place, state and readings [${ids} dev-2detail-30 dev-2detail-31]`, async () => {
    const place = { buildingName: 'Alder House', floorName: 'Second', room: 'Plant room' }
    const answersOf = (more: object) => [
      ...lightPage({ ...light, ...more }),
      ...boilerPage({ ...boiler, ...more }),
      ...gatewayPage({ ...gateway, ...more }),
    ]
    await open(address, { answers: answersOf(place) })
    await expect.element(heading).toHaveTextContent(device.deviceName)
    for (const text of [device.serialNumber, 'Passed', 'Connected', ...Object.values(place)])
      await expect.element(head).toMatchTextContent(text)
    for (const text of area === 'Boilers' ? [] : Object.values(place))
      await expect.element(card('Location'), loading).toMatchTextContent(text)
    await expect.element(card(identity), loading).toMatchTextContent(device.serialNumber)
    for (const title of titles) await expect.element(card(title).getByRole('img'), loading).toBeVisible()
    await open(address, { answers: answersOf({ ...place, buildingName: null, buildingId: null }) })
    await expectCount(head.getByText('Plant room', { exact: true }), 0)
    await expectCount(head.getByText('Second', { exact: true }), 0)
  })

test('charts that fail to load leave the rest of the page alone and can be loaded again', async () => {
  expectConsoleError('500')
  const portal = await open(atLight, { answers: [answerStatus(getDeviceTelemetryCharts, 500)] })
  await expect.element(wrong.first(), loading).toBeVisible()
  await expect.element(card('Identity')).toMatchTextContent(light.serialNumber)
  await expect.element(card('Emergency equipment')).toBeVisible()
  portal.use(charts())
  await card('Battery voltage').getByRole('button', { name: 'Retry' }).click()
  await expect.element(card('Battery voltage').getByCss('canvas')).toBeVisible()
})

/** Charts as returned by a server without data for one of them, which the contract does not allow. */
const brokenCharts = (broken: unknown) => ({
  route: getDeviceTelemetryCharts,
  respond: async (sent: never) => {
    const body = (await (await charts().respond(sent)).json()) as { data: { charts: { id: string }[] } }
    const all = body.data.charts.map((one) => (one.id === 'battery' ? { ...one, dataSeries: broken } : one))
    return Response.json({ ...body, data: { ...body.data, charts: all } })
  },
})

test.each([
  ['without points', [{ ...aSeries([]), series: null }]],
  ['without a series', null],
])('a chart that the server answers %s says so in its card, and leaves the others alone', async (_, broken) => {
  const portal = await open(atLight, { answers: [brokenCharts(broken)] })
  await expect.element(card('Battery voltage').getByText('Something went wrong, please retry.'), loading).toBeVisible()
  await expectCount(wrong, 1)
  await expect.element(card('Lamp power').getByCss('canvas')).toBeVisible()
  portal.use(charts())
  await card('Battery voltage').getByRole('button', { name: 'Retry' }).click()
  await expect.element(card('Battery voltage').getByCss('canvas')).toBeVisible()
  await expectCount(wrong, 0)
})

test('an empty answer for all charts leaves the rest of the page intact', async () => {
  const nothing = { isSuccessful: true, data: null, reason: null, message: null }
  await open(atLight, { answers: [answerStatus(getDeviceTelemetryCharts, 200, JSON.stringify(nothing))] })
  await expect.element(card('Lamp power').getByText('Something went wrong, please retry.'), loading).toBeVisible()
  await expect.element(card('Identity')).toMatchTextContent(light.serialNumber)
})

const isNew = (shouldUpdate: boolean) => answer(shouldUpdateDevice, { ...exampleOf(shouldUpdateDevice), shouldUpdate })

/** Advances the clock until a condition holds, slowly enough for the network, and returns the elapsed milliseconds. */
async function passTill(holds: () => boolean): Promise<number> {
  const from = Date.now()
  const goOn = async () => {
    if (!holds()) await pass(100)
    return holds()
  }
  await expect.poll(goOn, loading).toBe(true)
  return Date.now() - from
}

/** Opens the page of the gateway with a stopped clock, after its first check for changes. */
async function openOnStoppedClock() {
  stopClock()
  const portal = await openPortal(atGateway, { answers: [...pages, charts(), isNew(false)] })
  await passTill(() => card('Signal strength').query() !== null)
  await passTill(() => portal.sentTo(shouldUpdateDevice).length > 0)
  const asked = () => portal.sentTo(shouldUpdateDevice).length
  const untilAsked = () =>
    passTill(
      (
        (before) => () =>
          asked() > before
      )(asked()),
    )
  await untilAsked()
  return { portal, asked, untilAsked }
}

test('a device page checks every 3 s whether its device has changed, and fetches nothing else until it has [dev-2detail-34]', async () => {
  const { portal, untilAsked } = await openOnStoppedClock()
  const details = portal.sentTo(getNetworkingDevice).length
  for (let round = 1; round <= 3; round++) {
    const passed = await untilAsked()
    expect(passed).toBeGreaterThanOrEqual(2_000)
    expect(passed).toBeLessThanOrEqual(4_500)
  }
  expect(portal.sentTo(getNetworkingDevice).length).toBe(details)
})

test('a device page reloads its device when it has changed, and requests no other update meanwhile [dev-2detail-34 dev-2detail-35]', async () => {
  const { portal, asked, untilAsked } = await openOnStoppedClock()
  const pending = hold(getNetworkingDevice, answer(getNetworkingDevice, aGateway({ reported: { firmware: '7.8.9' } })))
  portal.use(pending, isNew(true))
  const before = portal.sentTo(getNetworkingDevice).length
  await passTill(() => portal.sentTo(getNetworkingDevice).length > before)
  const sofar = asked()
  await pass(9_000)
  expect(asked()).toBe(sofar)
  portal.use(isNew(false))
  pending.release()
  await untilAsked()
  await expect.element(card('Identity')).toMatchTextContent('7.8.9')
})

test('where personal data is hidden a device page has no address [dev-2list-43]', async () => {
  const address = '4 Mill Lane, Leeds'
  await open(atBoiler, { answers: boilerPage({ ...boiler, address }) })
  await expect.element(card('Location').getByText('Address', { exact: true }), loading).toBeVisible()
  await open(atBoiler, { features: ['HideCustomerPersonalData'], answers: boilerPage({ ...boiler, address: null }) })
  await expect.element(card('Location'), loading).toBeVisible()
  await expectCount(card('Location').getByText('Address', { exact: true }), 0)
})

test('back from a device that was opened by its address leads to its listing, and the brand to the dashboard', async () => {
  const portal = await open(atGateway, { answers: listingsOf([]) })
  await head.getByRole('link', { name: 'Networking Devices' }).click()
  await expect.poll(() => portal.address()).toBe('/northgate/NetworkingDevices')
  await page.getByRole('banner').getByRole('link').click()
  await expect.element(page.getByRole('heading', { name: 'Needs attention' }), loading).toBeVisible()
})

const developerTabs = ['Debug', 'Messages']
const known = {
  Boilers: ['Info', 'Fault History', 'History', 'Maintenance', 'Telemetry', 'Compliance', 'Connected Devices'],
  EmergencyLights: ['Info', 'Test Results', 'Test Schedules', 'History', 'Maintenance'],
  NetworkingDevices: ['Info'],
}
type Area = keyof typeof known
const addresses: Record<Area, string> = {
  Boilers: atBoiler,
  EmergencyLights: atLight,
  NetworkingDevices: atGateway,
}
/** The names of the tabs, without counts. */
const tabNames = () => textsOf(tabs).map((text) => text.replace(/\s*\d+$/, ''))

interface Person {
  role: Role
  tags?: string[]
  areas?: Area[]
  hidden: string[]
  /** The hidden tabs that are tried by address. */
  refusals?: Partial<Record<Area, string[]>>
}

for (const { role, tags = [], areas = Object.keys(known) as Area[], hidden, refusals = {} } of [
  { role: 'Developer', hidden: [] },
  { role: 'Manager', hidden: developerTabs, refusals: { EmergencyLights: developerTabs } },
  {
    role: 'Guest',
    hidden: ['History', ...developerTabs],
    refusals: {
      Boilers: ['History', ...developerTabs],
      EmergencyLights: ['History', ...developerTabs],
      NetworkingDevices: developerTabs,
    },
  },
  {
    role: 'Manager',
    tags: [idOf(9)],
    areas: ['EmergencyLights', 'NetworkingDevices'],
    hidden: ['History', ...developerTabs],
    refusals: { EmergencyLights: ['History', ...developerTabs] },
  },
  {
    role: 'BoilerEngineer',
    areas: ['Boilers', 'NetworkingDevices'],
    hidden: developerTabs,
    refusals: { Boilers: developerTabs, NetworkingDevices: ['Messages'] },
  },
  {
    role: 'LightingEngineer',
    areas: ['EmergencyLights', 'NetworkingDevices'],
    hidden: developerTabs,
    refusals: { EmergencyLights: developerTabs, NetworkingDevices: ['Debug'] },
  },
] as Person[])
  test(`device pages show a ${role}${tags.length ? ' with access rights tags' : ''} the tabs that they may see, and refuse the others by their address [dev-2detail-1 dev-2detail-2 dev-2detail-3 dev-2detail-4 dev-2detail-5 dev-2detail-6 dev-2detail-7 dev-2detail-8 dev-2detail-10 dev-2detail-11 dev-2detail-12 dev-2detail-13 dev-2detail-15 dev-2detail-16 dev-2detail-17 dev-2detail-18 dev-2detail-19 dev-2detail-20 dev-2detail-21 dev-2detail-22 dev-2detail-23 core-6-24 core-6-26 dev-6other-13]`, async () => {
    const accessRightsTag = tags[0] ? { id: tags[0], displayName: 'East' } : null
    const answers = [
      ...lightPage({ ...light, accessRightsTag }),
      ...boilerPage({ ...boiler, accessRightsTag }),
      ...gatewayPage({ ...gateway, accessRightsTag }),
    ]
    for (const area of areas) {
      const portal = await open(addresses[area], { role, tags, answers })
      const expected = [...known[area], ...developerTabs].filter((name) => !hidden.includes(name))
      await expect.poll(tabNames).toEqual(expected)
      for (const name of refusals[area] ?? []) {
        await portal.go(`${addresses[area]}/${name.replace(' ', '').toLowerCase()}`)
        await expect.element(refused).toBeVisible()
      }
    }
  })

test.each([
  ['Manager', ['Telemetry']],
  ['Developer', []],
] as const)(
  'HideTelemetryTab hides the Telemetry tab from a Manager, not from a Developer: %s [dev-2detail-9]',
  async (role, hidden) => {
    const portal = await open(atBoiler, { role, features: ['HideTelemetryTab'] })
    const more = role === 'Developer' ? developerTabs : []
    await expect
      .poll(tabNames)
      .toEqual([...known.Boilers, ...more].filter((name) => !(hidden as readonly string[]).includes(name)))
    await portal.go(`${atBoiler}/telemetry`)
    await expect.element(tab('Info')).toBeVisible()
    if (role === 'Manager') await expect.element(refused).toBeVisible()
    else await expectCount(refused, 0)
  },
)

test('each tab has an address of its own, and on a phone the active one is in sight [dev-2detail-2]', async () => {
  const portal = await open(`${atLight}/TESTRESULTS`, {
    role: 'Developer',
    viewport: { width: 390, height: 700 },
    answers: [answer(getAllDeviceTests, exampleOf(getAllDeviceTests))],
  })
  await expect.element(page.getByRole('table', { name: 'Test results' }), loading).toBeVisible()
  const active = page.getByCss('nav[aria-label="Sections of this page"] a[aria-current]')
  await expect.element(active).toMatchTextContent(/^Test Results/)
  await expect.element(active).toBeInViewport({ ratio: 1 })
  await portal.go(`${atLight}/messages`)
  await expect.element(active).toHaveTextContent('Messages')
  await expect.element(active).toBeInViewport({ ratio: 1 })
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390)
  await portal.go(`${atLight}/nothing`)
  await expect.element(main.getByText('Not found.', { exact: true })).toBeVisible()
})

test("'Go To Map' leads to the floor plan where the device has a place there and is of no restricted type [dev-2detail-26 dev-2detail-27 dev-2detail-28]", async () => {
  const button = head.getByRole('link', { name: 'Go To Map' })
  await open(atLight, { answers: lightPage({ ...light, lat: 53.8, long: -1.5 }) })
  await expect.element(button).toHaveAttribute('href', `/northgate/FloorPlan?deviceId=${light.deviceId}`)
  const edits = main.getByRole('button', { name: /^Edit / })
  await expect.element(edits.first(), loading).toBeVisible()
  const foreign = { productId: 'ADEY', isOfConnection: false } as const
  await open(atLight, { answers: lightPage({ ...light, ...foreign, isOfConnection: true, lat: 53.8, long: -1.5 }) })
  await expect.element(button, loading).toBeVisible()
  await expect.element(edits.first()).toBeVisible()
  for (const more of [{ lat: null, long: null }, foreign] as Partial<Emered>[]) {
    await open(atLight, { answers: lightPage({ ...light, lat: 53.8, long: -1.5, ...more }) })
    await expect.element(card('Identity'), loading).toBeVisible()
    await expectCount(button, 0)
  }
  // A device of a restricted type cannot be edited.
  await expectCount(edits, 0)
})

test("the head links to the property of a device where 'PropertyCentric' is on, and hides its address where personal data is hidden [dev-2detail-32 dev-2detail-33 core-5-33] [est-2.3-19] [est-2.3-20]", async () => {
  const answers = boilerPage({ ...boiler, propertyId: idOf(50), buildingName: null, address: '4 Mill Lane, Leeds' })
  const link = head.getByRole('link', { name: 'Navigate to property page' })
  await open(atBoiler, { features: ['PropertyCentric'], answers })
  await expect.element(link).toHaveAttribute('href', `/northgate/Properties/${idOf(50)}/info`)
  await expect.element(head.getByText(/Leeds/)).toBeVisible()
  await open(atBoiler, { features: ['HideCustomerPersonalData'], answers })
  await expectCount(link, 0)
  await expectCount(head.getByText(/Leeds/), 0)
})

test("details that fail to load are a warning 'Failed to load device information!', and can be loaded again [dev-8err-22]", async () => {
  expectConsoleError('500')
  const portal = await openPortal(atGateway, { answers: [...pages, answerStatus(getNetworkingDevice, 500)] })
  await expect.element(page.getByText('Failed to load device information!'), loading).toBeVisible()
  portal.use(...gatewayPage(gateway), charts())
  await main.getByRole('button', { name: 'Retry' }).click()
  await expect.element(heading).toHaveTextContent(gateway.deviceName)
})

test('Debug and Messages are tabs of every device for developers, and for no other role [dev-2detail-12 dev-2detail-18 dev-2detail-20 dev-6other-13]', async () => {
  for (const address of Object.values(addresses)) {
    await open(address, { role: 'Developer' })
    for (const name of developerTabs) await expect.element(tab(name)).toBeVisible()
    const portal = await open(address)
    await expect.element(tab('Info')).toBeVisible()
    for (const name of developerTabs) await expectCount(tab(name), 0)
    await portal.go(`${address}/messages`)
    await expect.element(refused).toBeVisible()
  }
})

test('devices connected to a module open in its tab, each with its own address [dev-2detail-11]', async () => {
  const connected = {
    ...exampleOfConnected(),
    deviceId: idOf(60),
    deviceName: 'Kitchen dot',
    productId: 'MD',
    deviceType: 'Multi-dot',
    serialNumber: 'MD000060',
    status: 'Ok',
    parentId: boiler.deviceId,
    parentProductId: 'BX',
    inWholesale: false,
    accessRightsTag: null,
    fault: null,
    userHasReadOnlyAccess: false,
  } as Boiler['connectedDevices'][number]
  const other = { ...connected, deviceId: idOf(61), serialNumber: 'MD000061' } as const
  const portal = await open(atBoiler, {
    answers: [...boilerPage({ ...boiler, connectedDevices: [connected, other] })],
  })
  await expect.element(tab('Connected Devices')).toMatchTextContent(/^Connected Devices2$/)
  await tab('Connected Devices').click()
  await page.getByRole('link', { name: /MD000060/ }).click()
  await expect.poll(() => portal.address()).toContain(`?device=${idOf(60)}`)
  await expect.element(page.getByRole('region', { name: 'Kitchen dot', exact: true })).toMatchTextContent('Connected')
  await expect.element(card('Multi-dot')).toMatchTextContent('MD000060')
})

const exampleOfConnected = () => aBoiler().connectedDevices[0]!

test('a failed test is shown on the page of the light, and leads to its results [dev-4heat-18]', async () => {
  const eventId = idOf(70)
  const failed = {
    ...exampleOf(getDeviceConditions).open[0]!,
    kind: 'testFailed',
    key: 'T180',
    testEventId: eventId,
    states: { Battery: 'Failed' },
    endedAt: null,
  } as const
  const test180: EmergencyTest = {
    ...exampleOf(getAllDeviceTests)[0]!,
    eventId,
    testType: 'T180',
    result: 'Failed',
    deviceName: light.deviceName,
    series: [],
  }
  const latest = {
    eventId,
    testType: 'T180',
    testDate: test180.testDate,
    result: 'Failed',
    reason: 'Battery',
    componentStates: { Battery: 'Failed' },
    lasted: null,
    evidenceEnd: null,
    disputed: null,
    sameBattery: { state: 'Degraded', testDate: '2026-05-02T09:30:00Z' },
  } satisfies Emered['latestTests'][number]
  const run = exampleOf(getDeviceTestSchedule).next[0]!
  const portal = await open(atLight, {
    role: 'Guest',
    answers: [
      ...lightPage({ ...light, latestTests: [latest] }),
      answer(getDeviceConditions, { ...exampleOf(getDeviceConditions), open: [failed], ended: [] }),
      answer(getAllDeviceTests, [test180]),
      answer(getAllTests, { tests: [test180], next: null, total: 1 }),
      answer(getDeviceTestSchedule, {
        group: { groupName: 'Calder Wharf east', lights: 4 },
        next: [
          { ...run, testType: 'T5', testDate: '2026-11-09T01:30:00Z' },
          { ...run, testType: 'T180', testDate: '2027-05-09T00:30:00Z' },
        ],
        past: [],
      }),
    ],
  })
  const alarm = card('Alarm')
  await expect.element(alarm).toMatchTextContent('3-hour test (T180) failed: battery')
  await expect.element(alarm).toMatchTextContent('Predicted Failed Components: Battery.')
  await expect.element(alarm).toMatchTextContent('Same battery degraded in May 2026')
  const group = card('Group')
  await expect.element(group, loading).toMatchTextContent(/Next test\s*T5, 09\/11\/2026\s*Next T180\s*09\/05\/2027/)
  await expect.element(tab('Test Results')).toMatchTextContent(/^Test Results1$/)
  await alarm.getByRole('link', { name: 'Show test' }).click()
  await expect.element(dialog(`T180 of ${light.deviceName}`), loading).toMatchTextContent('Failed')
  await userEvent.keyboard('{Escape}')
  await expect.poll(() => portal.address()).toBe(`${atLight}/testResults`)
  await expect.element(alarm).toMatchTextContent('3-hour test (T180) failed: battery')
  await open(atLight, {
    answers: [answer(getDeviceConditions, { ...exampleOf(getDeviceConditions), open: [], ended: [] })],
  })
  await expect.element(tab('Test Results')).toHaveTextContent('Test Results')
  await expectCount(alarm, 0)
})

const aCommand = (more: Partial<Command>): Command => ({
  ...exampleOf(getDeviceCommands)[0]!,
  commandId: idOf(80),
  name: 'runTest',
  args: {},
  status: 'sent',
  message: null,
  requestedBy: 'Priya Nair',
  sentAt: null,
  answeredAt: null,
  withdrawnAt: null,
  withdrawnBy: null,
  lateAnswer: null,
  expiresAt: '2099-01-01T00:00:00Z',
  ...more,
})
const life = (name: string): Locator => card(name)
const refusedTest = aCommand({
  status: 'failed',
  sentAt: '2026-11-02T09:30:00Z',
  answeredAt: '2026-11-02T09:31:00Z',
  message: 'The battery is charging',
})
const lostLeave = aCommand({
  commandId: idOf(81),
  name: 'leaveNetwork',
  status: 'expired',
  expiresAt: '2026-11-02T09:40:00Z',
})

test('a later visitor sees the last command of each kind, its sender and its outcome', async () => {
  const answers = [answer(getDeviceCommands, [refusedTest, lostLeave])]
  await open(atLight, { role: 'Guest', answers })
  const [flick, leave] = [life('Flick test'), life('Leave Network')]
  await expect.element(flick, loading).toMatchTextContent('Requested by Priya Nair at')
  await expect.element(flick).toMatchTextContent(/Refused at .+: The battery is charging\./)
  await expect.element(leave).toMatchTextContent(/Not delivered: until .+ the device could not be reached\./)
  // A network state is still pending; a refused test is not.
  await expect.element(leave).toMatchTextContent(waiting)
  await expect.element(flick).toMatchTextContent('Refused by the device')
  for (const one of [flick, leave]) await expectCount(one.getByRole('button'), 0)
  await open(atLight, { role: 'LightingEngineer', answers })
  for (const one of [flick, leave]) await expectTexts(one.getByRole('button'), ['Try again', 'Take back'])
})

test('an unsent command is shown as such and can be withdrawn', async () => {
  const queued = aCommand({ name: 'joinNetwork', status: 'queued' })
  const portal = await open(atLight, {
    role: 'LightingEngineer',
    answers: [...lightPage({ ...light, connectionStatus: 'NotConnected' }), answer(getDeviceCommands, [queued])],
  })
  const join = life('Join Network')
  await expect.element(join, loading).toMatchTextContent(waiting)
  await expect
    .element(join)
    .toMatchTextContent(/Not sent yet: the device is not connected\. It is sent when the device connects, until/)
  const takenBack = { status: 'withdrawn', withdrawnAt: '2026-11-02T09:32:00Z', withdrawnBy: 'Priya Nair' } as const
  portal.use(answer(getDeviceCommands, [{ ...queued, ...takenBack }]))
  await join.getByRole('button', { name: 'Take back' }).click()
  await expect.element(join).toMatchTextContent(/Taken back at .+ by Priya Nair, before it was sent\./)
  await expect.element(join).toMatchTextContent('State confirmed')
  await expectTexts(join.getByRole('listitem'), ['Queued', 'Sent', 'Taken back'])
  expect(portal.sentTo(takeBackCommand)[0]!.body).toMatchObject({ commandId: queued.commandId })
})

test('a sent command cannot be withdrawn, and an expired one is shown as unanswered', async () => {
  const sent = aCommand({ sentAt: new Date(Date.now() - 60_000).toISOString() })
  const portal = await open(atLight, { role: 'LightingEngineer', answers: [answer(getDeviceCommands, [sent])] })
  const flick = life('Flick test')
  await expect
    .element(flick, loading)
    .toMatchTextContent(/Sent at .+, not answered yet\. A sent command cannot be withdrawn; it expires at/)
  await expectCount(flick.getByRole('button'), 0)
  const over = { status: 'expired', expiresAt: new Date(Date.now() - 1_000).toISOString() } as const
  portal.use(answer(getDeviceCommands, [{ ...sent, ...over }]))
  await expect.element(flick, loading).toMatchTextContent(/Expired at .+: it was sent at .+ and not answered\./)
  await expectTexts(flick.getByRole('button'), ['Try again', 'Take back'])
})

test('a boiler reset asks first, and shows the outcome of the last resets', async () => {
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  const resets = [3, 9].map((days) =>
    aCommand({
      commandId: idOf(90 + days),
      name: 'resetBoiler',
      status: 'confirmed',
      requestedBy: 'Tom Ashworth',
      createdAt: ago(days),
      sentAt: ago(days),
      answeredAt: ago(days),
    }),
  )
  const fault = { code: 'EA', description: 'Flame not detected', source: 'boiler', isResettable: true } as const
  const portal = await open(atBoiler, {
    role: 'BoilerEngineer',
    answers: [
      ...boilerPage({ ...boiler, fault, remoteResetSupported: true, deviceStatus: 'FailedEquipment' }),
      answer(getDeviceCommands, resets),
    ],
  })
  await expect.element(life('Reset boiler'), loading).toMatchTextContent('Requested by Tom Ashworth at')
  await act(headMenu, 'Reset boiler')
  const question = dialog(`Reset boiler ${boiler.serialNumber}`)
  await expect.element(question).toMatchTextContent('Reset twice in 30 days; a third lockout requires a visit.')
  await expectTexts(question.getByRole('list', { name: 'Last resets' }).getByRole('listitem'), [
    /, Tom Ashworth: Confirmed at/,
    /, Tom Ashworth: Confirmed at/,
  ])
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expectCount(question, 0)
  expect(portal.sentTo(boilerReset)).toEqual([])
})

test('the page of a light has a flick test for people who may send one, and none for a guest, in stock or elsewhere', async () => {
  const button = page.getByRole('button', { name: 'Flick test' })
  await open(atLight, { role: 'LightingEngineer' })
  await expect.element(button).toBeVisible()
  await open(atLight, { role: 'Guest' })
  await expectCount(button, 0)
  await open(atLight, { role: 'LightingEngineer', answers: lightPage({ ...light, deviceStatus: 'Inventory' }) })
  await expectCount(button, 0)
  await openPortal(atLight, { role: 'BoilerEngineer', answers: pages })
  await expect.element(refused, loading).toBeVisible()
  await expectCount(page.getByText(light.deviceName), 0)
})

test('the History tab lists events with their author, by category and page', async () => {
  const entry = exampleOf(getDeviceLogs).entries[0]!
  const command = {
    ...entry,
    id: 'a',
    category: 'Command',
    description: 'Reset boiler: confirmed by the device',
    user: 'Tom Ashworth',
  } as const
  const fault = {
    ...entry,
    id: 'b',
    category: 'Fault',
    description: 'Over: Fault EA of the boiler',
    user: null,
  } as const
  const portal = await open(`${atBoiler}/history`, {
    answers: [
      answer(getDeviceLogs, ({ body }) => ({
        entries: body.category === 'Change' ? [] : body.before ? [fault] : [command],
        hasMore: !body.before && body.category !== 'Change',
      })),
    ],
  })
  const log = page.getByRole('table', { name: 'History' })
  await expect.element(log, loading).toMatchTextContent(/Reset boiler: confirmed by the device\s*Tom Ashworth/)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.element(log).toMatchTextContent(/Over: Fault EA of the boiler\s*Device/)
  await page.getByRole('combobox', { name: 'Category' }).click()
  await page.getByRole('option', { name: 'Change', exact: true }).click()
  await expect.element(page.getByText('No logs to show', { exact: true })).toBeVisible()
  expect(portal.sentTo(getDeviceLogs).map(({ body }) => body.category ?? null)).toEqual([null, null, 'Change'])
})

test('coordinates far from the postcode of the device ask for confirmation', async () => {
  const leeds = aLight({ address: '1 Mill Lane, Leeds, LS6 1AA' })
  const question = dialog('Far from the postcode')
  const portal = await open(atLight, {
    answers: [
      ...lightPage(leeds),
      answer(getLatLong, { lat: 53.8, lng: -1.55, isApproximate: true, credit: null }),
      answer(updateDeviceGeoLocation, exampleOf(updateDeviceGeoLocation)),
    ],
  })
  const edit = async (text: string) => {
    await card('Location').getByRole('button', { name: 'Edit Coordinates' }).click()
    await card('Location').getByRole('textbox', { name: 'Coordinates' }).fill(text)
    await userEvent.keyboard('{Enter}')
  }
  await edit('-1.55, 53.8')
  await expect.element(question).toMatchTextContent(/km from LS6 1AA. Latitude and longitude are exchanged./)
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect.element(card('Location').getByText('The coordinates were not changed.')).toBeVisible()
  expect(portal.sentTo(updateDeviceGeoLocation)).toEqual([])
  await edit('0, 0')
  await question.getByRole('button', { name: 'Use it anyway' }).click()
  await expect.poll(() => portal.sentTo(updateDeviceGeoLocation).map(({ body }) => body.latitude)).toEqual([0])
  // Near the postcode there is no question.
  await edit('53.81, -1.56')
  await expect.poll(() => portal.sentTo(updateDeviceGeoLocation).map(({ body }) => body.latitude)).toEqual([0, 53.81])
  await expectCount(question, 0)
})
