import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { ListingName } from '../devices/list.ts'
import { detailListings, listings } from '../devices/list.ts'
import type { Product } from '../devices/products.ts'
import { rowPath } from './row-click.ts'
import { deviceStatuses } from '../devices/status.ts'

const old = { tenant: 'harbour', features: [] }
const renewed = { tenant: 'northgate', features: ['NewListingView'] } as const

/** The target of a row of device `d1` with serial `S1`, without the tenant. */
const click = (
  listing: ListingName,
  product: Product,
  status: string,
  inWholesale = false,
  actor: typeof old | typeof renewed = old,
) =>
  rowPath(actor, listing, { deviceId: 'd1', serialNumber: 'S1', product, status, inWholesale })?.replace(
    `/${actor.tenant}/`,
    '',
  )

const table: [
  listing: ListingName,
  product: Product,
  status: string,
  inWholesale: boolean,
  leadsTo: string | undefined,
][] = [
  ['EmergencyLights', 'EM', 'Inventory', true, 'MoveFromWholesale/S1'],
  ['EmergencyLights', 'EL', 'Inventory', true, 'MoveFromWholesale/S1'],
  ['EmergencyLights', 'EM', 'Inventory', false, 'EmeredInstall/S1/d1'],
  ['EmergencyLights', 'EL', 'Inventory', false, 'EmeredInstall/S1/d1'],
  ['EmergencyLights', 'EM', 'Ok', false, 'EmergencyLights/d1'],
  ['EmergencyLights', 'EM', 'AwaitingRecycling', false, 'EmergencyLights/d1'],
  ['EmergencyLights', 'EM', 'Allocated', true, 'EmergencyLights/d1'],
  ['NetworkingDevices', 'ZG', 'Inventory', true, 'MoveFromWholesale/S1'],
  ['NetworkingDevices', 'MG', 'Inventory', false, 'NetworkInstall/S1/d1'],
  ['NetworkingDevices', 'ZR', 'Inventory', false, 'NetworkInstall/S1/d1'],
  ['NetworkingDevices', 'ZG', 'FailedDevice', false, 'NetworkingDevices/d1'],
  ['Boilers', 'BX', 'Inventory', true, 'MoveFromWholesale/S1'],
  ['Boilers', 'BC', 'Inventory', false, 'BcmInstall/S1/d1'],
  ['Boilers', 'BX', 'Inventory', false, 'BcmInstall/S1/d1'],
  ['Boilers', 'BX', 'AwaitingRecycling', false, 'Boilers/d1'],
  ['Boilers', 'BC', 'Ok', false, 'Boilers/d1'],
  ['Boilers', 'AF', 'Inventory', false, undefined],
  ['Boilers', 'AF', 'Inventory', true, undefined],
  ['Boilers', 'MD', 'AwaitingRecycling', false, undefined],
  ['Boilers', 'MD', 'Allocated', false, 'BoilerConnectedDevice/d1'],
  ['Boilers', 'PM', 'Ok', false, 'BoilerConnectedDevice/d1'],
  ['Boilers', 'ASHP', 'FailedDevice', false, 'BoilerConnectedDevice/d1'],
]
for (const [listing, product, status, inWholesale, leadsTo] of table)
  test(`a row of ${listing}: ${product} ${status}${inWholesale ? ' in wholesale' : ''} opens ${leadsTo ?? 'nothing'}`, () => {
    assert.equal(click(listing, product, status, inWholesale), leadsTo)
  })

test('every status but Inventory opens the page of a light, a networking device and a boiler control module', () => {
  const modules = ['BX', 'BC']
  for (const listing of detailListings.filter((name) => name !== 'ThirdParty'))
    for (const product of listings[listing].products.filter((code) => listing !== 'Boilers' || modules.includes(code)))
      for (const status of deviceStatuses)
        for (const inWholesale of [false, true]) {
          const leadsTo = click(listing, product, status, inWholesale)
          const message = `${product} ${status}`
          if (status === 'Inventory') assert.match(leadsTo!, /^(MoveFromWholesale|\w+Install)\//, message)
          else assert.equal(leadsTo, `${listing}/d1`, message)
        }
})

test('in the new listing view every row of Boilers opens its page, and other listings are unchanged', () => {
  for (const product of listings.Boilers.products)
    for (const status of deviceStatuses)
      for (const inWholesale of [false, true])
        assert.equal(click('Boilers', product, status, inWholesale, renewed), 'Boilers/d1', `${product} ${status}`)
  assert.equal(click('EmergencyLights', 'EM', 'Inventory', true, renewed), 'MoveFromWholesale/S1')
  assert.equal(click('NetworkingDevices', 'ZG', 'Inventory', false, renewed), 'NetworkInstall/S1/d1')
})

test('rows of a property open the tab of its devices, other rows there open nothing', () => {
  const at = (listing: ListingName, product: Product, propertyId: string | null) =>
    rowPath(renewed, listing, {
      deviceId: 'd1',
      serialNumber: 'S1',
      product,
      status: 'Ok',
      inWholesale: false,
      propertyId,
    })
  assert.equal(at('HomeHubs', 'ZH', 'p1'), '/northgate/Properties/p1/info')
  assert.equal(at('MultiDots', 'MD', 'p1'), '/northgate/Properties/p1/telemetry')
  assert.equal(at('VStats', 'TH', 'p1'), '/northgate/Properties/p1/thermoScheduler')
  assert.equal(at('HomeHubs', 'ZH', null), undefined)
  assert.equal(at('ThirdParty', 'ADEY', 'p1'), undefined)
  assert.equal(at('Bcms', 'ASHP', null), '/northgate/Boilers/d1')
})
