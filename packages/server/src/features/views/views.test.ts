import assert from 'node:assert/strict'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { getAudit } from '@caretaker/contract/audit.ts'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import { getSession } from '@caretaker/contract/session.ts'
import { deleteUser } from '@caretaker/contract/people.ts'
import {
  countStartPages,
  countViews,
  createViewDefinition,
  deleteViewDefinition,
  getAvailableFields,
  getStartPage,
  getViewDefinitions,
  setStartPage,
  updateViewDefinition,
} from '@caretaker/contract/views.ts'
import type { AuditAction } from '@caretaker/rules/audit/audit.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'

let app: TestApp
let round = 0
/** A client for each test, with two people of each relevant kind. */
let tenant: string
let owner: string
let colleague: string
let manager: string
let boilerEngineer: string
const ids: Record<string, string> = {}

beforeAll(async () => {
  app = await testApp()
  await app.addTenant('elsewhere')
  await app.addMember('elsewhere', 'stranger@elsewhere.test', 'Manager')
})
afterAll(() => app.close())
beforeEach(async () => {
  tenant = `t${++round}`
  await app.addTenant(tenant, { features: ['PropertyCentric'], capabilities: ['ViewProperties'] })
  const add = async (name: string, role: Parameters<TestApp['addMember']>[2]) => {
    const email = `${name}@${tenant}.test`
    ids[email] = await app.addMember(tenant, email, role)
    return email
  }
  owner = await add('owner', 'LightingEngineer')
  colleague = await add('colleague', 'Guest')
  manager = await add('manager', 'Manager')
  boilerEngineer = await add('boilers', 'BoilerEngineer')
})

const content = { columns: ['serial' as const, 'name' as const], filters: [] }
const create = (body: object = {}, as = owner) =>
  app.send(
    createViewDefinition,
    { body: { tenant, view: { root: 'emered', label: 'Mine', ...content, ...body } } as never },
    as,
  )
const made = async (body: object = {}, as = owner) => {
  const { status, body: answer } = await create(body, as)
  assert.equal(status, 200, JSON.stringify(answer))
  return answer.data!
}
const update = (view: { viewId: string; version: number }, change: object, as = owner) =>
  app.send(
    updateViewDefinition,
    { body: { tenant, view: { viewId: view.viewId, version: view.version, ...change } } as never },
    as,
  )
const remove = (viewId: string, as = owner) => app.send(deleteViewDefinition, { body: { tenant, viewId } }, as)
const list = async (as = owner) => (await app.send(getViewDefinitions, { body: { tenant } }, as)).body.data!
const saved = async (as = owner) => (await list(as)).views.filter((view) => !view.builtIn)
const rows = (viewId: string, as = owner) => app.send(fetchViewData, { body: { tenant, viewId } }, as)
async function entries(action: AuditAction) {
  await app.addMember(tenant, `admin@${tenant}.test`, 'Admin').catch(() => {})
  const answer = await app.send(getAudit, { params: { tenant }, query: { action } }, `admin@${tenant}.test`)
  return answer.body.results
}

