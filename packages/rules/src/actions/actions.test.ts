import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Actor } from '../identity/actor.ts'
import { levelOf, levels, roles } from '../identity/roles.ts'
import type { Role } from '../identity/roles.ts'
import type { ActionDevice, BulkAction, SingleAction } from './actions.ts'
import {
  bulkActions,
  completesInstall,
  countsAsJoined,
  emptyDeviceId,
  fitsBulkAction,
  mayUpdateAccessRightsTag,
  offeredActions,
  offeredBulkActions,
  resetsAutofill,
  resetsBoiler,
  unfitText,
} from './actions.ts'
import type { Product } from '../devices/products.ts'
import { areaOf, productCodes } from '../devices/products.ts'
import { countsAsInstalled, deviceStatuses } from '../devices/status.ts'

const actor = (role: Role, bend: Partial<Actor> = {}): Actor => ({
  userId: 'u',
  memberId: 'm',
  tenant: 't',
  role,
  tags: [],
  features: [],
  capabilities: [],
  ...bend,
})
const manager = actor('Manager')
const device = (bend: Partial<ActionDevice> = {}): ActionDevice => ({
  deviceId: 'a0000000-0000-4000-8000-000000000001',
  product: 'EM',
  status: 'Ok',
  inWholesale: false,
  accessRightsTags: [],
  fault: null,
  ...bend,
})
const boilerFault = { code: 'F28', source: 'boiler', isResettable: true } as const
const autofillFault = { code: 'AF1', source: 'autofill', isResettable: true } as const
const offers = (who: Actor, what: ActionDevice, on: 'listing' | 'page' = 'listing', newer = false) =>
  offeredActions(who, what, { on, newer })

const installed = [
  'Ok',
  'RepairedDevice',
  'RepairedEquipment',
  'Installed',
  'FailedDevice',
  'FailedEquipment',
  'PreventativeMaintenance',
]
const statusesOffered = (action: SingleAction, bend: Partial<ActionDevice> = {}) =>
  deviceStatuses.filter((status) => offers(manager, device({ ...bend, status })).includes(action)).sort()
const statusesFit = (action: BulkAction) => deviceStatuses.filter((status) => fitsBulkAction(action, { status })).sort()

test('actions that need an installed device are offered for the seven installed statuses only [dev-4status-1 dev-4status-2]', () => {
  const wanted = installed.toSorted()
  for (const action of ['view in app', 'flick test', 'join network', 'leave network', 'uninstall'] as const)
    assert.deepEqual(statusesOffered(action), wanted, action)
  assert.deepEqual(statusesOffered('update access rights tag'), wanted)
  for (const status of ['Allocated', 'Inventory', 'AwaitingRecycling'])
    assert.equal(countsAsInstalled(status), false, status)
  const rest = deviceStatuses.filter((status) => !installed.includes(status)).sort()
  assert.deepEqual(statusesOffered('install'), rest)
})

test('access rights tags can be set in bulk for the installed statuses and Allocated [dev-4status-3]', () => {
  const wanted = [...installed, 'Allocated'].sort()
  assert.deepEqual(statusesFit('add access rights tags'), wanted)
  assert.deepEqual(statusesFit('remove access rights tags'), wanted)
})

test('the seven installed statuses count as joined to the network, Allocated does not [dev-4status-4]', () => {
  assert.deepEqual(deviceStatuses.filter((status) => countsAsJoined({ status })).sort(), installed.toSorted())
  for (const action of ['leave network', 'flick test'] as const)
    assert.deepEqual(statusesFit(action), installed.toSorted(), action)
})

test('actions in the mobile app are offered to engineers of the area, by status and wholesale flag', () => {
  for (const role of roles)
    for (const product of productCodes) {
      const isEngineer = levelOf(role, areaOf(product)) >= levels.edit
      const offeredFor = (bend: Partial<ActionDevice>) => offers(actor(role), device({ product, ...bend }))
      assert.equal(offeredFor({}).includes('view in app'), isEngineer, `${role} ${product}`)
      assert.equal(offeredFor({ inWholesale: true }).includes('claim'), isEngineer, `${role} ${product}`)
      assert.equal(offeredFor({ status: 'Inventory' }).includes('install'), isEngineer, `${role} ${product}`)
      assert.equal(offeredFor({}).includes('uninstall'), isEngineer, `${role} ${product}`)
    }
  assert.ok(!offers(manager, device({ inWholesale: true })).includes('view in app'))
  assert.ok(!offers(manager, device()).includes('claim'))
  assert.ok(!offers(manager, device()).includes('install'))
})

