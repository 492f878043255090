import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { getEquipmentLists, getProductNames } from '@caretaker/contract/products.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'

let app: TestApp
const guest = 'guest@north.test'
beforeAll(async () => {
  app = await testApp()
  await app.addTenant('north')
  await app.addMember('north', guest, 'Guest')
})
afterAll(() => app.close())

test('the product names are a list of code and name [core-3-40 core-7.3-12]', async () => {
  const { status, body } = await app.send(getProductNames, {}, guest)
  assert.equal(status, 200)
  const codes = body.results.map((product) => product.productCode).sort()
  const expected = 'ADEY AF ASHP AZ BC BX ED EL EM HIU LM MD MG PC PM PS TH ZG ZH ZR'
  assert.equal(codes.join(' '), expected)
  assert.equal(body.results.find((product) => product.productCode === 'BX')!.name, 'Boiler control module')
  assert.equal((await app.send(getProductNames, {})).status, 401)
})

test('the equipment lists are the defaults unless the tenant has its own; battery types are always the seven', async () => {
  const read = async () => (await app.send(getEquipmentLists, { body: { tenant: 'north' } }, guest)).body.data!
  const usual = await read()
  assert.deepEqual(Object.keys(usual).sort(), [
    'batteryCapacity',
    'batteryTypes',
    'batteryVoltage',
    'inverterTypes',
    'lampTypes',
  ])
  assert.equal(
    usual.batteryTypes.join(),
    'Alkaline,Lead Acid,Lithium Ion,Lithium Polymer,Nickel Cadmium,Nickel Metal Hydride,Zinc Air',
  )
  assert.ok(usual.batteryVoltage.every((volts) => volts > 2.6 && volts <= 12))
  assert.ok(usual.batteryCapacity.every((hours) => hours > 0 && hours < 20))
  await app.database.owner.query(
    `insert into equipment_list (tenant_id, list, choices) values ('north', 'lampTypes', '["Candle"]'), ('north', 'batteryTypes', '["Potato"]')`,
  )
  assert.deepEqual(await read(), { ...usual, lampTypes: ['Candle'] })
})
