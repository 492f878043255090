import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, test } from 'vitest'
import {
  getBcm,
  getBcms,
  getDashboardSummary,
  getGateways,
  getLicenceSummary,
  getMultidots,
  getPowerSwitch,
  getProperties,
  getTenantDashboardData,
  getThirdPartySummary,
  getVstats,
  getWorklist,
} from '@caretaker/contract/dashboard.ts'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import { PropertyRecord, fetchProperties, getProperty } from '@caretaker/contract/properties.ts'
import type { SameShapes } from '@caretaker/contract/route.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { WorkSubject } from '@caretaker/rules/dashboard/worklist.ts'
import { subjectOf } from '@caretaker/rules/dashboard/worklist.ts'
import { productCodes, summaryFamilies } from '@caretaker/rules/devices/products.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import { deviceStatuses } from '@caretaker/rules/devices/status.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { isDefinitionListing, listingNames, listings, presetStatuses } from '@caretaker/rules/devices/list.ts'
import type { BcmType } from '@caretaker/rules/devices/monitoring.ts'
import { conditionsOf } from '@caretaker/rules/devices/monitoring.ts'
import { presetViewId } from '@caretaker/rules/views/view.ts'
import { dayAfter, dayAt } from '@caretaker/rules/calendar/days.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { ingestStates } from '../devices/ingest.ts'
import { addAccessRightsTag, addDevice } from '../../testing/furnish/devices.ts'

const tenant = 'north'
const people = {
  manager: 'Manager',
  limited: 'Manager',
  lighting: 'LightingEngineer',
  boiler: 'BoilerEngineer',
  guest: 'Guest',
} as const
type Person = keyof typeof people
const names = Object.keys(people) as Person[]
const email = (name: Person) => `${name}@north.test`
const [manager, limited, lighting, boiler] = names.map(email) as [string, string, string, string]
const day = 86_400_000
const now = Date.now()

let app: TestApp
let patch: string
let elsewhere: string
beforeAll(async () => {
  app = await testApp()
  await app.addTenant(tenant, {
    features: ['HomeHub', 'ManagedService', 'PropertyCentric'],
    capabilities: ['ViewProperties'],
  })
  await app.addTenant('south')
  await app.addMember('south', 'manager@south.test', 'Manager')
  patch = await addAccessRightsTag(app, tenant, 'East Patch')
  for (const name of names) await app.addMember(tenant, email(name), people[name], name === 'limited' ? [patch] : [])
  elsewhere = await addDevice(app, 'south', { product: 'BX', name: 'of the south' })
  // Every product in every status, in distinct numbers, a third of them in the limited user's patch.
  for (const [row, product] of productCodes.entries())
    for (const [column, status] of deviceStatuses.entries())
      for (let count = 0; count <= (row * 5 + column) % 3; count++)
        await addDevice(app, tenant, {
          product,
          status,
          ...((row + column + count) % 3 === 0 && { accessRightsTagId: patch }),
        })
  await inTenant(app.database.db, tenant, async (tx) => {
    const rows = await tx
      .selectFrom('device')
      .select(['id', 'product'])
      .where('tenant_id', '=', tenant)
      .orderBy('serial')
      .execute()
    for (const [at, { id, product }] of rows.entries()) {
      const bcm = ['BX', 'BC', 'ASHP'].includes(product)
      const fault = { faultCode: ['None', 'EA', '', 'F28'][at % 4]! }
      await tx
        .updateTable('device')
        .set({
          monitoring: bcm ? [null, 'Boiler', 'HeatPump', 'None', 'Unknown'][at % 5]! : null,
          connection_status: (['Connected', 'NotConnected', 'intermittent', 'neverconnected'] as const)[at % 4]!,
          last_test_at: at % 5 === 0 ? null : new Date(now - at * 3 * 3_600_000),
          ...(bcm && { reported: fault }),
          ...(['BX', 'BC'].includes(product) && {
            gas_state: ([null, 'InDate', 'Due', 'Overdue', 'Failed'] as const)[(at + 2) % 5]!,
            gas_due_at: (at + 2) % 5 > 1 ? new Date(now + (20 - at) * day) : null,
            water_state: ([null, 'InDate', 'Due', 'Overdue', 'Failed'] as const)[(at + 3) % 5]!,
            water_due_at: (at + 3) % 5 > 1 ? new Date(now + (20 - at) * day) : null,
          }),
        })
        .where('tenant_id', '=', tenant)
        .where('id', '=', id)
        .execute()
    }
  })
})
afterAll(() => app.close())

