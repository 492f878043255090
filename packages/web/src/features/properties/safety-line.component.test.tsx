import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { HomeCheck, PropertySafety } from '@caretaker/contract/property-safety.ts'
import {
  addHomeAppliance,
  getHomeApplianceRecords,
  getPropertySafety,
  removeHomeAppliance,
} from '@caretaker/contract/property-safety.ts'
import type { ComplianceState } from '@caretaker/rules/compliance/due.ts'
import { complianceStates, stateWords } from '@caretaker/rules/compliance/due.ts'
import { loading } from '../../testing/device-screen.ts'
import { idOf } from '../../testing/examples/devices.ts'
import { aHome, aHomeDevice, homePages } from '../../testing/examples/homes.ts'
import { expectCount } from '../../testing/expect.ts'
import { answer, exampleOf } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'
import { region } from '../../testing/screen.ts'

const dialog = (name: string) => page.getByRole('dialog', { name })

const home = aHome({ numberOfInhabitant: 5 })
const boiler = aHomeDevice({
  fault: { code: 'EA', description: 'flame not detected', source: 'boiler', isResettable: true },
})
const addressOf = (tab: string) => `/northgate/Properties/${home.propertyId}/${tab}`

const gasOf = (state: ComplianceState, more: Partial<HomeCheck> = {}): HomeCheck => {
  const dates = { dueOn: '2027-03-14', nearOn: '2027-01-14', failedOn: null, lastOn: '2026-03-10', isStated: false }
  const stated = { statedOn: null, statedBy: null, statedAt: null }
  const own = { applianceId: null, deviceId: boiler.deviceId, name: 'Boiler BX000051', addedAt: null, addedBy: null }
  return { state, ...dates, certificate: 'LGSR-1', ...stated, appliances: [{ ...own, state, ...dates }], ...more }
}
const well: PropertySafety = {
  gas: gasOf('InDate'),
  water: null,
  removedAppliances: [],
  damp: { level: 'low', since: '2026-10-02T00:00:00Z' },
  heating: {
    ...{ state: 'Working', since: null, lastHeard: '2026-11-27T12:04:00Z' },
    device: { deviceId: boiler.deviceId, product: 'BX', fault: null },
  },
  lights: { state: 'Passed', testedOn: '2026-11-12', count: 2 },
}
const line = page.getByRole('list', { name: 'Safety of this property' })
const part = (label: string) => line.getByRole('listitem').filter({ hasText: new RegExp(`^${label}`) })

async function open(safety: Partial<PropertySafety> = {}, tab = 'info') {
  const answers = [...homePages(home, [boiler]), answer(getPropertySafety, { ...well, ...safety })]
  const portal = await openPortal(addressOf(tab), { features: ['PropertyCentric'], answers })
  await expect.element(line, loading).toBeVisible()
  return portal
}

test('the header of a property shows its safety, each part with its date and a link to the evidence', async () => {
  await open()
  for (const [label, text, to] of [
    ['Gas', 'In date, due 14/03/2027', `/northgate/Boilers/${boiler.deviceId}/compliance`],
    ['Damp', 'Low since 02/10/2026', addressOf('telemetry')],
    ['Heating', 'Working, last contact 27/11/2026 12:04', `/northgate/Boilers/${boiler.deviceId}`],
    ['Alarms and lights', 'Passed, tested 12/11/2026', addressOf('devices')],
  ] as const) {
    await expect.element(part(label), loading).toMatchTextContent(text)
    await expect.element(part(label).getByRole('link')).toHaveAttribute('href', to)
    await expectCount(part(label).getByCss('b[data-tone="passed"]'), 1)
  }
})

test.each(['info', 'devices', 'telemetry'])('the head says so on the tab %s, too', async (tab) => {
  await open({}, tab)
  await expect.element(part('Gas')).toMatchTextContent('In date, due 14/03/2027')
})

test.each(complianceStates.filter((state) => state !== 'NoRecord' && state !== 'InDate'))(
  'gas that is %s is named and is not green',
  async (state) => {
    const failed = state === 'Failed' ? { failedOn: '2026-11-12' } : {}
    await open({ gas: gasOf(state, failed) })
    await expect.element(part('Gas'), loading).toMatchTextContent(stateWords[state])
    await expectCount(part('Gas').getByCss('b[data-tone="passed"]'), 0)
  },
)

test('a part without data shows no readings and is not green', async () => {
  await open({ gas: null, damp: { level: 'not assessed', since: null }, heating: null, lights: null })
  for (const [label, text] of [
    ['Gas', 'None, no gas appliance'],
    ['Damp', 'No readings'],
    ['Heating', 'No readings'],
    ['Alarms and lights', 'None'],
  ] as const)
    await expect.element(part(label), loading).toMatchTextContent(text)
  await expectCount(line.getByCss('b[data-tone="passed"]'), 0)
})

