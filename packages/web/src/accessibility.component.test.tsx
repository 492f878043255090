import { expect, test } from 'vitest'
import type { Locator } from 'vitest/browser'
import { page, userEvent } from 'vitest/browser'
import { getBoiler } from '@caretaker/contract/boilers.ts'
import { getEmered, getNetworkingDevice } from '@caretaker/contract/devices.ts'
import type { Feature } from '@caretaker/rules/identity/features.ts'
import { features } from '@caretaker/rules/identity/features.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import type { PagePath } from '@caretaker/rules/links/addresses.ts'
import { queryClient } from './api/query-client.ts'
import { colourRules, findViolations } from './testing/axe.ts'
import type { ServerAnswer } from './testing/network.ts'
import { answer } from './testing/network.ts'
import { expectConsoleError } from './testing/console.ts'
import { clientOf, emulateScheme, openPortal } from './testing/portal.tsx'
import { variedAnswers, variedExampleOf } from './testing/varied.ts'

interface Screen {
  name: string
  /** The page of the router on which it is; without one it lies before the pages of a client. */
  path?: PagePath
  /** What differs from the path with the first example's ids in it. */
  address?: string
  role?: Role
  answers?: ServerAnswer[]
  signedOut?: boolean
  session?: NonNullable<Parameters<typeof openPortal>[1]>['session']
  /** Goes on from the address to the screen, if need be. */
  open?(): Promise<unknown>
  /** What is on this screen. */
  shows(): Locator
}

const id = '0d8a6c1e-3f5b-4c2d-9e7a-000000000001'
const main = page.getByRole('main')
const dialog = (name: string | RegExp) => page.getByRole('dialog', { name })
const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name })
const grid = (name: string) => main.getByRole('grid', { name })
const region = (name: string | RegExp) => page.getByRole('region', { name }).first()
const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click()
const row = () => page.getByCss('tbody tr[data-row]').first()

/** Devices in use, each in a state that shows what only some have. */
const light = answer(getEmered, { ...variedExampleOf(getEmered), uninstalledAt: null, deviceStatus: 'FailedEquipment' })
const boiler = answer(getBoiler, { ...variedExampleOf(getBoiler), uninstalledAt: null, deviceStatus: 'FailedDevice' })
const gateway = answer(getNetworkingDevice, { ...variedExampleOf(getNetworkingDevice), uninstalledAt: null })
const inUse = [light, boiler, gateway]

const tabs = (path: PagePath, names: Record<string, () => Locator>, more: Partial<Screen> = {}): Screen[] =>
  Object.entries(names).map(([tab, shows]) => ({
    name: `${path.split('/')[2]}, ${tab}`,
    path,
    address: `${path.split('/$')[1]!.replace('tenant', '/northgate')}/${id}/${tab}`,
    answers: inUse,
    shows,
    ...more,
  }))

const listings: Screen[] = (
  [
    ['Boilers', 'Boilers'],
    ['Bcms', 'Boilers'],
    ['HomeHubs', 'Home hubs'],
    ['VStats', 'V-Stats'],
    ['MultiDots', 'Multi-dots'],
    ['Properties', 'Properties'],
  ] as const
).map(([path, title]) => ({
  name: `list of ${path}`,
  path: `/$tenant/${path}`,
  shows: () => grid(title),
}))

const settings: Screen[] = (
  [
    ['', 'Alerts'],
    ['/tags', 'Tags'],
    ['/accessRightsTags', 'Access rights tags'],
    ['/luminaire', 'Standard luminaires'],
    ['/residents', 'Residents'],
    ['/apiKeys', 'API keys'],
    ['/webhooks', 'Webhooks'],
  ] as const
).map(([path, title]) => ({ name: `settings, ${title}`, path: `/$tenant/Settings${path}`, shows: () => grid(title) }))

