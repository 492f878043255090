import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import {
  commitImport,
  exportImportFaults,
  getImport,
  getImports,
  getImportTemplate,
  makeImportKeys,
  planImport,
  undoImport,
  uploadImport,
} from '@caretaker/contract/imports.ts'
import type { Import } from '@caretaker/contract/imports.ts'
import { noWishes } from '@caretaker/rules/imports/life.ts'
import { openRoutes } from '../../mqtt/routes.ts'
import { signIn } from '../../mqtt/sign-in.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/two-tenants.ts'
import { runImports } from './job.ts'

const samples = path.join(import.meta.dirname, 'samples')
const manager = 'manager@north.test'
let app: TestApp

before(async () => {
  app = await testApp()
  for (const tenant of ['north', 'south']) {
    await app.addTenant(tenant, { features: ['PropertyCentric'], capabilities: ['ViewProperties'] })
    await app.addMember(tenant, `manager@${tenant}.test`, 'Manager')
  }
  await app.addMember('north', 'guest@north.test', 'Guest')
  await app.addMember('north', 'engineer@north.test', 'BoilerEngineer')
  await app.addMember('north', 'limited@north.test', 'Manager', [await addAccessRightsTag(app, 'north', 'East')])
})
after(() => app.close())

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
async function undo(importId: string): Promise<Import> {
  assert.equal((await app.send(undoImport, { body: { tenant: 'north', importId } }, manager)).status, 200)
  await work()
  return look(importId)
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

describe('a new client brings in what it has', () => {
  test('buildings, homes, next month’s list, lights, boilers, stock, voids and a tracker, as their samples say', async () => {
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
      { status: 'Installed', n: 609 },
      { status: 'Inventory', n: 238 },
    ])
    // Letter for letter, as no spreadsheet leaves them.
    assert.deepEqual(
      (await homes('1E05', '02-MAR', '004502')).map(({ reference }) => reference),
      ['004502', '02-MAR', '1E05'],
    )
  })

  test('the template can be downloaded, filled in and brought in; empty it has no rows', async () => {
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

describe('what is wrong or asked', () => {
  test('a word is asked once, a column is corrected by hand, and the plan is made anew', async () => {
    const list = csv(
      'Home;First line;Post Code;Type',
      'N-1;1 Elm Road;LS1 4AB;Bungalow',
      'N-2;2 Elm Road;LS1 4AB;Semi',
      'N-3;3 Elm Road;LS1 4AB;Bungalow',
    )
    const importId = await upload('list.csv', list)
    assert.equal((await look(importId)).state, 'unreadable')
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
    const asked = await plan(wishes)
    // By hand one says which column is what: the first rows are told as they stand, also of what cannot be read.
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
    // A word that is known may mean something else, or nothing, to this client.
    const unsaid = await plan({ ...wishes, answers: { propertyArchitype: { semi: null } } })
    assert.deepEqual(unsaid.found!.totals.emptyUntilMapped, { propertyArchitype: 3 })
    // Who has seen an earlier preview is told.
    const late = await app.send(commitImport, { body: { tenant: 'north', importId, revision: 1 } }, manager)
    assert.equal(late.status, 409)
  })

  test('a serial number of another client is refused, and why is not told', async () => {
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
      /"","2","A","Serial number","TH2990001F","The row is left","This serial number cannot be added",""/,
    )
  })
})

describe('two people, and what happens meanwhile', () => {
  const list = csv(
    'Property Ref,Address 1,Postcode,EPC',
    'T-1,1 Oak Road,LS2 8AA,C',
    'T-2,2 Oak Road,LS2 8AA,D',
    'T-3,3 Oak Road,LS2 8AA,E',
  )

  test('the same list twice at once makes each home once', async () => {
    const [one, two] = [await upload('a.csv', list), await upload('b.csv', list)]
    const [first, second] = [await commit(one), await commit(two)]
    assert.deepEqual([first.done, first.refused], [3, 0])
    assert.deepEqual([second.done, second.refused, second.left[0]!.reason], [0, 3, 'Somebody has added T-1 meanwhile'])
    assert.equal((await homes('T-1', 'T-2', 'T-3')).length, 3)
  })

  test('a home that is deleted during an import is named, the rest comes in; undo puts back what nobody has edited', async () => {
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
      [2, 1, [['T-3', 'T-3 is no longer there']]],
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

  test('an import that is stopped in the middle goes on where it was, and makes each home once', async () => {
    const rows = Array.from({ length: 1100 }, (_, at) => `STOP-${at},${at} Elm Road,LS1 4AB`)
    const importId = await upload('many.csv', csv('Property Ref,Address 1,Postcode', ...rows))
    const { revision } = await look(importId)
    const before = await count('property')
    await app.send(commitImport, { body: { tenant: 'north', importId, revision } }, manager)
    // A worker that is told to stop once it has taken two steps.
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

  test('homes that a list makes void ask their devices at once, and undo asks them back', async () => {
    const bcm = await addDevice(app, 'north', { product: 'BX' })
    await commit(await upload('void.csv', csv('Property Ref,Address 1,Postcode', 'V-1,1 Elm Road,LS1 4AB')))
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

  test('undo takes away what was made, but for a home that somebody uses by now', async () => {
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
      [['U-2', 'In use since']],
    )
    assert.deepEqual(
      (await homes('U-1', 'U-2')).map(({ reference }) => reference),
      ['U-2'],
    )
    // Only once.
    assert.equal(
      (await app.send(undoImport, { body: { tenant: 'north', importId } }, manager)).body.isSuccessful,
      false,
    )
  })

  test('devices, floors and buildings are taken back too, with their tags and places', async () => {
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

test('devices of a list get their keys once, as a file; nobody takes a key from a device that uses it', async () => {
  const importId = await upload('k.csv', csv('Serial number', 'EM2990001X', 'EM2990002X', 'BX2990003X'))
  assert.deepEqual((await commit(importId)).deviceKeys, { without: 3, unheard: 0 })
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
  assert.deepEqual((await look(importId)).deviceKeys, { without: 0, unheard: 3 })
  // Told once.
  assert.equal((await make()).status, 409)

  // One is heard; the others get new keys, and their former ones hold no more.
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

test('who may not import is refused, and another client’s list is like none', async () => {
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
