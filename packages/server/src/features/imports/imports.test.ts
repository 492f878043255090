import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import {
  commitImport,
  exportImportFaults,
  exportMarkedImport,
  getImport,
  getImports,
  getImportTemplate,
  makeImportKeys,
  planImport,
  undoImport,
  uploadImport,
} from '@caretaker/contract/imports.ts'
import { putPropertyDetails } from '@caretaker/contract/properties.ts'
import type { Import } from '@caretaker/contract/imports.ts'
import { workingDaysAfter } from '@caretaker/rules/calendar/bank-holidays.ts'
import { dayOrderWord } from '@caretaker/rules/imports/days.ts'
import type { Encoding } from '@caretaker/rules/imports/cells.ts'
import { unreadable } from '@caretaker/rules/imports/cells.ts'
import { rowKey } from '@caretaker/rules/imports/plan.ts'
import { farPlaceWord } from '@caretaker/rules/postcodes/far-places.ts'
import { noWishes } from '@caretaker/rules/imports/life.ts'
import { newDeviceKey } from '../../mqtt/device-keys.ts'
import { openRoutes } from '../../mqtt/routes.ts'
import { signIn } from '../../mqtt/sign-in.ts'
import { openFile } from '../../spreadsheets/reading.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'
import { untidyHomes } from '../../testing/untidy-homes.ts'
import { recomputeCases } from '../properties/law-cases.ts'
import { markedWorkbook } from './marked.ts'
import { runImports } from './job.ts'

const samples = path.join(import.meta.dirname, 'samples')
const manager = 'manager@north.test'
let app: TestApp

beforeAll(async () => {
  app = await testApp()
  for (const tenant of ['north', 'south']) {
    await app.addTenant(tenant, {
      features: ['PropertyCentric', 'VoidFlag', 'AwaabsLaw'],
      capabilities: ['ViewProperties'],
    })
    await app.addMember(tenant, `manager@${tenant}.test`, 'Manager')
  }
  await app.addTenant('plain', { features: ['PropertyCentric'], capabilities: ['ViewProperties'] })
  await app.addMember('plain', 'manager@plain.test', 'Manager')
  await app.addMember('north', 'guest@north.test', 'Guest')
  await app.addMember('north', 'engineer@north.test', 'BoilerEngineer')
  await app.addMember('north', 'limited@north.test', 'Manager', [await addAccessRightsTag(app, 'north', 'East')])
})
afterAll(() => app.close())

const work = () => runImports(app.context)
const in_ = (tenant: string) => `manager@${tenant}.test`

async function upload(name: string, content: Buffer | string, tenant = 'north', email = in_(tenant)): Promise<string> {
  const { status, body } = await app.send(
    uploadImport,
    { form: { tenant, file: new File([content as never], name) } },
    email,
  )
  assert.equal(status, 200, JSON.stringify(body))
  await work()
  return body.data!.importId
}
const sample = async (name: string) => readFile(path.join(samples, name))
const csv = (...rows: string[]) => rows.join('\n')
const look = async (importId: string, tenant = 'north'): Promise<Import> => {
  const { status, body } = await app.send(getImport, { body: { tenant, importId } }, in_(tenant))
  assert.equal(status, 200, JSON.stringify(body))
  return body.data!
}
async function commit(importId: string, tenant = 'north'): Promise<Import> {
  const { revision } = await look(importId, tenant)
  const { status, body } = await app.send(commitImport, { body: { tenant, importId, revision } }, in_(tenant))
  assert.equal(status, 200, JSON.stringify(body))
  await work()
  return look(importId, tenant)
}
async function undo(importId: string, tenant = 'north'): Promise<Import> {
  assert.equal((await app.send(undoImport, { body: { tenant, importId } }, in_(tenant))).status, 200)
  await work()
  return look(importId, tenant)
}
const count = async (table: string, tenant = 'north') => {
  const { rows } = await app.database.owner.query<{ n: number }>(
    `select count(*)::int as n from ${table} where tenant_id = $1`,
    [tenant],
  )
  return rows[0]!.n
}
const homes = async (...references: string[]) => {
  const { rows } = await app.database.owner.query<Record<string, unknown>>(
    `select reference, epc_rating, void_flag, postcode, to_char(last_gas_safety_check_on, 'YYYY-MM-DD') as gas from property
      where tenant_id = 'north' and reference = any($1) order by reference`,
    [references],
  )
  return rows
}

describe('a new client imports its data', () => {
  test('buildings, properties, next month’s list, lights, boilers, stock, voids and a tracker, as their samples expect', async () => {
    const expected = JSON.parse((await sample('expected.json')).toString()) as {
      files: { file: string; create: Record<string, number>; change: Record<string, number>; refusedRows: number }[]
    }
    const alone = new Set(['07-template.xlsx', '07-template-filled.xlsx', '08-mixed-3000.xlsx'])
    for (const start of ['06', '01', '02', '03', '04', '05', '09', '10']) {
      const one = expected.files.find(({ file }) => file.startsWith(start) && !alone.has(file))!
      const planned = await look(await upload(one.file, await sample(one.file)))
      assert.equal(planned.state, 'planned', planned.fault ?? '')
      const { totals } = planned.found!
      const sum = (counts: object) => Object.values(counts).reduce((all: number, n: number) => all + n, 0)
      assert.equal(sum(totals.create), sum(one.create), one.file)
      assert.equal(totals.refusedRows, one.refusedRows, one.file)
      const { body } = await app.send(getImports, { body: { tenant: 'north' } }, in_('north'))
      assert.equal(body.data![0]!.refusedRows, one.refusedRows, one.file)
      assert.equal(sum(totals.change), sum(one.change), one.file)
      const done = await commit(planned.importId)
      assert.deepEqual(
        [one.file, done.state, done.done, done.refused, done.left],
        [one.file, 'done', done.total, 0, []],
      )
      if (!['06', '02', '04'].includes(start)) continue
      const again = await look(await upload(one.file, await sample(one.file)))
      assert.deepEqual([again.found!.totals.create, again.found!.totals.change], [{}, {}], one.file)
    }
    assert.deepEqual(
      [await count('property'), await count('building'), await count('floor'), await count('device')],
      [636, 14, 62, 328 + 281 + 238],
    )
    const { rows } = await app.database.owner.query<{ status: string; n: number }>(
      `select status, count(*)::int as n from device where tenant_id = 'north' group by status order by status`,
    )
    assert.deepEqual(rows, [
      { status: 'Installed', n: 606 },
      { status: 'Inventory', n: 238 },
      // Boilers of properties whose gas check is overdue by the date in a list.
      { status: 'PreventativeMaintenance', n: 3 },
    ])
    // Exactly as written, which no spreadsheet preserves.
    assert.deepEqual(
      (await homes('1E05', '02-MAR', '004502')).map(({ reference }) => reference),
      ['004502', '02-MAR', '1E05'],
    )
  })

  test('the template can be downloaded, filled in and imported; empty, it has no rows', async () => {
    const { statusCode, rawPayload: template } = await app.app.inject({
      method: 'GET',
      url: getImportTemplate.path.replace('{tenant}', 'south'),
      headers: { authorization: `Bearer ${await app.token(in_('south'))}` },
    })
    assert.equal(statusCode, 200)
    const empty = await look(await upload('Template.xlsx', template, 'south'), 'south')
    assert.deepEqual([empty.state, empty.fault], ['unreadable', 'The file has no rows'])
    assert.deepEqual(
      empty.found!.sheets.filter(({ mapping }) => mapping).map(({ name }) => name),
      ['Properties', 'Buildings', 'Floors', 'Devices'],
    )
    const done = await commit(await upload('07.xlsx', await sample('07-template-filled.xlsx'), 'south'), 'south')
    assert.deepEqual([done.state, done.done, done.refused], ['done', 43 + 2 + 5 + 63, 0])
    assert.equal(await count('device', 'south'), 63)
  })
})

test('500 properties of a messy list are imported as mapped, and only once', async () => {
  const { text, homes: wanted, repeated, refusedRows, refused, unknownWords } = untidyHomes()
  const importId = await upload('mill lane.csv', text)
  const { found, cells } = await look(importId)
  const [sheet] = found!.sheets
  assert.deepEqual([sheet!.mapping!.headerRow, sheet!.left], [3, []])
  const { totals } = found!
  assert.deepEqual([totals.create, totals.left, totals.refusedRows], [{ property: wanted }, repeated, refusedRows])
  const faults = cells.map(({ header, message }) => `${header}: ${message}`).sort()
  assert.deepEqual(faults, refused.map(({ header, message }) => `${header}: ${message}`).sort())
  assert.deepEqual(
    Object.fromEntries(found!.words.filter(({ meaning }) => meaning === null).map(({ word, count: n }) => [word, n])),
    unknownWords,
  )
  assert.deepEqual((await commit(importId)).done, wanted)
  const { rows } = await app.database.owner.query<Record<string, unknown>>(
    `select address1, town, postcode, architype, epc_rating as epc, to_char(last_gas_safety_check_on, 'YYYY-MM-DD') as gas, void_flag
     from property where tenant_id = 'north' and reference in ('UNT/0002', 'UNT/0003', 'UNT/0004') order by reference`,
  )
  assert.deepEqual(rows.map(Object.values), [
    ['2 Mill Lane', 'LEEDS', 'LS1 4AB', 'House Semi-Detached', 'C', '2026-02-03', 'NotVoid'],
    ['3 Mill Lane', 'Leeds', 'LS1 4AB', 'House Semi-Detached', 'D', '2026-02-03', 'Void'],
    ['4 Mill Lane', 'LEEDS', 'LS1 4AB', 'House Mid-Terrace', null, '2026-02-03', 'NotVoid'],
  ])
  const again = (await look(await upload('again.csv', text))).found!.totals
  assert.deepEqual([again.create, again.change, again.unchanged], [{}, {}, { property: wanted }])
})