describe('the views of a listing', () => {
  test('have id, label, category and root, built-in ones first, then public, then private ones [core-3-30 core-7.1-16 dev-3ent-2]', async () => {
    await made({ label: 'b private' })
    await made({ label: 'z public', private: false })
    await made({ label: 'a public', private: false }, manager)
    const { views } = await list()
    const [first] = views
    assert.deepEqual(
      [first!.viewId, first!.label, first!.category, first!.root],
      ['emered-main', 'Emergency Lights', 'emered', 'emered'],
    )
    const known = ['viewId', 'label', 'root', 'builtIn', 'private', 'authors', 'columns', 'filters']
    for (const view of views)
      assert.deepEqual(
        known.filter((field) => !(field in view)),
        [],
        view.label,
      )
    const split = views.findIndex((view) => !view.builtIn)
    assert.ok(views.slice(split).every((view) => !view.builtIn))
    assert.deepEqual(
      views.slice(split).map((view) => [view.label, view.private, view.ownerName]),
      [
        ['a public', false, 'manager'],
        ['z public', false, 'owner'],
        ['b private', true, 'owner'],
      ],
    )
  })

  test('are those of the listings that the user may see, with the fields of each [core-3-35 dev-3ent-5]', async () => {
    await made({ private: false })
    const { views, fields } = await list(boilerEngineer)
    assert.ok(!views.some((view) => view.root === 'emered'))
    assert.ok(!('emered' in fields))
    assert.ok(fields.boiler!.length > 0)
    for (const field of Object.values(fields).flat()) {
      assert.equal(typeof field.viewable, 'boolean')
      for (const name of ['fieldId', 'label', 'sortable', 'dataType', 'viewFilterable', 'filterOps', 'filterSuggests'])
        assert.ok(name in field, name)
      assert.equal(typeof field.filterSuggestsExhaustive, 'boolean')
    }
    assert.equal(fields.boiler!.find((field) => field.fieldId === 'latitude')!.viewable, false)
    assert.equal(fields.boiler!.find((field) => field.fieldId === 'serial')!.viewable, true)
  })

  test('contain filters of field, comparison and value; the default comparison is equals [dev-3ent-3 dev-3ent-4]', async () => {
    const view = await made({ filters: [{ fieldId: 'building', value: 'Alder House' }] })
    assert.deepEqual(view.filters, [{ fieldId: 'building', filterOp: 'equals', value: 'Alder House' }])
  })

  test('contain no addresses where personal data is hidden, even if created before', async () => {
    const filter = { fieldId: 'address', filterOp: 'contains', value: '1 Secret Street' }
    const view = await made({ columns: ['serial', 'address'], filters: [filter], private: false })
    const only = await made({ label: 'Only addresses', columns: ['address', 'postcode'] })
    await app.database.owner.query(
      `insert into tenant_feature (tenant_id, feature) values ($1, 'HideCustomerPersonalData')`,
      [tenant],
    )
    const { views, fields } = await list()
    assert.ok(!JSON.stringify(views).includes('Secret'))
    assert.ok(!views.some((one) => one.columns.includes('address')))
    assert.ok(!fields.emered!.some((field) => field.fieldId === 'postcode'))
    assert.deepEqual(views.find((one) => one.viewId === view.viewId)!.columns, ['serial'])
    assert.ok(views.find((one) => one.viewId === only.viewId)!.columns.includes('serial'))
    assert.equal((await rows(view.viewId)).status, 200)
    assert.equal((await create({ label: 'New', filters: [filter] })).status, 400)
    assert.equal((await create({ label: 'New', columns: ['address'] })).status, 400)
    const entriesText = JSON.stringify(await entries('view created'))
    assert.ok(!entriesText.includes('Secret'), entriesText)
  })

  test('have the fields of devices as four lists [core-3-34 core-3-35 core-7.1-8]', async () => {
    const { body } = await app.send(getAvailableFields, { body: { tenant } }, owner)
    assert.deepEqual(Object.keys(body.data!).sort(), ['boiler', 'device', 'emered', 'thirdParty'])
    for (const field of Object.values(body.data!).flat()) assert.equal(typeof field.viewable, 'boolean')
    assert.ok(body.data!.device.length > body.data!.emered.length)
  })

  test('are visible only to owner and authors if private', async () => {
    const view = await made()
    for (const other of [colleague, manager]) {
      assert.deepEqual(await saved(other), [])
      assert.equal((await rows(view.viewId, other)).status, 404)
      assert.equal((await update(view, content, other)).status, 404)
      assert.equal((await remove(view.viewId, other)).status, 404)
      assert.equal((await app.send(countViews, { body: { tenant, viewIds: [view.viewId] } }, other)).status, 404)
    }
    await update(view, { authors: [ids[colleague]] })
    assert.deepEqual(
      (await saved(colleague)).map((one) => one.authors),
      [[ids[colleague]]],
    )
    assert.equal((await rows(view.viewId, colleague)).status, 200)
  })

  test("do not include another client's, nor those of a listing that is closed to the user", async () => {
    const view = await made({ private: false })
    const body = { tenant: 'elsewhere', viewId: view.viewId }
    const stranger = 'stranger@elsewhere.test'
    assert.equal((await app.send(deleteViewDefinition, { body }, stranger)).status, 404)
    assert.equal(
      (
        await app.send(
          updateViewDefinition,
          { body: { tenant: body.tenant, view: { viewId: view.viewId, version: 1 } } },
          stranger,
        )
      ).status,
      404,
    )
    assert.equal((await app.send(fetchViewData, { body }, stranger)).status, 404)
    assert.equal((await update(view, content, boilerEngineer)).status, 404)
    assert.equal((await remove(view.viewId, boilerEngineer)).status, 404)
    assert.equal((await saved()).length, 1)
  })
})

