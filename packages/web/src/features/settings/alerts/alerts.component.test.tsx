import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Alert, AlertDefinition } from '@caretaker/contract/alerts.ts'
import {
  addDefaultAlerts,
  createAlertDefinition,
  deleteAlertDefinition,
  getAlertDefinitions,
  getAlertPreviews,
  getAlerts,
  previewAlertDefinition,
  updateAlertDefinition,
} from '@caretaker/contract/alerts.ts'
import { getTenantBuildings } from '@caretaker/contract/buildings.ts'
import { getTenantTags } from '@caretaker/contract/tags.ts'
import { loading, toast } from '../../../testing/device-screen.ts'
import { idOf } from '../../../testing/examples/devices.ts'
import { aHome, homePages } from '../../../testing/examples/homes.ts'
import { expectCount, expectTexts } from '../../../testing/expect.ts'
import { answer, exampleOf } from '../../../testing/network.ts'
import { openPortal } from '../../../testing/portal.tsx'

/** Several journeys in one test: on a busy machine they need longer than a usual test. */
const slow = { timeout: 60_000 }

const table = page.getByRole('grid', { name: 'Alerts' })
const editor = page.getByRole('form')
const part = (label: string) => editor.getByRole('combobox', { name: label })
async function choose(label: string, option: string): Promise<void> {
  await part(label).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** Selects one of several options: the list stays open until it is closed. */
async function pick(label: string, option: string): Promise<void> {
  await choose(label, option)
  await userEvent.keyboard('{Escape}')
}

const rule: AlertDefinition = {
  ...exampleOf(getAlertDefinitions).alerts[0]!,
  alertId: idOf(1),
  tagId: idOf(2),
  tagName: 'NightTest',
  scope: { families: [], buildingIds: [], tagIds: [idOf(2)] },
  covers: 'NightTest',
  enabled: true,
  definedByTenant: true,
  version: 3,
  delay: 6,
  delayUnit: 'hours',
  delayDisplay: '6 hours',
  notificationType: 'EMAIL',
  notificationTarget: 'crew@northgate.example',
  left: [],
  triggerType: 'DEVICESTATUS',
  triggerCondition: 'RepairedEquipment',
}
const rules = (...alerts: AlertDefinition[]) =>
  answer(getAlertDefinitions, { alerts, missingDefaults: 0, voidProperties: 0 })
const noPreview = [
  answer(getAlertPreviews, []),
  answer(previewAlertDefinition, {
    days: exampleOf(previewAlertDefinition).days.map(() => 0),
    count: 0,
    knownSince: null,
    latest: null,
  }),
]
const buildings = answer(getTenantBuildings, [
  { ...exampleOf(getTenantBuildings)[0]!, building: idOf(3), name: 'Oak House' },
])
const tags = answer(getTenantTags, { tags: [{ id: idOf(2), name: 'NightTest' }], alerts: [] })

test(
  'an alert row is added, edited in its place, cancelled and deleted [dev-2settings-1 dev-4alerts-1 dev-4alerts-2 dev-4alerts-3 dev-4alerts-4 dev-4alerts-6 dev-5val-53 dev-3ent-51 dev-6other-11]',
  slow,
  async () => {
    const portal = await openPortal('/northgate/Settings', {
      answers: [
        rules(),
        ...noPreview,
        tags,
        buildings,
        answer(createAlertDefinition, rule),
        answer(updateAlertDefinition, { ...rule, delay: 7, delayDisplay: '7 hours' }),
        answer(deleteAlertDefinition, { alertId: rule.alertId }),
      ],
    })
    const active = page.getByCss('nav[aria-label="Sections of this page"] [aria-current=page]')
    await expect.element(active, loading).toHaveTextContent('Alerts Settings')
    await page.getByRole('button', { name: 'Add alert' }).click()
    await editor.getByRole('button', { name: 'Save' }).click()
    await expect.element(editor.getByText('Tag is required')).toBeVisible()
    await pick('Tag', 'NightTest')
    await part('Condition').click()
    await expectTexts(page.getByRole('option'), [
      '',
      'FailedEquipment',
      'PreventativeMaintenance',
      'RepairedEquipment',
      'Ok',
    ])
    await page.getByRole('option', { name: 'RepairedEquipment' }).click()
    await editor.getByLabelText('Delay').fill('6')
    await choose('Unit', 'hours')
    await editor.getByLabelText('E-mail address').fill('crew@northgate.example')
    await expect.element(editor.getByText('In the last 30 days: 0 e-mails')).toBeVisible()
    await editor.getByRole('button', { name: 'Save' }).click()
    await expect.element(toast('Request Successful')).toBeVisible()
    expect(portal.sentTo(createAlertDefinition)[0]!.body).toMatchObject({
      tagId: idOf(2),
      scope: { families: [], buildingIds: [], tagIds: [idOf(2)] },
      delay: 6,
      delayUnit: 'hours',
      triggerCondition: 'RepairedEquipment',
      notificationTarget: 'crew@northgate.example',
    })
    const row = table.getByRole('row').filter({ hasText: 'NightTest' })
    await expect.element(row).toMatchTextContent('6 hours')
    await row.getByRole('button', { name: /^Edit/ }).click()
    await editor.getByLabelText('Delay').fill('9')
    await editor.getByRole('button', { name: 'Cancel' }).click()
    await expect.element(row).toMatchTextContent('6 hours')
    expect(portal.sentTo(updateAlertDefinition)).toEqual([])
    await row.getByRole('button', { name: /^Edit/ }).click()
    await editor.getByLabelText('Delay').fill('7')
    await userEvent.keyboard('{Enter}')
    await expect.element(row).toMatchTextContent('7 hours')
    expect(portal.sentTo(updateAlertDefinition)[0]!.body).toMatchObject({ alertId: rule.alertId, delay: 7, version: 3 })
    await row.getByRole('button', { name: /^Delete/ }).click()
    portal.use(rules())
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await expect.element(toast('Alert deleted!')).toBeVisible()
    await expectCount(row, 0)
    expect(portal.sentTo(deleteAlertDefinition)[0]!.body).toMatchObject({ alertId: rule.alertId })
  },
)

test.each(['LightingEngineer', 'Guest'] as const)(
  'a %s reads the alerts and changes none [dev-6other-11]',
  async (role) => {
    await openPortal('/northgate/Settings', { role, answers: [rules(rule), ...noPreview, tags] })
    await expect.element(table.getByRole('row').filter({ hasText: 'NightTest' }), loading).toBeVisible()
    await expectCount(page.getByRole('button', { name: 'Add alert' }), 0)
    await expectCount(table.getByRole('button', { name: /^(Edit|Delete)/ }), 0)
  },
)

test('a rule is created for a device type in a building, or for the whole client', slow, async () => {
  const portal = await openPortal('/northgate/Settings', {
    answers: [rules(), ...noPreview, tags, buildings, answer(createAlertDefinition, rule)],
  })
  await page.getByRole('button', { name: 'Add alert' }).click()
  await choose('Devices', 'a device of type')
  await expect.element(editor.getByRole('button', { name: 'Save' })).toBeDisabled()
  await pick('Type of device', 'Emergency lights')
  await pick('Buildings', 'Oak House')
  await choose('Notification', 'Nothing')
  await expect.element(editor.getByText('In the last 30 days: 0 e-mails')).toBeVisible()
  await editor.getByRole('button', { name: 'Save' }).click()
  await expect.element(toast('Request Successful')).toBeVisible()
  expect(portal.sentTo(createAlertDefinition)[0]!.body).toMatchObject({
    tagId: '',
    scope: { families: ['emered'], buildingIds: [idOf(3)], tagIds: [] },
  })
  await page.getByRole('button', { name: 'Add alert' }).click()
  await choose('Devices', 'any device')
  await expectCount(part('Tag'), 0)
  await choose('Notification', 'Nothing')
  await editor.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => portal.sentTo(createAlertDefinition).length).toBe(2)
  expect(portal.sentTo(createAlertDefinition)[1]!.body).toMatchObject({
    scope: { families: [], buildingIds: [], tagIds: [] },
  })
})