describe('rows that repeat a reference with different values', () => {
  const list = csv(
    'Reference;Address line 1;Postcode;EPC rating',
    'REP-1;1 Ash Road;LS1 4AB;C',
    'REP-2;2 Ash Road;LS1 4AB;C',
    'REP-1;1 Ash Road;LS1 4AB;E',
  )
  const choose = async (importId: string, chosenRows: object) => {
    const wishes = { ...noWishes, chosenRows } as never
    const { status } = await app.send(planImport, { body: { tenant: 'north', importId, wishes } }, in_('north'))
    assert.equal(status, 200)
    await work()
    return look(importId)
  }
  const epcOf = async () => (await homes('REP-1')).map(({ epc_rating: epc }) => epc)

  test('are shown side by side with the stored values, and the chosen row is imported', async () => {
    const importId = await upload('repeated.csv', list)
    const { found } = await look(importId)
    const [repeat] = found!.repeats
    assert.deepEqual(
      [
        found!.repeats.length,
        repeat!.name,
        repeat!.stored,
        repeat!.rows.map(({ row, values }) => [row, values.epcRating]),
      ],
      [
        1,
        'REP-1',
        null,
        [
          [2, 'C'],
          [4, 'E'],
        ],
      ],
    )
    assert.deepEqual([found!.totals.create, found!.totals.refusedRows], [{ property: 2 }, 1], 'the first row is taken')
    const chosen = await choose(importId, { [repeat!.key]: { sheet: '', row: 4 } })
    const { totals, repeats, notes } = chosen.found!
    assert.deepEqual([totals.create, totals.left, totals.refusedRows], [{ property: 2 }, 1, 0])
    assert.deepEqual(repeats[0]!.rows.length, 2, 'both stay in sight')
    assert.deepEqual(
      notes.map(({ row, message }) => [row, message]),
      [[2, 'Skipped: row 4 was chosen']],
    )
    assert.equal((await commit(importId)).state, 'done')
    assert.deepEqual(await epcOf(), ['E'])
    const next = await upload('repeated again.csv', list)
    const [stored] = (await look(next)).found!.repeats
    assert.equal(stored!.stored!.epcRating, 'E')
    const kept = await choose(next, { [stored!.key]: null })
    assert.deepEqual([kept.found!.totals.change, kept.found!.totals.left, kept.total], [{}, 2, 0])
    assert.deepEqual(await epcOf(), ['E'])
  })

  test('identical rows need no choice', async () => {
    const { found } = await look(await upload('same.csv', csv(...list.split('\n').slice(0, 2), list.split('\n')[1]!)))
    assert.deepEqual([found!.repeats, found!.totals.left], [[], 1])
  })
})

