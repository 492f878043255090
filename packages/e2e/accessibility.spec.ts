import type { Page } from '@playwright/test'
import type { StoriedDevice } from '@caretaker/demo/fixtures.ts'
import { demoDevices, demoHomes, demoIntegrations, demoPropertyId } from '@caretaker/demo/fixtures.ts'
import type { Boiler } from '@caretaker/contract/boilers.ts'
import type { Command } from '@caretaker/contract/lighting.ts'
import type { User } from '@caretaker/contract/people.ts'
import { listUsers, resetUserPassword } from '@caretaker/contract/people.ts'
import { act, bulkBar, dialog, rowMenu, selectRows, standInRun } from './fixtures/actions.ts'
import { ask } from './fixtures/api.ts'
import { findings, ofColours } from './fixtures/axe.ts'
import { choose } from './fixtures/lists.ts'
import { bend, dashboard, loginButton, rows, welcome } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

// Looking is independent of the order.
test.describe.configure({ mode: 'parallel', timeout: 120_000 })
// What is found says where it is; keeping every step of screens this full takes longer than the looking.
test.use({ trace: 'off' })

const manager = 'manager@northgate.example'
const developer = 'dev@caretaker.example'
const phone = { width: 390, height: 844 }
const narrow = { width: 320, height: 640 }

const { livelyLight, failedT180, boilerLockout, failedAutofill, heatSaviour, offlineGateway, stockLight } = demoDevices
const { inWholesale, livelyBoiler, allocatedDot } = demoDevices
const heading = (page: Page) => page.getByRole('heading', { level: 1 })
const deviceAt = (area: string, { deviceId }: StoriedDevice) => `/northgate/${area}/${deviceId}`

interface Screen {
  name: string
  /** Who looks at it; nobody is signed in without. */
  email?: string
  address: string
  /** Goes on from the address to the screen, if need be. */
  open?(page: Page): Promise<void>
  /** Waits until it is all there. */
  ready(page: Page): Promise<void>
  /** Console errors that belong to it. */
  errors?: string[]
}

const listing = (page: Page) => expect(rows(page)).not.toHaveCount(0)
const device = async (page: Page) => {
  await expect(page.locator('canvas')).not.toHaveCount(0)
  await expect(page.getByText(/^Loading/)).toHaveCount(0)
}

/** Does what leaves a line in the client's record and a mail in its mailbox: a new world has neither. */
async function leaveTraces(page: Page): Promise<void> {
  const { data } = await ask(page, listUsers, { params: { tenant: 'harbour' } })
  const user = (data as { results: User[] }).results.find(({ email }) => email === 'manager@harbour.example')
  await ask(page, resetUserPassword, { params: { tenant: 'harbour', id: user?.id ?? '' } })
  await page.reload()
}

/** Rows that everything can be done with. */
const installed = `/northgate/EmergencyLights?filters=${encodeURIComponent(
  JSON.stringify([{ fieldId: 'status', filterOp: 'equals', value: 'Ok' }]),
)}`

/** Begins a bulk action with the first three rows. */
async function begin(page: Page, action: string): Promise<void> {
  await selectRows(page, 3)
  await bulkBar(page).getByRole('button', { name: action, exact: true }).click()
}

/** Sends a flick test to three lights, of which one is tested, one fails and one has not answered yet. */
async function testInPart(page: Page): Promise<void> {
  let asked = 0
  await standInRun(page)
  await page.route('**/api/RunT0Test', (route) => {
    if (++asked > 2) return
    const data = { status: asked === 1 ? 'queued' : 'failed', commandId: '' }
    return route.fulfill({ json: { isSuccessful: true, data, reason: null, message: null } })
  })
  await begin(page, 'Flick Test')
  await dialog(page, 'Flick test 3 devices').getByRole('button', { name: 'Flick test' }).click()
}

