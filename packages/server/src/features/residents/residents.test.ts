import assert from 'node:assert/strict'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { putPropertyDetails } from '@caretaker/contract/properties.ts'
import { getAudit } from '@caretaker/contract/audit.ts'
import {
  approveResidence,
  createResidentAppKey,
  getAppResident,
  getResidentAppKeys,
  getResidentAppSettings,
  getResidents,
  requestResidence,
  revokeResidence,
  revokeResidentAppKey,
  setResidentAppSettings,
} from '@caretaker/contract/residents.ts'
import type { SameShapes } from '@caretaker/contract/route.ts'
import { operator } from '../../audit/audit.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { count, resetCount } from '../../postgres/throttle.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag } from '../../testing/furnish/devices.ts'
import { addAppKey, callsOfApp } from './app-keys.ts'

let app: TestApp
let round = 0
let tenant: string
let manager: string
let key: string
const home = { reference: 'NG-1', postcode: 'LS6 1AB' }

beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
beforeEach(async () => {
  tenant = `t${++round}`
  manager = `manager@${tenant}.test`
  await app.addTenant(tenant, {
    features: ['ManageResidentAccess', 'ManageApplication', 'PropertyCentric', 'VoidFlag'],
    capabilities: ['ViewProperties'],
  })
  await app.addMember(tenant, manager, 'Manager')
  await inTenant(app.database.db, tenant, async (tx) => {
    for (const reference of ['NG-1', 'NG-2'])
      await tx
        .insertInto('property')
        .values({
          ...{ tenant_id: tenant, id: crypto.randomUUID(), reference, address1: `1 ${reference} Road` },
          postcode: home.postcode,
        })
        .execute()
    key = await addAppKey(tx, operator, false)
  })
})

const addressOfAnn = () => getAppResident.path.replace('{tenant}', tenant).replace('{userId}', 'ann')
const headers = (bearer: string) => ({ headers: { authorization: `Bearer ${bearer}` } })
const request = (userId: string, body: object = {}, bearer = key, of = tenant) =>
  app.send(
    requestResidence,
    {
      params: { tenant: of, userId },
      body: {
        ...{ email: `${userId.replaceAll('|', '-')}@residents.test`, name: `Resident ${userId}` },
        ...{ propertyReference: home.reference, postcode: home.postcode, ...body },
      },
    },
    undefined,
    headers(bearer),
  )
const appSees = (userId: string, bearer = key, of = tenant) =>
  app.send(getAppResident, { params: { tenant: of, userId } }, undefined, headers(bearer))
const list = async (as = manager) => {
  const { status, body } = await app.send(getResidents, { params: { tenant }, query: {} }, as)
  assert.equal(status, 200, JSON.stringify(body))
  return body.results
}
const decide = (route: SameShapes<typeof approveResidence>, auth0UserId: string, residenceId: string, as = manager) =>
  app.send(route, { query: { tenant }, body: { auth0UserId, residenceId } }, as)