describe('problems and questions', () => {
  test('a value is asked about once, a column is mapped by hand, and the plan is recomputed', async () => {
    const list = csv(
      'Home;First line;Post Code;Type',
      'N-1;1 Elm Road;LS1 4AB;Bungalow',
      'N-2;2 Elm Road;LS1 4AB;Semi',
      'N-3;3 Elm Road;LS1 4AB;Bungalow',
    )
    const importId = await upload('list.csv', list)
    // The sheet has rows and a proposed mapping; the column that identifies properties is missing.
    const unsure = await look(importId)
    assert.deepEqual([unsure.state, unsure.fault, unsure.found!.sheets[0]!.mapping], ['planned', null, null])
    assert.deepEqual(unsure.found!.sheets[0]!.draft!.columns, [null, null, 'postcode', 'propertyArchitype'])
    const wishes = {
      ...noWishes,
      sheets: [
        {
          sheet: '',
          headerRow: 1,
          columns: [
            'propertyReference' as const,
            'address1' as const,
            'postcode' as const,
            'propertyArchitype' as const,
          ],
          buildingFromName: false,
        },
      ],
    }
    const plan = async (sent: typeof wishes) => {
      assert.equal(
        (await app.send(planImport, { body: { tenant: 'north', importId, wishes: sent } }, manager)).status,
        200,
      )
      await work()
      return look(importId)
    }
    // Earlier choices are kept when the page is opened again.
    const some = [null, 'address1' as const, null, null]
    const half = await plan({ ...wishes, sheets: [{ ...wishes.sheets[0]!, headerRow: 2, columns: some as never }] })
    assert.equal(half.found!.sheets[0]!.mapping, null)
    assert.deepEqual(half.found!.sheets[0]!.draft, {
      ...{ sheet: '', headerRow: 2, headers: ['N-1', '1 Elm Road', 'LS1 4AB', 'Bungalow'] },
      ...{ columns: some, buildingFromName: false },
    })
    const low = await plan({ ...wishes, sheets: [{ ...wishes.sheets[0]!, headerRow: 4 }] })
    assert.deepEqual([low.state, low.fault], ['unreadable', 'The file has no rows below its headings'])
    const asked = await plan(wishes)
    // To map by hand, the first rows are shown as they are, also of sheets that cannot be read.
    assert.deepEqual(asked.found!.sheets[0]!.head.slice(0, 2), [
      { row: 1, cells: ['Home', 'First line', 'Post Code', 'Type'] },
      { row: 2, cells: ['N-1', '1 Elm Road', 'LS1 4AB', 'Bungalow'] },
    ])
    assert.deepEqual(asked.found!.words, [
      { field: 'propertyArchitype', word: 'Bungalow', count: 2, meaning: null },
      { field: 'propertyArchitype', word: 'Semi', count: 1, meaning: 'House Semi-Detached' },
    ])
    assert.deepEqual(asked.found!.totals.emptyUntilMapped, { propertyArchitype: 2 })
    const answered = await plan({ ...wishes, answers: { propertyArchitype: { bungalow: 'House Detached' } } })
    assert.deepEqual([answered.found!.totals.create, answered.found!.totals.emptyUntilMapped], [{ property: 3 }, {}])
    // A known value may mean something else, or nothing, to this client.
    const unsaid = await plan({ ...wishes, answers: { propertyArchitype: { semi: null } } })
    assert.deepEqual(unsaid.found!.totals.emptyUntilMapped, { propertyArchitype: 3 })
    // A user with an outdated preview is informed.
    const late = await app.send(commitImport, { body: { tenant: 'north', importId, revision: 1 } }, manager)
    assert.equal(late.status, 409)
  })

  test('a manual mapping applies to the next list with the same header, for this client only', async () => {
    const columns = ['propertyReference', 'address1', 'postcode', 'voidStatus'] as const
    const wishes = {
      ...noWishes,
      sheets: [{ sheet: '', headerRow: 2, columns: [...columns], buildingFromName: false }],
      answers: { voidStatus: { nobody: 'Void' } },
    }
    const list = (title: string, ...rows: string[]) => csv(title, 'Dwelling,Door,PC,Let to', ...rows)
    const importId = await upload('june.csv', list('June', 'K-1,1 Key Road,LS1 4AB,nobody'))
    assert.equal((await look(importId)).found!.sheets[0]!.mapping, null)
    // A mapping that was never imported is not kept.
    await app.send(planImport, { body: { tenant: 'north', importId, wishes } }, manager)
    await work()
    assert.equal(
      (await look(await upload('other.csv', list('June', 'K-0,1 Key Road,LS1 4AB,nobody')))).found!.sheets[0]!.mapping,
      null,
    )
    await commit(importId)

    const next = await look(await upload('july.csv', list('July,,,', 'K-2,2 Key Road,LS1 4AB,nobody')))
    assert.deepEqual(
      next.found!.sheets.map(({ isKept, mapping }) => [isKept, mapping?.columns]),
      [[true, [...columns]]],
    )
    assert.equal(next.items[0]!.values.voidStatus, 'Void')
    // Remapping columns keeps the kept values.
    const body = { tenant: 'north', importId: next.importId, wishes: { ...wishes, answers: {} } }
    await app.send(planImport, { body }, manager)
    await work()
    assert.equal((await look(next.importId)).items[0]!.values.voidStatus, 'Void')
    // The mapping can be changed, and the change applies from then on.
    const answers = { voidStatus: { nobody: 'NotVoid' } }
    await app.send(
      planImport,
      { body: { tenant: 'north', importId: next.importId, wishes: { ...noWishes, answers } } },
      manager,
    )
    await work()
    await commit(next.importId)
    const after = await look(await upload('august.csv', list('August', 'K-3,3 Key Road,LS1 4AB,nobody')))
    assert.equal(after.items[0]!.values.voidStatus, 'NotVoid')
    assert.equal(
      (await look(await upload('south.csv', list('June', 'K-1,1 Key Road,LS1 4AB,nobody'), 'south'), 'south')).found!
        .sheets[0]!.mapping,
      null,
    )
  })

  test('rejected rows can be downloaded with reasons, corrected, and imported', async () => {
    const importId = await upload(
      'mend.csv',
      csv(
        'Property Ref,Address 1,Postcode,EPC,Rent',
        'D-1,1 Row,LS1 4AB,C,90',
        'D-2,2 Row,LS1,H,91',
        'D-3,,LS1 4AB,C,92',
      ),
    )
    const marked = async (importId: string) => {
      const { statusCode, rawPayload } = await app.app.inject({
        method: 'POST',
        url: exportMarkedImport.path,
        headers: { authorization: `Bearer ${await app.token(manager)}` },
        payload: { tenant: 'north', importId },
      })
      return { statusCode, rawPayload }
    }
    const { statusCode, rawPayload } = await marked(importId)
    assert.equal(statusCode, 200)
    const file = await openFile(rawPayload)
    const rows: (string | undefined)[][] = []
    for await (const batch of file.rows(file.sheets[0]!))
      for (const { cells } of batch) rows.push(Array.from(cells, (cell) => cell?.text))
    assert.deepEqual(rows, [
      ['Property Ref', 'Address 1', 'Postcode', 'EPC', 'Rent', 'Reason for rejection'],
      [
        'D-2',
        '2 Row',
        'LS1',
        'H',
        '91',
        'Postcode: Postcode must be valid; EPC: EPC rating must be A to G or No rating',
      ],
      ['D-3', undefined, 'LS1 4AB', 'C', '92', 'Address 1: Address line 1 is missing'],
    ])
    const again = await look(await upload('Rejected rows.xlsx', rawPayload))
    assert.deepEqual(again.found!.sheets[0]!.left, ['Rent', 'Reason for rejection'])
    assert.deepEqual(
      again.cells.map(({ row }) => row),
      [2, 2, 3],
    )
    // Its own reason column is ignored in any position; the columns after it keep their headings.
    const moved = await upload(
      'moved.csv',
      csv('Property Ref,Reason for rejection,Address 1,Postcode', 'D-9,,9 Row,LS1'),
    )
    const order = await openFile((await marked(moved)).rawPayload)
    const mended: (string | undefined)[][] = []
    for await (const batch of order.rows(order.sheets[0]!))
      for (const { cells } of batch) mended.push(Array.from(cells, (cell) => cell?.text))
    assert.deepEqual(mended[1]!.slice(0, 3), ['D-9', '9 Row', 'LS1'])
    // A floor comes with the name of its building, a light with its floor, a day in ISO form.
    const read = async (id: string) => {
      const table: (string | undefined)[][] = []
      const open = await openFile((await marked(id)).rawPayload)
      for await (const batch of open.rows(open.sheets[0]!))
        for (const { cells } of batch) table.push(Array.from(cells, (cell) => cell?.text))
      return table
    }
    const floors = csv(
      'Building name,Post code,Floor,Width',
      'Weir,LS9 8AA,G,20',
      ',,1,-1',
      ',,2,20',
      'Lock,LS9 8AA,G,-2',
    )
    const floorList = await upload('floors.csv', floors)
    assert.deepEqual(
      (await read(floorList)).map((row) => row.slice(0, 4)),
      [
        ['Building name', 'Post code', 'Floor', 'Width'],
        ['Weir', undefined, '1', '-1'],
        ['Lock', 'LS9 8AA', 'G', '-2'],
      ],
    )
    await commit(floorList)
    const lights = csv(
      'Serial number,Building,EUI64',
      ',Level 1,',
      'EM2790001F,Weir,x',
      'EM2790002F,Weir,',
      'EM2790003F,Weir,y',
      ',Level 2,',
      'EM2790004F,Weir,',
    )
    const list = await upload('lights.csv', lights)
    const [, ...taken] = await read(list)
    assert.deepEqual(
      taken.map((row) => row[0] ?? row[1]),
      ['Level 1', 'EM2790001F', 'EM2790003F'],
    )
    const { items } = await look(await upload('Lights to mend.xlsx', (await marked(list)).rawPayload))
    assert.deepEqual(
      items.map(({ name, values }) => [name, values.buildingName, values.floorName]),
      [
        ['EM2790001F', 'Weir', '1'],
        ['EM2790003F', 'Weir', '1'],
      ],
    )
    const [, day] = await read(await upload('days.csv', csv('Property Ref,Gas Safety', 'D-1,2031-02-01')))
    assert.equal(day![1], '2031-02-01')
    // After an import only the rejected rows of the file are kept; nothing is kept after undo, or if no row was
    // rejected.
    const gone = /The file of this list was deleted after its import/
    assert.equal((await commit(importId)).hasRejectedRows, true)
    assert.deepEqual(await read(importId), rows)
    assert.equal((await undo(importId)).hasRejectedRows, false)
    assert.match((await marked(importId)).rawPayload.toString(), gone)
    const whole = await commit(await upload('whole.csv', csv('Property Ref,Address 1,Postcode', 'D-4,4 Row,LS1 4AB')))
    assert.equal(whole.hasRejectedRows, false)
    assert.match((await marked(whole.importId)).rawPayload.toString(), gone)
  })

  test('floors below a building whose name is rejected are left out too, and none goes to the building above', async () => {
    const long = 'x'.repeat(81)
    const list = csv(
      'Building name,Post code,Floor,Width',
      'Keel,LS9 8AA,G,-1',
      ` ${long},LS9 8AB,G,`,
      ',,1,',
      '!,LS9 8AB,G,',
      ',,2,',
    )
    const importId = await upload('keel.csv', list)
    const { items, cells } = await look(importId)
    assert.deepEqual(
      items.map(({ name }) => name),
      ['Keel', 'Keel, G'],
    )
    assert.deepEqual(
      cells.map(({ row, message }) => [row, message]),
      [
        [2, 'Width must be 0.5 to 1000 metres'],
        [3, 'Building name must be at most 80 characters'],
        [4, 'The building of this floor is rejected (row 3)'],
        [5, 'Building name is missing'],
        [6, 'The building of this floor is rejected (row 5)'],
      ],
    )
  })

  test('an overlong cell is empty in the rejected rows, so that its beginning cannot be imported', async () => {
    const row = `LONG-1,${'x'.repeat(2001)},LS1 4AB`
    const importId = await upload('long.csv', csv('Property Ref,Address 1,Postcode', row))
    const { rawPayload } = await app.app.inject({
      method: 'POST',
      url: exportMarkedImport.path,
      headers: { authorization: `Bearer ${await app.token(manager)}` },
      payload: { tenant: 'north', importId },
    })
    const again = await look(await upload('Rejected rows.xlsx', rawPayload))
    assert.deepEqual(
      [again.found!.totals.create, again.cells.map(({ message }) => message)],
      [{}, ['Address line 1 is missing']],
    )
    const file = await openFile(rawPayload)
    const reasons: unknown[] = []
    for await (const batch of file.rows(file.sheets[0]!)) for (const { cells } of batch) reasons.push(cells[3]?.text)
    assert.deepEqual(reasons, [
      'Reason for rejection',
      'Address 1: The cell has 2,001 characters; at most 2,000 can be imported',
    ])
  })

  test('a row that could not be written is among the rejected rows afterwards, with the reason', async () => {
    const list = await upload(
      'late.csv',
      csv('Property Ref,Address 1,Postcode', 'LATE-1,1 Late Road,LS1 4AB', 'LATE-2,2 Late Road,LS1 4AB'),
    )
    await commit(await upload('first.csv', csv('Property Ref,Address 1,Postcode', 'LATE-1,1 Late Road,LS1 4AB')))
    const { refused, left } = await commit(list)
    assert.equal(refused, 1)
    const { rawPayload } = await app.app.inject({
      method: 'POST',
      url: exportMarkedImport.path,
      headers: { authorization: `Bearer ${await app.token(manager)}` },
      payload: { tenant: 'north', importId: list },
    })
    const file = await openFile(rawPayload)
    const rows: (string | undefined)[][] = []
    for await (const batch of file.rows(file.sheets[0]!))
      for (const { cells } of batch) rows.push(Array.from(cells, (cell) => cell?.text))
    assert.deepEqual(rows.slice(1), [['LATE-1', '1 Late Road', 'LS1 4AB', left[0]!.reason]])
  })

  test('a header without rows is refused, known or not; rows with an unknown header lead to a question', async () => {
    const book = async (name: string, ...rows: string[][]) => {
      const workbook = markedWorkbook([{ name: 'Stock', rows }], 'Europe/London')
      const { state, fault } = await look(await upload(name, await buffer(workbook)))
      return [state, fault]
    }
    for (const headings of [['Property Ref', 'Address 1', 'Postcode'], ['Tenant', 'Rent', 'Balance'], ['Notes']])
      assert.deepEqual(await book('empty.xlsx', headings), ['unreadable', unreadable.empty], headings.join())
    assert.deepEqual(await book('asked.xlsx', ['Tenant', 'Rent'], ['A', '1']), ['planned', null])
  })

  test('the encoding that the user chooses is used, and can be changed again', async () => {
    const content = Buffer.from('Property Ref,Address 1,Postcode\nENC-1,1 Caf\x8e Yard,LS1 4AB\n', 'latin1')
    const importId = await upload('mac.csv', content)
    const read = async (encoding: Encoding | null) => {
      await app.send(planImport, { body: { tenant: 'north', importId, wishes: { ...noWishes, encoding } } }, manager)
      await work()
      const { found, items } = await look(importId)
      return [found!.format!.code, found!.format!.examples, items[0]!.values.address1]
    }
    assert.deepEqual(await read(null), ['macintosh', ['ENC-1,1 Café Yard,LS1 4AB'], '1 Café Yard'])
    assert.deepEqual(await read('windows-1252'), ['windows-1252', ['ENC-1,1 CafŽ Yard,LS1 4AB'], '1 CafŽ Yard'])
    assert.deepEqual(await read('cp850'), ['cp850', ['ENC-1,1 CafÄ Yard,LS1 4AB'], '1 CafÄ Yard'])
  })

  test('a property whose address is already stored leads to a question, answered per row or for all rows', async () => {
    await commit(
      await upload(
        'asked.csv',
        csv('Property Ref,Address 1,Postcode', 'ASK-1,1 Ask Road,LS1 4AB', 'ASK-2,2 Ask Road,LS1 4AB'),
      ),
    )
    const rows = ['NEW-1,1 ASK RD,ls14ab,C', 'NEW-2,2 Ask Road,LS1 4AB,C', 'NEW-3,3 Ask Road,LS1 4AB,C']
    const importId = await upload('again.csv', csv('Property Ref,Address 1,Postcode,EPC', ...rows))
    const asked = await look(importId)
    assert.deepEqual(
      asked.found!.questions.map(({ row, offer, written, answer }) => [row, offer, written, answer]),
      [
        [2, 'ASK-1', 'NEW-1', null],
        [3, 'ASK-2', 'NEW-2', null],
      ],
    )
    assert.deepEqual([asked.found!.totals.create, asked.found!.totals.refusedRows], [{ property: 1 }, 2])
    const plan = async (wishes: Partial<Import['wishes']>) => {
      const body = { tenant: 'north', importId, wishes: { ...noWishes, ...wishes } }
      assert.equal((await app.send(planImport, { body }, manager)).status, 200)
      await work()
      const { totals, questions } = (await look(importId)).found!
      return [totals.create, totals.change, questions.map(({ answer }) => answer)]
    }
    // New flats listed with the address of their block: an answer about references for all rows does not answer
    // these.
    const unanswered = [{ property: 1 }, {}, [null, null]]
    assert.deepEqual(await plan({ takeOffers: true }), unanswered)
    assert.deepEqual(await plan({ asWritten: true }), unanswered)
    assert.deepEqual(await plan({ storedAddressesAsNew: true }), [{ property: 3 }, {}, ['written', 'written']])
    const references = { [rowKey({ sheet: '', row: 2 })]: 'leave', [rowKey({ sheet: '', row: 3 })]: 'written' } as const
    const mixed = { storedAddressesAsNew: true, references }
    assert.deepEqual(await plan(mixed), [{ property: 2 }, {}, ['leave', 'written']])
    assert.deepEqual(await plan({ references: { '2 ': 'offer', '3 ': 'offer' } }), [
      { property: 1 },
      { property: 2 },
      ['offer', 'offer'],
    ])
    await commit(importId)
    assert.equal((await homes('ASK-1', 'ASK-2', 'NEW-1', 'NEW-2', 'NEW-3')).length, 3)
  })

  test('many equal faults in a column count as one with its first rows, so they hide no other', async () => {
    const devices = Array.from({ length: 300 }, (_, at) => `EM2${String(770001 + at)}F,East${at % 4} Patch,`)
    const { cells, faults, found } = await look(
      await upload('patches.csv', csv('Serial number,Tags,EUI64', ...devices, 'EM2780001F,,12')),
    )
    assert.deepEqual([cells.length, found!.totals.refusedCells], [200, 301])
    assert.deepEqual(
      faults.map(({ column, message, rows, firstRows, texts, someTexts }) => ({
        ...{ column, message, rows, firstRows, texts, someTexts },
      })),
      [
        {
          ...{ column: 'B', message: 'Tag name can only have letters and numbers', rows: 300 },
          ...{ firstRows: [2, 3, 4, 5, 6], texts: 4, someTexts: ['East0 Patch', 'East1 Patch', 'East2 Patch'] },
        },
        {
          ...{ column: 'C', message: 'An EUI64 has 16 digits 0 to 9 and a to f; this has 2', rows: 1 },
          ...{ firstRows: [302], texts: 1, someTexts: ['12'] },
        },
      ],
    )
  })

  test('dates that can only be month-first lead to a question, and none is swapped meanwhile', async () => {
    const rows = [
      'M-1,1 Month Row,LS1 4AB,04/13/2026',
      'M-2,2 Month Row,LS1 4AB,04/05/2026',
      'M-3,3 Month Row,LS1 4AB,2026-02-03',
    ]
    const importId = await upload('months.csv', csv('Property Ref,Address 1,Postcode,LGSR', ...rows))
    const asked = await look(importId)
    const days = ({ items }: Import) => items.map(({ values }) => values.lastGasSafetyCheckDate)
    assert.deepEqual(
      [asked.found!.words, days(asked), asked.cells],
      [
        [{ field: 'lastGasSafetyCheckDate', word: dayOrderWord, count: 2, meaning: null }],
        [undefined, undefined, '2026-02-03'],
        [],
      ],
    )
    const answers = { lastGasSafetyCheckDate: { [dayOrderWord]: 'Month first' } }
    await app.send(planImport, { body: { tenant: 'north', importId, wishes: { ...noWishes, answers } } }, manager)
    await work()
    assert.deepEqual(days(await look(importId)), ['2026-04-13', '2026-04-05', '2026-02-03'])
    // One date that can only be day-first decides for all.
    const mixed = await look(
      await upload('d.csv', csv('Property Ref,Address 1,Postcode,LGSR', ...rows, 'M-4,4 Month Row,LS1 4AB,13/04/2026')),
    )
    assert.deepEqual([mixed.found!.words, days(mixed)], [[], [undefined, '2026-05-04', '2026-02-03', '2026-04-13']])
    assert.deepEqual(
      mixed.cells.map(({ message }) => message),
      ['04/13/2026 is not a day: there is no month 13'],
    )
  })

  test('a row with a rejected cell is skipped as a whole, if chosen', async () => {
    const importId = await upload(
      'whole.csv',
      csv(
        'Property Ref,Address 1,Postcode,EPC,Block',
        'R-1,1 Row,LS1 4AB,H,',
        'R-2,2 Row,LS1 4AB,C,',
        'R-3,3 Row,LS1 4AB,C,No such',
      ),
    )
    const { cells, found } = await look(importId)
    assert.deepEqual([found!.totals.create, cells.map(({ effect }) => effect)], [{ property: 3 }, ['cell', 'cell']])
    await app.send(
      planImport,
      { body: { tenant: 'north', importId, wishes: { ...noWishes, wholeRows: true } } },
      manager,
    )
    await work()
    const whole = await look(importId)
    assert.deepEqual(
      [
        whole.found!.totals.create,
        whole.found!.totals.refusedRows,
        whole.cells.map(({ row, effect }) => [row, effect]),
      ],
      [
        { property: 1 },
        2,
        [
          [2, 'row'],
          [4, 'row'],
        ],
      ],
    )
    const devices = await upload('d.csv', csv('Serial number,EUI64', 'TH2660001F,12', 'TH2660002F,'))
    await app.send(
      planImport,
      { body: { tenant: 'north', importId: devices, wishes: { ...noWishes, wholeRows: true } } },
      manager,
    )
    await work()
    assert.deepEqual((await look(devices)).found!.totals.create, { device: 1 })
  })

  test('a serial number of another client is refused without a reason', async () => {
    await addDevice(app, 'south', { serial: 'TH2990001F', product: 'TH' })
    const importId = await upload('devices.csv', csv('Serial number', 'TH2990001F', 'TH2990002F'))
    const { cells, found } = await look(importId)
    assert.deepEqual(
      cells.map(({ row, message }) => [row, message]),
      [[2, 'This serial number cannot be added']],
    )
    assert.deepEqual(found!.totals.create, { device: 1 })
    assert.ok(!JSON.stringify(cells).includes('south'))
    const { body: file } = await app.send(exportImportFaults, { body: { tenant: 'north', importId } }, manager)
    assert.match(
      file as unknown as string,
      /"","2","A","Serial number","TH2990001F","The row is skipped","This serial number cannot be added",""/,
    )
  })
})