test('a preview with incomplete history shows since when it counts', async () => {
  const since = '2026-11-26T09:00:00.000Z'
  const days = exampleOf(previewAlertDefinition).days.map(() => 0)
  await openPortal('/northgate/Settings', {
    answers: [
      rules(rule),
      answer(getAlertPreviews, [{ alertId: rule.alertId, days, count: 0, knownSince: since }]),
      answer(previewAlertDefinition, { days, count: 0, knownSince: since, latest: null }),
      tags,
      buildings,
    ],
  })
  const row = table.getByRole('row').filter({ hasText: 'NightTest' })
  await expect.element(row, loading).toMatchTextContent('since 26/11')
  await row.getByRole('button', { name: /^Edit/ }).click()
  await expect.element(editor.getByText(/^Recorded since 26\/11\/2026/)).toBeVisible()
})

const silent: AlertDefinition = { ...rule, notificationType: 'NONE', notificationTarget: '' }

test('a rule is switched off and on in its row, which shows its state', async () => {
  const off = { ...silent, enabled: false }
  const portal = await openPortal('/northgate/Settings', {
    answers: [rules(silent), ...noPreview, tags, buildings, answer(updateAlertDefinition, off)],
  })
  const row = table.getByRole('row').filter({ hasText: 'NightTest' })
  await expect.element(page.getByText(/^1 rule sends no e-mail: its alerts appear in the portal only/)).toBeVisible()
  await row.getByRole('switch', { name: /^Switched on: NightTest/ }).click({ force: true })
  await expect.element(row).toMatchTextContent('Switched off')
  expect(portal.sentTo(updateAlertDefinition)[0]!.body).toMatchObject({ alertId: rule.alertId, enabled: false })
})

