import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { getAudit } from '@caretaker/contract/audit.ts'
import { getDocument } from '@caretaker/contract/documents.ts'
import { exportProperties, fetchProperties, getProperty } from '@caretaker/contract/properties.ts'
import { exportPersonalDataReads, getPersonalDataReads } from '@caretaker/contract/reads.ts'
import { getResidents } from '@caretaker/contract/residents.ts'
import { notByHome, readsKeptFor } from '@caretaker/rules/audit/reads.ts'
import type { PersonalDataRead } from '../../audit/reads.ts'
import { openReadLog } from '../../audit/reads.ts'
import { forgetReads } from '../../audit/reads-retention.ts'
import { sendTable } from '../../http/send-table.ts'
import { beforeSending } from '../../http/sending.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { csvTable, csvType } from '../../spreadsheets/csv.ts'
import { makeKey } from '../../testing/api-key.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag } from '../../testing/furnish/devices.ts'

let app: TestApp
let round = 0
let tenant: string
let manager: string
let guest: string
let home: string
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
beforeEach(async () => {
  tenant = `t${++round}`
  manager = `manager@${tenant}.test`
  guest = `guest@${tenant}.test`
  await app.addTenant(tenant, {
    features: ['PropertyCentric', 'ManageResidentAccess', 'ManageApplication'],
    capabilities: ['ViewProperties'],
  })
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember(tenant, guest, 'Guest')
  home = await addHome('NG-1')
})

async function addHome(reference: string, more: { tag?: string; at?: string } = {}): Promise<string> {
  const { tag = null, at = tenant } = more
  const id = randomUUID()
  await inTenant(app.database.db, at, (tx) =>
    tx
      .insertInto('property')
      .values({
        ...{ tenant_id: at, id, reference, address1: '1 Mill Lane', postcode: 'LS6 1AB' },
        access_rights_tag_id: tag,
      })
      .execute(),
  )
  return id
}

const open = (propertyId: string, who: string, bend = {}) =>
  app.send(getProperty, { params: { tenant, propertyId } }, who, bend)
const flush = () => app.app.services.reads.flush()
const log = async (query: object, who = manager) => {
  await flush()
  return app.send(getPersonalDataReads, { params: { tenant }, query: query as never }, who)
}
const entries = async (query: object, who = manager) => {
  const { status, body } = await log(query, who)
  assert.equal(status, 200, JSON.stringify(body))
  return body.results
}
const memberId = async (email: string) =>
  (
    await app.database.owner.query<{ id: string }>('select id from membership where tenant_id = $1 and email = $2', [
      tenant,
      email,
    ])
  ).rows[0]!.id

test('a page, a list and a file of homes are in the log of the home and of the person', async () => {
  await open(home, guest)
  await app.send(fetchProperties, { body: { tenant } }, guest)
  await app.send(
    exportProperties,
    { body: { tenant, listing: 'Properties', columns: ['propertyReference', 'address'] } },
    manager,
  )
  const ofHome = await entries({ propertyId: home })
  assert.deepEqual(ofHome.map(({ page, kind }) => `${page} ${kind}`).toSorted(), [
    'Property list list',
    'Property page',
  ])
  for (const { name, role, times, properties } of ofHome)
    assert.deepEqual([name, role, times, properties], ['guest', 'Guest', 1, []])
  const [file, ...more] = await entries({ userId: await memberId(manager) })
  assert.deepEqual([file!.page, file!.kind, more.length], ['Property list', 'file', 0])
  assert.equal(file!.rows, 1, 'the heading is not counted')
  assert.match(file!.question!, /"columns":\["propertyReference","address"\]/)
  const [listed] = await entries({ userId: await memberId(guest) })
  assert.deepEqual(listed!.properties, [{ propertyId: home, reference: 'NG-1' }])
})

test('a read that is repeated within a quarter of an hour is counted, in memory and in the database', async () => {
  await open(home, guest)
  await open(home, guest)
  await flush()
  await open(home, guest)
  const [entry, ...more] = await entries({ propertyId: home })
  assert.deepEqual([entry!.times, more.length], [3, 0])
  await app.database.owner.query(`update personal_data_read set first_at = first_at - interval '16 minutes'`)
  await open(home, guest)
  assert.deepEqual(
    (await entries({ propertyId: home })).map(({ times }) => times),
    [1, 3],
  )
})