describe('two users, and changes meanwhile', () => {
  const list = csv(
    'Property Ref,Address 1,Postcode,EPC',
    'T-1,1 Oak Road,LS2 8AA,C',
    'T-2,2 Oak Road,LS2 8AA,D',
    'T-3,3 Oak Road,LS2 8AA,E',
  )

  test('importing the same list twice at once creates each property once', async () => {
    const [one, two] = [await upload('a.csv', list), await upload('b.csv', list)]
    const [first, second] = [await commit(one), await commit(two)]
    assert.deepEqual([first.done, first.refused], [3, 0])
    assert.deepEqual(
      [second.done, second.refused, second.left[0]!.reason],
      [0, 3, 'T-1 has been added by someone else'],
    )
    assert.equal((await homes('T-1', 'T-2', 'T-3')).length, 3)
  })

  test('a short list does not wait for a long one, of another client or the same; all are planned in the end', async () => {
    const head = 'Property Ref,Address 1,Postcode'
    const send = async (name: string, content: string, tenant: string) => {
      const form = { tenant, file: new File([content], name) }
      return (await app.send(uploadImport, { form }, in_(tenant))).body.data!.importId
    }
    const long = await send('long.csv', csv(head, `FAIR-1,${'x'.repeat(1_200_000)},LS1 4AB`), 'north')
    const client = await app.database.owner.connect()
    await client.query('begin')
    await client.query(`select id from data_import where tenant_id = 'north' and id = $1 for update`, [long])
    const worked = work()
    try {
      for (const tenant of ['south', 'north']) {
        const short = await send('short.csv', csv(head, 'FAIR-2,2 Fair Road,LS1 4AB'), tenant)
        const isPlanned = async () => assert.equal((await look(short, tenant)).state, 'planned')
        await vi.waitFor(isPlanned, { timeout: 30_000, interval: 50 })
        assert.equal((await look(long)).state, 'planning')
      }
    } finally {
      await client.query('rollback')
      client.release()
      await worked
    }
    assert.equal((await look(long)).state, 'planned')
  })

  test('a property deleted during an import is named and the rest is imported; undo restores what nobody has edited', async () => {
    const changes = csv('Property Ref,EPC,LGSR,Void', 'T-1,A,01/02/2026,', 'T-2,A,,Void', 'T-3,A,,')
    const importId = await upload('changes.csv', changes)
    const planned = await look(importId)
    assert.deepEqual(
      planned.items.map(({ name, old }) => [name, old]),
      [
        ['T-1', { epcRating: 'C', lastGasSafetyCheckDate: null }],
        ['T-2', { epcRating: 'D', voidStatus: 'NotVoid' }],
        ['T-3', { epcRating: 'E' }],
      ],
    )
    assert.equal(planned.found!.totals.becomeVoid, 1)
    await app.database.owner.query(`delete from property where tenant_id = 'north' and reference = 'T-3'`)
    const done = await commit(importId)
    assert.deepEqual(
      [done.done, done.refused, done.left.map(({ name, reason }) => [name, reason])],
      [2, 1, [['T-3', 'T-3 no longer exists']]],
    )
    assert.deepEqual(
      (await homes('T-1', 'T-2')).map(({ epc_rating: epc, void_flag: flag, gas }) => [epc, flag, gas]),
      [
        ['A', 'NotVoid', '2026-02-01'],
        ['A', 'Void', null],
      ],
    )
    await app.database.owner.query(
      `update property set epc_rating = 'B' where tenant_id = 'north' and reference = 'T-2'`,
    )
    const undone = await undo(importId)
    assert.deepEqual([undone.state, undone.undone, undone.kept], ['undone', 1, 1])
    assert.deepEqual(
      undone.left.filter(({ state }) => state === 'kept').map(({ name, reason }) => [name, reason]),
      [['T-2', 'Edited since']],
    )
    assert.deepEqual(
      (await homes('T-1', 'T-2')).map(({ epc_rating: epc, void_flag: flag, gas }) => [epc, flag, gas]),
      [
        ['C', 'NotVoid', null],
        ['B', 'Void', null],
      ],
    )
  })

  test('an import interrupted halfway resumes, and creates each property once', async () => {
    const rows = Array.from({ length: 1100 }, (_, at) => `STOP-${at},${at} Elm Road,LS1 4AB`)
    const importId = await upload('many.csv', csv('Property Ref,Address 1,Postcode', ...rows))
    const { revision } = await look(importId)
    const before = await count('property')
    await app.send(commitImport, { body: { tenant: 'north', importId, revision } }, manager)
    // A worker that is stopped after two steps.
    let asked = 0
    const stopping = {
      get aborted() {
        return ++asked > 2
      },
    } as AbortSignal
    await runImports(app.context, stopping)
    const half = await look(importId)
    const there = (await count('property')) - before
    assert.ok(there > 0 && there < rows.length, String(there))
    assert.deepEqual([half.state, half.done], ['importing', there])
    await work()
    const whole = await look(importId)
    assert.deepEqual([whole.state, whole.done, whole.refused], ['done', rows.length, 0])
    assert.equal((await count('property')) - before, rows.length)
  })

  test('a small list is planned before a large one, but waits for a running import or undo of its client', async () => {
    const send = async (name: string, content: string, tenant = 'north') => {
      const { body } = await app.send(uploadImport, { form: { tenant, file: new File([content], name) } }, in_(tenant))
      return body.data!.importId
    }
    // A worker that is stopped after one step.
    const step = () => {
      let asked = 0
      return runImports(app.context, {
        get aborted() {
          return ++asked > 1
        },
      } as AbortSignal)
    }
    const head = 'Property Ref,Address 1,Postcode'
    const rows = Array.from({ length: 1100 }, (_, at) => `ORD-${at},${at} ${'Very Long Order Road '.repeat(3)},LS1 4AB`)
    const large = await send('large.csv', csv(head, ...rows))
    const early = await send('early.csv', csv(head, 'ORD-X,1 Early Road,LS1 4AB'))
    await step()
    assert.deepEqual([(await look(large)).state, (await look(early)).state], ['planning', 'planned'])
    await work()
    const { revision } = await look(large)
    await app.send(commitImport, { body: { tenant: 'north', importId: large, revision } }, manager)
    // Its property is among the last that the running import creates.
    const small = await send('small.csv', csv('Property Ref,EPC', 'ORD-1099,C'))
    const other = await send('other.csv', csv(head, 'O-1,1 Other Road,LS1 4AB'), 'south')
    await step()
    assert.deepEqual([(await look(small)).state, (await look(other, 'south')).state], ['planning', 'planned'])
    await work()
    const { totals } = (await look(small)).found!
    assert.deepEqual([(await look(large)).state, totals.change, totals.refusedRows], ['done', { property: 1 }, 0])
    await app.send(undoImport, { body: { tenant: 'north', importId: large } }, manager)
    const after = await send('after.csv', csv('Property Ref,EPC', 'ORD-1099,C'))
    await work()
    assert.deepEqual([(await look(large)).state, (await look(after)).found!.totals.refusedRows], ['undone', 1])
  })

  test('the audit of a property names the list that changed it, and the list that was undone', async () => {
    const importId = await upload('stock.csv', csv('Property Ref,Address 1,Postcode', 'REC-1,1 Record Road,LS1 4AB'))
    await commit(importId)
    const change = await upload('bands.csv', csv('Property Ref,EPC', 'REC-1,C'))
    await commit(change)
    await undo(change)
    const { rows } = await app.database.owner.query<{ after: object }>(
      `select after from audit_entry where tenant_id = 'north' and subject_name = 'REC-1' order by at`,
    )
    assert.deepEqual(
      rows.map(({ after }) => after),
      [
        {
          ...{ propertyReference: 'REC-1', address1: '1 Record Road', postcode: 'LS1 4AB' },
          importedFrom: 'stock.csv',
        },
        { epcRating: 'C', importedFrom: 'bands.csv' },
        { epcRating: null, importUndone: 'bands.csv' },
      ],
    )
  })

  test('making properties void reports how many devices they contain, including devices from the same list', async () => {
    await commit(
      await upload(
        'homes.csv',
        csv('Property Ref,Address 1,Postcode', ...['1', '2', '3'].map((at) => `E-${at},${at} Void Road,LS1 4AB`)),
      ),
    )
    const voids = csv('Property Ref,Void', 'E-1,Void', 'E-2,Void', 'E-3,Void')
    const { totals: empty } = (await look(await upload('voids.csv', voids))).found!
    assert.deepEqual([empty.becomeVoid, empty.becomeVoidWithDevices], [3, 0])
    await commit(await upload('meters.csv', csv('Serial number,Property Ref', 'EM2790011F,E-1', 'EM2790012F,E-1')))
    const { totals } = (await look(await upload('voids.csv', voids))).found!
    assert.deepEqual([totals.becomeVoid, totals.becomeVoidWithDevices], [3, 1])
    const both = markedWorkbook(
      [
        { name: 'Homes', rows: voids.split('\n').map((row) => row.split(',')) },
        {
          name: 'Meters',
          rows: [
            ['Serial number', 'Property Ref'],
            ['EM2790013F', 'E-2'],
            ['EM2790014F', 'E-2'],
          ],
        },
      ],
      'Europe/London',
    )
    const { totals: after } = (await look(await upload('both.xlsx', await buffer(both)))).found!
    assert.deepEqual([after.becomeVoid, after.becomeVoidWithDevices], [3, 2])
  })

  test('properties that a list makes void send commands to their devices at once, and undo reverses them', async () => {
    const bcm = await addDevice(app, 'north', { product: 'BX' })
    await commit(await upload('void.csv', csv('Property Ref,Address 1,Postcode', 'V-1,1 Firing Road,LS1 4AB')))
    const { rows: homes } = await app.database.owner.query<{ id: string }>(
      `select id from property where tenant_id = 'north' and reference = 'V-1'`,
    )
    await app.database.owner.query(
      `update device set monitoring = 'Boiler', reported = '{"chMax": 60, "chMaxSupported": true}', property_id = $2
       where tenant_id = 'north' and id = $1`,
      [bcm, homes[0]!.id],
    )
    const asked = async () =>
      (
        await app.database.owner.query<{ name: string; args: object }>(
          `select name, args from command where device_id = $1 and status <> 'withdrawn' order by created_at desc limit 1`,
          [bcm],
        )
      ).rows.map(({ name, args }) => ({ name, args }))
    const importId = await upload('voids.csv', csv('Property Ref,Void', 'V-1,Void'))
    await commit(importId)
    assert.deepEqual(await asked(), [{ name: 'setChMax', args: { chSetPoint: 10 } }])
    const { rows } = await app.database.owner.query(
      `select 1 from due where tenant_id = 'north' and work = 'void mode' union all
        select 1 from void_firing where tenant_id = 'north' and device_id = $1 and state = 'due'`,
      [bcm],
    )
    assert.equal(rows.length, 2)
    await undo(importId)
    assert.deepEqual(await asked(), [{ name: 'setChMax', args: { chSetPoint: 60 } }])
  })

  test('undo deletes what was created, except for a property in use', async () => {
    const importId = await upload(
      'u.csv',
      csv('Property Ref,Address 1,Postcode', 'U-1,1 Ash Road,LS2 8AA', 'U-2,2 Ash Road,LS2 8AA'),
    )
    await commit(importId)
    const device = await addDevice(app, 'north', { product: 'TH' })
    await app.database.owner.query(
      `update device set property_id = (select id from property where tenant_id = 'north' and reference = 'U-2') where tenant_id = 'north' and id = $1`,
      [device],
    )
    const undone = await undo(importId)
    assert.deepEqual(
      undone.left.map(({ name, reason }) => [name, reason]),
      [['U-2', 'In use since: devices']],
    )
    assert.deepEqual(
      (await homes('U-1', 'U-2')).map(({ reference }) => reference),
      ['U-2'],
    )
    // Undo works only once.
    assert.equal(
      (await app.send(undoImport, { body: { tenant: 'north', importId } }, manager)).body.isSuccessful,
      false,
    )
  })

  test('undo keeps and names a property that was used, moved, tagged or archived since, and records what it deletes', async () => {
    const used = ['photograph', 'resident', 'licence', 'step', 'moved', 'tagged', 'archived']
    const rows = [...used, 'untouched'].map((word, at) => `USED-${word},${at} Fir Road,LS2 8AA,Investigation`)
    const importId = await upload('used.csv', csv('Property Ref,Address 1,Postcode,Awaabs Law Status', ...rows))
    assert.equal((await commit(importId)).done, 8)
    const { owner } = app.database
    const { rows: made } = await owner.query<{ id: string; reference: string }>(
      `select id, reference from property where tenant_id = 'north' and reference like 'USED-%'`,
    )
    const homeOf = (word: string) => `'${made.find(({ reference }) => reference === `USED-${word}`)!.id}'`
    await owner.query(`
      insert into file (tenant_id, id, referrer, name, content_type, size, sha256, created_at)
        values ('north', gen_random_uuid(), 'document', 'hall.jpg', 'image/jpeg', 1, sha256('hall'), now());
      insert into document (tenant_id, id, document_type, property_id, file_id, happened_at, created_at, created_by_name)
        select 'north', gen_random_uuid(), 'PropertyRecords', ${homeOf('photograph')}, id, now(), now(), 'Mary'
        from file where tenant_id = 'north' and name = 'hall.jpg';
      insert into resident (tenant_id, id, app_user_id, email, name, created_at)
        values ('north', gen_random_uuid(), 'app-1', 'r@app.test', 'R', now());
      insert into residence_access (tenant_id, resident_id, property_id, since)
        select 'north', id, ${homeOf('resident')}, now() from resident where tenant_id = 'north';
      insert into licence (tenant_id, id, type, property_id, start_on, period_months)
        values ('north', gen_random_uuid(), 'Home', ${homeOf('licence')}, '2026-01-01', 12);
      -- That the hazard is said later is a step, and changes no field of the home.
      insert into awaabs_law_step (tenant_id, id, property_id, status, hazard, happened_on, entered_at, entered_by_name)
        values ('north', gen_random_uuid(), ${homeOf('step')}, 'Investigation', 'Falls', '2026-01-05', now(), 'Mary');
      insert into building (tenant_id, id, name, compared_name) values ('north', gen_random_uuid(), 'Fir House', 'fir house');
      update property set building_id = (select id from building where tenant_id = 'north' and name = 'Fir House')
        where tenant_id = 'north' and id = ${homeOf('moved')};
      update property set access_rights_tag_id = (select id from access_rights_tag where tenant_id = 'north' and display_name = 'East')
        where tenant_id = 'north' and id = ${homeOf('tagged')};
      update property set archived_at = now() where tenant_id = 'north' and id = ${homeOf('archived')}`)
    const undone = await undo(importId)
    assert.deepEqual(Object.fromEntries(undone.left.map(({ name, reason }) => [name.slice(5), reason])), {
      photograph: 'In use since: photographs',
      resident: 'In use since: access of residents',
      licence: 'In use since: licences',
      step: "In use since: steps under Awaab's Law",
      moved: 'Edited since',
      tagged: 'Edited since',
      archived: 'Archived since',
    })
    assert.deepEqual([undone.undone, undone.kept], [1, 7])
    assert.equal(await count('document'), 1)
    const { rows: recorded } = await owner.query(
      `select subject_name, person_name, before ->> 'address1' as address, after from audit_entry
        where tenant_id = 'north' and action = 'property removed' and subject_name like 'USED-%'`,
    )
    assert.deepEqual(recorded, [
      { subject_name: 'USED-untouched', person_name: 'manager', address: '7 Fir Road', after: null },
    ])
  })

  test('devices, floors and buildings are undone too, with their tags and places', async () => {
    const before = await Promise.all(['device', 'building', 'floor'].map((table) => count(table)))
    const building = await upload('b.csv', csv('Building name,Post code,Floor', 'Quay House,LS9 8AA,G', ',,1'))
    assert.equal((await commit(building)).done, 3)
    const devices = await upload(
      'd.csv',
      csv(
        'Serial number,Building name,Floor,Room,Tags,EUI64',
        'EM2880001X,Quay House,1,Stair,"Phase2,North",00124B00AABBCCDD',
      ),
    )
    assert.equal((await commit(devices)).done, 1)
    const { rows } = await app.database.owner.query(
      `select building_name, floor_name, room, reported, (select count(*)::int from device_tag where tenant_id = 'north' and device_id = device.id) as tags
       from device where tenant_id = 'north' and serial = 'EM2880001X'`,
    )
    assert.deepEqual(rows, [
      { building_name: 'Quay House', floor_name: '1', room: 'Stair', reported: { eui64: '00124b00aabbccdd' }, tags: 2 },
    ])
    assert.equal((await undo(devices)).undone, 1)
    assert.equal((await undo(building)).undone, 3)
    assert.deepEqual(await Promise.all(['device', 'building', 'floor'].map((table) => count(table))), before)
  })
})