const data = async (person: string) => (await app.send(getTenantDashboardData, { body: { tenant } }, person)).body.data!
const rowsOf = async (person: string, wanted: { listing?: ListingName; viewId?: string; filters?: Filter[] }) => {
  const { status, body } = await app.send(fetchViewData, { body: { tenant, ...wanted } as never }, person)
  return status === 200 ? body.data!.total : status
}

describe('counts', () => {
  test('every family has the six counts, which add up [core-3-13 core-3-14 core-7.1-9 dev-3ent-14]', async () => {
    const counts = await data(manager)
    for (const family of summaryFamilies) {
      const { total, pass, warn, fail, inventory, installed } = counts[family]
      assert.ok(Math.min(pass, warn, fail, inventory) > 0, family)
      assert.equal(installed, pass + warn + fail)
      assert.ok(total > installed + inventory)
    }
  })

  for (const name of names)
    test(`for ${name} each count is the number of rows of the preset view that its link opens`, async () => {
      const counts = await data(email(name))
      let open = 0
      for (const listing of listingNames)
        for (const [preset, count] of [
          ['main', 'total'],
          ['inventory', 'inventory'],
          ['installed', 'installed'],
          ['failed', 'fail'],
          ['warning', 'warn'],
        ] as const) {
          const rows = await rowsOf(email(name), { viewId: presetViewId(listings[listing], preset) })
          if (rows === 403) continue
          open++
          assert.equal(counts.listings[listing][count], rows, `${listing} ${preset}`)
        }
      assert.ok(open >= 5 * listingNames.filter(isDefinitionListing).length - 10)
    })

  for (const name of ['manager', 'limited', 'boiler'] as const)
    test(`for ${name} each kind of monitoring counts what the Bcms page shows of it`, async () => {
      const { monitoring, listings } = await data(email(name))
      const sum = Object.values(monitoring).reduce((total, one) => total + one.total, 0)
      assert.equal(sum, listings.Bcms.total)
      const types: Record<Exclude<BcmType, 'BCM'>, keyof typeof monitoring> = {
        Boiler: 'Boiler',
        ASHP: 'HeatPump',
        SurveyorCube: 'None',
      }
      for (const [type, kind] of Object.entries(types) as [Exclude<BcmType, 'BCM'>, keyof typeof monitoring][]) {
        const of = (statuses?: readonly string[]) =>
          rowsOf(email(name), {
            listing: 'Bcms',
            filters: conditionsOf({ type, ...(statuses && { options: { statuses } }) }),
          })
        assert.ok(monitoring[kind].total > 0, kind)
        assert.equal(await of(), monitoring[kind].total, type)
        assert.equal(await of(presetStatuses.failed), monitoring[kind].fail, type)
        assert.equal(await of(presetStatuses.warning), monitoring[kind].warn, type)
        assert.equal(await of(presetStatuses.installed), monitoring[kind].installed, type)
        assert.equal(await of(presetStatuses.inventory), monitoring[kind].inventory, type)
      }
      const unknown = { fieldId: 'monitoring', filterOp: 'equals', value: 'Unknown' } as const
      assert.equal(await rowsOf(email(name), { listing: 'Bcms', filters: [unknown] }), monitoring.Unknown.total)
    })

  test('home hubs are online or offline, and add up to the listing', async () => {
    for (const person of [manager, limited]) {
      const { homeHubs, listings } = await data(person)
      assert.equal(homeHubs.online + homeHubs.offline, listings.HomeHubs.total)
      const connected = { fieldId: 'connection', filterOp: 'anyof', value: ['Connected', 'intermittent'] } as const
      assert.equal(
        await rowsOf(person, { listing: 'HomeHubs', filters: [{ ...connected, value: [...connected.value] }] }),
        homeHubs.online,
      )
    }
  })

  test('lights out of reach are counted as in the listing', async () => {
    for (const person of [manager, limited, lighting]) {
      const { lights } = await data(person)
      const having = (value: string) =>
        rowsOf(person, { listing: 'EmergencyLights', filters: [{ fieldId: 'connection', filterOp: 'equals', value }] })
      assert.ok(lights.notConnected > 0 && lights.intermittent > 0)
      assert.deepEqual(
        [lights.notConnected, lights.intermittent],
        [await having('NotConnected'), await having('intermittent')],
      )
    }
  })

  test('a limited user counts fewer of everything, and another client nothing of it', async () => {
    const [all, some] = [await data(manager), await data(limited)]
    for (const name of listingNames) {
      assert.ok(some.listings[name].total > 0)
      assert.ok(some.listings[name].total < all.listings[name].total, name)
    }
    const { body } = await app.send(getTenantDashboardData, { body: { tenant: 'south' } }, 'manager@south.test')
    assert.equal(body.data!.listings.Bcms.total, 1)
    assert.equal(body.data!.listings.EmergencyLights.total, 0)
  })
})

