import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { getAudit } from '@caretaker/contract/audit.ts'
import { getDocument, getDocuments, saveDocument } from '@caretaker/contract/documents.ts'
import { createViewDefinition, getViewDefinitions, updateViewDefinition } from '@caretaker/contract/views.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'

let app: TestApp
let owner: string
const tenant = 'north'
const me = 'me@north.test'
const other = 'other@north.test'

beforeAll(async () => {
  app = await testApp()
  for (const id of [tenant, 'south']) await app.addTenant(id)
  owner = await app.addMember(tenant, me, 'Manager')
  await app.addMember(tenant, other, 'Manager')
})
afterAll(() => app.close())

const documents = async (email = me) => {
  const userId = email === me ? owner : await memberOf(email)
  const query = { userId, documentType: 'ListingViewConfig' } as const
  const { results } = (await app.send(getDocuments, { params: { tenant }, query }, email)).body
  return results.filter((document) => document.documentType === 'ListingViewConfig')
}
const memberOf = async (email: string) =>
  (await app.database.owner.query<{ id: string }>('select id from membership where email = $1', [email])).rows[0]!.id
const definitions = async (email: string) =>
  (await app.send(getViewDefinitions, { body: { tenant } }, email)).body.data!.views.filter((view) => !view.builtIn)
const save = (name: string, grid: string, more: object = {}) =>
  app.send(
    saveDocument,
    {
      params: { tenant },
      form: {
        content: new File([JSON.stringify({ columns: ['serial'], filters: [] })], 'view.json'),
        metadata: JSON.stringify({ userViewName: name, userViewType: grid }),
        ...more,
      } as never,
    },
    me,
  )

test('a document is a private view in both kinds of calls, and nobody else’s', async () => {
  const { id } = (await save('Mine', 'Bcms')).body
  const found = (await definitions(me)).find(({ viewId }) => viewId === id)!
  assert.deepEqual([found.label, found.root, found.private, found.owner], ['Mine', 'bcm', true, owner])
  assert.ok((await documents()).some((document) => document.id === id))
  assert.deepEqual(await definitions(other), [])
  assert.deepEqual(await documents(other), [])
})

test('names, versions and the audit follow the same rules in either call', async () => {
  const body = {
    tenant,
    view: { root: 'boiler' as const, label: 'Shared name', columns: ['serial' as const], filters: [] },
  }
  const { viewId } = (await app.send(createViewDefinition, { body }, me)).body.data!
  const taken = await save('shared NAME', 'Boilers')
  assert.equal(taken.status, 400)
  assert.deepEqual(taken.body.validationErrors, [
    { field: 'metadata.userViewName', message: 'View name already in use' },
  ])
  const document = (await documents()).find(({ id }) => id === viewId)!
  const saved = await save('Shared name', 'Boilers', { documentId: viewId, updatedAt: document.updatedAt })
  assert.equal(saved.status, 201)
  // The view call had the former version, and is refused.
  assert.equal(
    (await app.send(updateViewDefinition, { body: { tenant, view: { viewId, version: 1, columns: ['name'] } } }, me))
      .status,
    200,
  )
  const stale = await save('Other', 'Boilers', { documentId: viewId, updatedAt: saved.body.updatedAt })
  assert.equal(stale.status, 409)
  const admin = 'admin@north.test'
  await app.addMember(tenant, admin, 'Admin')
  const { results } = (await app.send(getAudit, { params: { tenant }, query: { subject: viewId } }, admin)).body
  assert.deepEqual(
    results.map(({ action, after }) => [action, after?.['columns']]),
    [
      ['view changed', ['name']],
      ['view created', ['serial']],
    ],
  )
})

test('a view that its owner makes public is no longer a document', async () => {
  const { id: viewId } = (await save('For all', 'Boilers')).body
  assert.equal(
    (await app.send(updateViewDefinition, { body: { tenant, view: { viewId, version: 1, private: false } } }, me))
      .status,
    200,
  )
  assert.equal((await app.send(getDocument, { params: { tenant, id: viewId } }, me)).status, 404)
  assert.ok((await definitions(other)).some((view) => view.viewId === viewId))
})