describe('a new view', () => {
  test("is created as given, owned by the user under the session's id, and opens [core-7.1-17 dev-7views-6]", async () => {
    const failed = await addDevice(app, tenant, { status: 'FailedEquipment' })
    await addDevice(app, tenant)
    const filters = [{ fieldId: 'status', filterOp: 'equals', value: 'FailedEquipment' }]
    const sorts = [{ fieldId: 'name', descending: true }]
    const view = await made({ label: '  Failed   lights ', filters, sorts })
    const { memberId } = (await app.send(getSession, {}, owner)).body.tenants[0]!
    assert.deepEqual(
      { ...view, viewId: '' },
      {
        viewId: '',
        label: 'Failed lights',
        root: 'emered',
        category: 'emered',
        builtIn: false,
        private: true,
        authors: [],
        owner: memberId,
        ownerName: 'owner',
        columns: ['serial', 'name'],
        filters,
        sorts,
        version: 1,
      },
    )
    assert.deepEqual(await saved(), [view])
    const page = (await rows(view.viewId)).body.data!
    assert.deepEqual(
      page.rows.map((row) => row.deviceId),
      [failed],
    )
    const [entry] = await entries('view created')
    assert.deepEqual(
      [entry!.subject, entry!.userName, entry!.after!.label],
      ['Failed lights', 'owner', 'Failed lights'],
    )
  })

  test('with unknown columns, filters or order is refused, each by its name', async () => {
    const { status, body } = await create({
      columns: ['serial', 'monitoring', 'latitude'],
      filters: [
        { fieldId: 'firmware', filterOp: 'equals', value: '1' },
        { fieldId: 'name', filterOp: 'from', value: 'a' },
      ],
      sorts: [{ fieldId: 'tags' }],
    })
    assert.equal(status, 400)
    assert.deepEqual(
      body.validationErrors.map((error: { field: string }) => error.field),
      ['columns.1', 'columns.2', 'filters.0', 'filters.1', 'sorts.0'].map((field) => `view.${field}`),
    )
    for (const bad of [
      { columns: [] },
      { columns: ['nonsense'] },
      { columns: null },
      { label: ' ' },
      { label: 'x'.repeat(61) },
    ])
      assert.equal((await create(bad)).status, 400, JSON.stringify(bad))
    for (const bad of [{ root: 'bcm' }, { colour: 'red' }, { filters: [{}] }, { version: -1 }])
      assert.equal((await create(bad)).status, 400, JSON.stringify(bad))
    assert.deepEqual(await saved(), [])
  })

  test('is created from a whole view that was returned, and belongs to its creator [core-7.1-17]', async () => {
    const view = await made({ label: 'Pattern', private: false })
    const { status, body } = await create({ ...view, label: 'Copy', private: true }, colleague)
    assert.equal(status, 200, JSON.stringify(body))
    const { viewId } = body.data!
    assert.notEqual(viewId, view.viewId)
    const own = { viewId, label: 'Copy', private: true, owner: ids[colleague], ownerName: 'colleague' }
    assert.deepEqual(body.data, { ...view, ...own })
    assert.deepEqual(await saved(), [view])
  })

  test('of a listing that the user may not see is forbidden', async () => {
    assert.equal((await create({}, boilerEngineer)).status, 403)
    assert.equal((await create({ root: 'boiler' })).status, 403)
  })

  test('has a name that no other view visible to the user has', async () => {
    await made({ label: 'Mine' })
    await made({ label: 'Shared', private: false }, manager)
    const refused = async (label: string, as = owner) => {
      const { status, body } = await create({ label }, as)
      assert.equal(status, 400, label)
      assert.deepEqual(body.validationErrors, [{ field: 'view.label', message: 'View name already in use' }])
    }
    for (const label of ['mine', 'SHARED', 'Failed', 'emergency lights']) await refused(label)
    // Another user's private name is not disclosed.
    await made({ label: 'Mine' }, colleague)
    assert.equal((await create({ label: 'Mine', root: 'networking' })).status, 200)
    const { body } = await create({ label: ' ' })
    assert.deepEqual(body.validationErrors, [{ field: 'view.label', message: 'Please enter view name' }])
  })

  test('created twice with one name at once exists once', async () => {
    const answers = await Promise.all(
      [owner, colleague, manager].map((as) => create({ label: 'Contested', private: false }, as)),
    )
    assert.deepEqual(
      answers.map(({ status }) => status).sort((a, b) => a - b),
      [200, 400, 400],
    )
    assert.equal((await saved()).length, 1)
  })
})

