import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { parse } from 'csv-parse/sync'
import { strFromU8, unzipSync } from 'fflate'
import { exportListing } from '@caretaker/contract/devices.ts'
import { commitImport, getImport, uploadImport } from '@caretaker/contract/imports.ts'
import { exportProperties } from '@caretaker/contract/properties.ts'
import { getTenantExportFile, startTenantExport } from '@caretaker/contract/tenant-exports.ts'
import { listingNames, listings } from '@caretaker/rules/devices/list.ts'
import { exportFormats } from '@caretaker/contract/lists.ts'
import { propertyLists } from '@caretaker/rules/properties/list.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { refreshPlaces } from '../../projections/copied-places.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag } from '../../testing/furnish/devices.ts'
import { exportTenants } from '../tenants/export/job.ts'
import { runImports } from './job.ts'

const tenant = 'north'
const manager = 'manager@north.test'
const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-round-trip-'))
let app: TestApp

async function plan(name: string, content: Buffer | string) {
  const form = { tenant, file: new File([content as never], name) }
  const { body } = await app.send(uploadImport, { form }, manager)
  assert.ok(body.data, JSON.stringify(body))
  await runImports(app.context)
  return (await app.send(getImport, { body: { tenant, importId: body.data.importId } }, manager)).body.data!
}

async function bringIn(...lines: string[]) {
  const { importId, revision, cells, found } = await plan('list.csv', lines.join('\n'))
  assert.deepEqual([cells, found?.questions], [[], []])
  assert.equal((await app.send(commitImport, { body: { tenant, importId, revision } }, manager)).status, 200)
  await runImports(app.context)
}

/** References, names and places that a spreadsheet would change or mistake for a formula. */
const awkward = ['=1+1', '@home', '-a', "'=1", '004501', '1E05', '02-MAR', '100062345679', ' +1', '"quoted", Ltd']

