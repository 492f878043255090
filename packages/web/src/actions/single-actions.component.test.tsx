import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import {
  autofillReset,
  boilerReset,
  emeredJoinNetwork,
  emeredLeaveNetwork,
  removeDevice,
  resetDevice,
} from '@caretaker/contract/actions.ts'
import type { DeviceRow } from '@caretaker/contract/devices.ts'
import type { Command } from '@caretaker/contract/lighting.ts'
import { getDeviceCommands } from '@caretaker/contract/lighting.ts'
import { getDeviceBySerial } from '@caretaker/contract/links.ts'
import { getClientSettings } from '@caretaker/contract/session.ts'
import { passUntil, stopClock } from '../testing/clock.ts'
import { expectConsoleError } from '../testing/console.ts'
import {
  aBoiler,
  aGateway,
  aLight,
  aRow,
  boilerPage,
  gatewayPage,
  idOf,
  lightPage,
  listingsOf,
} from '../testing/examples/devices.ts'
import { expectCount } from '../testing/expect.ts'
import { answer, answerStatus, exampleOf, refuse } from '../testing/network.ts'
import { openPortal, settings } from '../testing/portal.tsx'
import { act, dialog, headMenu, menuItem, offeredIn, rowMenu, rows, toast, loading } from '../testing/device-screen.ts'

const appUrl = 'https://app.caretaker.example'
const somethingWrong = 'Something has gone wrong, please try again'
const withApp = answer(getClientSettings, { ...settings, appUrl, resetUrl: boilerReset.path })
const heading = page.getByRole('heading', { level: 1 })
const editRights = page.getByRole('button', { name: 'Edit access rights tag' })
type Options = Parameters<typeof openPortal>[1]

/** Opens a listing with one row. */
const openRow = (listing: string, more: Partial<DeviceRow> = {}, { answers = [], ...options }: Options = {}) =>
  openPortal(`/northgate/${listing}`, {
    ...options,
    answers: [withApp, ...listingsOf([aRow({ deviceId: idOf(1), ...more })]), ...answers],
  })

/** The actions offered on the row of a device. */
async function offeredOn(...row: Parameters<typeof openRow>): Promise<string[]> {
  await openRow(...row)
  return offeredIn(rowMenu())
}

const boilerRow = { deviceProductId: 'BX', deviceSerial: 'BX000001' } as const
const gatewayRow = { deviceProductId: 'ZG', deviceSerial: 'ZG000001' } as const
const dotRow = { deviceProductId: 'MD', deviceSerial: 'MD000001' } as const

test('a row offers what the role allows with an installed light [dev-6single-1 dev-6single-4 dev-6single-7 dev-6single-9 dev-6single-12 dev-6single-13]', async () => {
  const engineer = ['View in app', 'Flick test', 'Join Network', 'Leave Network', 'Uninstall']
  const manager = [...engineer.slice(0, 2), 'Update tags', 'Update access rights tag', ...engineer.slice(2)]
  const east = { id: idOf(9), displayName: 'East' }
  expect(await offeredOn('EmergencyLights')).toEqual(manager)
  expect(await offeredOn('EmergencyLights', {}, { role: 'LightingEngineer' })).toEqual(engineer)
  // Otherwise a manager with an access rights tag could pass their own restriction on to others.
  expect(await offeredOn('EmergencyLights', { deviceAccessRightsTag: east }, { tags: [east.id] })).toEqual(
    manager.filter((action) => action !== 'Update access rights tag'),
  )
})

test('a guest is offered nothing with a light, and a boiler engineer does not see it [dev-6single-1 dev-6single-4 dev-6single-7 dev-6single-9 dev-6single-12 dev-6single-13]', async () => {
  await openRow('EmergencyLights', {}, { role: 'Guest' })
  await expect.element(rows.first(), loading).toBeVisible()
  await expectCount(rowMenu(), 0)
  await openRow('EmergencyLights', {}, { role: 'BoilerEngineer' })
  await expect.element(page.getByRole('main').getByText("You don't have permission."), loading).toBeVisible()
  await expectCount(rows, 0)
})

test('only lights and repeaters join and leave a network [dev-6single-1 dev-6single-4 dev-6single-12 dev-6single-13]', async () => {
  const role = 'BoilerEngineer'
  const onBoiler = await offeredOn('Boilers', boilerRow, { role })
  expect(onBoiler).toEqual(expect.arrayContaining(['View in app', 'Uninstall']))
  expect(onBoiler).not.toContain('Join Network')
  expect(onBoiler).not.toContain('Update tags')
  expect(await offeredOn('NetworkingDevices', gatewayRow, { role })).toEqual(['View in app', 'Uninstall'])
  expect(await offeredOn('NetworkingDevices', { deviceProductId: 'ZR' }, { role })).toEqual([
    'View in app',
    'Join Network',
    'Leave Network',
    'Uninstall',
  ])
})