describe('what needs attention', () => {
  const worklist = async (person: string) => (await app.send(getWorklist, { body: { tenant } }, person)).body.data!
  type Case = Awaited<ReturnType<typeof worklist>>['cases'][number]
  const rowsBehind = async (one: Case, person: string): Promise<{ total: number; ids: string[] }> => {
    const query = { filters: one.filters as Filter[], sorts: one.sorts, listing: one.listing }
    if (one.listing === 'Properties') {
      const { body } = await app.send(fetchProperties, { body: { tenant, ...query } as never }, person)
      return { total: body.data!.total, ids: body.data!.rows.map((row) => row.propertyId) }
    }
    const { body } = await app.send(fetchViewData, { body: { tenant, ...query } as never }, person)
    return { total: body.data!.total, ids: body.data!.rows.map((row) => row.deviceId) }
  }
  const idOf = (item: Case['worst'][number]) => (item.kind === 'home' ? item.propertyId : item.deviceId)

  beforeAll(async () => {
    const add = (at: number, columns: Record<string, unknown>) => {
      const of = { ...{ id: randomUUID(), reference: `W-${at}`, address1: `${at} Row` }, ...columns }
      const names = Object.keys(of)
      return app.database.owner.query(
        `insert into property (tenant_id, access_rights_tag_id, ${names.join()}) values ($1, $2, ${names.map((_, n) => `$${n + 3}`).join()})`,
        [tenant, at % 2 ? patch : null, ...Object.values(of)],
      )
    }
    let at = 0
    for (let round = 0; round < 6; round++) {
      await add(at++, { gas_check_state: 'Failed', gas_rank: 6, gas_failed_on: `2026-11-${10 + round}` })
      await add(at++, { gas_check_state: 'Overdue', gas_rank: 4, gas_check_due_at: new Date(now - (round + 1) * day) })
      await add(at++, { gas_check_state: 'Due', gas_rank: 3, gas_check_due_at: new Date(now + (round + 9) * day) })
      await add(at++, { damp_level: 'high', damp_rank: 3, damp_since: new Date(now - (round + 3) * day) })
      await add(at++, { heating_state: 'LockedOut', heating_since: new Date(now - round * day) })
      await add(at++, {
        water_check_state: 'Due',
        water_rank: 3,
        water_check_due_at: new Date(now + (round + 9) * day),
      })
    }
    // A property in two cases counts once.
    await add(at++, { gas_check_state: 'Failed', gas_rank: 6, gas_failed_on: '2026-11-20', heating_state: 'LockedOut' })
  })
  afterAll(() => app.database.owner.query(`delete from property where reference like 'W-%'`))

  for (const name of names)
    test(`for ${name} each case has as many rows as its link opens, and the worst of them`, async () => {
      const { cases, needing } = await worklist(email(name))
      const ids: Record<WorkSubject, Set<string>> = {
        ...{ homes: new Set(), lights: new Set(), gateways: new Set(), boilers: new Set() },
      }
      for (const one of cases) {
        const { total, ids: shown } = await rowsBehind(one, email(name))
        assert.equal(total, one.count, one.case)
        assert.equal(one.worst.length, Math.min(2, one.count), one.case)
        if (one.viewId) assert.equal(await rowsOf(email(name), { viewId: one.viewId }), one.count)
        if (one.count <= shown.length)
          for (const item of one.worst) assert.ok(shown.includes(idOf(item)), `${one.case} is sorted by what is worst`)
        for (const id of shown) ids[subjectOf(one.case)].add(id)
      }
      assert.equal((await data(email(name))).homesNeedingAttention, needing.homes, 'the sidebar counts as the worklist')
      for (const subject of ['homes', 'gateways'] as const)
        if (cases.every((one) => subjectOf(one.case) !== subject || one.count <= 25))
          assert.equal(needing[subject], ids[subject].size, `${subject} count once`)
      assert.ok(
        needing.lights <= cases.reduce((sum, one) => sum + (subjectOf(one.case) === 'lights' ? one.count : 0), 0),
      )
    })

  test('only the cases of areas that a user may see', async () => {
    const casesOf = async (person: string) => (await worklist(person)).cases.map((one) => one.case)
    const ofHomes = ['gas failed', 'gas overdue', 'damp risk', 'heating off']
    const alsoOfHomes = ['gas due', 'gas checks', 'water treatments', 'boilers without treatment']
    const ofLights = ['missed tests', 'no full test', 'lights in no group']
    assert.deepEqual(await casesOf(manager), [
      ...[...ofHomes, 'failed lights', 'lights overdue', 'gateways offline'],
      ...[...ofLights, ...alsoOfHomes],
    ])
    assert.deepEqual(await casesOf(lighting), ['failed lights', 'lights overdue', 'gateways offline', ...ofLights])
    assert.deepEqual(await casesOf(boiler), [...ofHomes, 'gateways offline', ...alsoOfHomes])
    assert.ok(!(await casesOf(limited)).includes('lights in no group'))
  })

  test('the earliest failed gas check comes first, and a limited user counts their own part', async () => {
    const failedGas = async (person: string) => (await worklist(person)).cases.find((one) => one.case === 'gas failed')!
    const all = await failedGas(manager)
    assert.equal(all.count, 7)
    const [first] = all.worst
    assert.ok(first?.kind === 'home')
    assert.deepEqual([first.check, first.day], ['Failed', '2026-11-10'])
    assert.ok((await failedGas(limited)).count < all.count)
  })

  test('without properties, failed boilers are a case, the longest reported fault first', async () => {
    const since = [new Date(now - 900 * day).toISOString(), 'never', null, { odd: true }]
    const ids: string[] = []
    await app.addTenant('boilers')
    await app.addMember('boilers', 'manager@boilers.test', 'Manager')
    for (const timestamp of since) {
      const deviceId = await addDevice(app, 'boilers', { product: 'BX' })
      ids.push(deviceId)
      const payload = { faultCode: 'EA', fault: { timestamp } }
      await inTenant(app.database.db, 'boilers', (tx) =>
        ingestStates(tx, [{ deviceId, tenant: 'boilers', payload, receivedAt: new Date() }]),
      )
    }
    // A failure without a fault code also counts.
    await addDevice(app, 'boilers', { product: 'BX', status: 'FailedDevice' })
    const { body } = await app.send(getWorklist, { body: { tenant: 'boilers' } }, 'manager@boilers.test')
    const { cases, needing } = body.data!
    const failed = cases.find((one) => one.case === 'failed boilers')!
    const [oldest] = failed.worst
    assert.ok(oldest?.kind === 'device')
    assert.deepEqual([oldest.deviceId, oldest.since, oldest.faultCode, oldest.reason], [ids[0], since[0], 'EA', 'EA'])
    assert.deepEqual([failed.count, needing.boilers, needing.homes], [5, 5, 0])
  })

  test('a light counts as without a 3-hour test once it has been installed for longer than 365 days', async () => {
    const found = async () => (await worklist(manager)).cases.find((one) => one.case === 'no full test')!
    const before = (await found()).count
    const add = async (status: DeviceStatus, days: number, tested?: number) => {
      const id = await addDevice(app, tenant, { status })
      const at = (ago: number) => new Date(now - ago * day)
      await app.database.owner.query(
        'update device set status_at = $2, created_at = $2, last_full_test_at = $3 where id = $1',
        [id, at(days), tested === undefined ? null : at(tested)],
      )
      return id
    }
    const late = [await add('Installed', 900), await add('Ok', 1000, 800)]
    await add('Ok', 30)
    await add('Ok', 900, 40)
    await add('Inventory', 900)
    const { count, worst } = await found()
    assert.equal(count, before + 2)
    assert.deepEqual(
      worst.map((item) => item.kind === 'device' && item.deviceId),
      late,
    )
  })

  test('under HideCustomerPersonalData no address is given', async () => {
    const isGiven = async () => JSON.stringify(await worklist(manager)).includes('12 Privet Row')
    const set = (sql: string) => app.database.owner.query(sql)
    await set(`update device set address = '12 Privet Row' where tenant_id = 'north'`)
    await set(`update property set address1 = '12 Privet Row' where tenant_id = 'north'`)
    assert.equal(await isGiven(), true)
    await set(`insert into tenant_feature (tenant_id, feature) values ('north', 'HideCustomerPersonalData')`)
    assert.equal(await isGiven(), false)
    await set(`delete from tenant_feature where feature = 'HideCustomerPersonalData'`)
  })
})