beforeAll(async () => {
  app = await testApp({ CARETAKER_DATA: folder })
  await app.addTenant(tenant, {
    features: ['PropertyCentric', 'VoidFlag', 'AwaabsLaw'],
    capabilities: ['ViewProperties'],
  })
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, 'developer@north.test', 'Developer')
  await addAccessRightsTag(app, tenant, 'East Patch')
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
  // A cell as written in a file: a text that looks like a guarded formula gets one more apostrophe.
  const cell = (text: string) => quoted(text.startsWith("'=") ? `'${text}` : text)
  await bringIn(
    'Building name,Post code,Floor,Default floor,Latitude,Longitude',
    'Mill House,LS1 4AB,G,1,53.8,-1.5',
    ',,1,,,',
    ',,Roof,,,',
  )
  await bringIn(
    'Property Ref,Address line 1,Address line 2,Town,Postcode,EPC,Archetype,Void,Awaabs Law Status,LGSR,Building,Floor,Rooms,Orientation,Access Rights Tag',
    ...awkward.map((text, at) =>
      [
        ...[cell(text), cell(`${text} House`), 'Café Yard', 'Otley', `LS21 3A${'ABDEFGHJLN'[at]}`, 'ABCDEFG'[at % 7]!],
        ...['House Detached', at === 3 ? 'Void' : 'NotVoid', 'None', '03/11/2025', 'Mill House', 'G', '4', 'North'],
        'East Patch',
      ].join(','),
    ),
  )
  // One device of every product in the listings, with awkward texts.
  const products = [...new Set(listingNames.flatMap((name) => [...listings[name].products]))]
  const device = (product: string, at: number) => {
    const text = cell(awkward[at % awkward.length]!)
    const home = cell(awkward[(at + 1) % awkward.length]!)
    const serial = `${product}279${String(at).padStart(4, '0')}F`
    return [serial, text, home, 'Mill House', '1', text, text, text, 'damp;winter', 'East Patch'].join(',')
  }
  await bringIn(
    'Serial number,Name,Property Ref,Building,Floor,Room,Location,Location Details,Tags,Access Rights Tag',
    ...products.map(device),
  )
  await inTenant(app.database.db, tenant, (tx) => refreshPlaces(tx, tenant))
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

const exportable = (fields: object) =>
  Object.entries(fields as Record<string, { exportable: boolean }>).flatMap(([id, field]) =>
    field.exportable ? [id] : [],
  )

async function exportOf(list: string, route: typeof exportListing | typeof exportProperties, sent: object) {
  const { method, path: url } = route
  // A user who sees every list.
  const headers = { authorization: `Bearer ${await app.token('developer@north.test')}` }
  const { statusCode, rawPayload } = await app.app.inject({
    ...{ method, url, headers },
    payload: { tenant, listing: list, ...sent },
  })
  assert.equal(statusCode, 200, rawPayload.toString().slice(0, 300))
  return rawPayload
}

/** Asserts that importing an exported file again results in nothing new, changed, rejected or asked. */
async function comesBack(name: string, content: Buffer | string, rows: number) {
  const { found, fault, items, cells } = await plan(name, content)
  assert.ok(found, fault ?? '')
  const { totals, questions } = found
  assert.deepEqual([items, cells, questions, totals.rows], [[], [], [], rows])
  const unchanged = Object.values(totals.unchanged).reduce((sum, count) => sum + count, 0)
  assert.ok(unchanged + totals.left >= rows, JSON.stringify(totals))
}

const count = async (table: string) => {
  const { rows } = await app.database.owner.query<{ n: number }>(
    `select count(*)::int as n from ${table} where tenant_id = $1`,
    [tenant],
  )
  return rows[0]!.n
}

describe('importing an export changes nothing', () => {
  for (const format of exportFormats) {
    test(`Properties as ${format}`, async () => {
      const sent = { format, columns: exportable(propertyLists.Properties.fields) }
      const bytes = await exportOf('Properties', exportProperties, sent)
      await comesBack(`list.${format}`, bytes, awkward.length)
    })
    for (const listing of listingNames)
      test(`${listing} as ${format}`, async () => {
        const sent = { format, columns: exportable(listings[listing].fields) }
        const bytes = await exportOf(listing, exportListing, sent)
        await comesBack(`list.${format}`, bytes, listings[listing].products.length)
      })
  }

  test('the properties, buildings and devices of a client’s own export', async () => {
    const params = { tenant }
    const { body } = await app.send(startTenantExport, { params, body: {} }, 'developer@north.test')
    await exportTenants(app.context)
    const url = getTenantExportFile.path.replace('{tenant}', tenant).replace('{exportId}', body.exportId)
    const headers = { authorization: `Bearer ${await app.token('developer@north.test')}` }
    const { rawPayload } = await app.app.inject({ method: 'GET', url, headers })
    const files = unzipSync(rawPayload)
    for (const [name, rows] of [
      ['properties.csv', await count('property')],
      ['buildings.csv', await count('floor')],
      ['devices.csv', await count('device')],
    ] as const) {
      const file = Object.entries(files).find(([entry]) => entry.endsWith(name))
      assert.ok(file, name)
      await comesBack(name, `\uFEFF${strFromU8(file[1]).replace(/^\uFEFF/, '')}`, rows)
    }
  })
})

describe('a changed cell of an export changes that record and nothing else', () => {
  /** Exports a list, changes one cell, imports it, and exports the list again. */
  async function changeOne(list: string, route: typeof exportListing | typeof exportProperties, fields: object) {
    const sent = { format: 'csv', columns: exportable(fields) }
    const cellsOf = (bytes: Buffer) => parse(bytes, { bom: true, relax_column_count: true }) as string[][]
    const before = cellsOf(await exportOf(list, route, sent))
    const text = (rows: string[][]) =>
      rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')).join('\n')
    const { mapping } = (await plan('list.csv', text(before))).found!.sheets[0]!
    // The first of these fields that the list exports.
    const field = (['room', 'deviceName', 'location', 'epcRating'] as const).find((name) =>
      mapping!.columns.includes(name),
    )
    assert.ok(field, `${list} exports none of the fields`)
    const column = mapping!.columns.indexOf(field)
    const isRating = field === 'epcRating'
    const value = isRating ? (before[1]![column] === 'A' ? 'B' : 'A') : `Changed in ${list}`
    const changed = before.map((row, at) => (at === 1 ? row.with(column, value) : row))
    const { importId, revision, found } = await plan('list.csv', text(changed))
    const kind = list === 'Properties' ? 'property' : 'device'
    assert.deepEqual([found!.totals.create, found!.totals.change], [{}, { [kind]: 1 }], list)
    const { status } = await app.send(commitImport, { body: { tenant, importId, revision } }, manager)
    assert.equal(status, 200)
    await runImports(app.context)
    const lines = (rows: string[][]) => rows.map((row) => JSON.stringify(row)).toSorted()
    assert.deepEqual(lines(cellsOf(await exportOf(list, route, sent))), lines(changed), list)
  }
  test('Properties', () => changeOne('Properties', exportProperties, propertyLists.Properties.fields))
  for (const listing of listingNames) test(listing, () => changeOne(listing, exportListing, listings[listing].fields))
})