test('no list sets a disabled feature; stating that it does not apply is not an error', async () => {
  const rows = csv(
    'Property Ref,Address 1,Postcode,Void,Awaabs Law Status',
    'P-1,1 Plain Road,LS1 4AB,Void,Repairs',
    'P-2,2 Plain Road,LS1 4AB,NotVoid,None',
  )
  const planned = await look(await upload('plain.csv', rows, 'plain'), 'plain')
  assert.deepEqual(
    planned.cells.map(({ row, column, reason, message, effect }) => [row, column, reason, message, effect]),
    [
      [2, 'D', 'refused', 'Void is not switched on for this client', 'cell'],
      [2, 'E', 'refused', "Awaab's Law Status is not switched on for this client", 'cell'],
    ],
  )
  assert.equal(planned.found!.totals.becomeVoid, 0)
  await commit(planned.importId, 'plain')
  const { rows: homes } = await app.database.owner.query(
    `select void_flag, awaabs_law_status from property where tenant_id = 'plain' order by reference`,
  )
  const plain = { void_flag: 'NotVoid', awaabs_law_status: 'None' }
  assert.deepEqual(homes, [plain, plain])

  // A feature disabled between preview and import is not set either, and undo leaves it unchanged.
  const turn = (on: boolean) =>
    app.database.owner.query(
      on
        ? `insert into tenant_feature (tenant_id, feature) values ('plain', 'VoidFlag')`
        : `delete from tenant_feature where tenant_id = 'plain' and feature = 'VoidFlag'`,
    )
  await turn(true)
  const both = csv('Property Ref,Void', 'P-1,Void', 'P-2,NotVoid')
  const meanwhile = await upload('void.csv', both, 'plain')
  await turn(false)
  const late = await commit(meanwhile, 'plain')
  assert.deepEqual(
    [late.done, late.left.map(({ name, reason }) => [name, reason])],
    [0, [['P-1', 'Void is not switched on for this client']]],
  )
  await turn(true)
  await commit(await upload('void.csv', both, 'plain'), 'plain')
  const back = await upload('let.csv', csv('Property Ref,Void', 'P-1,NotVoid'), 'plain')
  await commit(back, 'plain')
  await turn(false)
  const kept = await undo(back, 'plain')
  assert.deepEqual(
    kept.left.map(({ name, reason }) => [name, reason]),
    [['P-1', 'Void is not switched on for this client']],
  )
})