test('an API key is named as such', async () => {
  const key = await makeKey(app, tenant, manager)
  const { status } = await open(home, manager, { headers: { authorization: `Bearer ${key}` } })
  assert.equal(status, 200)
  const [entry] = await entries({ propertyId: home })
  assert.deepEqual([entry!.isKey, entry!.role], [true, 'Manager'])
  const { rows } = await app.database.owner.query<{ id: string }>('select id from api_key where tenant_id = $1', [
    tenant,
  ])
  assert.equal((await entries({ userId: rows[0]!.id })).length, 1)
})

test('the list of residents is in the log of each resident and of their home', async () => {
  const id = randomUUID()
  await inTenant(app.database.db, tenant, async (tx) => {
    await tx
      .insertInto('resident')
      .values({
        ...{ tenant_id: tenant, id, app_user_id: 'ann', name: 'Ann', email: 'ann@home.test' },
        created_at: new Date(),
      })
      .execute()
    await tx
      .insertInto('residence_access')
      .values({ tenant_id: tenant, resident_id: id, property_id: home, since: new Date() })
      .execute()
  })
  assert.equal((await app.send(getResidents, { params: { tenant }, query: {} }, guest)).status, 200)
  const [entry] = await entries({ residentId: 'ann' })
  assert.deepEqual([entry!.page, entry!.residents], ['Residents', 1])
  assert.equal((await entries({ propertyId: home })).length, 1)
})

test('an empty list, and one whose personal data is hidden, are no reads', async () => {
  await app.addTenant(`${tenant}-private`, {
    features: ['PropertyCentric', 'HideCustomerPersonalData'],
    capabilities: ['ViewProperties'],
  })
  await app.addMember(`${tenant}-private`, manager, 'Manager')
  const hidden = await addHome('NG-9', { at: `${tenant}-private` })
  const sent = { params: { tenant: `${tenant}-private`, propertyId: hidden } }
  assert.equal((await app.send(getProperty, sent, manager)).status, 200)
  await app.send(fetchProperties, { body: { tenant, search: 'nothing is called so' } }, manager)
  await flush()
  const { rows } = await app.database.owner.query('select from personal_data_read where tenant_id = any($1)', [
    [tenant, `${tenant}-private`],
  ])
  assert.equal(rows.length, 0)
})

test('a refused read is none', async () => {
  await app.addMember(tenant, `lights@${tenant}.test`, 'LightingEngineer', [randomUUID()])
  assert.ok([403, 404].includes((await open(home, `lights@${tenant}.test`)).status))
  assert.deepEqual(await entries({ propertyId: home }), [])
})

describe('the log is for managers', () => {
  test.each(['Guest', 'LightingEngineer', 'BoilerEngineer'] as const)('not for %s', async (role) => {
    const who = `${role}@${tenant}.test`.toLowerCase()
    await app.addMember(tenant, `own-${who}`, role)
    for (const route of [getPersonalDataReads, exportPersonalDataReads])
      assert.equal(
        (await app.send(route, { params: { tenant }, query: { propertyId: home } as never }, `own-${who}`)).status,
        403,
      )
  })

  test('not for those of another client, and only of homes that a restricted manager sees', async () => {
    await app.addTenant(`${tenant}-other`, { features: ['PropertyCentric'], capabilities: ['ViewProperties'] })
    await app.addMember(`${tenant}-other`, `other@${tenant}.test`, 'Manager')
    assert.equal((await log({ propertyId: home }, `other@${tenant}.test`)).status, 404)
    const east = await addAccessRightsTag(app, tenant, 'East')
    const limited = `limited@${tenant}.test`
    await app.addMember(tenant, limited, 'Manager', [east])
    const ofEast = await addHome('NG-2', { tag: east })
    assert.equal((await log({ propertyId: home }, limited)).status, 404)
    assert.equal((await log({ propertyId: ofEast }, limited)).status, 200)
    assert.equal((await log({ userId: await memberId(guest) }, limited)).status, 403)
    assert.equal((await log({ residentId: 'ann' }, limited)).status, 403)
  })

  test('it is asked about exactly one', async () => {
    assert.equal((await log({})).status, 400)
    assert.equal((await log({ propertyId: home, userId: randomUUID() })).status, 400)
    assert.equal((await log({ propertyId: randomUUID() })).status, 404)
    assert.equal((await log({ userId: randomUUID() })).status, 404)
  })
})

