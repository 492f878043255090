import assert from 'node:assert/strict'
import { test } from 'vitest'
import {
  appPagePath,
  connectedInstallPath,
  connectedKindOf,
  deepLink,
  installPath,
  isBcmOrGateway,
  isWholesale,
  movePath,
  powerClampsIn,
  whyNot,
} from './handover.ts'
import type { Product } from '../devices/products.ts'
import { productCodes } from '../devices/products.ts'
import { deviceStatuses } from '../devices/status.ts'

test('a device is a wholesale device exactly if it has the flag, whatever its status [core-9-10]', () => {
  for (const status of deviceStatuses) {
    const device = (inWholesale: boolean) => ({ status, inWholesale })
    assert.equal(isWholesale(device(true)), true, status)
    assert.equal(isWholesale(device(false)), false, status)
  }
})

test('each type that the portal hands over has an install route', () => {
  const path = (product: (typeof productCodes)[number]) =>
    installPath('northgate', { product, serialNumber: 'S 1', deviceId: 'd1' })
  for (const product of ['EM', 'EL'] as const) assert.equal(path(product), '/northgate/EmeredInstall/S%201/d1')
  for (const product of ['BX', 'BC'] as const) assert.equal(path(product), '/northgate/BcmInstall/S%201/d1')
  for (const product of ['MG', 'ZG', 'ZR'] as const) assert.equal(path(product), '/northgate/NetworkInstall/S%201/d1')
  for (const product of ['ASHP', 'AF', 'MD', 'PM', 'TH', 'ZH', 'ADEY'] as const) assert.equal(path(product), undefined)
  assert.equal(movePath('northgate', 'EM1000412T'), '/northgate/MoveFromWholesale/EM1000412T')
})

const install = { deviceKind: 'MultiDot', bcmOrGatewayId: 'b1', serialNumber: 'MD1', deviceId: 'd1' } as const
const bare = '/northgate/ConnectedDeviceInstall/MultiDot/b1/MD1/d1'

test('the install route of a connected device contains its location only if known [core-2.4-65]', () => {
  const path = (more: object) => connectedInstallPath('northgate', { ...install, ...more })
  assert.equal(path({}), bare)
  assert.equal(path({ location: null, locationDetails: '', powerClamps: null }), bare)
  assert.equal(path({ location: 'Kitchen' }), `${bare}?location=Kitchen`)
  assert.equal(path({ locationDetails: 'Left & low' }), `${bare}?locationDetails=Left%20%26%20low`)
  assert.equal(path({ location: 'Hall', locationDetails: 'Up' }), `${bare}?location=Hall&locationDetails=Up`)
})

test('the install route of a connected device contains its power clamps [core-2.4-66]', () => {
  const powerClamps = { '1': 'Sockets', '2': 'Cooker & hob', '3': '' }
  const path = connectedInstallPath('northgate', { ...install, deviceKind: 'PowerSense', powerClamps })
  assert.equal(path, `${bare.replace('MultiDot', 'PowerSense')}?powerClamp1=Sockets&powerClamp2=Cooker%20%26%20hob`)
  const query = Object.fromEntries(new URL(path, 'https://portal.example').searchParams)
  assert.deepEqual(powerClampsIn(query), { '1': 'Sockets', '2': 'Cooker & hob' })
  assert.deepEqual(powerClampsIn({ location: 'Hall', powerClamp: 'x', powerClamp1: 7 }), {})
})

test('connected devices have a kind and a product to connect to', () => {
  const kinds = productCodes.flatMap((product) =>
    connectedKindOf(product) ? [[product, connectedKindOf(product)]] : [],
  )
  assert.deepEqual(kinds, [
    ['MD', 'MultiDot'],
    ['ED', 'EnviroDot'],
    ['PM', 'PowerSense'],
    ['PS', 'PowerSense'],
  ])
  assert.deepEqual(productCodes.filter(isBcmOrGateway), ['BC', 'BX', 'MG', 'ZG', 'ZH'])
})

test('a deep link is the portal path below the app URL', () => {
  for (const appUrl of ['https://app.caretaker.example', 'https://app.caretaker.example/'])
    assert.equal(deepLink(appUrl, bare), `https://app.caretaker.example${bare}`)
  assert.equal(deepLink('https://apps.example/caretaker/', '/t'), 'https://apps.example/caretaker/t')
})

test('wholesale devices can be claimed, devices that are not installed can be installed, and no others', () => {
  assert.equal(whyNot('claim', { status: 'Inventory', inWholesale: true }), undefined)
  assert.equal(whyNot('claim', { status: 'Inventory', inWholesale: false }), 'not in wholesale')
  assert.equal(whyNot('install', { status: 'Inventory', inWholesale: false }), undefined)
  assert.equal(whyNot('install', { status: 'Allocated', inWholesale: false }), undefined)
  assert.equal(whyNot('install', { status: 'Inventory', inWholesale: true }), 'in wholesale')
  assert.equal(whyNot('install', { status: 'Ok', inWholesale: false }), 'installed')
})

test('an installed device opens in the mobile app with its screen names', () => {
  const page = (product: Product) => appPagePath('northgate', { product, deviceId: 'd1' })
  assert.equal(page('EL'), '/northgate/EmeredDetails/d1')
  assert.equal(page('ZG'), '/northgate/NetworkDetails/d1')
  assert.equal(page('BX'), '/northgate/BcmDetails/d1')
  assert.equal(page('MD'), '/northgate/BoilerConnectedDevice/d1')
  assert.equal(page('ADEY'), undefined)
})