describe('a change of a view', () => {
  test('keeps what is not given, and is visible to everyone afterwards [core-7.1-18 dev-7views-6]', async () => {
    const view = await made()
    const { status, body } = await update(view, { columns: ['name', 'status'] })
    assert.equal(status, 200)
    assert.deepEqual(body.data, { ...view, columns: ['name', 'status'], version: 2 })
    assert.deepEqual(await saved(), [body.data])
    const [entry] = await entries('view changed')
    assert.deepEqual(
      [entry!.subjectId, entry!.before, entry!.after],
      [view.viewId, { columns: ['serial', 'name'] }, { columns: ['name', 'status'] }],
    )
  })

  test('accepts the whole view that was returned, from anyone who may change what differs [core-7.1-18]', async () => {
    const author = ids[colleague]!
    const view = await made({ private: false, filters: [{ fieldId: 'status', filterOp: 'equals', value: 'Ok' }] })
    await update(view, { authors: [author] })
    const whole = (await saved(colleague))[0]!
    const { status, body } = await update(whole, { ...whole, columns: ['name', 'room'] }, colleague)
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(body.data, { ...whole, columns: ['name', 'room'], version: whole.version + 1 })
    assert.deepEqual(await saved(colleague), [body.data])
    const [entry] = await entries('view changed')
    assert.deepEqual([entry!.before, entry!.after], [{ columns: ['serial', 'name'] }, { columns: ['name', 'room'] }])
    // The counter-example: an author cannot change the name. Fields that no user can change are ignored.
    const now = body.data!
    assert.equal((await update(now, { ...now, label: 'Theirs' }, colleague)).status, 403)
    const same = await update(now, { ...now, owner: author, ownerName: 'colleague', root: 'boiler' }, colleague)
    assert.deepEqual(same.body.data, now)
  })

  test('of a whole view keeps the columns that personal data hides from the person who saves', async () => {
    const view = await made({ private: false, columns: ['serial', 'address'] })
    await app.database.owner.query(
      `insert into tenant_feature (tenant_id, feature) values ($1, 'HideCustomerPersonalData')`,
      [tenant],
    )
    const [seen] = await saved()
    assert.deepEqual(seen!.columns, ['serial'])
    assert.equal((await update(view, { ...seen, label: 'Renamed' })).status, 200)
    await app.database.owner.query('delete from tenant_feature where tenant_id = $1', [tenant])
    const [now] = await saved()
    assert.deepEqual([now!.label, now!.columns], ['Renamed', ['serial', 'address']])
  })

  test('that changes nothing is no change', async () => {
    const view = await made()
    assert.equal((await update(view, content)).body.data!.version, 1)
    assert.deepEqual(await entries('view changed'), [])
  })

  test('of a view that someone else saved meanwhile is a conflict, and changes nothing', async () => {
    const view = await made({ private: false })
    await update(view, { columns: ['name'] }, manager)
    const { status, body } = await update(view, { columns: ['status'] })
    assert.equal(status, 409)
    assert.equal(body.message, 'Someone else has saved this view. Reload it before you save.')
    assert.deepEqual((await saved())[0]!.columns, ['name'])
  })

  test('by two people at once is made by one of them', async () => {
    const view = await made({ private: false })
    const answers = await Promise.all([
      update(view, { columns: ['name'] }, manager),
      update(view, { columns: ['status'] }, owner),
    ])
    assert.deepEqual(
      answers.map(({ status }) => status).sort((a, b) => a - b),
      [200, 409],
    )
    assert.equal((await saved())[0]!.version, 2)
  })

  test('is made by entitled users: content by authors too, name, authors and visibility by owner and managers', async () => {
    const view = await made({ private: false })
    const content = { columns: ['status'] }
    const manages = [{ label: 'Other' }, { private: true }, { authors: [ids[manager]] }]
    for (const change of [content, ...manages])
      assert.equal((await update(view, change, colleague)).status, 403, JSON.stringify(change))
    assert.equal((await remove(view.viewId, colleague)).status, 403)
    assert.equal((await update(view, { authors: [ids[colleague]] })).status, 200)
    for (const change of manages) assert.equal((await update({ ...view, version: 2 }, change, colleague)).status, 403)
    assert.equal((await update({ ...view, version: 2 }, { ...content, label: 'Other' }, colleague)).status, 403)
    assert.equal((await update({ ...view, version: 2 }, content, colleague)).status, 200)
    assert.equal((await update({ ...view, version: 3 }, { label: 'By the manager' }, manager)).status, 200)
    assert.equal((await remove(view.viewId, colleague)).status, 403)
    assert.equal((await saved())[0]!.label, 'By the manager')
  })

  test('by a limited manager applies to public views, and never shows them more devices', async () => {
    const tag = await addAccessRightsTag(app, tenant, 'East')
    const limited = `limited@${tenant}.test`
    await app.addMember(tenant, limited, 'Manager', [tag])
    const seen = await addDevice(app, tenant, { accessRightsTagId: tag })
    await addDevice(app, tenant)
    const view = await made({ private: false })
    assert.equal((await update(view, { columns: ['name'] }, limited)).status, 200)
    const page = (await rows(view.viewId, limited)).body.data!
    assert.deepEqual([page.total, page.rows[0]!.deviceId], [1, seen])
    const counts = await app.send(countViews, { body: { tenant, viewIds: [view.viewId, 'emered-main'] } }, limited)
    assert.deepEqual(counts.body.data, { [view.viewId]: 1, 'emered-main': 1 })
  })

  test('of its authors accepts users of the client only', async () => {
    const view = await made()
    const foreign = await app.addMember('elsewhere', `a${round}@elsewhere.test`, 'Guest')
    for (const id of [foreign, crypto.randomUUID()]) {
      const { status, body } = await update(view, { authors: [ids[colleague], id] })
      assert.equal(status, 400)
      assert.deepEqual(body.validationErrors, [{ field: 'view.authors.1', message: 'This user does not exist.' }])
    }
    const { body } = await update(view, { authors: [ids[colleague], ids[colleague]] })
    assert.deepEqual(body.data!.authors, [ids[colleague]])
  })

  test('of its name is refused when it is in use, also by making it public', async () => {
    await made({ label: 'Shared', private: false }, manager)
    const view = await made()
    const inUse = [{ field: 'view.label', message: 'View name already in use' }]
    for (const label of ['shared', 'Failed'])
      assert.deepEqual((await update(view, { label })).body.validationErrors, inUse)
    assert.equal((await update(view, { label: 'MINE' })).status, 200)
    const theirs = await made({ label: 'Same' }, colleague)
    const ours = await made({ label: 'Same' })
    assert.equal((await update(ours, { private: false })).status, 200)
    const { status, body } = await update(theirs, { private: false }, colleague)
    assert.deepEqual([status, body.validationErrors], [400, inUse])
    // The present name may be sent again.
    assert.equal((await update(theirs, { columns: ['name'] }, colleague)).status, 200)
  })

  test('to a name that another gets at the same moment is made once', async () => {
    const [one, two] = [await made({ label: 'One', private: false }), await made({ label: 'Two', private: false })]
    const answers = await Promise.all([update(one, { label: 'Contested' }), update(two, { label: 'contested' })])
    assert.deepEqual(
      answers.map(({ status }) => status).sort((a, b) => a - b),
      [200, 400],
    )
  })
})