test('a device in stock is installed, and one in wholesale is claimed first [dev-6single-1 dev-6single-2 dev-6single-3 dev-6single-4 dev-6single-9 dev-6single-12 dev-6single-13]', async () => {
  const inStock = { deviceStatus: 'Inventory' } as const
  const inWholesale = { ...inStock, deviceInWholesale: true }
  expect(await offeredOn('EmergencyLights', inStock)).toEqual(['Install', 'Update tags'])
  expect(await offeredOn('EmergencyLights', inWholesale)).toEqual(['Claim from Wholesaler', 'Install', 'Update tags'])
  for (const row of [inStock, inWholesale]) {
    await openRow('EmergencyLights', row, { role: 'Guest' })
    await expect.element(rows.first()).toBeVisible()
    await expectCount(rowMenu(), 0)
  }
})

for (const [status, isInstalled] of [
  ['FailedEquipment', true],
  ['PreventativeMaintenance', true],
  ['Allocated', false],
  ['AwaitingRecycling', false],
] as const)
  test(`a device that is ${status} is ${isInstalled ? 'used' : 'installed'} [dev-6single-1 dev-6single-2 dev-6single-3 dev-6single-4 dev-6single-9 dev-6single-12 dev-6single-13]`, async () => {
    const offered = await offeredOn('EmergencyLights', { deviceStatus: status })
    for (const action of [
      'View in app',
      'Uninstall',
      'Update access rights tag',
      'Join Network',
      'Leave Network',
      'Flick test',
    ])
      expect(offered.includes(action), action).toBe(isInstalled)
    expect(offered.includes('Install')).toBe(!isInstalled)
    expect(offered).not.toContain('Claim from Wholesaler')
  })

test('an installed device in wholesale is claimed and not viewed [dev-6single-1 dev-6single-2]', async () => {
  const offered = await offeredOn('EmergencyLights', { deviceInWholesale: true })
  expect(offered).toContain('Claim from Wholesaler')
  expect(offered).not.toContain('View in app')
  expect(offered).not.toContain('Flick test')
})

test('a device that is read-only for the person is neither uninstalled nor changed [dev-6single-5 dev-6single-9 dev-6single-12 dev-6single-13]', async () => {
  expect(await offeredOn('EmergencyLights', { userHasReadOnlyAccess: true })).toEqual(['Update tags'])
})

test("the access rights tag is updated where the device's own flag allows it [core-6-36 dev-6single-9]", async () => {
  const address = `/northgate/EmergencyLights/${idOf(1)}`
  await openPortal(address, { answers: [withApp, ...lightPage()] })
  await expect.element(editRights, loading).toBeVisible()
  expect(await offeredIn(headMenu)).toContain('Update access rights tag')
  await openPortal(address, { answers: [withApp, ...lightPage(aLight({ userCanUpdateAccessRightsTag: false }))] })
  expect(await offeredIn(headMenu)).not.toContain('Update access rights tag')
  await expectCount(editRights, 0)
  expect(await offeredOn('EmergencyLights', { userCanUpdateAccessRightsTag: false })).not.toContain(
    'Update access rights tag',
  )
})

test('in the newer screens the access rights tag is updated with the capability and not without [core-6-37]', async () => {
  // The device's flag has no effect there.
  const answers = [withApp, ...boilerPage(aBoiler({ userCanUpdateAccessRightsTag: false }))]
  const address = `/northgate/Boilers/${idOf(2)}`
  await openPortal(address, { features: ['NewListingView'], answers })
  await expect.element(editRights, loading).toBeVisible()
  await openPortal(address, { features: ['NewListingView'], answers, capabilities: { editAccessRightsTags: false } })
  await expect.element(headMenu).toBeVisible()
  await expectCount(editRights, 0)
})