test('an export has the same entries and is in the audit; reading the log is no read of the home', async () => {
  await app.addMember(tenant, `admin@${tenant}.test`, 'Admin')
  await open(home, guest)
  await flush()
  const { status, body } = await app.send(
    exportPersonalDataReads,
    { params: { tenant }, query: { propertyId: home } },
    manager,
  )
  assert.equal(status, 200)
  assert.match(body as unknown as string, /"guest","Guest"/)
  assert.ok((body as unknown as string).includes(notByHome))
  const { body: audit } = await app.send(getAudit, { params: { tenant }, query: {} as never }, `admin@${tenant}.test`)
  const exported = audit.results.find(({ action }: { action: string }) => action === 'reads of personal data exported')
  assert.deepEqual([exported?.subjectId, exported?.userName], [home, 'manager'])
  assert.equal((await entries({ propertyId: home })).length, 1)
})

test('the application cannot change the log; entries older than thirteen months are deleted', async () => {
  await open(home, guest)
  await flush()
  for (const verb of ['update personal_data_read set times = 0', 'delete from personal_data_read'])
    await assert.rejects(app.database.app.query(`${verb} where tenant_id = '${tenant}'`), /permission denied/)
  await app.database.owner.query(`update due set due_at = '2000-01-01' where work = 'forget personal data reads'`)
  const soon = new Date(Date.now() + readsKeptFor - 60_000)
  assert.equal(await forgetReads(app.context, soon), 0)
  await app.database.owner.query(`update due set due_at = '2000-01-01' where work = 'forget personal data reads'`)
  assert.ok((await forgetReads(app.context, new Date(Date.now() + readsKeptFor + 60_000))) >= 1)
  assert.deepEqual(await entries({ propertyId: home }), [])
})

/** The entries that this log writes for reads of the same person. */
async function written(...all: Partial<PersonalDataRead>[]) {
  const reads = openReadLog(app.context, 3_600_000)
  const person = { id: randomUUID(), name: 'Ann', isKey: false }
  for (const more of all)
    reads.add({
      ...{ tenant, person, looksAt: { of: 'home', as: 'list', name: 'Property list' }, viewingAs: undefined },
      ...{ caller: '192.0.2.1', asked: {}, shown: { homes: [], residents: [], rows: 1 }, ...more },
    })
  await reads.stop()
  const { rows } = await app.database.owner.query<{
    question: string | null
    row_count: number
    resident_ids: string[]
  }>(
    'select question, row_count, resident_ids from personal_data_read where person_id = $1 order by row_count, question',
    [person.id],
  )
  return rows
}
const many = () => Array.from({ length: 150 }, () => randomUUID())

test('a question that is cut within a character is stored, and an entry that the database rejects takes no other along', async () => {
  const search = `${'x'.repeat(288)}😀`
  const rejected = { homes: [], residents: ['an id with \0'], rows: 2 }
  const rows = await written({ asked: { search } }, { shown: rejected }, { caller: '192.0.2.2' })
  const byText = (one: string | null, other: string | null) => (one ?? '').localeCompare(other ?? '')
  assert.deepEqual(
    rows.map(({ question }) => question).toSorted(byText),
    ['{}', `{"search":"${'x'.repeat(288)}\uFFFD`].toSorted(byText),
  )
})

test('long lists that differ beyond the stored part of their question, or in their rows, are different reads', async () => {
  const [homes, rows] = [many(), 150]
  const asked = (end: string) => ({ search: `${'x'.repeat(400)}${end}` })
  const shown = { homes, residents: [], rows }
  assert.equal((await written({ asked: asked('a'), shown }, { asked: asked('b'), shown })).length, 2)
  assert.equal((await written({ shown }, { shown: { ...shown, rows: 151 } })).length, 2)
  assert.equal((await written({ shown }, { shown })).length, 1)
})

test('the waiting reads of one client leave room for those of others', async () => {
  const more = Array.from({ length: 5001 }, (_, at) => ({ asked: { search: String(at) } }))
  assert.equal((await written(...more)).length, 5000)
  await app.addTenant(`${tenant}-other`)
  assert.equal((await written(...more, { tenant: `${tenant}-other` })).length, 5001)
})

test('a file is recorded before its first byte, and its heading is no row', async () => {
  const order: string[] = []
  const reply = { type: () => reply, header: () => reply, send: () => order.push('sent') }
  beforeSending(reply as never, () => order.push('recorded'))
  const table = csvTable('Europe/London')
  table.bytes.resume()
  async function* rows(): AsyncGenerator<string[][]> {
    yield [['Heading']]
    yield [['one'], ['two']]
  }
  const sending = await sendTable(reply as never, { name: 'x.csv', type: csvType }, table, rows())
  assert.deepEqual([order, sending.rows], [['recorded', 'sent'], 2])
})