test('a built-in view is neither overwritten nor deleted, by anyone [dev-2views-13]', async () => {
  const developer = `dev@${tenant}.test`
  await app.addMember(tenant, developer, 'Developer')
  for (const as of [owner, manager, developer])
    for (const viewId of ['emered-main', 'bcm-failed']) {
      for (const change of [content, { label: 'Other' }, { private: true }, { authors: [ids[manager]] }]) {
        const { body } = await update({ viewId, version: 0 }, change, as)
        assert.deepEqual([body.isSuccessful, body.message], [false, 'A system view cannot be changed or deleted.'])
      }
      assert.equal((await remove(viewId, as)).body.isSuccessful, false)
    }
  assert.equal((await list(developer)).views.find((view) => view.viewId === 'emered-main')!.label, 'Emergency Lights')
})

describe('a deleted view', () => {
  test('is gone, once, and recorded [core-7.1-19 dev-7views-6]', async () => {
    const view = await made()
    const { status, body } = await remove(view.viewId)
    assert.deepEqual([status, body.isSuccessful, body.data], [200, true, { viewId: view.viewId }])
    assert.deepEqual(await saved(), [])
    assert.equal((await rows(view.viewId)).status, 404)
    assert.equal((await remove(view.viewId)).status, 404)
    const [entry] = await entries('view deleted')
    assert.deepEqual([entry!.subject, entry!.before!.label, entry!.after], ['Mine', 'Mine', null])
  })

  test('goes with its owner if private; a public one stays, without an owner, for managers', async () => {
    const kept = await made({ label: 'Kept', private: false })
    const lost = await made({ label: 'Lost' })
    const authored = await made({ label: 'Authored' }, colleague)
    await update(lost, { authors: [ids[colleague]] })
    await update(authored, { authors: [ids[owner]] }, colleague)
    assert.equal((await app.send(deleteUser, { params: { tenant, id: ids[owner]! } }, manager)).status, 200)
    const left = await saved(colleague)
    assert.deepEqual(
      left.map(({ label, owner: of, ownerName, authors }) => ({ label, of, ownerName, authors })),
      [
        { label: 'Kept', of: null, ownerName: null, authors: [] },
        { label: 'Authored', of: ids[colleague], ownerName: 'colleague', authors: [] },
      ],
    )
    assert.equal((await entries('view deleted'))[0]!.subject, 'Lost')
    const hidden = await update(kept, { private: true }, manager)
    assert.deepEqual(
      [hidden.body.isSuccessful, hidden.body.message],
      [false, 'A view whose owner has left stays public.'],
    )
    assert.equal((await update(kept, { label: 'Renamed' }, manager)).status, 200)
    assert.equal((await remove(kept.viewId, manager)).status, 200)
  })
})

