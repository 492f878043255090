import assert from 'node:assert/strict'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { getAudit } from '@caretaker/contract/audit.ts'
import { deleteDocument, getDocument, getDocuments, saveDocument } from '@caretaker/contract/documents.ts'
import { getSession } from '@caretaker/contract/session.ts'
import { deleteUser } from '@caretaker/contract/people.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'

let app: TestApp
let round = 0
let tenant: string
let owner: string
let manager: string
let memberId: string
/** The location of the tenant's documents. */
let address: string

beforeAll(async () => {
  app = await testApp()
  await app.addTenant('elsewhere')
  await app.addMember('elsewhere', 'stranger@elsewhere.test', 'Developer')
})
afterAll(() => app.close())
beforeEach(async () => {
  tenant = `t${++round}`
  owner = `owner@${tenant}.test`
  manager = `manager@${tenant}.test`
  address = saveDocument.path.replace('{tenant}', tenant)
  await app.addTenant(tenant)
  memberId = await app.addMember(tenant, owner, 'Guest')
  await app.addMember(tenant, manager, 'Manager')
})

const content = { columns: ['serial', 'monitoring'], filters: [], sorts: [] }
const metadata = (userViewName = 'Mine', userViewType = 'Bcms') => JSON.stringify({ userViewName, userViewType })
const fileOf = (given: unknown) =>
  new File([typeof given === 'string' ? given : JSON.stringify(given)], 'view.json', { type: 'application/json' })
const save = (form: object = {}, as = owner) =>
  app.send(
    saveDocument,
    { params: { tenant }, form: { content: fileOf(content), metadata: metadata(), ...form } as never },
    as,
  )
const made = async (form: object = {}, as = owner) => {
  const { status, body } = await save(form, as)
  assert.equal(status, 201, JSON.stringify(body))
  return body
}
const query = (userId: string) =>
  ({ userId, contentType: 'application/json', documentType: 'ListingViewConfig' }) as const
const list = async (as = owner, userId?: string) => {
  const own = userId ?? (await app.send(getSession, {}, as)).body.userId
  return app.send(getDocuments, { params: { tenant }, query: query(own) }, as)
}
const read = (id: string, as = owner) => app.send(getDocument, { params: { tenant, id } }, as)
const remove = (id: string, as = owner) => app.send(deleteDocument, { params: { tenant, id } }, as)

describe('the saved list views of a user', () => {
  test('are listed for the user, under either id, by name [dev-7views-1 dev-3ent-7]', async () => {
    const b = await made({ metadata: metadata('b') })
    const a = await made({ metadata: metadata('A', 'VStats'), content: fileOf({ columns: ['serial'], filters: [] }) })
    await made({}, manager)
    const { status, body } = await list()
    assert.equal(status, 200)
    assert.deepEqual(body.results, [a, b])
    assert.deepEqual((await list(owner, memberId)).body.results, [a, b])
    assert.deepEqual(a.metadata, { userViewName: 'A', userViewType: 'VStats' })
    for (const field of ['id', 'metadata', 'content', 'contentType', 'userId']) assert.ok(field in a, field)
    assert.equal(a.documentType, 'ListingViewConfig')
  })

  test('are private: another user is forbidden, an unknown one not found', async () => {
    await made()
    assert.equal((await list(manager, memberId)).status, 403)
    const { userId } = (await app.send(getSession, {}, owner)).body
    assert.equal((await list(manager, userId)).status, 403)
    assert.equal((await list(manager, crypto.randomUUID())).status, 404)
    assert.equal((await list('stranger@elsewhere.test')).status, 404)
    assert.equal((await save({ userId: memberId }, manager)).status, 403)
    assert.deepEqual((await list(manager)).body.results, [])
  })

  test('are queried by type and user', async () => {
    for (const bad of [
      { userId: 'x' },
      { documentType: 'Other' },
      { contentType: 'text/plain' },
      { owner: memberId },
    ]) {
      const asked = { ...query(memberId), ...bad } as never
      assert.equal((await app.send(getDocuments, { params: { tenant }, query: asked }, owner)).status, 400)
    }
  })

  test('are read one by one, by the owner only [dev-7views-2]', async () => {
    const document = await made()
    assert.deepEqual((await read(document.id)).body, document)
    assert.deepEqual(document.content, content)
    assert.equal((await read(document.id, manager)).status, 404)
    assert.equal((await read(crypto.randomUUID())).status, 404)
    const elsewhere = { params: { tenant: 'elsewhere', id: document.id } }
    assert.equal((await app.send(getDocument, elsewhere, 'stranger@elsewhere.test')).status, 404)
    assert.equal((await app.send(getDocument, elsewhere, owner)).status, 404)
  })

  test('contain no address where personal data is hidden', async () => {
    const filters = [{ fieldId: 'address', filterOp: 'contains', value: 'Secret' }]
    const document = await made({ content: fileOf({ columns: ['address', 'serial'], filters }) })
    await app.database.owner.query(
      `insert into tenant_feature (tenant_id, feature) values ($1, 'HideCustomerPersonalData')`,
      [tenant],
    )
    assert.deepEqual((await read(document.id)).body.content, { columns: ['serial'], filters: [], sorts: [] })
    assert.ok(!JSON.stringify((await list()).body).includes('Secret'))
    const again = await save({ metadata: metadata('Again'), content: fileOf({ columns: ['address'], filters: [] }) })
    assert.equal(again.status, 400)
  })
})