test('lists offer a repair for lights with an open failure to users who may record it', () => {
  assert.deepEqual(statusesOffered('repair', { product: 'EM' }), ['FailedDevice', 'FailedEquipment'])
  assert.deepEqual(statusesOffered('repair', { product: 'BX' }), [])
  const failed = device({ product: 'EM', status: 'FailedEquipment' })
  // The page has its own buttons.
  assert.ok(!offers(manager, failed, 'page').includes('repair'))
  assert.ok(offers(actor('LightingEngineer'), failed).includes('repair'))
  for (const role of ['Guest', 'BoilerEngineer'] as const)
    assert.ok(!offers(actor(role), failed).includes('repair'), role)
  assert.ok(!offers(manager, { ...failed, inWholesale: true }).includes('repair'))
})

test('the empty device id can never be uninstalled [dev-6single-6]', () => {
  assert.ok(offers(manager, device()).includes('uninstall'))
  assert.ok(!offers(manager, device({ deviceId: emptyDeviceId })).includes('uninstall'))
})

test('the thermostat of a BCM in a property with a home hub can be uninstalled only if the client has the feature for both', () => {
  const thermostat = device({ product: 'MD', isThermostatWithHomeHub: true })
  assert.ok(!offers(manager, thermostat).includes('uninstall'))
  assert.ok(offers(actor('Manager', { features: ['BcmAndGatewayDualInstall'] }), thermostat).includes('uninstall'))
})

test('managers can update tags, in listings only', () => {
  for (const role of roles) {
    const isManager = levelOf(role, 'misc') >= levels.manage
    assert.equal(offers(actor(role), device()).includes('update tags'), isManager, role)
    assert.ok(!offers(actor(role), device(), 'page').includes('update tags'), role)
  }
})

test('the flag of the device allows updating its access rights tag [dev-6single-10]', () => {
  const engineer = actor('LightingEngineer')
  assert.equal(mayUpdateAccessRightsTag(manager, device(), false), true)
  assert.equal(mayUpdateAccessRightsTag(engineer, device(), false), false)
  assert.equal(mayUpdateAccessRightsTag(actor('Manager', { tags: ['east'] }), device(), false), false)
  // The capability has no effect there.
  const able = actor('LightingEngineer', { capabilities: ['EditAccessRightsTags'] })
  assert.equal(mayUpdateAccessRightsTag(able, device(), false), false)
  assert.ok(offers(manager, device()).includes('update access rights tag'))
  assert.ok(!offers(able, device()).includes('update access rights tag'))
})

test('on newer screens the capability allows updating it [dev-6single-11]', () => {
  const able = actor('LightingEngineer', { capabilities: ['EditAccessRightsTags'] })
  assert.equal(mayUpdateAccessRightsTag(able, device(), true), true)
  assert.equal(mayUpdateAccessRightsTag(manager, device(), true), false)
  assert.ok(offers(able, device(), 'page', true).includes('update access rights tag'))
  assert.ok(!offers(manager, device(), 'page', true).includes('update access rights tag'))
  // The device must not be read-only, and the user must not be restricted.
  assert.ok(!offers(able, device({ product: 'BX' }), 'page', true).includes('update access rights tag'))
  const restricted = actor('Manager', { capabilities: ['EditAccessRightsTags'], tags: ['east'] })
  const theirs = device({ accessRightsTags: ['east'] })
  assert.ok(!offers(restricted, theirs, 'page', true).includes('update access rights tag'))
})

test('only emergency lights and repeaters can join and leave the network', () => {
  const networked = productCodes.filter((product) => offers(manager, device({ product })).includes('join network'))
  assert.deepEqual(networked.sort(), ['EL', 'EM', 'ZR'])
  assert.deepEqual(
    productCodes.filter((product) => offers(manager, device({ product })).includes('leave network')).sort(),
    networked,
  )
  assert.ok(!offers(actor('BoilerEngineer'), device()).includes('join network'))
  assert.ok(!offers(actor('Guest'), device()).includes('leave network'))
})

test('Complete Install is offered exactly for an allocated device of a connected type [dev-6other-16] [est-2.3-69]', () => {
  const connected: Product[] = ['PM', 'PS', 'MD', 'ED']
  for (const product of productCodes)
    for (const status of deviceStatuses) {
      const wanted = status === 'Allocated' && connected.includes(product)
      assert.equal(completesInstall({ product, status }), wanted, `${product} ${status}`)
      const offered = offers(manager, device({ product, status })).includes('complete install')
      assert.equal(offered, wanted, `${product} ${status}`)
    }
})

