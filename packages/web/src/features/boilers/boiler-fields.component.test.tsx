import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Boiler } from '@caretaker/contract/boilers.ts'
import {
  patchBcmSettings,
  updateChSetPoint,
  updateOccupierAddress,
  updateOccupierId,
} from '@caretaker/contract/boilers.ts'
import { updateDeviceBuildingLocation } from '@caretaker/contract/devices.ts'
import { card, loading } from '../../testing/device-screen.ts'
import { aBoiler, boilerPage, idOf } from '../../testing/examples/devices.ts'
import { expectCount } from '../../testing/expect.ts'
import { openPortal } from '../../testing/portal.tsx'
import { tabs } from '../../testing/screen.ts'

const settings = {
  chMax: { desired: null, reported: 60 },
  dhwSetPoint: { desired: null, reported: 48 },
  chLimit: { desired: null, reported: false },
  buzzer: { desired: null, reported: false },
}
/** A boiler in a property with editable settings. */
const boiler = aBoiler({
  ...{ chMaxSupported: true, supportsDhwSetPoint: true, hasBuzzer: true, occupancy: null, heatingUnit: 'boiler' },
  ...{ settings, reported: {}, propertyId: idOf(50), occupierId: 'NG-0050', address: '4 Mill Lane, Halifax' },
  ...{ location: 'Kitchen', manufacturer: 'Worcester Bosch', model: 'Greenstar 30i', gcNumber: '47-406-13' },
})
const address = `/northgate/Boilers/${boiler.deviceId}`

/** A row of a card, by label. */
const row = (title: string, label: string) =>
  card(title)
    .getByCss('dl > div')
    .filter({ has: page.getByCss('dt').getByText(label, { exact: true }) })
const pencils = page
  .getByRole('region', { name: /^(Heating settings|Boiler|Heat pump|Controller|Location)$/ })
  .getByRole('button', { name: /^(Edit (?!access)|Turn|Limit|Buzzer|CH Max)/ })

async function open(device: Partial<Boiler> = {}, options: Parameters<typeof openPortal>[1] = {}) {
  const portal = await openPortal(address, { ...options, answers: boilerPage({ ...boiler, ...device }) })
  await expect.element(card('Location'), loading).toBeVisible()
  await expect.element(row('Heating settings', 'CH max')).toMatchTextContent('°C')
  return portal
}

test('the page of a boiler opens on Info, where read-only values are plain text [dev-2detail-1 dev-2detail-4]', async () => {
  await open({}, { role: 'BoilerEngineer' })
  await expect.element(page.getByRole('heading', { level: 1 })).toHaveTextContent(boiler.deviceName)
  await expect.element(tabs.filter({ hasText: /^Info/ })).toHaveAttribute('aria-current', 'page')
  for (const [label, text] of [
    ['Manufacturer', 'Worcester Bosch'],
    ['Model', 'Greenstar 30i'],
    ['GC number', '47-406-13'],
  ] as const) {
    await expect.element(row('Boiler', label)).toMatchTextContent(text)
    await expectCount(row('Boiler', label).getByRole('button'), 0)
  }
})

test.each([
  ['Heating settings', 'CH max', ['29', '81', 'warm'], 'CH max should be greater than 30', '[dev-5val-26]'],
  ['Heating settings', 'DHW set point', ['39', '66'], 'DHW should range from 40°C to 65°C', '[dev-5val-28]'],
  ['Location', 'Property reference', [' '], 'Property Reference can not be empty', '[dev-5val-24]'],
  ['Location', 'Address', [' '], 'Address can not be empty', '[dev-5val-23]'],
  ['Location', 'Location', [' '], 'Location can not be empty', '[dev-5val-25]'],
] as const)(
  '%s: %s is edited in its row, and %j is refused as %j and not sent [dev-2detail-36 dev-2detail-37] %s',
  async (title, label, values, text, _) => {
    const portal = await open({}, { role: 'BoilerEngineer' })
    const field = row(title, label)
    await expectCount(field.getByRole('textbox'), 0)
    await field.getByRole('button', { name: `Edit ${label}`, exact: true }).click()
    const save = field.getByRole('button', { name: 'Save', exact: true })
    await expect.element(save).toBeDisabled()
    for (const value of values) {
      await field.getByRole('textbox', { name: label }).fill(value)
      await expect.element(field.getByText(text, { exact: true })).toBeVisible()
      await expect.element(save).toBeDisabled()
      await userEvent.keyboard('{Enter}')
    }
    await userEvent.keyboard('{Escape}')
    await expectCount(field.getByRole('textbox'), 0)
    for (const route of [
      ...[updateChSetPoint, patchBcmSettings, updateOccupierId, updateOccupierAddress, updateDeviceBuildingLocation],
    ])
      expect(portal.sentTo(route as typeof updateChSetPoint)).toEqual([])
  },
)