test('the page of a device offers the same actions but the tags, which it shows itself [dev-6single-8 dev-6other-9]', async () => {
  expect(await offeredOn('EmergencyLights')).toContain('Update tags')
  const [light, boiler, gateway] = [aLight(), aBoiler(), aGateway()]
  const answers = [withApp, ...lightPage(light), ...boilerPage(boiler), ...gatewayPage(gateway)]
  for (const [area, { deviceId, deviceName }] of [
    ['EmergencyLights', light],
    ['Boilers', boiler],
    ['NetworkingDevices', gateway],
  ] as const) {
    await openPortal(`/northgate/${area}/${deviceId}`, { answers })
    await expect.element(heading, loading).toHaveTextContent(deviceName)
    const offered = await offeredIn(headMenu)
    expect(offered).toContain('Uninstall')
    expect(offered).not.toContain('Update tags')
    await expect.element(page.getByRole('button', { name: 'Add tag' })).toBeVisible()
  }
})

test('the thermostat of a module in a home with a hub is not uninstalled, unless both may be installed [dev-6other-14 dev-6other-15]', async () => {
  const row = { ...dotRow, deviceIsThermostatWithHomeHub: true }
  expect(await offeredOn('MultiDots', row, { features: ['BcmAndGatewayDualInstall'] })).toContain('Uninstall')
  const offered = await offeredOn('MultiDots', row)
  expect(offered).toContain('Update tags')
  expect(offered).not.toContain('Uninstall')
})

const allocated = {
  ...dotRow,
  deviceStatus: 'Allocated',
  deviceParentId: idOf(2),
  deviceParentProductId: 'BX',
} as const

test('actions that belong to the mobile app link to it [dev-4status-5 dev-4status-8]', async () => {
  const light = { deviceSerial: 'EM1' }
  await openRow('EmergencyLights', light)
  await rowMenu().click()
  await expect.element(menuItem('View in app')).toHaveAttribute('href', `${appUrl}/northgate/EmeredDetails/${idOf(1)}`)
  const stock = { ...light, deviceStatus: 'Inventory' } as const
  let portal = await openRow('EmergencyLights', { ...stock, deviceInWholesale: true })
  await act(rowMenu(), 'Claim from Wholesaler')
  await expect.poll(() => portal.address()).toBe('/northgate/MoveFromWholesale/EM1')
  portal = await openRow('EmergencyLights', stock)
  await act(rowMenu(), 'Install')
  await expect.poll(() => portal.address()).toBe(`/northgate/EmeredInstall/EM1/${idOf(1)}`)
  await expect.element(page.getByRole('main')).toBeVisible()
  await expectCount(page.getByRole('main').getByCss('form, input, select, textarea'), 0)
})

test('the installation of a connected device is completed in the mobile app [dev-4status-5 dev-4status-8]', async () => {
  const dot = {
    ...exampleOf(getDeviceBySerial),
    deviceId: idOf(1),
    productId: 'MD',
    serialNumber: 'MD000001',
    deviceStatus: 'Allocated',
    inWholesale: false,
    userHasReadOnlyAccess: false,
  } as const
  const portal = await openRow('MultiDots', allocated, { answers: [answer(getDeviceBySerial, dot)] })
  await act(rowMenu(), 'Complete Install')
  const place = `/northgate/ConnectedDeviceInstall/MultiDot/${idOf(2)}/MD000001/${idOf(1)}`
  await expect.poll(() => portal.address()).toContain(place)
  await expect.element(page.getByRole('link', { name: 'Open in the mobile app' }), loading).toBeVisible()
  // Not for an installed device, nor for an allocated one without a connection.
  expect(await offeredOn('MultiDots', dotRow)).not.toContain('Complete Install')
  expect(await offeredOn('Boilers', { ...boilerRow, deviceStatus: 'Allocated' })).not.toContain('Complete Install')
})

test.each([
  ['PM', true],
  ['PS', true],
  ['MD', true],
  ['ED', true],
  ['AF', false],
] as const)(
  'whether the installation of an allocated %s is completed: %s [dev-4status-8]',
  async (product, isOffered) => {
    const offered = await offeredOn('MultiDots', { ...allocated, deviceProductId: product })
    expect(offered.includes('Complete Install')).toBe(isOffered)
  },
)

test('without a mobile app there are no links to it [dev-4status-5]', async () => {
  const offered = await offeredOn('MultiDots', allocated, { answers: [answer(getClientSettings, settings)] })
  expect(offered).toContain('Update tags')
  for (const action of ['View in app', 'Claim from Wholesaler', 'Install', 'Complete Install'])
    expect(offered).not.toContain(action)
})

