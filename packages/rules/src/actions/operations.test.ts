import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Actor } from '../identity/actor.ts'
import { can } from '../rights/can.ts'
import type { ActionDevice, SingleAction } from './actions.ts'
import { bulkActions, fitsBulkAction, offeredActions, singleActions } from './actions.ts'
import type { Operation } from './operations.ts'
import { operationOf, resetFor, rightTo, unfitFor, unfitForBulk } from './operations.ts'
import { productCodes } from '../devices/products.ts'
import { deviceStatuses } from '../devices/status.ts'

const manager: Actor = {
  userId: 'u',
  memberId: 'm',
  tenant: 't',
  role: 'Manager',
  tags: [],
  features: [],
  capabilities: [],
}
const device = (bend: Partial<ActionDevice> = {}): ActionDevice => ({
  deviceId: 'a0000000-0000-4000-8000-000000000001',
  product: 'EM',
  status: 'Ok',
  inWholesale: false,
  accessRightsTags: [],
  ...bend,
})
const fault = (source: 'boiler' | 'autofill', isResettable = true) => ({ code: 'X', source, isResettable })

const isOffered = (operation: Operation): operation is Operation & SingleAction =>
  (singleActions as readonly string[]).includes(operation)

test('the server accepts exactly the offered actions and refuses others with a reason or a missing right', () => {
  const faults = [null, fault('boiler'), fault('boiler', false), fault('autofill')]
  for (const product of productCodes)
    for (const status of deviceStatuses)
      for (const inWholesale of [false, true])
        for (const one of faults) {
          const given = device({ product, status, inWholesale, fault: one })
          const offered: SingleAction[] = offeredActions(manager, given, { on: 'listing' })
          for (const operation of (Object.keys(rightTo) as Operation[]).filter(isOffered)) {
            const done = !unfitFor(operation, given, manager) && can(manager, rightTo[operation], given)
            const label = `${operation}: ${JSON.stringify(given)}`
            assert.equal(done, offered.includes(operation), label)
          }
        }
})

test('a device in a bulk action is refused for its status as in the action bar, and for its product', () => {
  for (const action of bulkActions)
    for (const status of deviceStatuses) {
      const unfit = unfitForBulk(action, device({ status }), manager)
      assert.equal(unfit === undefined, fitsBulkAction(action, { status }), `${action} ${status}`)
    }
  assert.match(unfitForBulk('join network', device({ product: 'MG' }), manager)!, /Only emergency lights and repeaters/)
  assert.equal(operationOf['remove access rights tags'], 'update access rights tag')
})

test('the kind of reset depends on the fault', () => {
  assert.equal(resetFor({ fault: fault('boiler') }), 'reset boiler')
  assert.equal(resetFor({ fault: fault('autofill') }), 'reset autofill')
  assert.equal(resetFor({ fault: null }), undefined)
})

test('the thermostat of a BCM in a property with a home hub cannot be uninstalled, unless the client has the feature for both', () => {
  const thermostat = device({ product: 'MD', isThermostatWithHomeHub: true })
  assert.match(unfitFor('uninstall', thermostat, manager)!, /home hub/)
  assert.equal(unfitFor('uninstall', thermostat, { features: ['BcmAndGatewayDualInstall'] }), undefined)
})