test('a locked-out boiler is at the top of the page, with the number of people without heating', async () => {
  const since = '2026-11-20T09:43:00Z'
  await open({ heating: { ...well.heating!, state: 'LockedOut', since } })
  const alarm = page.getByRole('alert').filter({ hasText: 'locked out' })
  await expect.element(alarm).toMatchTextContent('Boiler locked out since 20/11/2026, no heating, 5 people')
  await expect.element(part('Heating')).toMatchTextContent('Locked out since 20/11/2026 09:43, no heating')
  await expect.element(region('Alarm').getByText('Fault EA, flame not detected.')).toBeVisible()
  await expect.element(region('Alarm').getByRole('button', { name: 'Reset boiler' })).toBeVisible()
})

test('a date without a certificate is marked as such, with its author', async () => {
  const stated = {
    isStated: true,
    certificate: null,
    statedOn: '2026-02-09',
    statedBy: 'Priya Nair',
    statedAt: '2026-06-03T10:00:00Z',
  }
  await open({ gas: gasOf('Stated', stated) })
  await expect.element(page.getByText('Entered by Priya Nair on 03/06/2026.').first(), loading).toBeVisible()
  await expect.element(page.getByText('A date without a certificate does not prove a check.').first()).toBeVisible()
})

test('a gas appliance without a connected device is entered on the property', async () => {
  const portal = await open({ gas: null })
  await region('Other gas appliances').getByRole('button', { name: 'Add appliance' }).click()
  const form = dialog('Add gas appliance')
  await form.getByRole('button', { name: 'Add appliance' }).click()
  await expect.element(form.getByText('Appliance is required')).toBeVisible()
  portal.use(answer(addHomeAppliance, { applianceId: idOf(70) }))
  await form.getByRole('textbox', { name: 'Appliance' }).fill('Gas fire, lounge')
  await form.getByRole('button', { name: 'Add appliance' }).click()
  await expectCount(form, 0)
  expect(portal.sentTo(addHomeAppliance).map(({ body }) => body)).toEqual([{ name: 'Gas fire, lounge' }])
})

const ownAppliance: HomeCheck['appliances'][number] = {
  ...gasOf('InDate').appliances[0]!,
  ...{
    applianceId: idOf(71),
    deviceId: null,
    name: 'Gas fire, lounge',
    addedAt: '2026-02-01T09:00:00Z',
    addedBy: 'Sam Poole',
  },
}

test('a gas appliance is removed with a reason', async () => {
  const portal = await open({ gas: gasOf('InDate', { appliances: [ownAppliance] }) })
  portal.use(answer(getHomeApplianceRecords, { records: [] }), answer(removeHomeAppliance, { isRemoved: true }))
  const card = region('Other gas appliances')
  await card.getByRole('button', { name: 'Remove' }).click()
  const form = dialog('Remove Gas fire, lounge')
  await form.getByRole('button', { name: 'Remove' }).click()
  await expect.element(form.getByText('Reason is required')).toBeVisible()
  await form.getByRole('textbox', { name: 'Why is this appliance removed?' }).fill('Taken out by the engineer')
  await form.getByRole('button', { name: 'Remove' }).click()
  await expectCount(form, 0)
  expect(portal.sentTo(removeHomeAppliance).map(({ body }) => body)).toEqual([{ reason: 'Taken out by the engineer' }])
})

test('a removed appliance is shown with date, person and reason, and its records stay readable', async () => {
  const [record] = exampleOf(getHomeApplianceRecords).records
  const removed = {
    ...{ applianceId: idOf(71), name: 'Gas fire, lounge', removedAt: '2026-11-20T09:00:00Z' },
    ...{ removedBy: 'Sam Poole', reason: 'Taken out by the engineer' },
  }
  const answers = [
    ...homePages(home, [boiler]),
    answer(getPropertySafety, { ...well, removedAppliances: [removed] }),
    answer(getHomeApplianceRecords, { records: [{ ...record!, serialNumber: 'LGSR-7', withdrawn: null }] }),
  ]
  await openPortal(addressOf('info'), { features: ['PropertyCentric'], role: 'Guest', answers })
  const card = region('Other gas appliances')
  await card.getByText('Removed appliances (1)').click()
  const item = card.getByRole('list', { name: 'Removed appliances' })
  await expect
    .element(item)
    .toMatchTextContent('Removed on 20/11/2026 by Sam Poole. Reason: Taken out by the engineer.')
  await expect.element(item.getByRole('list', { name: 'Records of Gas fire, lounge' })).toMatchTextContent('LGSR-7')
  await expectCount(item.getByRole('button', { name: 'Withdraw' }), 0)
})