const screens: Screen[] = [
  { name: 'welcome', address: '/', ready: (page) => expect(welcome(page)).toBeVisible() },
  {
    name: "the provider's sign-in page",
    address: '/',
    open: (page) => loginButton(page).click(),
    ready: (page) => expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible(),
  },
  {
    name: "the provider's page for who forgot their password",
    address: '/account/password',
    ready: (page) => expect(page.getByRole('button', { name: 'Send link' })).toBeVisible(),
  },
  {
    name: 'dashboard',
    email: manager,
    address: '/northgate/Dashboard',
    ready: async (page) => {
      await expect(dashboard(page)).toBeVisible()
      await expect(page.getByRole('region', { name: 'Heating devices', exact: true }).locator('footer')).toBeVisible()
    },
  },
  { name: 'emergency lights', email: manager, address: '/northgate/EmergencyLights', ready: listing },
  { name: 'networking devices', email: manager, address: '/northgate/NetworkingDevices', ready: listing },
  {
    name: 'emergency light',
    email: manager,
    address: deviceAt('EmergencyLights', livelyLight),
    ready: async (page) => {
      await device(page)
      await expect(page.getByRole('region', { name: 'Emergency equipment' })).toBeVisible()
    },
  },
  {
    name: 'floor plan',
    email: manager,
    address: `/northgate/FloorPlan?deviceId=${livelyLight.deviceId}`,
    ready: (page) => expect(page.getByRole('region', { name: livelyLight.name, exact: true })).toBeVisible(),
  },
  {
    name: 'building map',
    email: manager,
    address: '/northgate/BuildingMap',
    ready: (page) =>
      expect(page.getByRole('list', { name: 'Buildings here' }).getByRole('button').first()).toBeVisible(),
  },
  {
    name: 'editor of floor plans',
    email: manager,
    address: '/northgate/PositionFloor?building=beech-hill-court&floor=2',
    ready: (page) => expect(page.getByRole('application', { name: /^Plan of/ })).toBeVisible(),
  },
  {
    name: 'placing devices',
    email: manager,
    // Where two hang a hand's breadth apart their pins overlap, and the list beside the map is the other way to each.
    address: '/northgate/FloorPlan/Place?building=beech-hill-court&floor=3',
    ready: (page) => expect(page.locator('[data-row]')).not.toHaveCount(0),
  },
  {
    name: 'dialog of the inspector’s sheet',
    email: manager,
    address: `${deviceAt('EmergencyLights', failedT180)}/testResults`,
    open: (page) => page.getByRole('button', { name: 'Inspector’s sheet' }).click(),
    ready: (page) => expect(dialog(page, 'Inspector’s sheet').getByLabel('Building')).not.toHaveValue(''),
  },
  {
    name: 'boiler',
    email: manager,
    address: deviceAt('Boilers', boilerLockout),
    ready: async (page) => {
      await expect(page.getByRole('region', { name: 'Right now', exact: true })).toContainText('bar')
      await expect(page.getByRole('region', { name: 'Compliance', exact: true })).toContainText('Gas safety')
    },
  },
  {
    name: 'heat pump',
    email: manager,
    address: deviceAt('Boilers', heatSaviour),
    ready: async (page) => {
      await expect(page.getByRole('region', { name: 'Heat saviour', exact: true })).toContainText('State confirmed')
      await expect(page.getByRole('region', { name: /^Electricity in/ }).locator('canvas')).toBeVisible()
    },
  },
  {
    name: 'telemetry of a boiler',
    email: manager,
    address: `${deviceAt('Boilers', boilerLockout)}/telemetry`,
    ready: device,
  },
  {
    name: 'an autofill among the connected devices',
    email: manager,
    address: deviceAt('BoilerConnectedDevice', failedAutofill),
    ready: async (page) => {
      await expect(page.getByRole('table', { name: 'Fills' })).toBeVisible()
      await device(page)
    },
  },
  {
    name: 'what a heat saviour asks',
    email: manager,
    address: deviceAt('Boilers', heatSaviour),
    open: (page) => page.getByRole('region', { name: 'Heat saviour', exact: true }).locator('label').first().click(),
    ready: (page) => expect(dialog(page, /^Turn/)).toBeVisible(),
  },
  {
    name: 'what a reset asks',
    email: manager,
    address: deviceAt('Boilers', boilerLockout),
    open: (page) =>
      page
        .getByRole('region', { name: 'Alarm', exact: true })
        .getByRole('button', { name: /^Reset/ })
        .click(),
    ready: (page) => expect(dialog(page, /^Reset boiler/)).toContainText(/[Rr]eset/),
  },
  {
    name: 'a setting that was refused',
    email: manager,
    address: deviceAt('Boilers', livelyBoiler),
    open: async (page) => {
      const at = new Date(Date.now() - 600_000).toISOString()
      await bend(page, '**/api/GetBoiler', ({ data }: { data: Boiler }) => {
        data.settings.chMax = { desired: 72, reported: 60 }
      })
      await bend(page, '**/api/GetDeviceCommands', ({ data }: { data: Command[] }) => {
        const { commandId, name, args } = { commandId: 'refused', name: 'setChMax', args: { chSetPoint: 72 } }
        const said = {
          status: 'failed',
          message: 'The burner is cooling',
          createdAt: at,
          sentAt: at,
          answeredAt: at,
        } as const
        const nobody = { takenBackAt: null, takenBackBy: null, lateAnswer: null, toldTest: null }
        data.unshift({ commandId, name, args, ...said, ...nobody, requestedBy: 'Ada Marsh', expiresAt: at })
      })
      await page.reload()
    },
    ready: (page) =>
      expect(page.getByRole('region', { name: 'Heating settings' })).toContainText(
        /Refused at .+ Asked for by Ada Marsh/,
      ),
  },
  {
    name: 'adding a gas safety record',
    email: manager,
    address: `${deviceAt('Boilers', boilerLockout)}/compliance`,
    open: (page) => page.getByRole('button', { name: 'Add record' }).first().click(),
    ready: (page) => expect(page.getByRole('form', { name: /^Add .+ record$/ })).toBeVisible(),
  },
  { name: 'gateway', email: manager, address: deviceAt('NetworkingDevices', offlineGateway), ready: device },
  {
    name: 'plan of tests',
    email: manager,
    address: '/northgate/EmergencyLightSchedules/Plan',
    ready: (page) => expect(page.getByRole('heading', { level: 2, name: /^[A-Z][a-z]+ \d{4}$/ })).toBeVisible(),
  },
  { name: 'users', email: manager, address: '/northgate/Users', ready: listing },
  {
    name: 'changing the tags of a device',
    email: manager,
    address: installed,
    open: (page) => act(page, rowMenu(rows(page).first()), 'Update tags'),
    ready: (page) => expect(dialog(page, /^Update tags/).getByRole('combobox', { name: 'Tags' })).toBeVisible(),
  },
  {
    name: 'choosing tags for many devices',
    email: manager,
    address: installed,
    open: async (page) => {
      await begin(page, 'Add tags')
      await choose(page, 'Tags', 'NightTest')
    },
    ready: (page) => expect(dialog(page, 'Add tags to 3 devices').getByText('NightTest')).toBeVisible(),
  },
  {
    name: 'progress of a bulk action',
    email: manager,
    address: installed,
    open: testInPart,
    // The light that has not answered is let go at the end, and the server knows of no such action.
    errors: [consoleText(404)],
    ready: (page) => expect(dialog(page, 'Flick test 3 devices').getByText('2 of 3', { exact: true })).toBeVisible(),
  },
  {
    name: 'what is behind the bell',
    email: manager,
    address: '/northgate/Support',
    open: (page) => page.getByRole('button', { name: /^Alerts, \d+ open$/ }).click(),
    ready: (page) =>
      expect(page.getByRole('dialog').getByRole('list', { name: 'Open' }).getByRole('listitem').first()).toBeVisible(),
  },
  {
    name: 'changing a rule of alerts',
    email: manager,
    address: '/northgate/Settings',
    open: (page) => page.getByRole('button', { name: /^Edit/ }).first().click(),
    ready: (page) => expect(page.getByText(/^In the last 30 days: \d+ e-mail/)).toBeVisible(),
  },
  { name: 'tenants', email: developer, address: '/northgate/Settings/Tenants', ready: listing },
  { name: 'system', email: developer, address: '/northgate/Settings/System', ready: listing },
  {
    name: 'a home with damp and mould risk',
    email: manager,
    address: `/northgate/Properties/${demoPropertyId(demoHomes.damp)}/info`,
    ready: (page) => expect(page.getByRole('list', { name: 'Damp and mould risk of each room' })).toBeVisible(),
  },
  {
    name: 'reports, with one customised',
    email: manager,
    address: '/northgate/Reporting',
    open: (page) =>
      page.getByRole('region', { name: 'Damp and mould' }).getByRole('button', { name: 'Customise' }).click(),
    ready: (page) => expect(page.getByRole('region', { name: 'Customise Damp and mould' })).toBeVisible(),
  },
  {
    name: 'adding a schedule of a report',
    email: manager,
    address: '/northgate/Reporting/mySchedules',
    open: (page) => page.getByRole('button', { name: 'Add schedule' }).click(),
    ready: (page) => expect(dialog(page, 'Add schedule')).toBeVisible(),
  },
  {
    name: 'adding an API key',
    email: manager,
    address: '/northgate/Settings/apiKeys',
    open: (page) => page.getByRole('button', { name: 'Add API key' }).click(),
    ready: (page) => expect(dialog(page, 'Add API key').getByLabel('Name')).toBeVisible(),
  },
  {
    name: 'adding a webhook',
    email: manager,
    address: '/northgate/Settings/webhooks',
    open: (page) => page.getByRole('button', { name: 'Add webhook' }).click(),
    ready: (page) => expect(dialog(page, 'Add webhook').getByLabel('Name')).toBeVisible(),
  },
  {
    name: 'the log of a webhook',
    email: manager,
    address: '/northgate/Settings/webhooks',
    open: (page) =>
      page.getByRole('row').filter({ hasText: demoIntegrations.webhook }).getByRole('link').first().click(),
    ready: (page) => expect(page.getByRole('button', { name: /^Details: / }).first()).toBeVisible(),
  },
  {
    name: 'approving a resident',
    email: manager,
    address: '/northgate/Settings/residents?access=Waiting',
    open: (page) =>
      page
        .getByRole('button', { name: /^Approve: / })
        .first()
        .click(),
    ready: (page) => expect(dialog(page, /^Approve/)).toBeVisible(),
  },
  {
    name: 'revoking what a resident sees',
    email: manager,
    address: '/northgate/Settings/residents',
    open: (page) =>
      page
        .getByRole('button', { name: /^Revoke: / })
        .first()
        .click(),
    ready: (page) => expect(dialog(page, 'Revoke access')).toBeVisible(),
  },
  {
    name: 'savings and tips of a resident',
    email: manager,
    address: '/northgate/Settings/residents',
    open: (page) =>
      page
        .getByRole('button', { name: /: savings and tips of / })
        .first()
        .click(),
    ready: (page) => expect(page.getByLabel('Savings and tips in Markdown')).toBeVisible(),
  },
  {
    name: 'adding a tenant',
    email: developer,
    address: '/northgate/Settings/Tenants/Add',
    ready: (page) => expect(page.getByRole('textbox', { name: 'ID', exact: true })).toBeEditable(),
  },
  ...(
    [
      ['Invite manager', 'Invite a manager of'],
      ['Add licences', 'Add licences'],
      ['Suspend', 'Suspend'],
      ['Export everything', 'Export everything of'],
    ] as const
  ).map(([button, title]) => ({
    name: `a tenant's dialog '${button}'`,
    email: developer,
    address: '/northgate/Settings/Tenants/harbour',
    open: (page: Page) => page.getByRole('main').getByRole('button', { name: button, exact: true }).click(),
    ready: (page: Page) => expect(page.getByRole('dialog', { name: new RegExp(`^${title}`) })).toBeVisible(),
  })),
  {
    name: 'adding a standard luminaire',
    email: manager,
    address: '/northgate/Settings/luminaire',
    open: async (page) => {
      await page.getByRole('button', { name: 'Add luminaire' }).click()
      await dialog(page, 'Add luminaire').getByRole('combobox', { name: 'Battery type' }).fill('Potato')
    },
    ready: (page) => expect(page.getByText('Please select battery type from list')).toBeVisible(),
  },
  {
    name: 'support',
    email: manager,
    address: '/northgate/Support',
    ready: (page) => expect(page.locator('a[href^="mailto:"]')).toBeVisible(),
  },
  {
    name: 'my account',
    email: manager,
    address: '/northgate/MyAccount',
    ready: (page) => expect(page.getByRole('main').getByText(manager)).toBeVisible(),
  },
  { name: 'audit', email: developer, address: '/harbour/Audit', open: leaveTraces, ready: listing },
  { name: 'mailbox', email: developer, address: '/harbour/Mailbox', open: leaveTraces, ready: listing },
  {
    name: 'handing a device over',
    email: manager,
    address: `/northgate/EmeredInstall/${stockLight.serial}/${stockLight.deviceId}`,
    ready: (page) => expect(page.getByRole('img', { name: /^QR code/ })).toBeVisible(),
  },
  {
    name: 'moving a device from wholesale',
    email: manager,
    address: `/northgate/MoveFromWholesale/${inWholesale.serial}`,
    ready: (page) => expect(page.getByRole('img', { name: /^QR code/ })).toBeVisible(),
  },
  {
    name: 'connecting a device to its module',
    email: manager,
    address: `/northgate/ConnectedDeviceInstall/MultiDot/${livelyBoiler.deviceId}/${allocatedDot.serial}/${allocatedDot.deviceId}?location=Bathroom`,
    ready: (page) => expect(page.getByRole('img', { name: /^QR code/ })).toBeVisible(),
  },
  {
    name: 'not found',
    email: manager,
    address: '/northgate/Nothing',
    errors: [consoleText(404)],
    ready: (page) => expect(page.getByText('Not found.')).toBeVisible(),
  },
  {
    name: 'refused',
    email: 'boiler@northgate.example',
    address: '/northgate/EmergencyLights',
    ready: (page) => expect(page.getByText("You don't have permission.")).toBeVisible(),
  },
  {
    name: 'error page',
    email: manager,
    address: '/northgate/Error',
    ready: (page) => expect(heading(page)).toContainText('Woops'),
  },
]