describe("cases of Awaab's Law in a list", () => {
  const cases = async (...references: string[]) => {
    const { rows } = await app.database.owner.query<Record<string, unknown>>(
      `select reference, awaabs_law_status as status, to_char(awaabs_law_due_at at time zone 'Europe/London', 'YYYY-MM-DD') as due,
        (select jsonb_agg(status || ' ' || to_char(happened_on, 'YYYY-MM-DD') || coalesce(' due ' || to_char(due_on, 'YYYY-MM-DD'), '')
          order by entered_at, id) from awaabs_law_step where tenant_id = 'north' and property_id = property.id) as steps
       from property where tenant_id = 'north' and reference = any($1) order by reference`,
      [references],
    )
    return rows
  }
  const today = new Date().toISOString().slice(0, 10)
  const ten = workingDaysAfter(today, 10)

  test('a case starts with its due date, in a new property and in an existing one; undo closes it', async () => {
    await commit(await upload('h.csv', csv('Property Ref,Address 1,Postcode', 'L-1,1 Law Road,LS1 4AB')))
    const importId = await upload(
      'cases.csv',
      csv(
        'Property Ref,Address 1,Postcode,Awaabs Law Status',
        'L-1,1 Law Road,LS1 4AB,Investigation',
        'L-2,2 Law Road,LS1 4AB,Investigation',
        'L-3,3 Law Road,LS1 4AB,None',
      ),
    )
    assert.equal((await commit(importId)).done, 3)
    const begun = [`Investigation ${today} due ${ten}`]
    assert.deepEqual(await cases('L-1', 'L-2', 'L-3'), [
      { reference: 'L-1', status: 'Investigation', due: ten, steps: begun },
      { reference: 'L-2', status: 'Investigation', due: ten, steps: begun },
      { reference: 'L-3', status: 'None', due: null, steps: null },
    ])
    assert.equal((await undo(importId)).undone, 3)
    assert.deepEqual(await cases('L-1', 'L-2', 'L-3'), [
      { reference: 'L-1', status: 'None', due: null, steps: [...begun, `None ${today}`] },
    ])
  })

  test('None closes the case and removes its due dates; undo reopens it with its former dates', async () => {
    await commit(
      await upload(
        'o.csv',
        csv('Property Ref,Address 1,Postcode,Awaabs Law Status', 'O-1,1 Close Road,LS1 4AB,Investigation'),
      ),
    )
    await app.database.owner.query(
      `update awaabs_law_step set happened_on = '2026-01-05', due_on = '2026-01-19', hazard = 'Damp and mould'
        where tenant_id = 'north' and property_id = (select id from property where tenant_id = 'north' and reference = 'O-1')`,
    )
    const importId = await upload('close.csv', csv('Property Ref,Awaabs Law Status', 'O-1,None'))
    await commit(importId)
    const closed = ['Investigation 2026-01-05 due 2026-01-19', `None ${today}`]
    assert.deepEqual(await cases('O-1'), [{ reference: 'O-1', status: 'None', due: null, steps: closed }])
    await undo(importId)
    assert.deepEqual(await cases('O-1'), [
      { reference: 'O-1', status: 'Investigation', due: '2026-01-19', steps: [...closed, closed[0]] },
    ])
    // The closing is reversed, so that the case continues under its number.
    const { rows } = await app.database.owner.query(
      `select status, hazard, close_reason from awaabs_law_case
        where tenant_id = 'north' and property_id = (select id from property where tenant_id = 'north' and reference = 'O-1')`,
    )
    assert.deepEqual(rows, [{ status: 'Investigation', hazard: 'Damp and mould', close_reason: null }])
  })

  test('later entries of a case move none of its dates when it is reopened, and are kept', async () => {
    await commit(
      await upload(
        'again.csv',
        csv('Property Ref,Address 1,Postcode,Awaabs Law Status', 'O-2,2 Law Road,LS1 4AB,Investigation'),
      ),
    )
    const { owner } = app.database
    const ofHome = `tenant_id = 'north' and property_id = (select id from property where tenant_id = 'north' and reference = 'O-2')`
    await owner.query(`update awaabs_law_step set happened_on = '2026-01-05', due_on = null where ${ofHome}`)
    await owner.query(
      `insert into awaabs_law_step (tenant_id, id, property_id, status, hazard, happened_on, entered_at, entered_by, entered_by_name, due_on)
       select tenant_id, gen_random_uuid(), property_id, status, 'Damp and mould', '2026-01-12', entered_at + interval '1 millisecond',
         entered_by, entered_by_name, '2026-01-19' from awaabs_law_step where ${ofHome}`,
    )
    const importId = await upload('close.csv', csv('Property Ref,Awaabs Law Status', 'O-2,None'))
    await commit(importId)
    await undo(importId)
    const { due, status, steps } = (await cases('O-2'))[0]!
    assert.deepEqual([status, due], ['Investigation', '2026-01-19'])
    const earlierSteps = ['Investigation 2026-01-05', 'Investigation 2026-01-12 due 2026-01-19']
    assert.deepEqual(
      (steps as string[]).map((step) => step.replace(/^(Investigation 2026-01-05).*/, '$1')),
      [...earlierSteps, `None ${today}`, 'Investigation 2026-01-05'],
    )
    await inTenant(app.database.db, 'north', (tx) => recomputeCases(tx))
    assert.equal((await cases('O-2'))[0]!.due, '2026-01-19')
    const { rows } = await owner.query<{ since: string }>(
      `select to_char(awaabs_law_since at time zone 'Europe/London', 'YYYY-MM-DD') as since from property where tenant_id = 'north' and reference = 'O-2'`,
    )
    assert.equal(rows[0]!.since, '2026-01-05')
  })

  test('changes that a later list builds on are kept, with the name of that list; once that is undone, everything is', async () => {
    const homes = ['LATER-1,1 Later Road,LS1 4AB', 'LATER-2,2 Later Road,LS1 4AB', 'LATER-3,3 Later Road,LS1 4AB']
    const first = await upload('all homes.csv', csv('Property Ref,Address 1,Postcode', ...homes))
    await commit(first)
    const ratings = await upload('ratings.csv', csv('Property Ref,EPC', 'LATER-1,C'))
    await commit(ratings)
    const boilers = await upload('boilers.csv', csv('Serial,Property Ref', 'BX990001,LATER-2'))
    assert.equal((await commit(boilers)).done, 1)
    const { undone, left } = await undo(first)
    assert.equal(undone, 1)
    assert.deepEqual(Object.fromEntries(left.map(({ name, reason }) => [name, reason])), {
      'LATER-1': 'Edited since: the later list ratings.csv builds on it. Undo that list first.',
      'LATER-2': 'In use since: devices: the later list boilers.csv builds on it. Undo that list first.',
    })
  })

  test('a case with newer entries stays open, and its property is named; undoing the other list is not an edit', async () => {
    const homes = ['S-1,1 Case Road,LS1 4AB', 'S-2,2 Case Road,LS1 4AB', 'S-3,3 Case Road,LS1 4AB']
    await commit(await upload('homes.csv', csv('Property Ref,Address 1,Postcode', ...homes)))
    const head = 'Property Ref,Awaabs Law Status'
    const first = await upload('open.csv', csv(head, 'S-1,Investigation', 'S-2,Investigation', 'S-3,Investigation'))
    await commit(first)
    const second = await upload('on.csv', csv(head, 'S-3,Summary'))
    await commit(second)
    assert.equal((await undo(second)).undone, 1)
    const { rows } = await app.database.owner.query<{ id: string; version: number }>(
      `select id, version from property where tenant_id = 'north' and reference = 'S-1'`,
    )
    const { id: propertyId, version } = rows[0]!
    const hazardOnly = {
      params: { tenant: 'north', propertyId },
      body: { version, awaabsLawHazard: 'Damp and mould' as const },
    }
    assert.equal((await app.send(putPropertyDetails, hazardOnly, manager)).status, 200)
    const { undone, kept, left } = await undo(first)
    assert.deepEqual([undone, kept, left.map(({ name, reason }) => [name, reason])], [2, 1, [['S-1', 'Edited since']]])
    assert.deepEqual(
      (await cases('S-1', 'S-2', 'S-3')).map(({ status }) => status),
      ['Investigation', 'None', 'None'],
    )
  })
})

