import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { getBoiler } from '@caretaker/contract/boilers.ts'
import { fetchViewData, getEmered, getNetworkingDevice } from '@caretaker/contract/devices.ts'
import type { DeviceRow } from '@caretaker/contract/devices.ts'
import type { HandoverDevice } from '@caretaker/contract/links.ts'
import { getBcmConnectedDevice, getDeviceBySerial, noAssociatedBcm } from '@caretaker/contract/links.ts'
import { getClientSettings } from '@caretaker/contract/session.ts'
import { getViewDefinitions } from '@caretaker/contract/views.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { deviceStatuses, statusWords } from '@caretaker/rules/devices/status.ts'
import { builtInViews } from '@caretaker/rules/views/view.ts'
import { focusIn, rowOf, rows, toast } from '../../testing/list-screen.ts'
import type { ServerAnswer } from '../../testing/network.ts'
import { answer, exampleOf, refuse } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'
import { main, notFound, refused } from '../../testing/screen.ts'

const idOf = (at: number) => `0d8a6c1e-3f5b-4c2d-9e7a-${String(at).padStart(12, '0')}`
const boilersAddress = '/northgate/Boilers/Listing/boiler-main'
const heading = (name: string) => main.getByRole('heading', { level: 1, name, exact: true })
const openInApp = main.getByRole('link', { name: 'Open in the mobile app' })
const code = main.getByRole('img', { name: /^QR code/ })
const rowLink = (deviceId: string) => rowOf(deviceId).getByCss('a[data-row-link]')

const settings = exampleOf(getClientSettings)
/** An installation with a mobile app. */
const withApp = answer(getClientSettings, {
  ...settings,
  oidc: { ...settings.oidc, issuer: 'https://issuer.example', clientId: 'portal' },
  appUrl: 'https://app.caretaker.example',
  map: { ...settings.map, styleUrl: null, pmtiles: null, sketch: false },
})

function aRow(number: number, deviceProductId: Product, more: Partial<DeviceRow> = {}): DeviceRow {
  return {
    ...exampleOf(fetchViewData).rows[0]!,
    deviceId: idOf(number),
    deviceProductId,
    deviceStatus: 'Ok',
    deviceSerial: `${deviceProductId}${number}X`,
    deviceDisplayName: `Device ${number}`,
    deviceInWholesale: false,
    deviceParentId: null,
    deviceParentProductId: null,
    ...more,
  }
}

/** A listing with these rows, with the built-in views of all listings. */
const listing = (...listed: DeviceRow[]): ServerAnswer[] => [
  answer(getViewDefinitions, {
    views: Object.values(listings)
      .flatMap(builtInViews)
      .map((view) => ({ ...view, ownerName: null })),
    fields: {},
  } as never),
  answer(fetchViewData, { ...exampleOf(fetchViewData), rows: listed, total: listed.length, outOf: listed.length }),
]

const handedOver = (productId: Product, more: Partial<HandoverDevice> = {}): HandoverDevice => ({
  deviceId: idOf(1),
  deviceName: 'Stairwell east',
  deviceType: 'Emergency light',
  productId,
  serialNumber: `${productId}1X`,
  deviceStatus: 'Inventory',
  inWholesale: false,
  userHasReadOnlyAccess: false,
  bcmOrGateway: null,
  ...more,
})

const module = { deviceId: idOf(9), deviceName: 'Plant room', serialNumber: 'BX9X', productId: 'BX' } as const
const connectedInstall = `/northgate/ConnectedDeviceInstall/MultiDot/${idOf(9)}/MD1X/${idOf(1)}`
const connectedDot = answer(getDeviceBySerial, handedOver('MD', { bcmOrGateway: module }))