test('a client without default rules adds them with one click; a guest sees no switch and no button', async () => {
  const lacking = answer(getAlertDefinitions, { alerts: [rule], missingDefaults: 6, voidProperties: 0 })
  const portal = await openPortal('/northgate/Settings', {
    answers: [lacking, ...noPreview, tags, buildings, answer(addDefaultAlerts, [rule])],
  })
  const add = page.getByRole('button', { name: 'Add default rules' })
  await expect.element(add, loading).toBeVisible()
  portal.use(rules(rule))
  await add.click()
  await expect.element(toast('Request Successful')).toBeVisible()
  await expectCount(add, 0)
  expect(portal.sentTo(addDefaultAlerts)).toHaveLength(1)
  await openPortal('/northgate/Settings', { role: 'Guest', answers: [lacking, ...noPreview, tags, buildings] })
  await expect.element(table.getByRole('row').filter({ hasText: 'NightTest' }), loading).toBeVisible()
  await expectCount(add, 0)
  await expectCount(table.getByRole('switch'), 0)
})

const alert: Alert = {
  ...exampleOf(getAlerts).alerts[0]!,
  state: 'open',
  triggerType: 'DEVICESTATUS',
  triggerCondition: 'FailedEquipment',
  home: null,
  endedAt: null,
  overAt: null,
  closedAt: null,
  isMuted: false,
  isUnstable: false,
  behind: 0,
  mails: [],
}
const alerts = (...all: Alert[]) =>
  answer(getAlerts, { alerts: all, hasMore: false, counts: { open: all.length, pending: 0, over: 1001 } })

test('behind the bell are the open alerts, and a page lists all alerts of the client [core-1-14]', async () => {
  const portal = await openPortal('/northgate/Dashboard', { answers: [alerts(alert)] })
  await page.getByRole('button', { name: /^Alerts, 1 open$/ }).click()
  const panel = page.getByRole('dialog')
  await expect.element(panel.getByRole('list', { name: 'Open' }).getByRole('listitem').first(), loading).toBeVisible()
  await expect.element(panel.getByRole('button', { name: /^Over\s*1,000\+$/ })).toBeVisible()
  await panel.getByRole('link', { name: 'All alerts' }).click()
  await expect.poll(() => portal.address()).toBe('/northgate/Alerts')
  await expect.element(page.getByRole('heading', { name: 'Alerts', exact: true }), loading).toBeVisible()
  const listed = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Failed equipment for' })
  await expect.element(listed.first()).toBeVisible()
})

test('an open alert whose condition has ended shows when it will close', async () => {
  const ended = { ...alert, endedAt: '2026-11-26T14:30:00.000Z', overAt: '2026-11-26T15:00:00.000Z' }
  await openPortal('/northgate/Alerts', { answers: [alerts(ended)] })
  await expect
    .element(page.getByRole('main').getByRole('listitem').first(), loading)
    .toMatchTextContent(
      'Cleared since 26/11/2026 14:30. The alert closes at 26/11/2026 15:00 unless the condition returns',
    )
})

test('an alert about a property names the property with its deadline, leads to it, and is shown on its page', async () => {
  const home = aHome()
  const ofHome: Alert = {
    ...alert,
    ...{ deviceId: null, deviceName: null, serial: null, product: null, where: 'Oak House', covers: 'All properties' },
    home: { propertyId: home.propertyId, reference: 'AL-7', address: '12 Ashfield Terrace, Halifax' },
    ...{ triggerType: 'ALERTABLEEVENT', triggerCondition: 'awaabsLawMissed' },
    reason: 'AL-0012 Repairs, due by 18/11/2026 10:00',
  }
  const portal = await openPortal('/northgate/Alerts', {
    features: ['PropertyCentric'],
    answers: [alerts(ofHome), ...homePages(home, [])],
  })
  const entry = page.getByRole('main').getByRole('listitem').first()
  await expect
    .element(entry, loading)
    .toMatchTextContent(
      "Awaab's Law: deadline missed: 12 Ashfield Terrace, Halifax (AL-0012 Repairs, due by 18/11/2026 10:00)",
    )
  await expect.element(entry).toMatchTextContent('AL-7, Oak House')
  await entry.getByRole('link', { name: 'Open property' }).click()
  await expect.poll(() => portal.address()).toMatch(new RegExp(`^/northgate/Properties/${home.propertyId}`))
  const list = page.getByRole('list', { name: 'Open alerts' })
  await expect.element(list.getByRole('listitem').first(), loading).toMatchTextContent('AL-0012 Repairs')
})

test('the form of an alert about properties explains which filters apply to them', async () => {
  await openPortal('/northgate/Settings', { answers: [rules(), ...noPreview, tags, buildings] })
  await page.getByRole('button', { name: 'Add alert' }).first().click()
  const note = editor.getByText(/This condition is about properties/)
  await expectCount(note, 0)
  await choose('Trigger', 'Event')
  await choose('Condition', 'Gas check due')
  await expect.element(note).toBeVisible()
})