describe('the location of properties', () => {
  const standing = async () => {
    const { rows } = await app.database.owner.query<Record<string, unknown>>(
      `select reference, building.name as building, floor.name as floor, display_name as tag,
        (select string_agg(building_name || ' ' || coalesce(floor_name, '-'), ' ') from device where device.tenant_id = 'north' and property_id = property.id) as devices
       from property left join building on building.tenant_id = property.tenant_id and building.id = property.building_id
        left join floor on floor.tenant_id = property.tenant_id and floor.id = property.floor_id
        left join access_rights_tag
          on access_rights_tag.tenant_id = property.tenant_id and access_rights_tag.id = property.access_rights_tag_id
       where property.tenant_id = 'north' and reference like 'P-%' order by reference`,
    )
    return rows.map(({ reference, building, floor, tag, devices }) => [reference, building, floor, tag, devices])
  }

  test('a list sets building, floor and access rights tag; unknown ones are rejected with a reason, and the property is imported', async () => {
    await commit(await upload('b.csv', csv('Building name,Post code,Floor', 'Mill,LS9 8AA,G', ',,1', 'Dock,LS9 8AB,G')))
    const importId = await upload(
      'p.csv',
      csv(
        'Property Ref,Address 1,Postcode,Block,Floor,Access Rights Tag',
        'P-1,1 Mill Road,LS9 8AA,mill,g,east',
        'P-2,2 Mill Road,LS9 8AA,Mill,9,West',
        'P-3,3 Mill Road,LS9 8AA,Tower,1,',
      ),
    )
    const { cells, items } = await look(importId)
    assert.deepEqual(
      cells.map(({ row, column, message, effect }) => [row, column, message, effect]),
      [
        [3, 'E', 'Mill has no floor 9', 'cell'],
        [3, 'F', 'No access rights tag has this name', 'cell'],
        [4, 'D', 'No building has this name', 'cell'],
      ],
    )
    const { buildingName, floorName, accessRightsTag } = items[0]!.values
    assert.deepEqual([buildingName, floorName, accessRightsTag], ['Mill', 'G', 'East'])
    assert.equal((await commit(importId)).done, 3)
    assert.deepEqual(await standing(), [
      ['P-1', 'Mill', 'G', 'East', null],
      ['P-2', 'Mill', null, null, null],
      ['P-3', null, null, null, null],
    ])
  })

  test('a device put into a property takes its location, unless the list gives another one', async () => {
    const importId = await upload(
      'd.csv',
      csv('Serial number,Property Ref,Building name', 'TH2770001F,P-1,', 'TH2770002F,P-1,Dock', 'TH2770003F,P-3,'),
    )
    await commit(importId)
    const { rows } = await app.database.owner.query<Record<string, unknown>>(
      `select serial, building_name, floor_name from device where tenant_id = 'north' and serial like 'TH277%' order by serial`,
    )
    assert.deepEqual(rows.map(Object.values), [
      ['TH2770001F', 'Mill', 'G'],
      ['TH2770002F', 'Dock', null],
      ['TH2770003F', null, null],
    ])
    assert.equal((await undo(importId)).undone, 3)
    // Repeating its own building without a floor does not remove it from its floor.
    const sheets = [
      {
        name: 'Homes',
        rows: [
          ['Property Ref', 'Address 1', 'Postcode', 'Block'],
          ['P-1', '1 Mill Road', 'LS9 8AA', 'Mill'],
        ],
      },
      {
        name: 'Devices',
        rows: [
          ['Serial number', 'Property Ref'],
          ['TH2770004F', 'P-1'],
        ],
      },
    ]
    const again = await upload('e.xlsx', Buffer.concat(await markedWorkbook(sheets, 'Europe/London').toArray()))
    await commit(again)
    const { rows: kept } = await app.database.owner.query<Record<string, unknown>>(
      `select building_name, floor_name from device where tenant_id = 'north' and serial = 'TH2770004F'`,
    )
    assert.deepEqual(kept.map(Object.values), [['Mill', 'G']])
    await undo(again)
  })

  test('a moved property takes its devices along, also between floors; undo moves them all back', async () => {
    const device = await addDevice(app, 'north', { product: 'TH' })
    await app.database.owner.query(
      `update device set property_id = property.id, building_id = property.building_id, floor_id = property.floor_id
       from property where property.tenant_id = 'north' and reference = 'P-1' and device.tenant_id = 'north' and device.id = $1`,
      [device],
    )
    const before = await standing()
    const list = csv('Property Ref,Block,Floor', 'P-1,Mill,1', 'P-2,Dock,')
    const importId = await upload('move.csv', list)
    await commit(importId)
    const moved = [
      ['P-1', 'Mill', '1', 'East', 'Mill 1'],
      ['P-2', 'Dock', null, null, null],
      ['P-3', null, null, null, null],
    ]
    assert.deepEqual(await standing(), moved)
    assert.deepEqual((await look(await upload('again.csv', list))).found!.totals.change, {})
    const elsewhere = await upload('away.csv', csv('Property Ref,Block', 'P-1,Dock'))
    await commit(elsewhere)
    assert.deepEqual((await standing())[0], ['P-1', 'Dock', null, 'East', 'Dock -'])
    await undo(elsewhere)
    assert.deepEqual(await standing(), moved)
    await undo(importId)
    assert.deepEqual(
      (await standing()).map((row) => row.slice(0, 4)),
      before.map((row) => row.slice(0, 4)),
    )
    const { rows } = await app.database.owner.query(
      `select 1 from audit_entry where tenant_id = 'north' and action = 'device moved' and subject_id = $1`,
      [device],
    )
    assert.equal(rows.length, 4)
  })

  test('undo leaves a property on a floor to which it was moved since, and names it', async () => {
    const importId = await upload('floorless.csv', csv('Property Ref,Block', 'P-2,Dock'))
    await commit(importId)
    await app.database.owner.query(
      `update property set floor_id = floor.id from floor
       where property.tenant_id = 'north' and floor.tenant_id = 'north' and reference = 'P-2' and floor.building_id = property.building_id`,
    )
    const { undone, left } = await undo(importId)
    assert.deepEqual([undone, left.map(({ name, reason }) => [name, reason])], [0, [['P-2', 'Edited since']]])
    assert.deepEqual((await standing())[1], ['P-2', 'Dock', 'G', null, null])
    await commit(await upload('back.csv', csv('Property Ref,Block', 'P-2,Mill')))
  })

  test('undo returns devices to their former places with their pins; devices moved since stay', async () => {
    const ask = async <T extends object>(text: string, ...values: unknown[]) =>
      (await app.database.owner.query<T>(text, values)).rows
    const [dock, mill] = await ask<{ building: string; floor: string }>(
      `select building.id as building, floor.id as floor from building join floor on floor.tenant_id = 'north' and building_id = building.id
       where building.tenant_id = 'north' and building.name in ('Dock', 'Mill') and floor.name = 'G' order by building.name`,
    )
    const [home] = await ask<{ id: string }>(`select id from property where tenant_id = 'north' and reference = 'P-3'`)
    const [pinned, moved, lost] = [
      await addDevice(app, 'north', { product: 'TH' }),
      await addDevice(app, 'north', { product: 'TH' }),
      await addDevice(app, 'north', { product: 'TH' }),
    ]
    await ask(
      `update device set property_id = $2, building_id = $3, floor_id = $4, latitude = 53.8, longitude = -1.5
       where tenant_id = 'north' and id = any($1)`,
      [pinned, moved],
      home!.id,
      dock!.building,
      dock!.floor,
    )
    const [gone] = await ask<{ id: string }>(
      `insert into building (tenant_id, id, name, compared_name, postcode) values ('north', gen_random_uuid(), 'Gone', 'gone', 'LS9 8AC') returning id`,
    )
    await ask(
      `update device set property_id = $2, building_id = $3 where tenant_id = 'north' and id = $1`,
      lost,
      home!.id,
      gone!.id,
    )
    const importId = await upload('take.csv', csv('Property Ref,Block,Floor', 'P-3,Mill,1'))
    await commit(importId)
    const stand = () =>
      ask<Record<string, unknown>>(
        `select building_name, floor_name, latitude, longitude from device where tenant_id = 'north' and id = any($1)
         order by array_position($1, id)`,
        [pinned, moved, lost],
      )
    const there = ['Mill', '1', null, null]
    assert.deepEqual((await stand()).map(Object.values), [there, there, there])
    await ask(
      `update device set floor_id = $2, floor_name = 'G', latitude = 53.9 where tenant_id = 'north' and id = $1`,
      moved,
      mill!.floor,
    )
    await ask(`delete from building where tenant_id = 'north' and id = $1`, gone!.id)
    await undo(importId)
    assert.deepEqual((await stand()).map(Object.values), [
      ['Dock', 'G', 53.8, -1.5],
      ['Mill', 'G', 53.9, null],
      [null, null, null, null],
    ])
  })
})

