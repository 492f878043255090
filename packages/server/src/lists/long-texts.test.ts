import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import { addressFault, addressParts } from '@caretaker/rules/properties/address.ts'
import { chanceOf } from '../testing/chance.ts'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'

/*
 * An index entry has 2,704 bytes at most. Texts of every script at their maximum length must fit into all indexes of
 * the list tables.
 */

let database: TestDatabase
/** The maximum length of an id. */
const tenant = 'long-'.repeat(8)

beforeAll(async () => {
  database = await testDatabase()
  await database.owner.query('insert into tenant (id, display_name) values ($1, $1)', [tenant])
})
afterAll(() => database.drop())

const chance = chanceOf('long texts')
const signs = (first: number, many: number) => (length: number) =>
  Array.from({ length }, () => String.fromCodePoint(first + Math.floor(chance() * many))).join('')
const scripts: Record<string, (length: number) => string> = {
  'Latin letters': signs(0x41, 26),
  'letters with accents': signs(0xc0, 23),
  'letters that are longer in lower case': (length) =>
    Array.from({ length }, () => 'ȺȾ'[Math.floor(chance() * 2)]!).join(''),
  ideographs: signs(0x4e00, 0x5000),
  'rare ideographs': signs(0x20000, 0xa000),
  'signs that stand for words': signs(0x3300, 88),
  'Arabic ligatures': signs(0xfd50, 60),
  emoji: signs(0x1f300, 500),
}
/** Maximum field lengths in letters, as in the contract and the imports. */
const homes = { reference: 30, address1: 100, address2: 100, address3: 100, town: 100, county: 100, postcode: 12 }

for (const [script, letters] of Object.entries(scripts))
  test(`texts of ${script} at their maximum length fit into the indexes of lists`, async () => {
    const { owner } = database
    let fitting = 0
    for (let share = 20; share >= 1; share--) {
      const home = Object.fromEntries(
        Object.entries(homes).map(([field, most]) => [field, letters(Math.ceil((most * share) / 20))]),
      )
      if (addressFault(home)) continue
      fitting++
      const columns = ['reference', ...addressParts, 'postcode'] as const
      await owner.query(
        `insert into property (tenant_id, id, ${columns.join()}, void_flag) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'NotVoid')`,
        [tenant, randomUUID(), ...columns.map((column) => home[column])],
      )
    }
    assert.ok(fitting > 0)
    const building = randomUUID()
    await owner.query(
      'insert into building (tenant_id, id, name, compared_name, address) values ($1, $2, $3, $3, $4)',
      [tenant, building, letters(80), letters(200)],
    )
    await owner.query('insert into tag (tenant_id, id, name) values ($1, $2, $3)', [tenant, randomUUID(), letters(20)])
    await owner.query('insert into access_rights_tag (tenant_id, id, display_name) values ($1, $2, $3)', [
      ...[tenant, randomUUID(), letters(200)],
    ])
    await owner.query(
      `insert into light_group (tenant_id, id, name, name_key, building_id, t180_start, created_at)
       values ($1, $2, $3, lower($3), $4, now(), now())`,
      [tenant, randomUUID(), letters(80), building],
    )
    // The texts of a device have 1,200 bytes in total, which any one of them may use.
    const bytes = 1200 - 12
    for (const field of ['name', 'room', 'location', 'location_details', 'address', 'building_name']) {
      const text = letters(300)
      let length = 300
      while (Buffer.byteLength([...text].slice(0, length).join('')) > bytes) length--
      await owner.query(
        `insert into device (tenant_id, id, serial, product, model, listing, status, severity${field === 'name' ? '' : ', name'}, ${field})
         values ($1, $2, $3, 'BX', '1', 'Boilers', 'Ok', 2${field === 'name' ? '' : ", ''"}, $4)`,
        [tenant, randomUUID(), `BX1${randomUUID().slice(0, 8)}`, [...text].slice(0, length).join('')],
      )
    }
  })
