import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { KyselyPlugin, OperationNode, ValueNode } from 'kysely'
import { BinaryOperationNode, ColumnNode, OperationNodeTransformer, RawNode, ReferenceNode } from 'kysely'
import type { AnyRoute } from '@caretaker/contract/route.ts'
import { routes } from '@caretaker/contract/routes.ts'
import { getSession } from '@caretaker/contract/session.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { roles } from '@caretaker/rules/identity/roles.ts'
import { can, isVendorAction } from '@caretaker/rules/rights/can.ts'
import type { Action } from '@caretaker/rules/rights/can.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { TestApp } from './testing/app.ts'
import { testApp } from './testing/app.ts'
import { isDistributed } from './testing/database.ts'
import type { Possessions } from './testing/two-tenants.ts'
import { furnish } from './testing/two-tenants.ts'

interface Sent {
  params?: object
  query?: object
  body?: object
  form?: object
}
type Example = (things: Possessions) => Sent | Promise<Sent>

const range = { from: '2026-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }
const ofTenant: Example = ({ tenant }) => ({ body: { tenant } })
const inPath: Example = ({ tenant }) => ({ params: { tenant } })
const ofDevice =
  (device: 'light' | 'boiler' | 'gateway', more: object = {}): Example =>
  (things) => ({ body: { tenant: things.tenant, deviceId: things[device], ...more } })

let counter = 0

/** Calls that answer for each of many devices: one of another tenant is not found among them, a tag is a wrong field. */
const answersForEach: Record<string, number> = {
  bulkAddTags: 400,
  bulkRemoveTags: 400,
  bulkJoinNetwork: 200,
  bulkLeaveNetwork: 200,
  bulkUninstall: 200,
  startBulkAction: 200,
}

/** One good call of every route of a tenant. A route that is missing here fails the test. */
const examples: Record<string, Example> = {
  getTenantInfo: ofTenant,
  getFeatures: inPath,
  getCapabilities: inPath,
  getTenantDashboardData: ofTenant,
  getWorklist: ofTenant,
  getThirdPartySummary: inPath,
  getDashboardSummary: ({ tenant }) => ({ params: { path: 'adey' }, query: { tenant } }),
  getBcms: inPath,
  getBcm: ({ tenant, boiler }) => ({ params: { tenant, id: boiler } }),
  getGateways: inPath,
  getMultidots: inPath,
  getVstats: inPath,
  getPowerSwitch: ({ tenant, powerSwitch }) => ({ params: { tenant, id: powerSwitch } }),
  getProperties: inPath,
  getLicenceSummary: inPath,
  fetchViewData: ({ tenant }) => ({ body: { tenant, listing: 'EmergencyLights' } }),
  selectListing: ({ tenant }) => ({ body: { tenant, listing: 'EmergencyLights' } }),
  getFieldChoices: ({ tenant }) => ({ body: { tenant, listing: 'EmergencyLights', fieldId: 'name' } }),
  getViewDefinitions: ofTenant,
  getAvailableFields: ofTenant,
  createViewDefinition: ({ tenant }) => ({
    body: { tenant, listing: 'EmergencyLights', label: `fresh${++counter}`, columns: ['serial'], filters: [] },
  }),
  updateViewDefinition: async ({ tenant, newView }) => ({
    body: { tenant, viewId: await newView(), version: 1, columns: ['name'] },
  }),
  deleteViewDefinition: async ({ tenant, newView }) => ({ body: { tenant, viewId: await newView() } }),
  countViews: async ({ tenant, newView }) => ({ body: { tenant, viewIds: [await newView()] } }),
  getDocuments: async ({ tenant, caller }) => ({
    params: { tenant },
    query: { userId: await caller(), documentType: 'ListingViewConfig' },
  }),
  getDocument: async ({ tenant, newDocument }) => ({ params: { tenant, id: await newDocument() } }),
  saveDocument: ({ tenant }) => ({
    params: { tenant },
    form: {
      content: new File([JSON.stringify({ columns: ['serial'], filters: [] })], 'view.json'),
      metadata: JSON.stringify({ userViewName: `fresh${++counter}`, userViewType: 'Bcms' }),
    },
  }),
  deleteDocument: async ({ tenant, newDocument }) => ({ params: { tenant, id: await newDocument() } }),
  searchEverything: ({ tenant }) => ({ body: { tenant, search: 'secret' } }),
  exportListing: ({ tenant }) => ({ body: { tenant, listing: 'EmergencyLights', columns: ['serial', 'name'] } }),
  streamChanges: inPath,
  shouldUpdateView: ({ tenant }) => ({ body: { tenant, deviceTypes: ['EM', 'MG', 'BX'], date: 0 } }),
  getTenantBuildings: ofTenant,
  getTenantBuildingSummary: ofTenant,
  getEmered: ofDevice('light'),
  getBoiler: ofDevice('boiler'),
  getNetworkingDevice: ofDevice('gateway'),
  getDeviceBySerial: ({ tenant, lightSerial, gateway }) => ({
    body: { tenant, serialNumber: lightSerial, bcmOrGatewayId: gateway },
  }),
  getBcmConnectedDevice: ofDevice('boiler'),
  shouldUpdateDevice: ofDevice('light', { date: 0 }),
  getAllDeviceTests: ofDevice('light'),
  runT0Test: ({ tenant, light }) => ({ form: { tenant, deviceId: light } }),
  getDeviceCommands: ofDevice('light'),
  getDeviceTelemetryCharts: ofDevice('boiler'),
  getDeviceMetrics: ofDevice('boiler', { ...range, metrics: ['flowTemperature'] }),
  getDeviceEvents: ofDevice('boiler', range),
  getAudit: inPath,
  getTenantTags: ofTenant,
  tenantCreateTag: ({ tenant }) => ({ body: { tenant, name: `fresh${++counter}` } }),
  tenantUpdateTag: async ({ tenant, newTag }) => ({ body: { tenant, id: await newTag(), name: `fresh${++counter}` } }),
  tenantDeleteTag: async ({ tenant, newTag }) => ({ body: { tenant, id: await newTag() } }),
  getAccessRightsTags: inPath,
  createAccessRightsTag: ({ tenant }) => ({ params: { tenant }, body: { displayName: `fresh-${++counter}` } }),
  deleteAccessRightsTag: async ({ tenant, newAccessRightsTag }) => ({
    params: { tenant, id: await newAccessRightsTag() },
  }),
  setDeviceAccessRightsTag: ({ tenant, light, accessRightsTag }) => ({
    params: { tenant, deviceId: light },
    body: { accessRightsTagId: accessRightsTag },
  }),
  setDeviceAccessRightsTags: ({ tenant, light, accessRightsTag }) => ({
    params: { tenant, deviceId: light },
    body: { accessRightsTags: [{ id: accessRightsTag }] },
  }),
  getDeviceTags: ofDevice('light'),
  addTagToDevice: ({ tenant, light, tag }) => ({ body: { tenant, deviceId: light, tagId: tag } }),
  updateDeviceTags: ({ tenant, light, tag }) => ({ body: { tenant, deviceId: light, tagIds: [tag] } }),
  removeTagFromDevice: ({ tenant, light, tag }) => ({ body: { tenant, deviceId: light, tagId: tag } }),
  emeredJoinNetwork: ofDevice('light'),
  emeredLeaveNetwork: ofDevice('light'),
  repeaterJoinNetwork: ofDevice('gateway'),
  repeaterLeaveNetwork: ofDevice('gateway'),
  boilerReset: ofDevice('boiler'),
  autofillReset: ofDevice('boiler'),
  resetDevice: ofDevice('boiler'),
  removeDevice: async ({ tenant, newLight }) => ({ body: { tenant, deviceId: await newLight() } }),
  bulkAddTags: ({ tenant, light, tag }) => ({ body: { tenant, deviceIds: [light], tags: [tag] } }),
  bulkRemoveTags: ({ tenant, light, tag }) => ({ body: { tenant, deviceIds: [light], tags: [tag] } }),
  bulkJoinNetwork: ({ tenant, light }) => ({ body: { tenant, deviceIds: [light] } }),
  bulkLeaveNetwork: ({ tenant, light }) => ({ body: { tenant, deviceIds: [light] } }),
  bulkUninstall: async ({ tenant, newLight }) => ({ body: { tenant, deviceIds: [await newLight()] } }),
  startBulkAction: ({ tenant, light }) => ({
    body: { tenant, action: 'flick test', selection: { deviceIds: [light] } },
  }),
  previewSelection: ({ tenant }) => ({ body: { tenant, selection: { query: { listing: 'EmergencyLights' } } } }),
  getBulkAction: async ({ tenant, newBulkAction }) => ({ body: { tenant, bulkActionId: await newBulkAction() } }),
  getBulkActions: ofTenant,
  giveUpBulkAction: async ({ tenant, newBulkAction }) => ({ body: { tenant, bulkActionId: await newBulkAction() } }),
  retryBulkAction: async ({ tenant, newBulkAction }) => ({ body: { tenant, bulkActionId: await newBulkAction() } }),
  undoBulkAction: async ({ tenant, newBulkAction }) => ({ body: { tenant, bulkActionId: await newBulkAction() } }),
  getEquipmentLists: ofTenant,
  getMailbox: inPath,
  listUsers: inPath,
  createUser: ({ tenant }) => ({
    params: { tenant },
    body: { name: 'Somebody', email: `fresh${++counter}@new.test`, role: 'Guest', tags: [] },
  }),
  updateUserDetails: async ({ tenant, newUser }) => ({
    params: { tenant, id: await newUser() },
    body: { name: 'Somebody', email: `fresh${++counter}@new.test` },
  }),
  updateUserTags: async ({ tenant, newUser, accessRightsTag }) => ({
    params: { tenant, id: await newUser() },
    body: { tags: [accessRightsTag] },
  }),
  updateUserRole: async ({ tenant, newUser }) => ({
    params: { tenant, id: await newUser() },
    body: { role: 'LightingEngineer' },
  }),
  deleteUser: async ({ tenant, newUser }) => ({ params: { tenant, id: await newUser() } }),
  resetUserPassword: async ({ tenant, newUser }) => ({ params: { tenant, id: await newUser() } }),
}

/** The people of the tenant: one of each role without restrictions, and one who carries its access rights tag. */
const memberOf = (role: Role, limited = false) => `${limited ? 'limited-' : ''}${role}@mine.test`.toLowerCase()
const actorOf = (role: Role, tags: string[] = []): Actor => ({
  userId: '',
  memberId: '',
  tenant: 'mine',
  role,
  tags,
  features: [],
  capabilities: [],
})
/** The lowest of three roles that may make the call at all. */
const memberWhoMay = (route: AnyRoute) =>
  memberOf((['Manager', 'Admin', 'Developer'] as const).find((role) => can(actorOf(role), route.may as Action))!)

/** What no caller has to do with, though every example makes it anew. */
const withoutChance = (sent: Sent) => JSON.stringify(sent).replaceAll(/fresh[^"]*/g, '')

const tenantRoutes = Object.entries(routes).filter(
  ([, { may }]) => may !== 'anyone' && may !== 'signed in' && !isVendorAction(may),
)

test('every route of a tenant has its example', () => {
  assert.deepEqual(tenantRoutes.map(([name]) => name).sort(), Object.keys(examples).sort())
})

test('every call that changes something of a tenant says so in the feed of changes', async () => {
  const app = await testApp()
  try {
    const mine = await furnish(app, 'mine')
    for (const role of roles) await app.addMember('mine', memberOf(role), role)
    for (const email of [mine.manager, ...roles.map((role) => memberOf(role))]) await app.send(getSession, {}, email)
    const { rows } = await app.database.owner.query<{ name: string }>(
      `select relname as name from pg_class
       where relrowsecurity and relkind in ('r', 'p') and relnamespace = 'public'::regnamespace order by 1`,
    )
    const contents = rows
      .filter(({ name }) => name !== 'change')
      .map(
        ({ name }) => `select '${name}' as name, md5(string_agg(t::text, ' ' order by t::text)) as content
        from ${name} t where tenant_id = 'mine'`,
      )
      .join(' union all ')
    const look = async () => {
      const { rows } = await app.database.owner.query<{ name: string; content: string | null }>(contents)
      const told = await app.database.owner.query<{ n: number }>(`select count(*) as n from change`)
      return { tables: new Map(rows.map(({ name, content }) => [name, content])), told: told.rows[0]!.n }
    }
    const changing: string[] = []
    for (const [name, route] of tenantRoutes) {
      const sent = await examples[name]!(mine)
      const before = await look()
      await app.send(route, sent as never, memberWhoMay(route))
      const after = await look()
      const written = [...after.tables].filter(([table, content]) => before.tables.get(table) !== content)
      if (!written.length) continue
      changing.push(name)
      assert.ok(
        after.told > before.told,
        `${name} changed ${written.map(([table]) => table).join(', ')} and did not say so`,
      )
    }
    assert.ok(changing.length >= 28, changing.join())
  } finally {
    await app.close()
  }
})

/** Makes every condition on tenant_id in the application's queries true: only the database's wall is left. */
class WithoutTenantConditions extends OperationNodeTransformer {
  protected override transformBinaryOperation(node: BinaryOperationNode): BinaryOperationNode {
    const isTenant =
      ReferenceNode.is(node.leftOperand) &&
      ColumnNode.is(node.leftOperand.column) &&
      node.leftOperand.column.column.name === 'tenant_id' &&
      node.rightOperand.kind === 'ValueNode'
    if (!isTenant) return super.transformBinaryOperation(node)
    const always = RawNode.create(['coalesce(', ', ', ')'], [node.leftOperand, node.rightOperand as ValueNode])
    return BinaryOperationNode.create(node.leftOperand, node.operator, always)
  }
  protected override transformRaw(node: RawNode): RawNode {
    const fragments = [...node.sqlFragments]
    for (let at = 0; at < fragments.length - 1; at++) {
      const condition = /((?:\w+\.)?tenant_id) = $/.exec(fragments[at]!)
      if (!condition) continue
      fragments[at] += `coalesce(${condition[1]}, `
      fragments[at + 1] = `)${fragments[at + 1]}`
    }
    return super.transformRaw(RawNode.create(fragments, node.parameters))
  }
}
const stripping: KyselyPlugin = {
  transformQuery: ({ node }) => new WithoutTenantConditions().transformNode(node as OperationNode) as typeof node,
  transformResult: async ({ result }) => result,
}

const walls: Record<string, (app: TestApp) => Promise<void>> = {
  'with both walls': async () => {},
  'with the wall of the database taken away': async ({ database }) => {
    const { rows } = await database.owner.query<{ name: string }>(
      `select relname as name from pg_class where relrowsecurity and relnamespace = 'public'::regnamespace`,
    )
    for (const { name } of rows) await database.owner.query(`alter table ${name} disable row level security`)
  },
  'with the conditions of the application taken away': async (app) => {
    app.database.unwatch()
    app.context.db = app.context.db.withPlugin(stripping)
  },
}

/** What is sent without a tenant goes nowhere there: tenant.test.ts alone shows the wall of such a database. */
const unsent = (await isDistributed()) && 'a distributed database refuses statements that name no tenant'

for (const [name, takeAway] of Object.entries(walls))
  describe(name, { skip: name === 'with the conditions of the application taken away' && unsent }, () => {
    let app: TestApp
    let mine: Possessions
    let theirs: Possessions
    before(async () => {
      app = await testApp()
      mine = await furnish(app, 'mine')
      theirs = await furnish(app, 'theirs')
      for (const role of roles) {
        await app.addMember('mine', memberOf(role), role)
        await app.addMember('mine', memberOf(role, true), role, [mine.accessRightsTag])
      }
      const members = roles.flatMap((role) => [memberOf(role), memberOf(role, true)])
      // Everybody signs in once, while the walls stand: what is tried is the calls, not the first sign-in.
      for (const email of [mine.manager, theirs.manager, ...members]) await app.send(getSession, {}, email)
      await takeAway(app)
    })
    after(() => app.close())

    const send = (route: AnyRoute, sent: object, email?: string) => app.send(route, sent as never, email)

    for (const [routeName, route] of tenantRoutes) {
      const example = examples[routeName]!
      test(`${routeName}: answers a member [core-1-4]`, async () => {
        const { status, body } = await send(route, await example(mine), memberWhoMay(route))
        assert.equal(status, route.status, JSON.stringify(body))
        assert.ok(!JSON.stringify(body).includes(theirs.secret))
        assert.ok(!JSON.stringify(body).includes(theirs.light))
      })

      test(`${routeName}: another tenant is not found [dev-1purpose-5]`, async () => {
        const { status, body } = await send(route, await example(theirs), memberWhoMay(route))
        assert.equal(status, 404, JSON.stringify(body))
      })

      test(`${routeName}: another tenant's ids are as if they did not exist [dev-1purpose-5]`, async () => {
        const { status, body } = await send(route, await example({ ...theirs, tenant: 'mine' }), memberWhoMay(route))
        const takesId =
          withoutChance(await example(theirs)) !== withoutChance(await example({ ...mine, tenant: 'theirs' }))
        assert.equal(status, answersForEach[routeName] ?? (takesId ? 404 : route.status))
        for (const { message } of (body.data?.results ?? []) as { message: string }[])
          assert.equal(message, 'Not found.')
        assert.ok(!JSON.stringify(body).includes(theirs.secret))
      })

      test(`${routeName}: 401 without a token [core-7-2 dev-7dash-1]`, async () => {
        const { status, body } = await send(route, await example(mine))
        assert.equal(status, 401)
        assert.ok(!JSON.stringify(body).includes(mine.secret))
      })

      test(`${routeName}: each role, limited or not, gets what the rules say`, async () => {
        for (const role of roles)
          for (const limited of [false, true]) {
            const actor = actorOf(role, limited ? [mine.accessRightsTag] : [])
            const { status } = await send(route, await example(mine), memberOf(role, limited))
            const who = `${limited ? 'limited ' : ''}${role}`
            if (!can(actor, route.may as Action)) assert.equal(status, 403, who)
            // The rules say more about the single thing: that it is none of theirs, or no longer there.
            else assert.ok([route.status, 403, 404, 409].includes(status as never), `${who}: ${status}`)
          }
      })
    }
  })

test('with neither wall another tenant would be seen: the walk above can fail', { skip: unsent }, async () => {
  const app = await testApp()
  try {
    const mine = await furnish(app, 'mine')
    const theirs = await furnish(app, 'theirs')
    await app.send(getSession, {}, mine.manager)
    for (const name of [
      'with the wall of the database taken away',
      'with the conditions of the application taken away',
    ])
      await walls[name]!(app)
    const { status, body } = await app.send(
      routes.getEmered!,
      (await examples.getEmered!({ ...theirs, tenant: 'mine' })) as never,
      mine.manager,
    )
    assert.equal(status, 200)
    assert.ok(JSON.stringify(body).includes(theirs.secret))
  } finally {
    await app.close()
  }
})