test('autofill reset is offered exactly for a failed autofill that is not connected to a home hub [dev-6other-17] [est-2.3-70]', () => {
  for (const product of productCodes)
    for (const status of deviceStatuses)
      for (const parentProduct of [null, undefined, 'BX', 'ZH'] as const) {
        const wanted = ['AF', 'AZ'].includes(product) && status.startsWith('Failed') && parentProduct !== 'ZH'
        const label = `${product} ${status} below ${parentProduct}`
        assert.equal(resetsAutofill({ product, status, parentProduct }), wanted, label)
        const offered = offers(manager, device({ product, status, parentProduct }), 'page')
        assert.equal(offered.includes('reset autofill'), wanted, label)
      }
})

test('boiler reset is offered exactly for a boiler or BCM-connect that reports a resettable fault [dev-6other-18] [est-2.3-71]', () => {
  const faults = [null, boilerFault, { ...boilerFault, isResettable: false }, autofillFault]
  for (const product of productCodes)
    for (const fault of faults)
      for (const remoteResetSupported of [undefined, true, false]) {
        const wanted = ['BX', 'BC'].includes(product) && fault === boilerFault && remoteResetSupported !== false
        const label = `${product} ${JSON.stringify(fault)} ${remoteResetSupported}`
        assert.equal(resetsBoiler({ product, fault, remoteResetSupported }), wanted, label)
        const offered = offers(manager, device({ product, fault, remoteResetSupported }), 'page')
        assert.equal(offered.includes('reset boiler'), wanted, label)
      }
})

test('guests are offered no actions, and nobody is offered actions on a device that they cannot see', () => {
  for (const product of productCodes) {
    const failed = device({ product, fault: product === 'BX' ? boilerFault : autofillFault })
    assert.deepEqual(offers(actor('Guest'), failed), [], product)
    const limited = actor('Manager', { tags: ['east'] })
    const acting = offers(limited, failed).filter((action) => action !== 'view in app')
    assert.deepEqual(acting, [], product)
  }
})

const bulkFor = (who: Actor, products: Product[]) => offeredBulkActions(who, products, []).map(({ action }) => action)

test('bulk actions depend on the role and the products of the listing', () => {
  assert.deepEqual(bulkFor(manager, ['EM', 'EL']), [...bulkActions])
  const tags: BulkAction[] = ['add tags', 'remove tags', 'add access rights tags', 'remove access rights tags']
  const changes: BulkAction[] = ['join network', 'leave network', 'uninstall']
  const given: BulkAction[] = ['move lights', 'set luminaire', 'set battery day', 'set status', 'add to group']
  assert.deepEqual(bulkFor(manager, ['MG', 'ZR']), [...tags, ...changes])
  assert.deepEqual(bulkFor(manager, ['BX']), [...tags, 'uninstall'])
  assert.deepEqual(bulkFor(actor('LightingEngineer'), ['EM']), [...given, 'flick test', ...changes])
  // A user who sees only some lights cannot change groups.
  assert.ok(!bulkFor(actor('LightingEngineer', { tags: ['east'] }), ['EM']).includes('add to group'))
  assert.deepEqual(bulkFor(actor('BoilerEngineer'), ['EM']), [])
  assert.deepEqual(bulkFor(actor('BoilerEngineer'), ['BX', 'MD']), ['uninstall'])
  assert.deepEqual(bulkFor(actor('Guest'), ['EM', 'BX', 'ZR']), [])
})

test('a bulk action states how many selected devices are unsuitable, and why', () => {
  const reason = (action: BulkAction, ...statuses: string[]) =>
    offeredBulkActions(
      manager,
      ['EM'],
      statuses.map((status) => ({ status })),
    ).find((offer) => offer.action === action)!.reason
  assert.equal(reason('uninstall', 'Ok', 'FailedDevice'), undefined)
  assert.equal(reason('uninstall', 'Ok', 'Inventory'), '1 selected device is not installed')
  assert.equal(reason('leave network', 'Allocated', 'Inventory'), '2 selected devices are not joined to the network')
  const many = Array.from({ length: 1200 }, () => 'Inventory')
  assert.equal(reason('add access rights tags', ...many), '1,200 selected devices are not installed or allocated')
  assert.equal(reason('add access rights tags', 'Allocated'), undefined)
  assert.equal(reason('add tags', 'Inventory', 'DISPOSED'), undefined)
  assert.equal(unfitText('uninstall'), 'The device is not installed.')
})