describe('residents', () => {
  test('lose access when a property becomes void or is let again, unless it is kept on purpose', async () => {
    await request('ann')
    await request('bob')
    await request('cara', { propertyReference: 'NG-2' })
    const homes = new Map((await list()).map(({ auth0UserId, residences: [one] }) => [auth0UserId, one!.residenceId]))
    const propertyId = homes.get('ann')!
    const approve = async (who: string) =>
      assert.equal((await decide(approveResidence, who, homes.get(who)!)).status, 204)
    for (const who of ['ann', 'bob', 'cara']) await approve(who)
    const turn = (body: object, as = manager) =>
      app.send(putPropertyDetails, { params: { tenant, propertyId }, body }, as)
    const approved = async () =>
      (await list()).filter(({ residences }) => residences[0]!.approved).map(({ auth0UserId }) => auth0UserId)
    // Other changes, and setting the current value, end nothing.
    for (const body of [{ numberOfRoom: 3 }, { voidStatus: 'NotVoid' }]) assert.equal((await turn(body)).status, 200)
    assert.deepEqual(await approved(), ['ann', 'bob', 'cara'])
    assert.equal((await turn({ voidStatus: 'Void', keepAccessOf: ['bob'] })).status, 200)
    assert.deepEqual(await approved(), ['bob', 'cara'])
    assert.deepEqual(
      (await appSees('ann')).body.residences.map(({ address }) => address),
      [null],
    )
    await approve('ann')
    assert.equal((await turn({ voidStatus: 'NotVoid' })).status, 200)
    assert.deepEqual(await approved(), ['cara'])
    const admin = `admin@${tenant}.test`
    await app.addMember(tenant, admin, 'Admin')
    const query = { action: 'resident access revoked' } as const
    assert.equal((await app.send(getAudit, { params: { tenant }, query }, admin)).body.results.length, 3)
  })

  test('keep access only through users who may manage residents', async () => {
    await request('ann')
    const [{ residences }] = (await list()) as [Awaited<ReturnType<typeof list>>[number]]
    const { residenceId: propertyId } = residences[0]!
    await decide(approveResidence, 'ann', propertyId)
    const tag = await addAccessRightsTag(app, tenant, 'East')
    await inTenant(app.database.db, tenant, (tx) =>
      tx
        .updateTable('property')
        .set({ access_rights_tag_id: tag })
        .where('tenant_id', '=', tenant)
        .where('id', '=', propertyId)
        .execute(),
    )
    const limited = `limited@${tenant}.test`
    await app.addMember(tenant, limited, 'Manager', [tag])
    const turn = (body: object) => app.send(putPropertyDetails, { params: { tenant, propertyId }, body }, limited)
    assert.equal((await turn({ voidStatus: 'Void', keepAccessOf: ['ann'] })).status, 403)
    assert.equal((await list())[0]!.residences[0]!.approved, true)
    assert.equal((await turn({ voidStatus: 'Void' })).status, 200)
    assert.equal((await list())[0]!.residences[0]!.approved, false)
  })

  test('request access in their app, wait for approval, and are listed with each residence [est-3-32] [est-3-33] [est-7.3-3] [est-4-28]', async () => {
    const { status, body } = await request('auth0|ann')
    assert.equal(status, 202)
    assert.equal(body.residences[0]!.approved, false)
    await request('auth0|ann', { propertyReference: 'ng-2', postcode: 'ls61ab' })
    const [ann, ...others] = await list()
    assert.deepEqual(others, [])
    const { residences, ...resident } = ann!
    assert.deepEqual(resident, {
      auth0UserId: 'auth0|ann',
      email: 'auth0-ann@residents.test',
      name: 'Resident auth0|ann',
      savingsAndTipsAt: null,
    })
    assert.deepEqual(
      residences.map(({ residenceId: _, since: __, ...residence }) => residence),
      ['NG-1', 'NG-2'].map((reference) => ({
        propertyReference: reference,
        address: `1 ${reference} Road`,
        approved: false,
      })),
    )
    assert.equal(residences[0]!.residenceId, body.residences[0]!.residenceId)
  })

  test('of one property are those who requested it, with that residence only; another client sees none', async () => {
    const { residenceId } = (await request('ann')).body.residences[0]!
    await request('ann', { propertyReference: 'NG-2' })
    await request('ben', { propertyReference: 'NG-2' })
    const of = async (propertyId: string) =>
      (await app.send(getResidents, { params: { tenant }, query: { propertyId } }, manager)).body.results.map((one) => [
        one.auth0UserId,
        one.residences.map(({ propertyReference }) => propertyReference),
      ])
    assert.deepEqual(await of(residenceId), [['ann', ['NG-1']]])
    const second = (await list()).find(({ auth0UserId }) => auth0UserId === 'ben')!.residences[0]!.residenceId
    assert.deepEqual(
      (await of(second)).map(([who]) => who),
      ['ann', 'ben'],
    )
    const other = `other${round}`
    await app.addTenant(other, { features: ['ManageResidentAccess'] })
    await app.addMember(other, `boss@${other}.test`, 'Manager')
    const foreign = { params: { tenant: other }, query: { propertyId: residenceId } }
    assert.deepEqual((await app.send(getResidents, foreign, `boss@${other}.test`)).body.results, [])
  })

  test('are approved and revoked per residence, and the app shows a property only after approval [est-7.3-4] [est-7.3-5] [est-4-29] [est-4-30] [est-1-14]', async () => {
    const { residenceId } = (await request('ann')).body.residences[0]!
    await request('ann', { propertyReference: 'NG-2' })
    const approved = async () => (await list())[0]!.residences.map((one) => one.approved)
    assert.deepEqual((await appSees('ann')).body.residences[0]!.address, null)
    assert.equal((await decide(approveResidence, 'ann', residenceId)).status, 204)
    assert.deepEqual(await approved(), [true, false])
    assert.deepEqual(
      (await appSees('ann')).body.residences.map(({ address }) => address),
      ['1 NG-1 Road', null],
    )
    // A repeated request changes nothing.
    assert.equal((await request('ann', { name: 'Ann Renamed' })).status, 202)
    assert.deepEqual(await approved(), [true, false])
    assert.equal((await list())[0]!.name, 'Ann Renamed')
    assert.equal((await decide(revokeResidence, 'ann', residenceId)).status, 204)
    assert.deepEqual(await approved(), [false, false])
    assert.deepEqual((await appSees('ann')).body.residences[0]!.address, null)
  })

  test('approved twice, or revoked at the same time, end in one of the two states, each change recorded once', async () => {
    const { residenceId } = (await request('ann')).body.residences[0]!
    const twice = await Promise.all([1, 2, 3].map(() => decide(approveResidence, 'ann', residenceId)))
    assert.ok(twice.every(({ status }) => status === 204))
    const both = await Promise.all([
      decide(revokeResidence, 'ann', residenceId),
      decide(approveResidence, 'ann', residenceId),
      decide(revokeResidence, 'ann', residenceId),
    ])
    assert.ok(both.every(({ status }) => status === 204))
    const admin = `admin@${tenant}.test`
    await app.addMember(tenant, admin, 'Admin')
    const { results } = (await app.send(getAudit, { params: { tenant }, query: {} }, admin)).body
    const actions = results.filter(({ subjectType }) => subjectType === 'resident').map(({ action }) => action)
    assert.equal(actions.at(-1), 'resident access requested')
    assert.equal(actions.at(-2), 'resident access approved')
    // The records alternate, and the last one matches what is stored.
    for (const [at, action] of actions.entries()) assert.notEqual(action, actions[at + 1])
    assert.equal((await list())[0]!.residences[0]!.approved, actions[0] === 'resident access approved')
  })

  test('that are unknown, of another property or of another tenant are not found', async () => {
    const { residenceId } = (await request('ann')).body.residences[0]!
    assert.equal((await decide(approveResidence, 'nobody', residenceId)).status, 404)
    assert.equal((await decide(approveResidence, 'ann', crypto.randomUUID())).status, 404)
    const other = `other${round}`
    await app.addTenant(other, { features: ['ManageResidentAccess'] })
    await app.addMember(other, `boss@${other}.test`, 'Manager')
    const foreign = await app.send(
      approveResidence,
      { query: { tenant: other }, body: { auth0UserId: 'ann', residenceId } },
      `boss@${other}.test`,
    )
    assert.equal(foreign.status, 404)
    assert.equal((await decide(approveResidence, 'ann', residenceId, `boss@${other}.test`)).status, 404)
    assert.equal((await list())[0]!.residences[0]!.approved, false)
  })

  test('are managed with the feature, by managers without restrictions, and read by the others [est-6-8]', async () => {
    const { residenceId } = (await request('ann')).body.residences[0]!
    await app.addMember(tenant, `guest@${tenant}.test`, 'Guest')
    await app.addMember(tenant, `limited@${tenant}.test`, 'Manager', [crypto.randomUUID()])
    assert.equal((await list(`guest@${tenant}.test`)).length, 1)
    for (const who of ['guest', 'limited'])
      assert.equal((await decide(approveResidence, 'ann', residenceId, `${who}@${tenant}.test`)).status, 403, who)
    await app.database.owner.query(`delete from tenant_feature where tenant_id = $1`, [tenant])
    assert.equal((await app.send(getResidents, { params: { tenant }, query: {} }, manager)).status, 403)
    assert.equal((await decide(approveResidence, 'ann', residenceId)).status, 403)
  })

  test('have no name, e-mail or address where the tenant hides personal data', async () => {
    await request('ann')
    await app.database.owner.query(`insert into tenant_feature values ($1, 'HideCustomerPersonalData')`, [tenant])
    const [ann] = await list()
    assert.deepEqual([ann!.name, ann!.email, ann!.residences[0]!.address], [null, null, null])
    assert.equal(ann!.residences[0]!.propertyReference, 'NG-1')
  })
})