test('a list of more than 100 residents is in the log of each', async () => {
  const residents = many()
  const [entry] = await written({ shown: { homes: many(), residents, rows: 150 } })
  assert.deepEqual(entry!.resident_ids, residents.toSorted())
  const found = await entries({ residentId: residents[149]! })
  assert.equal(found.length, 1)
})

test('the audit list is in the log of the property that its entries name, or under the user only', async () => {
  const admin = `admin@${tenant}.test`
  await app.addMember(tenant, admin, 'Admin')
  const record = (type: string, id: string) =>
    app.database.owner.query(
      `insert into audit_entry (tenant_id, id, person_name, action, subject_type, subject_id, subject_name, before, after)
       values ($1, gen_random_uuid(), 'Ann', 'property address changed', $2, $3, 'NG-1', '{"address1":"1 Mill Lane"}', '{"address1":"2"}')`,
      [tenant, type, id],
    )
  const read = () => app.send(getAudit, { params: { tenant }, query: {} as never }, admin)
  await record('building', randomUUID())
  assert.equal((await read()).status, 200)
  const [alone] = await entries({ userId: await memberId(admin) })
  assert.deepEqual([alone?.page, alone?.properties], ['Audit', []])
  await record('property', home)
  assert.equal((await read()).status, 200)
  assert.deepEqual(
    (await entries({ propertyId: home })).map(({ page }) => page),
    ['Audit'],
  )
})

test('the text for a resident is in their log', async () => {
  const [resident, text] = [randomUUID(), randomUUID()]
  await inTenant(app.database.db, tenant, async (tx) => {
    await tx
      .insertInto('resident')
      .values({
        ...{ tenant_id: tenant, id: resident, app_user_id: 'bob', name: 'Bob', email: 'bob@home.test' },
        created_at: new Date(),
      })
      .execute()
    await tx
      .insertInto('savings_and_tips')
      .values({
        ...{ tenant_id: tenant, id: text, resident_id: resident, name: 'Tips', content: 'x' },
        updated_at: new Date(),
      })
      .execute()
  })
  assert.equal((await app.send(getDocument, { params: { tenant, id: text } }, manager)).status, 200)
  const [entry] = await entries({ residentId: 'bob' })
  assert.deepEqual([entry?.kind, entry?.residents], ['file', 1])
  await inTenant(app.database.db, tenant, async (tx) => {
    await tx.deleteFrom('savings_and_tips').where('tenant_id', '=', tenant).execute()
    await tx.deleteFrom('resident').where('tenant_id', '=', tenant).execute()
  })
  assert.equal((await entries({ residentId: 'bob' })).length, 1, 'of a removed resident')
})

test('the entries of a removed user are found by the id in them', async () => {
  await open(home, guest)
  const [entry] = await entries({ propertyId: home })
  await app.database.owner.query('delete from membership where tenant_id = $1 and email = $2', [tenant, guest])
  const [theirs] = await entries({ userId: entry!.personId })
  assert.deepEqual([theirs?.name, theirs?.properties], ['guest', [{ propertyId: home, reference: 'NG-1' }]])
  await app.addTenant(`${tenant}-other`)
  await app.addMember(`${tenant}-other`, `other@${tenant}.test`, 'Manager')
  const elsewhere = { params: { tenant: `${tenant}-other` }, query: { userId: entry!.personId } as never }
  assert.equal((await app.send(getPersonalDataReads, elsewhere, `other@${tenant}.test`)).status, 404)
})

test('collected reads are written when the process stops; a list of more than 100 homes keeps its question', async () => {
  const reads = openReadLog(app.context, 3_600_000)
  const person = { id: randomUUID(), name: 'Ann', isKey: false }
  const looksAt = { of: 'home', as: 'list', name: 'Property list' } as const
  const homes = Array.from({ length: 101 }, () => randomUUID())
  reads.add({
    ...{ tenant, person, looksAt, viewingAs: undefined, caller: '192.0.2.1', asked: { search: 'mill' } },
    shown: { homes, residents: [], rows: 101 },
  })
  await reads.stop()
  const { rows } = await app.database.owner.query<{ question: string; row_count: number; property_ids: string[] }>(
    'select question, row_count, property_ids from personal_data_read where tenant_id = $1',
    [tenant],
  )
  assert.deepEqual(rows, [{ question: '{"search":"mill"}', row_count: 101, property_ids: [] }])
})