/** The device, and the links to the mobile app as button and code. */
async function expectHandover(path: string): Promise<void> {
  await expect.element(heading('Stairwell east')).toBeVisible()
  const link = `https://app.caretaker.example${path}`
  await expect.element(openInApp).toHaveAttribute('href', link)
  await expect.element(main.getByRole('img', { name: `QR code of ${link}` })).toBeVisible()
}

test('the row of a device in wholesale opens the page that moves it to the client, by its serial number [core-2.4-60 core-2.5-1]', async () => {
  const address = '/northgate/EmergencyLights?sort=serial'
  const portal = await openPortal(address, {
    answers: [
      withApp,
      ...listing(aRow(1, 'EM', { deviceStatus: 'Inventory', deviceInWholesale: true })),
      answer(getDeviceBySerial, handedOver('EM', { inWholesale: true })),
    ],
  })
  await rowOf(idOf(1)).click()
  await expect.poll(portal.address).toBe('/northgate/MoveFromWholesale/EM1X')
  await expectHandover('/northgate/MoveFromWholesale/EM1X')
  await expect.element(main.getByText('EM1X').first()).toBeVisible()
  await expect.element(main.getByRole('heading', { name: 'Move to Northgate Homes' })).toBeVisible()
  await expect.element(main.getByText('In wholesale', { exact: true })).toBeVisible()
  await main.getByRole('link', { name: 'Emergency Lights' }).click()
  await expect.poll(portal.address).toBe(address)
  await expect.element(rowOf(idOf(1))).toBeVisible()
})

for (const [name, area, product, address, ids] of [
  ['EmergencyLights', 'EmeredInstall', 'EM', '/northgate/EmergencyLights', 'core-2.4-61 core-2.5-2'],
  ['NetworkingDevices', 'NetworkInstall', 'ZG', '/northgate/NetworkingDevices', 'core-2.4-63 core-2.5-4'],
  ['Boilers', 'BcmInstall', 'BX', boilersAddress, 'core-2.4-62 core-2.5-3'],
] as const)
  test(`the row of a device in stock opens ${area}, which hands it over and installs nothing itself [${ids} dev-4status-5]`, async () => {
    const portal = await openPortal(address, {
      answers: [
        withApp,
        ...listing(aRow(1, product, { deviceStatus: 'Inventory' })),
        answer(getDeviceBySerial, handedOver(product)),
      ],
    })
    await rowOf(idOf(1)).click()
    const path = `/northgate/${area}/${product}1X/${idOf(1)}`
    await expect.poll(portal.address).toBe(path)
    await expectHandover(path)
    await expect.element(main.getByRole('heading', { name: 'Install', exact: true })).toBeVisible()
    await expect.element(main.getByText(`${product}1X`).first()).toBeVisible()
    expect(main.getByCss('form, input, select, textarea').elements()).toEqual([])
    expect(main.getByRole('button').elements()).toEqual([])
    // If there is no device, there is nothing to hand over, so the listing opens.
    await portal.go(`/northgate/${area}`)
    await expect.poll(portal.address).toBe(`/northgate/${name}`)
    await expect.element(rows.first()).toBeVisible()
  })

const otherStatuses = deviceStatuses.filter((status) => status !== 'Inventory')

for (const [name, product, address, ids] of [
  ['EmergencyLights', 'EM', '/northgate/EmergencyLights', 'core-2.5-5 dev-2list-15'],
  ['NetworkingDevices', 'ZG', '/northgate/NetworkingDevices', 'core-2.5-7 dev-2list-16'],
  ['Boilers', 'BX', boilersAddress, 'core-2.5-6 dev-2list-17'],
] as const)
  test(`rows of ${name} that are not in stock open their details [${ids}]`, async () => {
    const portal = await openPortal(address, {
      answers: listing(...otherStatuses.map((deviceStatus, at) => aRow(at + 1, product, { deviceStatus }))),
    })
    for (const [at, status] of otherStatuses.entries())
      await expect
        .element(rowLink(idOf(at + 1)), { message: status })
        .toHaveAttribute('href', `/northgate/${name}/${idOf(at + 1)}`)
    await rowOf(idOf(1)).click()
    await expect.poll(portal.address).toBe(`/northgate/${name}/${idOf(1)}`)
  })

