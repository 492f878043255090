import assert from 'node:assert/strict'
import { afterAll, beforeAll, beforeEach, test } from 'vitest'
import { deleteDocument, getDocument, getDocuments, saveDocument } from '@caretaker/contract/documents.ts'
import { operator } from '../../audit/audit.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { requestResidence, setApproved } from '../residents/service.ts'

let app: TestApp
let round = 0
let tenant: string
let manager: string
const userId = 'auth0|ann'

beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
beforeEach(async () => {
  tenant = `t${++round}`
  manager = `manager@${tenant}.test`
  await app.addTenant(tenant, { features: ['ManageResidentAccess', 'ManageApplication'] })
  await app.addMember(tenant, manager, 'Manager')
  await inTenant(app.database.db, tenant, async (tx) => {
    const property = { tenant_id: tenant, id: crypto.randomUUID(), reference: 'NG-1', postcode: 'LS6 1AB' }
    await tx.insertInto('property').values(property).execute()
    for (const appUserId of [userId, 'waiting']) {
      const wish = {
        appUserId,
        email: 'ann@residents.test',
        name: 'Ann',
        propertyReference: 'NG-1',
        postcode: 'LS61AB',
      }
      const residenceId = await requestResidence({ tx, person: operator }, wish)
      if (appUserId === userId) await setApproved({ tx, person: operator }, { auth0UserId: userId, residenceId }, true)
    }
  })
})

const save = (text: string, form: object = {}, as = manager) =>
  app.send(
    saveDocument,
    {
      params: { tenant },
      form: {
        content: new File([text], 'tips.md', { type: 'text/markdown' }),
        ...{ userId, contentType: 'text/markdown', documentType: 'SavingsAndTips', ...form },
      } as never,
    },
    as,
  )
const query = { userId, contentType: 'text/markdown', documentType: 'SavingsAndTips' } as const
const list = async (as = manager, of: object = {}) =>
  app.send(getDocuments, { params: { tenant }, query: { ...query, ...of } as never }, as)
const read = (id: string, as = manager) => app.send(getDocument, { params: { tenant, id } }, as)
const remove = (id: string, as = manager) => app.send(deleteDocument, { params: { tenant, id } }, as)

test('savings and tips are stored, listed by resident, fetched by location, replaced and deleted [est-3-34] [est-7.3-6] [est-7.3-8] [est-7.3-9] [est-1-16]', async () => {
  assert.deepEqual((await list()).body.results, [])
  const { status, body } = await save('## Warm rooms')
  assert.equal(status, 201, JSON.stringify(body))
  const { id, updatedAt, resourceLocation, ...rest } = body as never as Record<string, string>
  assert.deepEqual(rest, { documentType: 'SavingsAndTips', contentType: 'text/markdown', userId, fileName: 'tips.md' })
  assert.ok(updatedAt)
  assert.equal(resourceLocation, getDocument.path.replace('{tenant}', tenant).replace('{id}', id!))
  assert.deepEqual((await list()).body.results, [body])
  const response = await app.app.inject({
    url: resourceLocation,
    headers: { authorization: `Bearer ${await app.token(manager)}` },
  })
  assert.equal(response.body, '## Warm rooms')
  assert.match(String(response.headers['content-type']), /^text\/markdown/)
  assert.match(String(response.headers['content-security-policy']), /sandbox/)
  const again = await save('## Warmer rooms', { documentId: id })
  assert.deepEqual([again.status, again.body.id], [201, id])
  assert.equal((await read(id!)).body as unknown, '## Warmer rooms')
  assert.equal((await save('x', { documentId: crypto.randomUUID() })).status, 404)
  assert.equal((await remove(id!)).status, 204)
  assert.equal((await remove(id!)).status, 404)
  assert.deepEqual((await list()).body.results, [])
})

test('two simultaneous writes leave one text', async () => {
  const answers = await Promise.all(['a', 'b', 'c'].map((text) => save(text)))
  assert.ok(answers.every(({ status }) => status === 201))
  assert.equal((await list()).body.results.length, 1)
})

test('they are plain text of limited length, for existing residents with access to a property', async () => {
  assert.equal((await save('x', { userId: 'waiting' })).status, 422)
  assert.equal((await save('x', { userId: 'nobody' })).status, 404)
  assert.equal((await list(manager, { userId: 'nobody' })).status, 404)
  assert.equal((await save('')).status, 400)
  assert.equal((await save(' \n ')).status, 400)
  assert.equal((await save('x'.repeat(20_001))).status, 400)
  assert.equal((await save('- '.repeat(500_000))).status, 413)
  assert.equal((await save('a\u0000b')).status, 400)
  assert.equal((await save('x', { contentType: 'text/html' })).status, 400)
  assert.equal((await save('x'.repeat(20_000))).status, 201)
})

test('they are read and written with the feature only, by managers, within the tenant', async () => {
  const { id } = (await save('## Warm rooms')).body
  for (const [who, tags] of [
    ['guest', []],
    ['limited', [crypto.randomUUID()]],
  ] as const)
    await app.addMember(tenant, `${who}@${tenant}.test`, who === 'guest' ? 'Guest' : 'Manager', [...tags])
  assert.equal((await read(id, `guest@${tenant}.test`)).status, 200)
  assert.equal((await save('x', {}, `guest@${tenant}.test`)).status, 403)
  assert.equal((await remove(id, `guest@${tenant}.test`)).status, 403)
  assert.equal((await list(`limited@${tenant}.test`)).status, 403)
  assert.equal((await read(id, `limited@${tenant}.test`)).status, 404)
  const other = `other${round}`
  await app.addTenant(other, { features: ['ManageApplication'] })
  await app.addMember(other, `boss@${other}.test`, 'Manager')
  const elsewhere = await app.send(getDocument, { params: { tenant: other, id } }, `boss@${other}.test`)
  assert.equal(elsewhere.status, 404)
  await app.database.owner.query(`delete from tenant_feature where tenant_id = $1`, [tenant])
  assert.equal((await list()).status, 403)
  assert.equal((await save('x')).status, 403)
  assert.equal((await read(id)).status, 404)
})