describe('version 2 summaries', () => {
  const inPath = { params: { tenant } }

  test('third-party devices are summed up, at both addresses [dev-7dash-2 dev-7dash-3]', async () => {
    const summary = await app.send(getThirdPartySummary, inPath, manager)
    assert.deepEqual(summary.body.adeyDeviceSummary, (await data(manager)).listings.ThirdParty)
    const dashboard = { params: { path: 'adey' }, query: { tenant } }
    assert.deepEqual((await app.send(getDashboardSummary, dashboard, manager)).body, summary.body)
    const other = await app.send(getDashboardSummary, { ...dashboard, params: { path: 'other' } }, manager)
    assert.equal(other.status, 404)
    assert.notDeepEqual((await app.send(getThirdPartySummary, inPath, limited)).body, summary.body)
  })

  test('each of these calls is refused without a token [dev-7dash-1]', async () => {
    for (const route of [getThirdPartySummary, getBcms, getGateways, getMultidots, getVstats, getProperties] as const)
      assert.equal((await app.send(route, { ...inPath, query: {} })).status, 401)
    assert.equal((await app.send(getLicenceSummary, inPath)).status, 401)
    assert.equal((await app.send(getBcm, { params: { tenant, id: elsewhere } })).status, 401)
    assert.equal((await app.send(getPowerSwitch, { params: { tenant, id: elsewhere } })).status, 401)
    assert.equal((await app.send(getDashboardSummary, { params: { path: 'adey' }, query: { tenant } })).status, 401)
    assert.equal((await app.send(getTenantDashboardData, { body: { tenant } })).status, 401)
    assert.equal((await app.send(getWorklist, { body: { tenant } })).status, 401)
  })

  test('bcms have status and monitoring, in pages and filtered as on the page [dev-7dash-4] [est-7.2-16]', async () => {
    const { monitoring, listings } = await data(manager)
    const list = async (query: { filter?: string; page?: number; pageSize?: number }, person = manager) =>
      (await app.send(getBcms, { ...inPath, query }, person)).body
    const all = await list({ pageSize: 1000 })
    assert.equal(all.total, listings.Bcms.total)
    assert.equal(all.results.length, all.total)
    for (const bcm of all.results) assert.ok(bcm.status && bcm.monitoring)
    const paged = [await list({ page: 1, pageSize: 40 }), await list({ page: 2, pageSize: 40 })]
    assert.deepEqual(
      paged.flatMap((page) => page.results),
      all.results.slice(0, 80),
    )
    const pumps = await list({ filter: '{"type":"ASHP","options":{"statusCategory":"failed"}}', pageSize: 1000 })
    assert.equal(pumps.total, monitoring.HeatPump.fail)
    assert.ok(pumps.results.every((bcm) => bcm.monitoring === 'HeatPump' && bcm.status.startsWith('Failed')))
    assert.equal((await list({ filter: 'no JSON' })).total, all.total)
    assert.ok((await list({}, limited)).total < all.total)
    assert.equal((await app.send(getBcms, { ...inPath, query: {} }, lighting)).status, 403)
  })

  test('one BCM has the fields of its record; other or hidden devices are not found [dev-7dash-5 dev-3ent-20]', async () => {
    const id = await addDevice(app, tenant, { product: 'BX', serial: 'BX1900001X' })
    const record = {
      firmware: '4.12.3',
      faultCode: 'F28',
      boilerManufacturer: 'Worcester',
      boilerModel: 'Greenstar 30i',
      boilerGc: '47-406-13',
      supportsDhwSetPoint: true,
      hasBuzzer: true,
    }
    await inTenant(app.database.db, tenant, (tx) =>
      tx
        .updateTable('device')
        .set({ reported: record, desired: { dhwSetPoint: 52 }, monitoring: 'Boiler' })
        .where('tenant_id', '=', tenant)
        .where('id', '=', id)
        .execute(),
    )
    const find = (of: string, person = manager) => app.send(getBcm, { params: { tenant, id: of } }, person)
    const { body } = await find(id)
    assert.deepEqual(body, {
      deviceId: id,
      serialNumber: 'BX1900001X',
      product: 'BX',
      status: 'Ok',
      connectionStatus: 'neverconnected',
      monitoring: 'Boiler',
      boilerManufacturer: 'Worcester',
      boilerModel: 'Greenstar 30i',
      boilerGc: '47-406-13',
      firmwareVersion: '4.12.3',
      faultCode: 'F28',
      propertyId: null,
      propertyLocationId: null,
      accessRightsTagId: null,
      tagIds: [],
      supportsDhwSetPoint: true,
      hasBuzzer: true,
      bcmSettings: { desiredDhwSetPoint: 52 },
    })
    const light = await addDevice(app, tenant, { product: 'EM' })
    for (const other of [light, elsewhere, randomUUID()]) assert.equal((await find(other)).status, 404)
    assert.equal((await find(id, limited)).status, 404)
    assert.equal((await find(id, lighting)).status, 403)
  })

  test('gateways are the visible hubs and gateways; multi-dots and vStats are their own [dev-7dash-6 dev-7dash-7] [est-3-36] [est-7.2-13] [est-7.2-14] [est-7.2-15]', async () => {
    const products = async (route: SameShapes<typeof getGateways> | SameShapes<typeof getVstats>, person = manager) => {
      const { body } = await app.send(route, { ...inPath, query: { pageSize: 1000 } }, person)
      assert.equal(body.total, body.results.length)
      const kinds = body.results.map((one) => ('productId' in one ? one.productId : one.product))
      return { kinds: [...new Set(kinds)].sort(), total: body.total }
    }
    assert.deepEqual((await products(getGateways)).kinds, ['MG', 'ZG', 'ZH'] satisfies Product[])
    const { listings, vStat } = await data(manager)
    assert.deepEqual(await products(getMultidots), { kinds: ['MD'], total: listings.MultiDots.total })
    assert.deepEqual(await products(getVstats), { kinds: ['TH'], total: vStat.total })
    assert.ok((await products(getGateways, limited)).total < (await products(getGateways)).total)
    const { results } = (await app.send(getGateways, { ...inPath, query: { pageSize: 1000 } }, manager)).body
    const {
      name: _name,
      product: _product,
      accessRightsTagId: _tag,
      ...hub
    } = results.find((one) => one.product === 'ZH')!
    assert.deepEqual(
      Object.keys(hub).sort(),
      ['deviceId', 'serialNumber', 'deviceStatus', 'connectionStatus', 'propertyId', 'propertyLocationId'].sort(),
    )
    const feature = `where tenant_id = 'north' and feature = 'HomeHub'`
    await app.database.owner.query(`delete from tenant_feature ${feature}`)
    assert.deepEqual((await products(getGateways)).kinds, ['MG', 'ZG'])
    await app.database.owner.query(`insert into tenant_feature (tenant_id, feature) values ('north', 'HomeHub')`)
  })

  test('a power switch has its desired and reported relays [dev-7dash-8 dev-3ent-22] [est-3-35] [est-7.2-18]', async () => {
    const id = await addDevice(app, tenant, { product: 'PS' })
    await inTenant(app.database.db, tenant, (tx) =>
      tx
        .updateTable('device')
        .set({ reported: { relays: { 1: true, 2: false, odd: 'x' } }, desired: { relays: { 1: false } } })
        .where('tenant_id', '=', tenant)
        .where('id', '=', id)
        .execute(),
    )
    const find = (of: string, person = manager) => app.send(getPowerSwitch, { params: { tenant, id: of } }, person)
    assert.deepEqual((await find(id)).body.relays, [
      { relayId: '1', desiredPoweredOn: false, reportedPoweredOn: true },
      { relayId: '2', desiredPoweredOn: false, reportedPoweredOn: false },
    ])
    assert.equal((await find(id, limited)).status, 404)
    assert.equal((await find(elsewhere)).status, 404)
    assert.equal((await find(await addDevice(app, tenant, { product: 'BX' }))).status, 404)
  })
})