test('a device is uninstalled after a confirmation that lists what is removed [dev-8err-14 dev-8err-3]', async () => {
  expectConsoleError('500')
  const portal = await openRow('EmergencyLights', { deviceSerial: 'EM1' })
  const question = dialog('Uninstall EM1')
  await act(rowMenu(), 'Uninstall')
  await expect.element(question).toMatchTextContent('data is permanently removed')
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expectCount(question, 0)
  expect(portal.sentTo(removeDevice)).toEqual([])
  await act(rowMenu(), 'Uninstall')
  portal.use(answerStatus(removeDevice, 500))
  await question.getByRole('button', { name: 'Uninstall' }).click()
  await expect.element(question.getByRole('alert')).toHaveTextContent(somethingWrong)
  portal.use(
    answer(removeDevice, { deviceId: idOf(1) }),
    ...listingsOf([aRow({ deviceId: idOf(1), deviceStatus: 'Inventory' })]),
  )
  await question.getByRole('button', { name: 'Uninstall' }).click()
  await expect.element(toast('Uninstalled successfully!')).toBeVisible()
  await expectCount(question, 0)
  expect(portal.sentTo(removeDevice).at(-1)!.body).toEqual({ tenant: 'northgate', deviceId: idOf(1) })
  await expect.element(rows.first()).toMatchTextContent('Not installed')
  expect(await offeredIn(rowMenu())).not.toContain('Uninstall')
})

/** A command as the server returns it. */
const aCommand = (more: Partial<Command>): Command => ({
  ...exampleOf(getDeviceCommands)[0]!,
  commandId: 'one',
  status: 'sent',
  message: null,
  expiresAt: '2099-01-01T00:00:00Z',
  ...more,
})
const queued = { status: 'queued', commandId: 'one' } as const

test('the answers of a light that is to join or leave are shown [dev-8err-5 dev-8err-2 dev-8err-4]', async () => {
  const command = (more: Partial<Command>) => answer(getDeviceCommands, [aCommand(more)])
  const portal = await openRow(
    'EmergencyLights',
    { deviceSerial: 'EM1' },
    {
      answers: [answer(emeredLeaveNetwork, queued), command({ name: 'leaveNetwork' })],
    },
  )
  await expect.element(rowMenu(), loading).toBeVisible()
  await rowMenu().click()
  await expect.element(menuItem('Leave Network')).toBeVisible()
  stopClock()
  await menuItem('Leave Network').click()
  await passUntil(() => toast('Request Successful').query() !== null)
  await passUntil(() => toast('Leave Network: sent to the device, which has not answered yet.').query() !== null)
  portal.use(command({ name: 'leaveNetwork', status: 'confirmed' }))
  await passUntil(() => toast(/Leave Network: confirmed by .*EM1/).query() !== null)
})

test('the page of a light shows why a light did not join, and why the server refused [dev-8err-5 dev-8err-2 dev-8err-4]', async () => {
  expectConsoleError('500')
  const failed = aCommand({ name: 'joinNetwork', status: 'failed', message: 'No network in reach.' })
  const portal = await openPortal(`/northgate/EmergencyLights/${idOf(1)}`, {
    answers: [...lightPage(), answer(emeredJoinNetwork, queued), answer(getDeviceCommands, [failed])],
  })
  await act(headMenu, 'Join Network')
  await expect.element(toast('Request Successful')).toBeVisible()
  await expect.element(toast('Join Network: No network in reach.')).toBeVisible()
  portal.use(refuse(emeredJoinNetwork, 'refused', { message: 'The light is on the network already.' }))
  await act(headMenu, 'Join Network')
  await expect.element(toast('The light is on the network already.')).toBeVisible()
  portal.use(answerStatus(emeredLeaveNetwork, 500))
  await act(headMenu, 'Leave Network')
  await expect.element(toast(somethingWrong)).toBeVisible()
})

const fault = { code: 'EA', description: 'Flame not detected', source: 'boiler', isResettable: true } as const