describe('the resident app', () => {
  test('signs in with a key of its tenant, in the header only', async () => {
    await request('ann')
    for (const bearer of ['', 'x', `resident_${'x'.repeat(43)}`, `${key}x`, await app.token(manager)]) {
      assert.equal((await appSees('ann', bearer)).status, 401, bearer.slice(0, 12))
      assert.equal((await request('ann', {}, bearer)).status, 401)
      // The key is checked first: without one the caller learns nothing about the call.
      for (const wrong of [{ email: 'no address' }, { propertyReference: 7 }, { more: true }]) {
        const refused = await request('ann', wrong, bearer)
        assert.equal(refused.status, 401)
        assert.ok(!JSON.stringify(refused.body).includes(Object.keys(wrong)[0]!))
      }
    }
    await app.addTenant(`other${round}`)
    assert.equal((await appSees('ann', key, `other${round}`)).status, 401)
    assert.equal((await appSees('ann', key, 'nowhere')).status, 401)
    const asked = await app.app.inject({ url: `${addressOfAnn()}?key=${key}` })
    assert.equal(asked.statusCode, 401)
    // It opens nothing else.
    const list = await app.app.inject({
      url: getResidents.path.replace('{tenant}', tenant),
      headers: { authorization: `Bearer ${key}` },
    })
    assert.equal(list.statusCode, 401)
  })

  test('keeps a key valid until another one replaces it', async () => {
    await request('ann')
    const more = await inTenant(app.database.db, tenant, (tx) => addAppKey(tx, operator, false))
    assert.deepEqual([(await appSees('ann')).status, (await appSees('ann', more)).status], [200, 200])
    const last = await inTenant(app.database.db, tenant, (tx) => addAppKey(tx, operator, true))
    assert.deepEqual(
      [(await appSees('ann')).status, (await appSees('ann', more)).status, (await appSees('ann', last)).status],
      [401, 401, 200],
    )
    const { rows } = await app.database.owner.query('select * from resident_app_key where tenant_id = $1', [tenant])
    assert.ok(!JSON.stringify(rows).includes(last))
  })

  test('gets keys from a manager, each shown once, with its last use; they can be revoked', async () => {
    const inPath = { params: { tenant } }
    const keys = async (as = manager) => app.send(getResidentAppKeys, inPath, as)
    const before = (await keys()).body.results
    assert.deepEqual(
      before.map(({ lastUsedAt }) => lastUsedAt),
      [null],
    )
    const { status, body: made } = await app.send(
      createResidentAppKey,
      { ...inPath, body: { instead: false } },
      manager,
    )
    assert.deepEqual([status, /^resident_[\w-]{43}$/.test(made.key)], [201, true])
    await request('ann', {}, made.key)
    const [newest, former] = (await keys()).body.results
    assert.deepEqual([former!.id, former!.lastUsedAt], [before[0]!.id, null])
    assert.ok(Math.abs(Date.parse(newest!.lastUsedAt!) - Date.now()) < 60_000)
    const { body: last } = await app.send(createResidentAppKey, { ...inPath, body: { instead: true } }, manager)
    assert.equal((await keys()).body.results.length, 1)
    assert.deepEqual([(await appSees('ann', made.key)).status, (await appSees('ann', last.key)).status], [401, 200])
    const [one] = (await keys()).body.results
    const which = { params: { tenant, keyId: one!.id } }
    // The counter-examples: a user without the right, and a key itself.
    const guest = `guest@${tenant}.test`
    await app.addMember(tenant, guest, 'Guest')
    for (const as of [guest, `stranger@${tenant}.test`]) {
      assert.ok((await keys(as)).status >= 403)
      assert.ok((await app.send(createResidentAppKey, { ...inPath, body: { instead: false } }, as)).status >= 403)
      assert.ok((await app.send(revokeResidentAppKey, which, as)).status >= 403)
    }
    assert.equal(
      (await app.send(revokeResidentAppKey, { params: { tenant, keyId: crypto.randomUUID() } }, manager)).status,
      404,
    )
    for (let times = 0; times < 2; times++)
      assert.equal((await app.send(revokeResidentAppKey, which, manager)).status, 204)
    assert.equal((await appSees('ann', last.key)).status, 401)
    assert.deepEqual((await keys()).body.results, [])
    const { rows } = await app.database.owner.query<{ action: string; person_name: string }>(
      `select action, person_name from audit_entry where tenant_id = $1 and action like 'resident app key%' and person_name <> $2`,
      [tenant, operator.name],
    )
    assert.deepEqual(rows.map(({ action }) => action).toSorted(), [
      'resident app key added',
      'resident app key added',
      'resident app key revoked',
    ])
    assert.ok(!JSON.stringify(rows).includes(last.key))
  })

  test('finds a property by reference and postcode together, and only users who requested it', async () => {
    for (const wrong of [{ postcode: 'LS6 1AC' }, { propertyReference: 'NG-9' }, { propertyReference: '%' }])
      assert.equal((await request('ann', wrong)).status, 404)
    assert.equal((await appSees('ann')).status, 404)
    assert.deepEqual(await list(), [])
    for (const bad of [{ email: 'x' }, { name: '' }, { postcode: '' }, { more: 1 }])
      assert.equal((await request('ann', bad)).status, 400)
    assert.equal((await request('a b')).status, 400)
  })

  test('has an hourly rate limit, separate for each client', async () => {
    await request('ann')
    const counted = ['resident app', tenant] as const
    const { most, seconds } = callsOfApp
    await resetCount(app.database.db, counted)
    assert.equal(await count(app.database.db, counted, seconds), 1)
    await app.database.owner.query('update throttle set count = $1 where count = 1 and since > $2', [
      ...[most - 1, new Date(Date.now() - 1000)],
    ])
    assert.deepEqual([(await appSees('ann')).status, (await appSees('ann')).status], [200, 429])
    assert.equal((await request('ann')).status, 429)
    await resetCount(app.database.db, counted)
    assert.equal((await appSees('ann')).status, 200)
  })

  test('is refused while the client is suspended, and then continues', async () => {
    await request('ann')
    await app.database.owner.query(
      `update tenant set suspended_at = now(), suspended_reason = 'unpaid' where id = $1`,
      [tenant],
    )
    for (const answer of [await appSees('ann'), await request('ben')])
      assert.deepEqual([answer.status, JSON.stringify(answer.body).includes('unpaid')], [403, false])
    assert.equal((await appSees('ann', `${key.slice(0, -1)}~`)).status, 401)
    await app.database.owner.query(`update tenant set suspended_at = null, suspended_reason = null where id = $1`, [
      tenant,
    ])
    assert.equal((await appSees('ann')).status, 200)
    assert.equal((await appSees('ben')).status, 404)
  })

  test('has a limit on wrong keys per address', async () => {
    const wrong = `resident_${'y'.repeat(43)}`
    const from = { headers: { authorization: `Bearer ${wrong}` }, remoteAddress: '203.0.113.7' }
    const url = addressOfAnn()
    const statuses: number[] = []
    for (let tries = 0; tries < 22; tries++) statuses.push((await app.app.inject({ url, ...from })).statusCode)
    assert.deepEqual(statuses, [...Array<number>(20).fill(401), 429, 429])
  })
})