test('a list with gas check dates keeps the anniversary, as the page does; undo restores the due date', async () => {
  await commit(
    await upload(
      'gas.csv',
      csv('Property Ref,Address 1,Postcode,Last Gas Safety Check', 'G-1,1 Gas Road,LS9 8AA,2025-03-10'),
    ),
  )
  const due = async () => {
    const { rows } = await app.database.owner.query<{ due: string; after: string | null }>(
      `select to_char(gas_check_due_at at time zone 'Europe/London', 'YYYY-MM-DD') as due, to_char(gas_check_after, 'YYYY-MM-DD') as after
       from property where tenant_id = 'north' and reference = 'G-1'`,
    )
    return Object.values(rows[0]!)
  }
  assert.deepEqual(await due(), ['2026-03-10', null])
  const early = await upload('early.csv', csv('Property Ref,Last Gas Safety Check', 'G-1,2026-02-20'))
  await commit(early)
  assert.deepEqual(await due(), ['2027-03-10', '2026-03-10'])
  const later = await upload('later.csv', csv('Property Ref,Last Gas Safety Check', 'G-1,2026-11-01'))
  await commit(later)
  assert.deepEqual(await due(), ['2027-11-01', null])
  await undo(later)
  assert.deepEqual(await due(), ['2027-03-10', '2026-03-10'])
  await undo(early)
  assert.deepEqual(await due(), ['2026-03-10', null])
})

test('keys of imported devices are shown once, as a file; a device in use keeps its key', async () => {
  const importId = await upload('k.csv', csv('Serial number', 'EM2990001X', 'EM2990002X', 'BX2990003X'))
  assert.deepEqual((await commit(importId)).deviceKeys, { without: 3, neverConnected: 0 })
  const make = (renew = false, email = manager) =>
    app.send(makeImportKeys, { body: { tenant: 'north', importId, renew } }, email)
  const keysIn = (file: unknown) =>
    String(file)
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',').map((cell) => cell.slice(1, -1)))
  const { status, body } = await make()
  assert.equal(status, 200, JSON.stringify(body))
  const keys = keysIn(body)
  assert.deepEqual(
    keys.map(([serial, , , address]) => [serial, address]),
    ['BX2990003X', 'EM2990001X', 'EM2990002X'].map((serial) => [serial, 'mqtt://localhost:1883']),
  )
  const signsIn = async ([, name, password]: string[]) => {
    return (await signIn(openRoutes(app.database.db), name, Buffer.from(password!)))?.tenant
  }
  for (const key of keys) assert.equal(await signsIn(key), 'north')
  assert.equal(await signsIn([...keys[0]!.slice(0, 2), keys[1]![2]!]), undefined)
  assert.deepEqual((await look(importId)).deviceKeys, { without: 0, neverConnected: 3 })
  // Shown once.
  assert.equal((await make()).status, 409)

  // One device connects; the others get new keys, and their old ones stop working.
  const [heard, ...others] = keys as [string[], ...string[][]]
  await app.database.owner.query(
    `insert into device_link (tenant_id, device_id, heard_at) values ('north', $1, now())
     on conflict (tenant_id, device_id) do update set heard_at = excluded.heard_at`,
    [heard[1]],
  )
  const renewed = keysIn((await make(true)).body)
  assert.deepEqual(
    renewed.map(([serial]) => serial),
    others.map(([serial]) => serial),
  )
  for (const key of others) assert.equal(await signsIn(key), undefined)
  for (const key of [heard, ...renewed]) assert.equal(await signsIn(key), 'north')
  const { rows } = await app.database.owner.query<{ text: string }>(
    `select row_to_json(a)::text as text from audit_entry a where action = 'device key made' and tenant_id = 'north'`,
  )
  assert.equal(rows.length, 5)
  for (const [, , password] of [...keys, ...renewed]) assert.ok(rows.every(({ text }) => !text.includes(password!)))
})

test('no key starts with a character that a CSV file would guard with an apostrophe', () => {
  const passwords = Array.from({ length: 2000 }, () => newDeviceKey().password)
  assert.deepEqual(
    passwords.filter((password) => !/^\w[\w-]{31}$/.test(password)),
    [],
  )
})

test('users without the right to import are refused, and another client’s list is not found', async () => {
  const importId = await upload('mine.csv', csv('Property Ref,Address 1,Postcode', 'Z-1,1 Yew Road,LS2 8AA'))
  for (const email of ['guest@north.test', 'engineer@north.test', 'limited@north.test']) {
    const calls = [
      app.send(uploadImport, { form: { tenant: 'north', file: new File(['a'], 'a.csv') } }, email),
      app.send(getImports, { body: { tenant: 'north' } }, email),
      app.send(getImport, { body: { tenant: 'north', importId } }, email),
      app.send(planImport, { body: { tenant: 'north', importId, wishes: noWishes } }, email),
      app.send(commitImport, { body: { tenant: 'north', importId, revision: 1 } }, email),
      app.send(undoImport, { body: { tenant: 'north', importId } }, email),
      app.send(exportImportFaults, { body: { tenant: 'north', importId } }, email),
      app.send(exportMarkedImport, { body: { tenant: 'north', importId } }, email),
      app.send(makeImportKeys, { body: { tenant: 'north', importId } }, email),
      app.send(getImportTemplate, { params: { tenant: 'north' } }, email),
    ]
    for (const { status } of await Promise.all(calls)) assert.equal(status, 403, email)
  }
  assert.equal((await app.send(getImport, { body: { tenant: 'south', importId } }, in_('south'))).status, 404)
  assert.equal(
    (await app.send(commitImport, { body: { tenant: 'south', importId, revision: 1 } }, in_('south'))).status,
    404,
  )
})

test('postcodes are stored in their normal form, and invalid ones name their row', async () => {
  const importId = await upload(
    'codes.csv',
    csv(
      'Property Ref,Address line 1,Town,Postcode',
      ...['ls213ab', 'GIR0AA', 'BFPO 61', 'je23xp', 'L S21 3AB', 'LS21-3AB', 'LS21 3A', 'O1A 1AA', '12345'].map(
        (code, at) => `PC-${at},${at} Harbour View,Town,${code}`,
      ),
    ),
  )
  const { totals } = (await look(importId)).found!
  assert.deepEqual([totals.create, totals.refusedRows], [{ property: 5 }, 4])
  await commit(importId)
  assert.deepEqual(
    (await homes(...Array.from({ length: 9 }, (_, at) => `PC-${at}`))).map(({ postcode }) => postcode),
    ['LS21 3AB', 'GIR 0AA', 'BFPO 61', 'JE2 3XP', 'LS21 3AB'],
  )
})

test('locations far from their postcode are a question, not a refusal', async () => {
  const importId = await upload(
    'buildings.csv',
    csv(
      'Building name,Post code,Latitude,Longitude',
      'Right House,LS9 7QT,53.8,-1.52',
      'Swapped House,LS9 7QT,-1.52,53.8',
      'Zero House,LS9 7QT,0,0',
    ),
  )
  const plan = async (answer: string | null) => {
    const wishes = { ...noWishes, answers: { latitude: { [farPlaceWord]: answer } } }
    assert.equal((await app.send(planImport, { body: { tenant: 'north', importId, wishes } }, manager)).status, 200)
    await work()
    return (await look(importId)).found!
  }
  const asked = (await look(importId)).found!
  assert.deepEqual(asked.words, [{ field: 'latitude', word: farPlaceWord, count: 2, meaning: null }])
  assert.deepEqual(
    [asked.totals.create, asked.totals.refusedRows, asked.totals.emptyUntilMapped],
    [{ building: 3 }, 0, { latitude: 2 }],
  )
  assert.match(asked.notes[0]!.message, /^\d,\d{3} km from LS9 7QT: latitude and longitude are exchanged$/)
  assert.deepEqual((await plan('Keep the place in the list')).totals.emptyUntilMapped, {})
  assert.deepEqual((await plan('Exchange latitude and longitude')).totals.emptyUntilMapped, { latitude: 1 })
  await commit(importId)
  const { rows } = await app.database.owner.query(
    `select name, latitude, longitude from building where tenant_id = 'north' and name in ('Right House', 'Swapped House', 'Zero House') order by name`,
  )
  assert.deepEqual(rows, [
    { name: 'Right House', latitude: 53.8, longitude: -1.52 },
    { name: 'Swapped House', latitude: 53.8, longitude: -1.52 },
    { name: 'Zero House', latitude: null, longitude: null },
  ])
})