test('counts of several views leave out hidden ones', async () => {
  await addDevice(app, tenant)
  const view = await made()
  const count = async (viewIds: string[], as: string) =>
    (await app.send(countViews, { body: { tenant, viewIds } }, as)).body.data
  const body = { tenant: 'elsewhere', view: { root: 'emered' as const, label: `Theirs ${round}`, ...content } }
  const theirs = await app.send(
    createViewDefinition,
    { body: { ...body, view: { ...body.view, private: false } } },
    'stranger@elsewhere.test',
  )
  const viewIds = ['nonsense', view.viewId, theirs.body.data!.viewId, 'emered-main', 'boiler-main']
  assert.deepEqual(await count(viewIds, owner), { [view.viewId]: 1, 'emered-main': 1 })
  assert.deepEqual(await count(viewIds, colleague), { 'emered-main': 1, 'boiler-main': 0 })
  assert.deepEqual(await count(viewIds, boilerEngineer), { 'boiler-main': 0 })
  assert.deepEqual(await count(['nonsense', 'emered-main'], boilerEngineer), {})
})

test('the rows of several views are counted at once, as the listing counts them', async () => {
  await addDevice(app, tenant, { status: 'FailedEquipment' })
  await addDevice(app, tenant)
  const view = await made({ filters: [{ fieldId: 'status', filterOp: 'equals', value: 'Ok' }] })
  const viewIds = ['emered-main', 'emered-failed', view.viewId, view.viewId.toUpperCase()]
  const { body } = await app.send(countViews, { body: { tenant, viewIds } }, owner)
  assert.deepEqual(body.data, { 'emered-main': 2, 'emered-failed': 1, [view.viewId]: 1 })
  const count = (ids: string[], as: string) => app.send(countViews, { body: { tenant, viewIds: ids } }, as)
  assert.equal((await count(['emered-main'], boilerEngineer)).status, 403)
  for (const id of ['nonsense', crypto.randomUUID()]) assert.equal((await count([id], owner)).status, 404, id)
  for (const bad of [[], ['a b'], Array.from({ length: 51 }, () => 'emered-main')])
    assert.equal((await count(bad, owner)).status, 400)
})