describe('the support contacts', () => {
  const good = { residentAppContactEmail: 'help@t.example', residentAppContactPhoneNumber: '+441134960142' }
  const save = (body: object, as = manager) =>
    app.send(setResidentAppSettings, { params: { tenant }, body: { ...good, ...body } }, as)
  const withoutVersion = ({ version: _, ...contacts }: Record<string, unknown>) => contacts
  const read = async () =>
    withoutVersion((await app.send(getResidentAppSettings, { params: { tenant } }, manager)).body)

  test('are both stored, and shown by the resident app [est-3-31] [est-7.3-1] [est-1-15]', async () => {
    assert.deepEqual(await read(), { residentAppContactEmail: '', residentAppContactPhoneNumber: '' })
    const { status, body } = await save({})
    assert.deepEqual([status, withoutVersion(body)], [200, good])
    assert.deepEqual(await read(), good)
    await request('ann')
    assert.deepEqual((await appSees('ann')).body.support, good)
  })

  test('must be an e-mail and a phone number [est-5-42] [est-5-43]', async () => {
    const email = 'residentAppContactEmail'
    const phone = 'residentAppContactPhoneNumber'
    for (const [field, value, message] of [
      [email, '', 'Email is required'],
      [email, 'help@t', 'Email is not valid'],
      [email, 'help t@t.example', 'Email is not valid'],
      [phone, '', 'Phone number is required'],
      [phone, '+4411', 'Phone number is not valid'],
      [phone, '01134960142', 'Phone number is not valid'],
      [phone, '+44113496014212', 'Phone number is not valid'],
      [phone, 'call me', 'Phone number is not valid'],
    ] as const) {
      const { status, body } = await save({ [field]: value })
      assert.equal(status, 400, value)
      assert.deepEqual(
        body.validationErrors.find((error: { field: string }) => error.field === field)?.message,
        message,
        value,
      )
    }
    for (const value of ['+33123456789', '+12125550100']) assert.equal((await save({ [phone]: value })).status, 200)
  })

  test('are set by managers without restrictions', async () => {
    await app.addMember(tenant, `guest@${tenant}.test`, 'Guest')
    await app.addMember(tenant, `limited@${tenant}.test`, 'Manager', [crypto.randomUUID()])
    for (const who of ['guest', 'limited']) assert.equal((await save({}, `${who}@${tenant}.test`)).status, 403)
    assert.equal((await save({}, 'stranger@nowhere.test')).status, 404)
  })
})