describe('properties and their licences', () => {
  const today = dayAt(Date.now(), 'Europe/London')
  beforeAll(async () => {
    await inTenant(app.database.db, tenant, async (tx) => {
      const homes = Array.from({ length: 6 }, (_, at) => ({
        tenant_id: tenant,
        id: randomUUID(),
        reference: `NG-${at}`,
        address1: `${at} Secret Street`,
        town: 'Leeds',
        latitude: null,
        longitude: null,
        access_rights_tag_id: at < 2 ? patch : null,
      }))
      await tx.insertInto('property').values(homes).execute()
      // Lasting for years for six properties and two unassigned, ending soon for two, and ended.
      for (const [assigned, free, start_on, renewed_on] of [
        [4, 2, dayAfter(today, -100), null],
        [2, 0, dayAfter(today, -1000), null],
        [0, 3, dayAfter(today, -3000), null],
        [0, 1, dayAfter(today, -3000), dayAfter(today, -100)],
      ] as const)
        await tx
          .insertInto('licence')
          .values(
            Array.from({ length: assigned + free }, (_, at) => ({
              tenant_id: tenant,
              id: randomUUID(),
              type: 'Managed service',
              property_id: at < assigned ? homes[(at + (assigned === 2 ? 4 : 0)) % 6]!.id : null,
              start_on,
              period_months: 36,
              renewed_on,
            })),
          )
          .execute()
    })
  })
  const inPath = { params: { tenant } }

  test('properties have the fields of the specification, without hidden ones, if the user sees them [dev-7dash-10] [est-3-14] [est-7.2-1]', async () => {
    const list = async (person = manager) =>
      (await app.send(getProperties, { ...inPath, query: { pageSize: 4 } }, person)).body
    const all = await list()
    assert.equal(all.total, 6)
    assert.equal(all.results.length, 4)
    assert.equal(all.results[0]!.address, '0 Secret Street, Leeds')
    // Each as on the page of the property.
    const fields = Object.keys(PropertyRecord.shape) as (keyof PropertyRecord)[]
    assert.equal(fields.length, 23)
    const agree = async () => {
      for (const { id, reference, address, ...record } of (await list()).results) {
        const { body } = await app.send(getProperty, { params: { tenant, propertyId: id } }, manager)
        assert.deepEqual(record, Object.fromEntries(fields.map((field) => [field, body[field]])), reference)
        assert.ok(address === null || address.includes(record.address1!))
      }
    }
    const home = all.results[0]!.id
    await app.database.owner.query(
      `update property set latitude = 53.8, longitude = -1.5, epc_rating = 'C', number_of_rooms = 4,
        last_chemical_test_on = '2026-05-01', last_gas_safety_check_on = '2026-06-02' where id = $1`,
      [home],
    )
    const boiler = await addDevice(app, tenant, { product: 'BX' })
    await app.database.owner.query(
      `update device set property_id = $1, location = 'Kitchen', location_details = 'Above the sink' where id = $2`,
      [home, boiler],
    )
    await agree()
    const [first] = (await list()).results
    assert.deepEqual(first!.locations, [{ id: 'Kitchen', name: 'Kitchen', details: 'Above the sink' }])
    assert.deepEqual([first!.lastGasSafetyCheckDate, first!.epcRating], ['2026-06-02', 'C'])
    assert.deepEqual(
      (await list(limited)).results.map((one) => one.reference),
      ['NG-0', 'NG-1'],
    )
    await app.database.owner.query(
      `insert into tenant_feature (tenant_id, feature) values ('north', 'HideCustomerPersonalData')`,
    )
    assert.equal((await list()).results[0]!.address, null)
    await agree()
    await app.database.owner.query(`delete from tenant_feature where feature = 'HideCustomerPersonalData'`)
    const { status } = await app.send(getProperties, { params: { tenant: 'south' }, query: {} }, 'manager@south.test')
    assert.equal(status, 403)
  })

  test('licences are summed up, and listed by purchase [dev-7dash-9 dev-3ent-10 dev-3ent-13] [est-3-20] [est-7.2-17]', async () => {
    const { body } = await app.send(getLicenceSummary, inPath, manager)
    const { licences, ...figures } = body
    assert.deepEqual(figures, { assigned: 6, available: 3, expiringInUnder12Months: 2, total: 9 })
    assert.deepEqual(
      licences.map(({ assigned, total, start }) => [assigned, total, start]),
      [
        [2, 2, dayAfter(today, -1000)],
        [4, 7, dayAfter(today, -100)],
      ],
    )
    for (const licence of licences) {
      assert.deepEqual([licence.type, licence.period], ['Managed service', 36])
      assert.ok(licence.end > today)
    }
    const seen = (await app.send(getLicenceSummary, inPath, limited)).body
    assert.deepEqual([seen.assigned, seen.available, seen.total], [2, 0, 2])
    const other = await app.send(getLicenceSummary, { params: { tenant: 'south' } }, 'manager@south.test')
    assert.equal(other.status, 403)
  })
})