const screens: Screen[] = [
  {
    name: 'welcome',
    signedOut: true,
    address: '/',
    shows: () => page.getByRole('heading', { name: 'Welcome to Caretaker' }),
  },
  {
    name: 'no client',
    address: '/',
    session: { tenants: [], removedAt: '2026-11-20T10:00:00Z', emailVerified: false },
    shows: () => page.getByRole('heading', { name: 'You no longer have access' }),
  },
  {
    name: 'client selection',
    address: '/',
    session: { tenants: ['northgate', 'harbour', 'meridian'].map((tenant) => clientOf(tenant)) },
    shows: () => page.getByRole('list', { name: 'Clients' }),
  },
  { name: 'dashboard', path: '/$tenant/Dashboard', shows: () => region(/^Boilers/) },
  ...listings,
  ...settings,
  ...tabs('/$tenant/EmergencyLights/$deviceId/{-$tab}', {
    testResults: () => page.getByRole('table', { name: 'Test results' }),
    testSchedules: () => page.getByRole('table').first(),
    history: () => page.getByRole('table', { name: 'History' }),
    maintenance: () => page.getByRole('list', { name: 'Repair forms' }),
    debug: () => page.getByRole('rowheader', { name: 'deviceId' }),
  }),
  ...tabs('/$tenant/Boilers/$deviceId/{-$tab}', {
    faultHistory: () => page.getByRole('table', { name: 'All faults' }),
    history: () => page.getByRole('table', { name: 'History' }),
    maintenance: () => page.getByRole('list', { name: 'Repair forms' }),
    compliance: () => region('Records'),
    connectedDevices: () => heading(''),
    debug: () => page.getByRole('rowheader', { name: 'deviceId' }),
  }),
  ...tabs('/$tenant/NetworkingDevices/$deviceId/{-$tab}', {
    debug: () => page.getByRole('rowheader', { name: 'deviceId' }),
  }),
  ...(['EmergencyLights', 'Boilers', 'NetworkingDevices'] as const).map((area) => ({
    name: `messages of ${area}`,
    path: `/$tenant/${area}/$deviceId/{-$tab}` as const,
    address: `/northgate/${area}/${id}/messages`,
    answers: inUse,
    open: () => page.getByRole('option').first().click(),
    shows: () => region('Message'),
  })),
  ...tabs('/$tenant/Properties/$propertyId/{-$tab}', {
    services: () => grid('Device Packages'),
    devices: () => grid('Devices'),
    telemetry: () => heading(''),
    thermoScheduler: () => heading(''),
    propertyRecords: () => heading(''),
    propertyAudit: () => grid('Audit'),
  }),
  {
    name: 'a luminaire, half edited',
    path: '/$tenant/EmergencyLights/$deviceId/{-$tab}',
    answers: inUse,
    open: async () => {
      await press('Edit luminaire')
      await page.getByRole('combobox', { name: 'Battery voltage' }).fill('2.4')
    },
    shows: () => page.getByText('Battery Voltage must be greater than 2.6V'),
  },
  {
    name: 'the choice of the monitored LED circuit',
    path: '/$tenant/EmergencyLights/$deviceId/{-$tab}',
    answers: inUse,
    open: () => press('Edit Monitored LED circuit'),
    shows: () => page.getByRole('radio', { name: 'Emergency circuit only' }),
  },
  {
    name: 'the correction of a test',
    path: '/$tenant/EmergencyLights/$deviceId/{-$tab}',
    address: `/northgate/EmergencyLights/${id}/testResults`,
    role: 'Admin',
    answers: inUse,
    open: () => press(/^Update T/),
    shows: () => page.getByRole('radio').first(),
  },
  {
    name: 'changing when gas safety is due',
    path: '/$tenant/Boilers/$deviceId/{-$tab}',
    address: `/northgate/Boilers/${id}/compliance`,
    answers: inUse,
    open: () => press('Change when gas safety is due'),
    shows: () => dialog('When gas safety is due'),
  },
  { name: 'all test results', path: '/$tenant/EmergencyTestResults', shows: () => grid('Test results') },
  { name: 'buildings with their map', path: '/$tenant/Buildings', shows: () => grid('Buildings') },
  {
    name: 'building',
    path: '/$tenant/Buildings/$building',
    shows: () => page.getByRole('button', { name: /^Edit name/ }).first(),
  },
  {
    name: 'adding a building, and where it is',
    path: '/$tenant/Buildings/Add',
    open: async () => {
      await page.getByLabelText('Post code').fill('HX1 5TX')
      await press('Check Post Code')
      await press('Position Building')
    },
    shows: () => dialog('Position Building').getByCss('[data-marker]'),
  },
  { name: 'groups of lights', path: '/$tenant/EmergencyLightSchedules', shows: () => grid('Groups') },
  {
    name: 'changing a group of lights',
    path: '/$tenant/EmergencyLightSchedules',
    open: () => row().click(),
    shows: () => dialog('Update Group').getByRole('list', { name: 'Legend' }),
  },
  {
    name: 'creating a user',
    path: '/$tenant/Users',
    open: () => press('Create user'),
    shows: () => dialog('Create user'),
  },
  {
    name: 'BCMs of one heating type',
    path: '/$tenant/Bcms',
    address: `/northgate/Bcms?filter=${encodeURIComponent('{"type":"ASHP"}')}`,
    shows: () => grid('Boilers'),
  },
  { name: 'managed service', path: '/$tenant/ManagedService', shows: () => grid('Licence summary') },
  {
    name: 'licences that expire',
    path: '/$tenant/ManagedService',
    address: '/northgate/ManagedService?type=expiring',
    shows: () => main.getByRole('grid').first(),
  },
  ...([['uninstalling a device', 'Uninstall', /^Uninstall/]] as const).map(([name, action, title]) => ({
    name,
    path: '/$tenant/EmergencyLights' as const,
    open: async () => {
      await row()
        .getByRole('button', { name: /^Actions: / })
        .click()
      await page.getByRole('menuitem', { name: action, exact: true }).click()
    },
    shows: () => dialog(title),
  })),
  { name: 'alerts', path: '/$tenant/Alerts', shows: () => page.getByRole('list', { name: 'Open' }) },
  { name: "Awaab's Law", path: '/$tenant/Settings/awaabsLaw', shows: () => region('Time for each step') },
  { name: 'tenant', path: '/$tenant/Settings/Tenants/$tenantId', shows: () => region('In use') },
]

