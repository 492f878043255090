import { randomBytes, randomUUID } from 'node:crypto'
import { noWishes } from '@caretaker/rules/imports/life.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../app.ts'
import type { Furnishing } from './context.ts'
import { nextNumber } from './context.ts'
import { addDevice } from './devices.ts'

/** Imports of properties. */
export async function furnishImports({ test, tenant, secret, manager }: Furnishing) {
  const newImport = (state: 'planned' | 'done' | 'planning' = 'planned') =>
    addImport(test, tenant, { state, name: `${secret} list.csv`, person: manager })
  await newImport()
  return { newImport }
}

/** Adds an import of a list with one property to a tenant, in a given state. */
async function addImport(
  test: TestApp,
  tenant: string,
  { state, name, person }: { state: 'planned' | 'done' | 'planning'; name: string; person: string },
): Promise<string> {
  const id = randomUUID()
  const number = nextNumber()
  const { rows } = await test.database.owner.query<{ id: string }>('select id from person where email = $1', [person])
  const at = { tenant_id: tenant, import_id: id, number: 0, sheet: '', row_number: 2 }
  // A device without a key.
  const device = state === 'done' ? await addDevice(test, tenant, { name }) : undefined
  await inTenant(test.database.db, tenant, async (tx) => {
    await tx
      .insertInto('data_import')
      .values({
        ...{
          tenant_id: tenant,
          id,
          name,
          state,
          wishes: JSON.stringify(noWishes),
          found: null,
          created_at: new Date(),
        },
        ...{ person_id: rows[0]?.id ?? randomUUID(), person_name: name, total: state === 'planned' ? 1 : 0 },
        content: Buffer.from(`Property Ref,Address 1,Postcode,EPC\n${name} ${number},1 Elm Road,LS1 4AB,H`),
      })
      .execute()
    await tx
      .insertInto('data_import_reading')
      .values({
        ...{ tenant_id: tenant, headings: randomBytes(32), columns: '[]', building_from_name: false },
        ...{ answers: JSON.stringify({ propertyArchitype: { [name]: null } }), used_at: new Date() },
      })
      .execute()
    if (state === 'planning') return
    await tx
      .insertInto('data_import_item')
      .values({
        ...{ ...at, kind: 'property', key: `${name} ${number}`, name, action: 'create', target_id: null },
        ...{ values: JSON.stringify({ propertyReference: `${name} ${number}` }), old_values: '{}' },
        ...{ state: state === 'done' ? 'refused' : 'planned', reason: null },
      })
      .execute()
    if (device)
      await tx
        .insertInto('data_import_item')
        .values({
          ...{ ...at, number: 1, kind: 'device', key: `${name} ${number}`, name, action: 'create', target_id: device },
          ...{ values: '{}', old_values: '{}', state: 'done', reason: null },
        })
        .execute()
    await tx
      .insertInto('data_import_cell')
      .values({
        ...{ ...at, column_letters: 'D', header: 'EPC', value: name, reason: 'not-in-list', message: name },
        ...{ effect: 'cell', offer: null },
      })
      .execute()
  })
  return id
}