test('views of properties are shared like those of devices: private first, public for users who see properties', async () => {
  const homes = { root: 'property', columns: ['propertyReference', 'damp'], filters: [] }
  const view = await made({ ...homes, label: 'Damp round' }, manager)
  assert.deepEqual([view.root, view.private, view.owner], ['property', true, ids[manager]])
  const labels = async (as: string) => (await saved(as)).map(({ label }) => label)
  assert.deepEqual(await labels(colleague), [])
  assert.equal((await update(view, { private: false }, colleague)).status, 404)
  const shared = (await update(view, { private: false }, manager)).body.data!
  assert.deepEqual(await labels(colleague), ['Damp round'])
  assert.equal((await update(shared, { columns: ['damp'] }, colleague)).status, 403)
  const authored = (await update(shared, { authors: [ids[colleague]] }, manager)).body.data!
  assert.equal((await update(authored, { columns: ['damp'] }, colleague)).status, 200)
  assert.equal((await update(authored, { columns: ['address'] }, manager)).status, 409)
})

describe('a start page', () => {
  const choose = (viewId: string | null, as: string) => app.send(setStartPage, { body: { tenant, viewId } }, as)
  const startOf = async (as: string) => (await app.send(getStartPage, { body: { tenant } }, as)).body.data!.viewId
  const starts = (viewId: string, as: string) => app.send(countStartPages, { body: { tenant, viewId } }, as)

  test('is the Dashboard until each user chooses a view of any list', async () => {
    const view = await made({ root: 'property', columns: ['damp'], private: false }, manager)
    assert.equal(await startOf(colleague), null)
    for (const viewId of [view.viewId, 'property-void', 'bcm-failed', null]) {
      assert.equal((await choose(viewId, colleague)).status, 200)
      assert.equal(await startOf(colleague), viewId)
    }
    await choose(view.viewId, colleague)
    assert.equal(await startOf(manager), null)
  })

  test('is a visible view: another person’s private one and another client’s are not found', async () => {
    const view = await made()
    assert.equal((await choose(view.viewId, colleague)).status, 404)
    assert.equal((await choose('no-such-view', colleague)).status, 404)
    const elsewhere = { tenant: 'elsewhere', viewId: view.viewId }
    assert.equal((await app.send(setStartPage, { body: elsewhere }, 'stranger@elsewhere.test')).status, 404)
    assert.equal(
      (await app.send(setStartPage, { body: { tenant, viewId: null } }, 'stranger@elsewhere.test')).status,
      404,
    )
    // Lights are closed to boiler engineers.
    assert.equal((await choose('emered-main', boilerEngineer)).status, 404)
    assert.equal(await startOf(colleague), null)
  })

  test('is counted for users who may delete the view, and becomes the Dashboard once it is private or deleted', async () => {
    const view = await made({ private: false })
    const authored = (await update(view, { authors: [ids[manager]] })).body.data!
    for (const as of [owner, manager, colleague]) await choose(view.viewId, as)
    assert.deepEqual((await starts(view.viewId, owner)).body.data, { people: 2, losingAccess: 1 })
    assert.equal((await starts(view.viewId, colleague)).status, 403)
    assert.equal((await starts('emered-main', owner)).body.isSuccessful, false)
    await update(authored, { private: true })
    assert.deepEqual(
      [await startOf(owner), await startOf(manager), await startOf(colleague)],
      [view.viewId, view.viewId, null],
    )
    assert.equal((await starts(view.viewId, colleague)).status, 404)
    await remove(view.viewId)
    assert.deepEqual([await startOf(owner), await startOf(manager)], [null, null])
  })
})