describe('saving a list view', () => {
  test('creates a document, whose address is in the location header [dev-7views-3 dev-7views-4]', async () => {
    const data = new FormData()
    data.append('content', fileOf(content))
    data.append('metadata', metadata())
    data.append('contentType', 'application/json')
    data.append('documentType', 'ListingViewConfig')
    const encoded = new Response(data)
    const response = await app.app.inject({
      method: 'POST',
      url: address,
      headers: {
        authorization: `Bearer ${await app.token(owner)}`,
        'content-type': encoded.headers.get('content-type')!,
      },
      payload: Buffer.from(await encoded.arrayBuffer()),
    })
    assert.equal(response.statusCode, 201, response.body)
    const { id } = response.json<{ id: string }>()
    assert.equal(response.headers.location, `${address}/${id}`)
    const found = await app.app.inject({
      url: response.headers.location,
      headers: { authorization: `Bearer ${await app.token(owner)}` },
    })
    assert.deepEqual(found.json(), response.json())
  })

  test("replaces the one that documentId names, if it is the user's own", async () => {
    const document = await made()
    const form = { documentId: document.id, content: fileOf({ columns: ['name'], filters: [] }) }
    assert.equal((await save(form, manager)).status, 404)
    assert.equal((await save({ ...form, documentId: crypto.randomUUID() })).status, 404)
    const changed = await made({ ...form, metadata: metadata('Renamed') })
    assert.equal(changed.id, document.id)
    assert.ok(changed.updatedAt > document.updatedAt)
    assert.deepEqual((await list()).body.results, [changed])
    assert.deepEqual(
      [changed.content.columns, changed.metadata],
      [['name'], { userViewName: 'Renamed', userViewType: 'Bcms' }],
    )
  })

  test('over a version saved meanwhile is a conflict', async () => {
    const { id: documentId, updatedAt } = await made()
    const form = (column: string) => ({ documentId, updatedAt, content: fileOf({ columns: [column], filters: [] }) })
    const answers = await Promise.all([save(form('name')), save(form('status'))])
    assert.deepEqual(
      answers.map(({ status }) => status).sort((a, b) => a - b),
      [201, 409],
    )
    const { body } = answers.find(({ status }) => status === 409)!
    assert.match(body.message, /has saved this view/)
    const [left] = (await list()).body.results
    assert.deepEqual(left, answers.find(({ status }) => status === 201)!.body)
    await made({ ...form('serial'), updatedAt: left!.updatedAt })
  })

  test('under a name that the user has for this grid, or that is built in, is refused', async () => {
    const first = await made()
    const inUse = [{ field: 'metadata.userViewName', message: 'View name already in use' }]
    for (const name of ['mine', ' MINE ', 'Failed', 'boilers']) {
      const { status, body } = await save({ metadata: metadata(name) })
      assert.deepEqual([status, body.validationErrors], [400, inUse], name)
    }
    await made({ metadata: metadata('Mine', 'VStats'), content: fileOf({ columns: ['serial'], filters: [] }) })
    await made({}, manager)
    await made({ documentId: first.id, metadata: metadata('MINE') })
    const second = await made({ metadata: metadata('Second') })
    assert.deepEqual((await save({ documentId: second.id })).body.validationErrors, inUse)
    const twins = await Promise.all([1, 2, 3].map(() => save({ metadata: metadata('Twin') })))
    assert.deepEqual(
      twins.map(({ status }) => status).sort((a, b) => a - b),
      [201, 400, 400],
    )
  })

  test('accepts columns and filters of the grid, as JSON of at most 64 kB', async () => {
    const bad: [unknown, string][] = [
      ['{', 'content'],
      ['', 'content'],
      ['null', 'content'],
      [[], 'content'],
      [{ filters: [] }, 'content.columns'],
      [{ ...content, columns: [] }, 'content.columns'],
      [{ ...content, columns: ['nonsense'] }, 'content.columns.0'],
      [{ ...content, columns: ['serial', 'floor'] }, 'content.columns.1'],
      [{ ...content, filters: [{ fieldId: 'firmware', filterOp: 'equals', value: '1' }] }, 'content.filters.0'],
      [{ ...content, filters: [{ fieldId: 'name', filterOp: 'like', value: '1' }] }, 'content.filters.0.filterOp'],
      [{ ...content, sorts: [{ fieldId: 'tags' }] }, 'content.sorts.0'],
      [{ ...content, owner: 'me' }, 'content'],
    ]
    for (const [given, field] of bad) {
      const { status, body } = await save({ content: fileOf(given) })
      assert.equal(status, 400, JSON.stringify(given))
      assert.deepEqual([...new Set(body.validationErrors.map((error: { field: string }) => error.field))], [field])
    }
    assert.equal((await save({ content: fileOf(' '.repeat(70_000)) })).status, 413)
    assert.deepEqual((await list()).body.results, [])
  })

  test('accepts only a form with a file, a name and a grid', async () => {
    const forms = [
      { content: 'text' },
      { metadata: '{' },
      { metadata: '{}' },
      { metadata: metadata('') },
      { metadata: metadata('x'.repeat(61)) },
      { metadata: metadata('Mine', 'Kettles') },
      { metadata: JSON.stringify({ userViewName: 'Mine', userViewType: 'Bcms', more: 1 }) },
      { documentId: 'x' },
      { updatedAt: 'yesterday' },
      { contentType: 'text/html' },
      { documentType: 'Other' },
      { owner: 'me' },
      { tenant: 'elsewhere' },
    ]
    for (const form of forms) assert.equal((await save(form)).status, 400, JSON.stringify(form))
    const authorization = `Bearer ${await app.token(owner)}`
    const json = await app.app.inject({ method: 'POST', url: address, headers: { authorization }, payload: content })
    assert.equal(json.statusCode, 415)
  })

  test('of a grid that the user may not see is forbidden', async () => {
    assert.equal((await save({ metadata: metadata('Mine', 'HomeHubs') })).status, 403)
    const lighting = `lighting@${tenant}.test`
    await app.addMember(tenant, lighting, 'LightingEngineer')
    assert.equal((await save({}, lighting)).status, 403)
  })
})