/** The rows of a table are alike: the first five stand for all. Below a dialog lies a page that is a screen of its own. */
async function found(page: Page, rules?: string[]): Promise<string[]> {
  const isDialog = await page.getByRole('dialog').first().isVisible()
  return findings(page, { rules, exclude: 'tbody tr:nth-child(n+6)', ...(isDialog && { include: '[role="dialog"]' }) })
}

/** What is wider than a small window, so that the page would have to be scrolled sideways to be read. */
async function sideways(page: Page): Promise<string[]> {
  await page.setViewportSize(narrow)
  return page.evaluate(() => {
    const root = document.documentElement
    if (root.scrollWidth <= root.clientWidth) return []
    const wide = [...document.body.querySelectorAll('*')].filter(
      (element) => element.getBoundingClientRect().right > root.clientWidth + 0.5,
    )
    return [`${root.scrollWidth} px`, ...wide.slice(0, 5).map((element) => element.outerHTML.slice(0, 120))]
  })
}

const background = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor)

for (const { name, email, address, open, ready, errors = [] } of screens)
  test(`${name}: accessible in light, in dark, on a phone and at 320 px, where it holds`, async ({
    page,
    pageOf,
    expectedErrors,
  }) => {
    expectedErrors.push(...errors)
    const tab = email ? await pageOf(email) : page
    await tab.emulateMedia({ colorScheme: 'light' })
    await tab.goto(address)
    await open?.(tab)
    await ready(tab)
    const light = await background(tab)
    expect.soft(await found(tab), 'light').toEqual([])
    await tab.emulateMedia({ colorScheme: 'dark' })
    // A full listing takes its time to be painted anew on a busy machine.
    await expect.poll(() => background(tab), { timeout: 30_000 }).not.toBe(light)
    expect.soft(await found(tab, ofColours), 'dark').toEqual([])
    await tab.setViewportSize(phone)
    await ready(tab)
    expect.soft(await found(tab), 'on a phone').toEqual([])
    await expect.soft.poll(() => sideways(tab), 'at 320 px').toEqual([])
    const dark = await background(tab)
    await tab.emulateMedia({ colorScheme: 'light' })
    await expect.poll(() => background(tab), { timeout: 30_000 }).not.toBe(dark)
    expect.soft(await found(tab), 'at 320 px in light').toEqual([])
  })