for (const { command, name, route, device, ids } of [
  {
    command: 'Reset boiler',
    name: 'Boiler',
    route: boilerReset,
    device: { deviceProductId: 'BX', deviceSerial: 'BX1', deviceFault: fault, deviceRemoteResetSupported: true },
    ids: 'dev-7actions-2 dev-8err-32 dev-8err-33 est-8-7 est-8-8',
  },
  {
    command: 'Reset autofill',
    name: 'Autofill',
    route: autofillReset,
    device: { deviceProductId: 'AF', deviceSerial: 'AF1', deviceStatus: 'FailedEquipment' },
    ids: 'dev-8err-30 dev-8err-31 est-8-5 est-8-6',
  },
] as const)
  test(`${command} shows the answer of the device [${ids}]`, async () => {
    expectConsoleError('500')
    const row = { deviceId: idOf(2), ...device }
    const answered = (status: Command['status']) => answer(getDeviceCommands, [aCommand({ name: 'reset', status })])
    const portal = await openRow('Boilers', row, { answers: [answer(route, queued), answered('confirmed')] })
    const question = dialog(`${command} ${device.deviceSerial}`)
    const press = async () => {
      await act(rowMenu(), command)
      await question.getByRole('button', { name: command }).click()
      await expectCount(question, 0)
    }
    const success = `${name} reset on ${device.deviceSerial} was successful!`
    await press()
    await expect.element(toast(success)).toBeVisible()
    portal.use(answered('failed'))
    await press()
    await expect.element(toast(`Failed to reset ${name}!`)).toBeVisible()
    await toast(`Failed to reset ${name}!`).getByRole('button', { name: 'Dismiss' }).click()
    await expectCount(toast(`Failed to reset ${name}!`), 0)
    portal.use(answerStatus(route, 500))
    await press()
    await expect.element(toast(`Failed to reset ${name}!`)).toBeVisible()
    expect(portal.sentTo(route).at(-1)!.body).toEqual({ tenant: 'northgate', deviceId: idOf(2) })
    // If there is no fault, there is nothing to reset.
    portal.use(...listingsOf([aRow({ ...row, deviceFault: null, deviceStatus: 'Ok' })]))
    await portal.go('/northgate/Boilers?search=1')
    await expect.poll(() => rows.elements().length).toBe(1)
    await expect.poll(() => offeredIn(rowMenu()), loading).not.toContain(command)
  })

test('a boiler is reset by the service that the settings name, whose answers are shown [dev-7actions-2 dev-8err-33]', async () => {
  expectConsoleError('503')
  expectConsoleError('409')
  const row = { deviceId: idOf(2), deviceProductId: 'BX', deviceSerial: 'BX1', deviceFault: fault } as const
  const elsewhere = answer(getClientSettings, { ...settings, resetUrl: resetDevice.path })
  const portal = await openRow('Boilers', row, { answers: [elsewhere] })
  const done = { isSuccessful: true, data: null, reason: null, message: null }
  for (const [status, body, text] of [
    [503, 'The boilers are asleep', 'Failed to reset Boiler!'],
    [409, 'The boilers are asleep', 'The boilers are asleep'],
    [200, done, 'Boiler reset on BX1 was successful!'],
  ] as const) {
    portal.use(answerStatus(resetDevice, status, JSON.stringify(body)))
    await act(rowMenu(), 'Reset boiler')
    await dialog('Reset boiler BX1').getByRole('button', { name: 'Reset boiler' }).click()
    await expect.element(toast(text)).toBeVisible()
  }
  const body = { tenant: 'northgate', deviceId: idOf(2) }
  expect(portal.sentTo(resetDevice).map((sent) => sent.body)).toEqual([body, body, body])
  expect(portal.sentTo(boilerReset)).toEqual([])
})

test('a failed call without a text of its own shows the message of the server, and each validation error [dev-8err-41 dev-8err-42]', async () => {
  expectConsoleError('400')
  expectConsoleError('403')
  const fields = { 'body.deviceId': 'This light is being replaced.' }
  await openPortal(`/northgate/EmergencyLights/${idOf(1)}`, {
    answers: [
      ...lightPage(),
      refuse(emeredJoinNetwork, 'invalid', { message: 'Request failed.', fields }),
      answerStatus(emeredLeaveNetwork, 403),
    ],
  })
  await act(headMenu, 'Join Network')
  await expect.element(toast(fields['body.deviceId'])).toHaveRole('alert')
  await expect.element(toast('Request failed.')).toHaveRole('alert')
  await act(headMenu, 'Leave Network')
  await expect.element(toast("You don't have permission.")).toHaveRole('alert')
})

test('devices that the person may not change have no menu, in a list and on their page', async () => {
  const readOnly = { userHasReadOnlyAccess: true, userCanUpdateAccessRightsTag: false }
  await openRow('EmergencyLights', readOnly, { role: 'Guest' })
  await expect.element(rows.first()).toBeVisible()
  await expectCount(page.getByCss('tbody').getByRole('button', { name: /^Actions/ }), 0)
  await openPortal(`/northgate/EmergencyLights/${idOf(1)}`, {
    role: 'Guest',
    answers: lightPage(aLight(readOnly)),
  })
  await expect.element(heading).toHaveTextContent('Stairwell B')
  await expect.element(page.getByText('EM000001').first()).toBeVisible()
  await expectCount(headMenu, 0)
  await expectCount(page.getByRole('button', { name: /Add tag|Remove tag|Edit access/ }), 0)
})