test('a document is deleted once, and only by its owner [dev-7views-5]', async () => {
  const document = await made()
  assert.equal((await remove(document.id, manager)).status, 404)
  assert.equal((await remove(document.id)).status, 204)
  assert.deepEqual((await list()).body.results, [])
  assert.equal((await read(document.id)).status, 404)
  assert.equal((await remove(document.id)).status, 404)
})

test('every change is recorded, and the documents of a deleted user are deleted', async () => {
  const document = await made()
  await made({ documentId: document.id, content: fileOf({ ...content, columns: ['name'] }) })
  await remove(document.id)
  const left = await made({ metadata: metadata('Left') })
  assert.equal((await app.send(deleteUser, { params: { tenant, id: memberId } }, manager)).status, 200)
  const admin = `admin@${tenant}.test`
  await app.addMember(tenant, admin, 'Admin')
  const { results } = (await app.send(getAudit, { params: { tenant }, query: {} }, admin)).body
  assert.deepEqual(
    results
      .filter((entry) => entry.subjectType === 'view')
      .map(({ action, subject, userName }) => `${userName}: ${action} ${subject}`)
      .toReversed(),
    [
      'owner: view created Mine',
      'owner: view changed Mine',
      'owner: view deleted Mine',
      'owner: view created Left',
      'manager: view deleted Left',
    ],
  )
  const { rowCount } = await app.database.owner.query('select from view_definition where id = $1', [left.id])
  assert.equal(rowCount, 0)
})