const desktop = { width: 1440, height: 960 }
const phone = { width: 390, height: 844 }
const narrow = { width: 320, height: 640 }
const allFeatures: Feature[] = features.filter((feature) => !feature.startsWith('Hide') && feature !== 'NewListingView')

const addressOf = ({ path, address }: Screen) =>
  address ??
  path!
    .replace('$tenant', 'northgate')
    .replaceAll(/\/\{-\$\w+\}/g, '')
    .replaceAll(/\$\w+/g, id)

/** Waits until the screen is there with all that it asks for, and at rest. */
async function settle({ shows }: Screen): Promise<void> {
  await expect.element(shows()).toBeVisible()
  await expect.poll(() => queryClient.isFetching()).toBe(0)
  await expect.poll(() => /^Loading/m.test(document.body.innerText)).toBe(false)
}

/** Violations in a dialog, if one is open, since a screen of its own lies below it; else on the page. Rows of a table are alike. */
function violations(rules?: string[]): Promise<string[]> {
  const part = document.querySelector('[role="dialog"]') ?? document.body
  return findViolations({ ...(rules && { rules }), part, exclude: 'tbody tr:nth-child(n+6)' })
}

/** What is wider than the window, so that the page would have to be scrolled sideways to be read. */
function tooWide(): string[] {
  const root = document.documentElement
  if (root.scrollWidth <= root.clientWidth) return []
  const wide = [...document.body.querySelectorAll('*')].filter(
    (element) => element.getBoundingClientRect().right > root.clientWidth + 0.5,
  )
  return [`${root.scrollWidth} px`, ...wide.slice(0, 5).map((element) => element.outerHTML.slice(0, 120))]
}

async function turn(scheme: 'light' | 'dark'): Promise<void> {
  await emulateScheme(scheme)
  await expect.poll(() => document.documentElement.dataset['mantineColorScheme']).toBe(scheme)
}

for (const screen of screens)
  test(`${screen.name}: accessible in light, in dark and at 320 px, where it fits`, { timeout: 60_000 }, async () => {
    // Generated rows repeat what is unique in real ones.
    expectConsoleError('two children with the same key')
    const { role = 'Developer', answers = [], signedOut, session, open } = screen
    await openPortal(addressOf(screen), {
      ...{ role, features: allFeatures, viewport: desktop },
      ...(signedOut && { signedOut }),
      ...(session && { session }),
      answers: [...variedAnswers(), ...answers],
    })
    await open?.()
    await settle(screen)
    expect.soft(await violations(), 'light').toEqual([])
    await turn('dark')
    expect.soft(await violations(colourRules), 'dark').toEqual([])
    await page.viewport(narrow.width, narrow.height)
    await settle(screen)
    await expect.poll(tooWide, { message: 'at 320 px' }).toEqual([])
    expect.soft(await violations(), 'at 320 px, dark').toEqual([])
    await turn('light')
    expect.soft(await violations(colourRules), 'at 320 px, light').toEqual([])
  })

test('the menu of a desktop and the drawer of a phone: accessible while they are open, and fit at 320 px', async () => {
  await openPortal('/northgate/Support', { answers: variedAnswers() })
  const inBoth = async (where: string) => {
    for (const scheme of ['light', 'dark'] as const) {
      await turn(scheme)
      expect.soft(await violations(scheme === 'dark' ? colourRules : undefined), `${where}, ${scheme}`).toEqual([])
    }
  }
  await press(/Logged in as/)
  await expect.element(page.getByRole('menuitem', { name: 'Logout' })).toBeVisible()
  await inBoth('menu')
  await userEvent.keyboard('{Escape}')
  await page.viewport(phone.width, phone.height)
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  await expect.element(dialog('Menu')).toBeVisible()
  await inBoth('drawer')
  await page.viewport(narrow.width, narrow.height)
  await expect.poll(tooWide, { message: 'drawer at 320 px' }).toEqual([])
})
