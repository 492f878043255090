import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Actor } from '../identity/actor.ts'
import type { Role } from '../identity/roles.ts'
import { roles } from '../identity/roles.ts'
import type { Monitoring } from '../devices/monitoring.ts'
import type { Product } from '../devices/products.ts'
import { can } from '../rights/can.ts'
import { productsWithRecords, recordTypesOf } from './compliance.ts'

const actor = (role: Role, tags: string[] = []): Actor => {
  return { userId: '', memberId: '', tenant: 't', role, tags, features: [], capabilities: [] }
}
const device = (product: Product, accessRightsTags: string[] = []) => ({
  product,
  status: 'Ok',
  inWholesale: false,
  accessRightsTags,
})

test('engineers of the boiler area can add compliance records, unless the boiler is read-only for them', () => {
  const may = roles.filter((role) => can(actor(role), 'add boiler record', device('BX')))
  assert.deepEqual(may.toSorted(), ['Admin', 'BoilerEngineer', 'Developer', 'Manager'])
  assert.deepEqual(
    roles.filter((role) => can(actor(role), 'add boiler record')),
    may,
  )
  // A heat pump belongs to another area and is read-only for a boiler engineer.
  assert.equal(can(actor('BoilerEngineer'), 'add boiler record', device('ASHP')), false)
  assert.equal(can(actor('Manager'), 'add boiler record', device('ASHP')), true)
  for (const product of ['EM', 'MD', 'MG', 'AZ'] as const)
    assert.equal(can(actor('Manager'), 'add boiler record', device(product)), false, product)
  assert.equal(can(actor('BoilerEngineer', ['east']), 'add boiler record', device('BX', ['east'])), true)
  assert.equal(can(actor('BoilerEngineer', ['east']), 'add boiler record', device('BX', ['west'])), false)
})

test('gas appliances have both record types, other heating only water treatment', () => {
  const types = (product: Product, monitoring: Monitoring | null = null) => recordTypesOf({ product, monitoring })
  const both = ['GasSafety', 'WaterTreatment']
  for (const unsaid of [null, 'Unknown', 'Boiler'] as const) assert.deepEqual(types('BX', unsaid), both, String(unsaid))
  assert.deepEqual(types('ASHP'), ['WaterTreatment'])
  assert.deepEqual(types('MD'), [])
  assert.deepEqual(types('BC', 'HeatPump'), ['WaterTreatment'], 'a heat pump burns no gas, whatever watches it')
  assert.deepEqual(types('BC', 'None'), [], 'a surveyor cube watches no heating')
  assert.deepEqual(productsWithRecords('GasSafety'), ['BC', 'BX'])
})