test('in the new listing view the rows of Boilers open their page, in stock or not [dev-2list-24]', async () => {
  const dot = aRow(2, 'MD', { deviceParentId: idOf(9), deviceParentProductId: 'BX' })
  const portal = await openPortal('/northgate/Boilers', {
    features: ['NewListingView'],
    answers: listing(aRow(1, 'BX', { deviceStatus: 'Inventory' }), dot),
  })
  for (const at of [1, 2])
    await expect.element(rowLink(idOf(at))).toHaveAttribute('href', `/northgate/Boilers/${idOf(at)}`)
  await rowOf(idOf(2)).click()
  await expect.poll(portal.address).toBe(`/northgate/Boilers/${idOf(2)}`)
})

test('a device that is connected to a boiler control module opens the page of its module [core-2.4-31 dev-2list-18 dev-2list-25]', async () => {
  const dot = aRow(2, 'MD', { deviceParentId: idOf(9), deviceParentProductId: 'BX' })
  const boiler = exampleOf(getBoiler)
  const portal = await openPortal(boilersAddress, {
    role: 'BoilerEngineer',
    answers: [
      ...listing(dot),
      answer(getBcmConnectedDevice, { bcmId: idOf(9) }),
      answer(getBoiler, {
        ...boiler,
        deviceId: idOf(9),
        serialNumber: 'BX9X',
        connectedDevices: [{ ...boiler.connectedDevices[0]!, deviceId: idOf(2), deviceName: 'Bathroom dot' }],
      }),
    ],
  })
  await expect.element(rowLink(idOf(2))).toHaveAttribute('href', `/northgate/BoilerConnectedDevice/${idOf(2)}`)
  await rowOf(idOf(2)).click()
  await expect.poll(portal.address).toBe(`/northgate/Boilers/${idOf(9)}/connectedDevices?device=${idOf(2)}`)
  await expect.element(main.getByText('BX9X').first()).toBeVisible()
  await expect.element(page.getByRole('region', { name: 'Bathroom dot', exact: true })).toBeVisible()
  history.back()
  await expect.poll(portal.address).toBe(boilersAddress)
})

for (const [status, ids] of [
  ['Inventory', 'dev-2list-19'],
  ['AwaitingRecycling', 'dev-2list-20'],
] as const)
  test(`the row of a device that connects to a module and is in status ${status} has no link [${ids}]`, async () => {
    const dot = aRow(2, 'MD', { deviceParentId: idOf(9), deviceParentProductId: 'BX', deviceStatus: status })
    const portal = await openPortal(boilersAddress, { answers: listing(dot) })
    await expect.element(rowOf(idOf(2)).getByText(statusWords(status)).first()).toBeVisible()
    await expect.element(rowLink(idOf(2))).not.toBeInTheDocument()
    await rowOf(idOf(2)).click()
    focusIn(rowOf(idOf(2)))
    await userEvent.keyboard('{Enter}')
    expect(portal.address()).toBe(boilersAddress)
    await expect.element(rowOf(idOf(2))).toBeVisible()
    expect(portal.sentTo(getBcmConnectedDevice)).toEqual([])
  })

test('without a boiler control module a toast reports that, and the previous listing or Boilers opens [dev-2list-26 dev-2list-27]', async () => {
  const answers = [...listing(aRow(1, 'BX')), refuse(getBcmConnectedDevice, 'not found')]
  const portal = await openPortal(`/northgate/BoilerConnectedDevice/${idOf(5)}`, { answers })
  await expect.element(toast(noAssociatedBcm)).toBeVisible()
  await expect.poll(portal.address).toBe('/northgate/Boilers')
  await portal.go('/northgate/Boilers?sort=-name')
  await expect.element(rows.first()).toBeVisible()
  portal.use(refuse(getBcmConnectedDevice, 'invalid'))
  await portal.go('/northgate/BoilerConnectedDevice/nothing')
  await expect.element(toast(noAssociatedBcm).first()).toBeVisible()
  await expect.poll(portal.address).toBe('/northgate/Boilers?sort=-name')
  await portal.go('/northgate/BoilerConnectedDevice')
  await expect.poll(portal.address).toBe('/northgate/Boilers')
})