test('a boiler is edited by boiler engineers, and not where it is a heat pump, by guests, or where it is read-only or of a restricted type [dev-6other-3 dev-6other-6 dev-6other-7]', async () => {
  await open({}, { role: 'BoilerEngineer' })
  await expect.element(pencils.first()).toBeVisible()
  await open({}, { role: 'Manager' })
  await expect.element(pencils.first()).toBeVisible()
  for (const [device, role] of [
    [{ productId: 'ASHP', heatingUnit: 'air source heat pump' }, 'BoilerEngineer'],
    [{}, 'Guest'],
    [{ productId: 'ADEY' }, 'Manager'],
    [{ userHasReadOnlyAccess: true }, 'Manager'],
  ] as const) {
    await open(device, { role })
    await expectCount(pencils, 0)
  }
})

test('with HideEditPropertyAndResidentFields nobody edits a boiler, and with HideCustomerPersonalData it has no address [dev-6other-8 core-5-33]', async () => {
  await open({}, { features: ['HideEditPropertyAndResidentFields'] })
  await expectCount(pencils, 0)
  await expect.element(card('Location').getByText('Address', { exact: true })).toBeVisible()
  await open({}, { features: ['HideCustomerPersonalData'] })
  await expectCount(card('Location').getByText('Address', { exact: true }), 0)
})

test("a boiler in a void home shows its heating max as '10°C' [dev-4heat-19]", async () => {
  await openPortal(address, { answers: boilerPage({ ...boiler, occupancy: 'Void', heatingMax: 10 }) })
  const chMax = row('Heating settings', 'CH max')
  await expect.element(chMax.getByText('10°C', { exact: true }), loading).toBeVisible()
  await expect.element(chMax).toMatchTextContent('The property is void')
  await expectCount(chMax.getByRole('button'), 0)
})

test('only heat pumps with a power switch have a heat saviour, and read-only users see its state [dev-4heat-5 dev-4heat-6] [est-4-57]', async () => {
  const saviour = card('Heat saviour')
  const powerSwitch: NonNullable<Boiler['powerSwitch']> = {
    ...{ deviceId: idOf(5), deviceName: 'Power switch', serialNumber: 'PS000005', location: null, status: 'Ok' },
    ...{ connectionStatus: 'Connected', inWholesale: false, accessRightsTags: [], userHasReadOnlyAccess: false },
    reported: { relays: { 1: true, 2: false } },
    relays: [
      { relayId: '1', name: 'Air source heat pump', desiredPoweredOn: null, reportedPoweredOn: true },
      { relayId: '2', name: 'Immersion heater', desiredPoweredOn: null, reportedPoweredOn: false },
    ],
  }
  const heatPump = { productId: 'ASHP', heatingUnit: 'air source heat pump', powerSwitch } as const
  await open(heatPump)
  await expectCount(saviour.getByRole('switch'), 2)
  await open(heatPump, { role: 'Guest' })
  await expectCount(saviour.getByRole('group'), 2)
  await expectCount(saviour.getByRole('switch'), 0)
  await open({ ...heatPump, powerSwitch: null })
  await expectCount(saviour, 0)
  await open({ powerSwitch: null })
  await expectCount(saviour, 0)
})
