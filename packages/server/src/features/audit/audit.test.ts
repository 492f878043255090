import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { getAudit } from '@caretaker/contract/audit.ts'
import type { ErrorBody } from '@caretaker/contract/refusal.ts'
import { runT0Test } from '@caretaker/contract/lighting.ts'
import type { AuditAction } from '@caretaker/rules/audit/audit.ts'
import { auditActions } from '@caretaker/rules/audit/audit.ts'
import { dayAt, endOfDay } from '@caretaker/rules/calendar/days.ts'
import { audit } from '../../audit/audit.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addDevice } from '../../testing/furnish/devices.ts'

let app: TestApp
const admin = 'admin@north.test'
beforeAll(async () => {
  app = await testApp()
  await app.addTenant('north')
  await app.addTenant('private', { features: ['HideCustomerPersonalData'] })
  await app.addTenant('busy')
  for (const tenant of ['north', 'private', 'busy']) await app.addMember(tenant, admin, 'Admin')
})
afterAll(() => app.close())

const read = async (query: object = {}, tenant = 'north') => {
  const { status, body } = await app.send(getAudit, { params: { tenant }, query: query as never }, admin)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
const memberId = async () =>
  (await app.database.owner.query<{ id: string }>('select id from person where email = $1', [admin])).rows[0]!.id

/** Writes an entry as if someone had made the change. */
async function record(
  tenant: string,
  name: string,
  action: AuditAction,
  more: Partial<Parameters<typeof audit>[1]> = {},
) {
  const person = { id: await memberId(), name }
  const subject = { type: 'tag', id: crypto.randomUUID(), name: 'Night' } as const
  await inTenant(app.database.db, tenant, (tx) => audit(tx, { person, action, subject, ...more }))
}

test('a flick test is recorded with who, what and when, and only once while it is pending', async () => {
  const deviceId = await addDevice(app, 'north', { serial: 'EM1000123X' })
  const begun = Date.now()
  const run = () => app.send(runT0Test, { form: { tenant: 'north', deviceId } }, admin)
  const first = await run()
  await run()
  const { results, total, actions } = await read()
  assert.equal(total, 1)
  const [entry] = results
  const { id, at, ...shown } = entry!
  assert.ok(id && Date.parse(at) >= begun - 1000 && Date.parse(at) <= Date.now() + 1000)
  assert.deepEqual(shown, {
    userName: 'admin',
    action: 'flick test requested',
    subject: 'EM1000123X',
    subjectType: 'device',
    subjectId: deviceId,
    before: null,
    after: { commandId: first.body.data!.commandId, testType: 'T0' },
  })
  assert.deepEqual(actions, auditActions)
})

test('a refused or rolled back change is not recorded', async () => {
  const { total } = await read()
  const deviceId = await addDevice(app, 'north', { status: 'Inventory' })
  assert.equal((await app.send(runT0Test, { form: { tenant: 'north', deviceId } }, admin)).body.isSuccessful, false)
  await assert.rejects(
    inTenant(app.database.db, 'north', async (tx) => {
      const person = { id: await memberId(), name: 'x' }
      await audit(tx, { person, action: 'tag created', subject: { type: 'tag', id: 'x', name: 'x' } })
      throw new Error('the change fails after all')
    }),
    /after all/,
  )
  assert.equal((await read()).total, total)
})

test('the audit is filtered by user, action, subject and time together, newest first', async () => {
  await record('busy', 'Ann Onymous', 'tag created', { subject: { type: 'tag', id: 'one', name: '100%_sure' } })
  await record('busy', 'Ann Onymous', 'tag deleted', { subject: { type: 'tag', id: 'one', name: '100%_sure' } })
  await record('busy', 'Bob Builder', 'tag created', {
    subject: { type: 'access rights tag', id: 'two', name: 'East' },
  })
  const found = async (query: object) =>
    (await read(query, 'busy')).results.map(
      (entry) => `${entry.userName.split(' ')[0]} ${entry.action} ${entry.subjectId}`,
    )
  assert.deepEqual(await found({}), ['Bob tag created two', 'Ann tag deleted one', 'Ann tag created one'])
  assert.deepEqual(await found({ user: 'ANN' }), ['Ann tag deleted one', 'Ann tag created one'])
  assert.deepEqual(await found({ user: 'nn', action: 'tag created' }), ['Ann tag created one'])
  assert.deepEqual(await found({ subject: 'access rights' }), ['Bob tag created two'])
  assert.deepEqual(await found({ subject: '0%_S' }), ['Ann tag deleted one', 'Ann tag created one'])
  for (const literal of ['%', '_', '\\'])
    assert.equal((await found({ user: literal })).length, 0, `${literal} matches itself only`)
  const [newest] = (await read({}, 'busy')).results
  assert.deepEqual(await found({ from: newest!.at }), ['Bob tag created two'])
  assert.deepEqual(await found({ to: newest!.at }), ['Ann tag deleted one', 'Ann tag created one'])
  assert.deepEqual(await found({ from: '2000-01-01T00:00:00Z', to: '2001-01-01T00:00:00+01:00' }), [])
})

test('pages of fifty have no duplicates and leave nothing out', async () => {
  const { total: begun } = await read({}, 'busy')
  for (let n = 0; n < 60; n++) await record('busy', `Person ${n}`, 'user created')
  const pages = [await read({}, 'busy'), await read({ page: 2 }, 'busy'), await read({ page: 3 }, 'busy')]
  assert.deepEqual(
    pages.map((page) => page.results.length),
    [50, 10 + begun, 0],
  )
  assert.ok(pages.every((page) => page.total === 60 + begun))
  assert.equal(new Set(pages.flatMap((page) => page.results.map((entry) => entry.id))).size, 60 + begun)
})

test('a filter searches the newest 100,000 entries of the range, 10,000 are counted, and earlier days show the others', async () => {
  await app.addTenant('long')
  await app.addMember('long', admin, 'Admin')
  const begun = Date.UTC(2020, 0, 1)
  await app.database.owner.query(
    `insert into audit_entry (tenant_id, at, person_name, action, subject_type, subject_id, subject_name)
     select 'long', to_timestamp($1::float8 / 1000) + n * interval '1 minute', case n when 0 then 'Oldest' else 'Ann' end, 'tag created',
       'tag', n, 'Tag ' || n from generate_series(0, 100010) n`,
    [begun],
  )
  const all = await read({}, 'long')
  assert.deepEqual([all.total, all.results.length, all.searchedFrom], [10_001, 50, null])
  assert.equal((await read({ page: 200 }, 'long')).results[0]!.subject, 'Tag 90060')
  const cut = await read({ user: 'oldest' }, 'long')
  const searchedFrom = new Date(begun + 11 * 60_000).toISOString()
  assert.deepEqual([cut.total, cut.results, cut.searchedFrom], [0, [], searchedFrom])
  const earlier = await read({ user: 'oldest', to: searchedFrom }, 'long')
  assert.deepEqual([earlier.total, earlier.results[0]!.userName, earlier.searchedFrom], [1, 'Oldest', null])
  // Enough are found among the newest ones, so the only note is about the count.
  const many = await read({ user: 'ann' }, 'long')
  assert.deepEqual([many.total, many.searchedFrom], [10_001, null])
})

test('with HideCustomerPersonalData neither addresses nor residents are shown, nor found by hidden values', async () => {
  const before = { address1: '1 Secret Street', details: { postcode: 'SE1 1CR', voidFlag: 'Void' }, reference: 'NG-1' }
  await record('private', 'Ann', 'tag created', {
    subject: { type: 'property', id: 'p', name: '1 Secret Street' },
    before,
    after: { town: 'Secretville', latitude: 1 },
  })
  const resident = { name: 'Secret Resident', email: 'secret@home.test', mobilePhone: '07000', approved: true }
  await record('private', 'Ann', 'tag created', {
    subject: { type: 'resident', id: 'r', name: 'Secret Resident' },
    after: resident,
  })
  await record('private', 'Ann', 'user created', {
    subject: { type: 'user', id: 'u', name: 'Tom' },
    after: { name: 'Tom', email: 'tom@north.test' },
  })
  const { results } = await read({}, 'private')
  assert.ok(!/secret/i.test(JSON.stringify(results)))
  assert.deepEqual(
    results.map((entry) => [entry.subject, entry.before, entry.after]),
    [
      ['Tom', null, { name: 'Tom', email: 'tom@north.test' }],
      ['', null, { approved: true }],
      ['', { details: { voidFlag: 'Void' }, reference: 'NG-1' }, {}],
    ],
  )
  assert.equal((await read({ subject: 'secret' }, 'private')).total, 0)
})

test('nobody rewrites the audit: the application may neither change nor delete an entry', async () => {
  for (const statement of [
    `update audit_entry set action = action where tenant_id = 'north'`,
    `delete from audit_entry where tenant_id = 'north'`,
    'truncate audit_entry',
  ])
    await assert.rejects(app.database.app.query(statement), /permission denied/)
})

test('managers, engineers and guests do not read it, nor do restricted admins', async () => {
  for (const role of ['Manager', 'LightingEngineer', 'Guest'] as const) {
    await app.addMember('north', `${role}@north.test`.toLowerCase(), role)
    const answer = await app.send(
      getAudit,
      { params: { tenant: 'north' }, query: {} },
      `${role}@north.test`.toLowerCase(),
    )
    assert.equal(answer.status, 403, role)
  }
  await app.addMember('north', 'limited@north.test', 'Admin', [crypto.randomUUID()])
  assert.equal((await app.send(getAudit, { params: { tenant: 'north' }, query: {} }, 'limited@north.test')).status, 403)
})

test('an invalid filter is 400', async () => {
  for (const query of [
    { page: '0' },
    { page: '201' },
    { page: 'x' },
    { action: 'nonsense' },
    { from: 'yesterday' },
    { user: 'a\u0000' },
  ])
    assert.equal(
      (await app.send(getAudit, { params: { tenant: 'north' }, query: query as never }, admin)).status,
      400,
      JSON.stringify(query),
    )
})

test("a future day is refused with the reason; today, in the client's time zone, is the last", async () => {
  await app.addTenant('far')
  await app.addMember('far', admin, 'Admin')
  await app.database.owner.query(`update tenant set time_zone = 'Pacific/Auckland' where id = 'far'`)
  for (const [tenant, zone] of [
    ['north', 'Europe/London'],
    ['far', 'Pacific/Auckland'],
  ] as const) {
    const send = (query: object) => app.send(getAudit, { params: { tenant }, query: query as never }, admin)
    const tomorrow = endOfDay(dayAt(Date.now(), zone), zone) + 1
    const at = (instant: number) => new Date(instant).toISOString()
    assert.equal((await send({ from: at(tomorrow - 1), to: at(tomorrow) })).status, 200)
    for (const [field, query] of [
      ['query.to', { to: at(tomorrow + 1) }],
      ['query.to', { to: '2100-01-01T00:00:00Z' }],
      ['query.from', { from: at(tomorrow) }],
    ] as const) {
      const { status, body } = await send(query)
      assert.equal(status, 400, JSON.stringify(query))
      const { message, validationErrors } = body as unknown as ErrorBody
      assert.equal(message, 'A date cannot be later than today')
      assert.deepEqual(validationErrors, [{ field, message }])
    }
  }
})