test('a device is connected to its BCM or gateway in the mobile app, with all known details of its place [core-2.4-64]', async () => {
  const labels = ['Location', 'Location details', 'Power clamp 1']
  const portal = await openPortal(connectedInstall, { answers: [withApp, connectedDot] })
  await expectHandover(connectedInstall)
  await expect.element(main.getByText('Plant room')).toBeVisible()
  await expect.element(main.getByText('BX9X')).toBeVisible()
  for (const label of labels) await expect.element(main.getByText(label, { exact: true })).not.toBeInTheDocument()
  const known = `${connectedInstall}?location=Bathroom&locationDetails=Above%20the%20door%20%26%20left&powerClamp1=Shower`
  await portal.go(known)
  await expectHandover(known)
  for (const text of [...labels, 'Bathroom', 'Above the door & left', 'Shower'])
    await expect.element(main.getByText(text, { exact: true })).toBeVisible()
})

for (const [name, area, route, id] of [
  ['EmeredDetails', 'EmergencyLights', getEmered, 'core-2.4-67'],
  ['BcmDetails', 'Boilers', getBoiler, 'core-2.4-68'],
  ['NetworkDetails', 'NetworkingDevices', getNetworkingDevice, 'core-2.4-69'],
] as const)
  test(`${name} opens the details of a device, and its listing without one [${id}]`, async () => {
    const answers = listing(aRow(1, 'EM'))
    const portal = await openPortal(`/northgate/${name}/${idOf(1)}`, { answers })
    await expect.poll(portal.address).toBe(`/northgate/${area}/${idOf(1)}`)
    await expect.element(heading(exampleOf(route).deviceName)).toBeVisible()
    await portal.go(`/northgate/${name}`)
    await expect.poll(portal.address).toBe(`/northgate/${area}`)
    await expect.element(rows.first()).toBeVisible()
    // A user without access to the area is refused at the alternative address as well.
    await openPortal(`/northgate/${name}/${idOf(1)}`, {
      role: area === 'Boilers' ? 'LightingEngineer' : 'BoilerEngineer',
      answers,
    })
    const isOpenToAll = area === 'NetworkingDevices'
    await expect.element(isOpenToAll ? heading(exampleOf(route).deviceName) : refused).toBeVisible()
  })

const handovers = [
  '/northgate/MoveFromWholesale/EM1X',
  `/northgate/EmeredInstall/EM1X/${idOf(1)}`,
  `/northgate/BcmInstall/BX1X/${idOf(1)}`,
  `/northgate/NetworkInstall/ZG1X/${idOf(1)}`,
  connectedInstall,
] as const

for (const [role, addresses] of [
  ['Guest', handovers],
  ['LightingEngineer', [handovers[2]]],
  ['BoilerEngineer', [handovers[1]]],
] as const)
  test(`a ${role} cannot hand over devices of other roles, and the server is not called`, async () => {
    for (const address of addresses) {
      const portal = await openPortal(address, { role, answers: [withApp] })
      await expect.element(refused).toBeVisible()
      await expect.element(openInApp).not.toBeInTheDocument()
      await expect.element(code).not.toBeInTheDocument()
      expect(portal.sentTo(getDeviceBySerial)).toEqual([])
    }
  })

test('an engineer hands over devices of their own area, and is refused read-only devices', async () => {
  const role = 'LightingEngineer'
  await openPortal(handovers[1], { role, answers: [withApp, answer(getDeviceBySerial, handedOver('EM'))] })
  await expectHandover(handovers[1])
  const readOnly = answer(getDeviceBySerial, handedOver('MD', { userHasReadOnlyAccess: true }))
  await openPortal(connectedInstall, { role, answers: [withApp, readOnly] })
  await expect.element(refused).toBeVisible()
  await expect.element(openInApp).not.toBeInTheDocument()
})

test('a device that is unknown, has another id or is of another kind is not found', async () => {
  for (const [address, device] of [
    [`/northgate/EmeredInstall/EM1X/${idOf(2)}`, answer(getDeviceBySerial, handedOver('EM'))],
    [`/northgate/EmeredInstall/EM1X/nothing`, answer(getDeviceBySerial, handedOver('EM'))],
    [`/northgate/NetworkInstall/EM1X/${idOf(1)}`, answer(getDeviceBySerial, handedOver('EM'))],
    [connectedInstall.replace('MultiDot', 'EnviroDot'), connectedDot],
    ['/northgate/MoveFromWholesale/EM9999999X', refuse(getDeviceBySerial, 'not found')],
    [`/northgate/MoveFromWholesale/${'x'.repeat(80)}`, refuse(getDeviceBySerial, 'invalid')],
  ] as const) {
    await openPortal(address, { answers: [withApp, device] })
    await expect.element(notFound, { message: address }).toBeVisible()
    await expect.element(openInApp).not.toBeInTheDocument()
  }
})

test('a device that is installed, in wholesale or already claimed shows that, with the next step and no link to the app', async () => {
  for (const [address, device, text, link, leadsTo] of [
    [
      handovers[1],
      handedOver('EM', { deviceStatus: 'Ok' }),
      'This device is installed.',
      'Open its page',
      `/northgate/EmergencyLights/${idOf(1)}`,
    ],
    [
      handovers[1],
      handedOver('EM', { inWholesale: true }),
      'This device is in wholesale.',
      'Move it from wholesale',
      '/northgate/MoveFromWholesale/EM1X',
    ],
    [
      handovers[0],
      handedOver('EM'),
      'This device is not in wholesale: it is with Northgate Homes already.',
      'Open its page',
      `/northgate/EmergencyLights/${idOf(1)}`,
    ],
  ] as const) {
    await openPortal(address, { answers: [withApp, answer(getDeviceBySerial, device)] })
    await expect.element(main.getByText(text)).toBeVisible()
    await expect.element(openInApp).not.toBeInTheDocument()
    await expect.element(main.getByRole('link', { name: link })).toHaveAttribute('href', leadsTo)
  }
})

test('without an address of the mobile app the page shows the serial number instead of a link', async () => {
  await openPortal(handovers[1], { answers: [answer(getDeviceBySerial, handedOver('EM'))] })
  await expect.element(main.getByText('search for the serial number EM1X there.')).toBeVisible()
  await expect.element(openInApp).not.toBeInTheDocument()
  await expect.element(code).not.toBeInTheDocument()
})

test('the hand-over page works on a desktop and on a phone', async () => {
  for (const [address, device] of [
    [handovers[0], answer(getDeviceBySerial, handedOver('EM', { inWholesale: true }))],
    [`${connectedInstall}?location=Bathroom`, connectedDot],
  ] as const) {
    await openPortal(address, { answers: [withApp, device] })
    for (const [width, height] of [
      [1440, 960],
      [390, 844],
    ] as const) {
      await page.viewport(width, height)
      await expectHandover(address)
      await expect.poll(() => document.documentElement.scrollWidth).toBe(width)
    }
    expect(openInApp.element().getBoundingClientRect().height).toBeGreaterThanOrEqual(40)
    ;(openInApp.element() as HTMLElement).focus()
    await expect.element(openInApp).toHaveFocus()
  }
})
