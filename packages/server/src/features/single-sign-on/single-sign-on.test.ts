import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { zonedText } from '@caretaker/rules/calendar/days.ts'
import { recordEndsAt } from '@caretaker/rules/identity/single-sign-on.ts'
import {
  addSsoConnection,
  addSsoDomain,
  getSsoConnections,
  removeSsoConnection,
  removeSsoDomain,
  replaceSsoSecret,
  testSsoConnection,
  updateSsoConnection,
  verifySsoDomain,
} from '@caretaker/contract/single-sign-on.ts'
import type { SsoConnection, SsoDomain } from '@caretaker/contract/single-sign-on.ts'
import { releaseSsoDomain as releaseByOperator, verifySsoDomain as verifyByOperator } from '../../cli/single-sign-on.ts'
import { findConnection, secretOwner } from '../../idp/sso-connections.ts'
import { ensureAccount } from '../../idp/accounts.ts'
import { linkSubject, ownerOfAddress } from '../../idp/sso-lookup.ts'
import { unseal } from '../../idp/sealed.ts'
import { makeAllDue } from '../../postgres/due.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag } from '../../testing/furnish/devices.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { checkDomains } from './check-domains.ts'

let app: TestApp
/** For each domain its TXT records, or the code with which the name servers respond. */
let records: Record<string, string[][] | string> = {}
const manager = 'manager@north.test'
const other = 'manager@south.test'
const guest = 'guest@north.test'
const limited = 'limited@north.test'
const north = { tenant: 'north' }
const settings = {
  ...{ name: 'North ID', issuer: 'https://id.north.example', clientId: 'caretaker', groupClaim: 'groups' },
  ...{ isRequired: false, checksSecondFactor: false, createsMembers: false },
}

beforeAll(async () => {
  app = await testApp({ CARETAKER_WEBHOOK_NETWORKS: '127.0.0.1' })
  app.context.resolveTxt = async (name) => {
    const found = records[name] ?? 'ENOTFOUND'
    if (typeof found !== 'string') return found
    throw Object.assign(new Error('no record'), { code: found })
  }
  for (const tenant of ['north', 'south']) await app.addTenant(tenant)
  await app.addMember('north', manager, 'Manager')
  await app.addMember('north', guest, 'Guest')
  await app.addMember('south', other, 'Manager')
})
afterAll(() => app.close())
beforeEach(async () => {
  records = {}
  await app.database.owner.query('delete from sso_domain')
  await app.database.owner.query('delete from sso_connection')
  await app.database.owner.query('delete from idp.sso_lookup')
  await app.database.owner.query('delete from idp.federated_identity')
})

/** As if someone had signed in with a connection. */
async function prove(connectionId: string, tenant = 'north') {
  const account = await ensureAccount(app.database.idp, 'ann@north.example', 'Ann')
  await linkSubject(app.database.idp, { tenant, connectionId, issuer: settings.issuer, subject: 'ann', account })
}
const operator = () => ({ config: app.context.config, owner: app.database.owner, db: app.database.db })

const add = async (more: object = {}, tenant = 'north', by = manager) =>
  app.send(addSsoConnection, { params: { tenant }, body: { ...settings, clientSecret: 'a secret', ...more } }, by)
const added = async (...how: Parameters<typeof add>) => (await add(...how)).body as SsoConnection
const addDomain = (id: string, domain: string, tenant = 'north', by = manager) =>
  app.send(addSsoDomain, { params: { tenant, connectionId: id }, body: { domain } }, by)
const verify = (id: string, domain: string, tenant = 'north', by = manager) =>
  app.send(verifySsoDomain, { params: { tenant, connectionId: id, domain } }, by)
const listed = async () => {
  const { status, body } = await app.send(getSsoConnections, { params: north }, manager)
  assert.equal(status, 200)
  return body as { results: SsoConnection[]; isEmbedded: boolean }
}

test('a manager adds a connection; its secret is encrypted and returned nowhere', async () => {
  const made = await add()
  assert.equal(made.status, 201)
  const { id } = made.body as SsoConnection
  const list = await listed()
  assert.deepEqual(list.results[0], made.body)
  assert.equal(list.isEmbedded, true)
  assert.match(list.results[0]!.redirectUri, new RegExp(`/login/sso/callback/${id}$`))
  assert.match(list.results[0]!.backChannelUri, new RegExp(`/login/sso/back-channel/${id}$`))
  assert.doesNotMatch(JSON.stringify([made.body, list]), /a secret/)
  const stored = (await findConnection(app.database.db, 'north', id))!
  assert.doesNotMatch(stored.secret, /a secret/)
  assert.equal(String(await unseal(app.database.idp, secretOwner(stored), stored.secret)), 'a secret')
  await assert.rejects(unseal(app.database.idp, secretOwner({ tenant: 'south', id }), stored.secret))
  await app.send(replaceSsoSecret, { params: { ...north, connectionId: id }, body: { clientSecret: 'new' } }, manager)
  const replaced = (await findConnection(app.database.db, 'north', id))!
  assert.equal(String(await unseal(app.database.idp, secretOwner(replaced), replaced.secret)), 'new')
  const { rows } = await app.database.owner.query<{ entry: string }>(
    `select (coalesce(after, '{}')::text || coalesce(before, '{}')::text) as entry from audit_entry where action like 'single sign-on%'`,
  )
  assert.ok(rows.length >= 2)
  assert.doesNotMatch(JSON.stringify(rows), /secret"|'new'|a secret/)
})

test('guests, restricted managers and managers of other clients cannot reach a connection', async () => {
  const { id } = await added()
  assert.equal((await app.send(getSsoConnections, { params: north }, guest)).status, 403)
  assert.equal((await add({ name: 'Another' }, 'north', guest)).status, 403)
  assert.equal((await app.send(getSsoConnections, { params: north }, other)).status, 404)
  const tag = await addAccessRightsTag(app, 'north', 'Tower')
  await app.addMember('north', limited, 'Manager', [tag])
  assert.equal((await app.send(getSsoConnections, { params: north }, limited)).status, 403)
  const theirs = { params: { tenant: 'south', connectionId: id } }
  for (const response of [
    await app.send(updateSsoConnection, { ...theirs, body: settings }, other),
    await app.send(replaceSsoSecret, { ...theirs, body: { clientSecret: 'x' } }, other),
    await app.send(testSsoConnection, theirs, other),
    await app.send(removeSsoConnection, theirs, other),
    await addDomain(id, 'north.example', 'south', other),
    await verify(id, 'north.example', 'south', other),
  ])
    assert.equal(response.status, 404)
})

test('an issuer is a public https address, and stays with its secret', async () => {
  for (const [issuer, text] of [
    ['id.north.example', /must be an address/],
    ['ftp://id.north.example', /https/],
    ['https://user:secret@id.north.example', /user name/],
    ['https://id.north.example/.well-known/openid-configuration', /issuer alone/],
  ] as const) {
    const refused = await add({ issuer })
    assert.equal(refused.status, 400, issuer)
    assert.match(JSON.stringify(refused.body), text)
  }
  const { id } = await added()
  const moved = { ...settings, issuer: 'https://elsewhere.example' }
  const response = await app.send(updateSsoConnection, { params: { ...north, connectionId: id }, body: moved }, manager)
  assert.equal(response.status, 400)
  assert.match(JSON.stringify(response.body), /cannot be changed/)
  assert.equal((await add({ clientId: 'second' })).status, 400, 'the name is taken')
})

test('a domain belongs to the client that proves it by a DNS record', async () => {
  const { id } = await added()
  const { record } = (await addDomain(id, 'North.Example')).body as { record: string }
  assert.match(record, /^caretaker-verification=[\w-]{24}$/)
  records['north.example'] = [['v=spf1 -all'], ['caretaker-verification=wrong']]
  const missing = (await verify(id, 'north.example')).body as { verifiedAt: unknown; checkedAt: unknown }
  assert.equal(missing.verifiedAt, null)
  assert.ok(missing.checkedAt)
  assert.equal(await ownerOfAddress(app.database.idp, 'ann@north.example'), undefined)
  records['north.example'] = [['v=spf1 -all'], [record.slice(0, 10), record.slice(10)]]
  assert.ok(((await verify(id, 'north.example')).body as { verifiedAt: unknown }).verifiedAt)
  const owner = { tenant: 'north', connectionId: id, isRequired: false }
  assert.deepEqual(await ownerOfAddress(app.database.idp, 'ann@north.example'), owner)
  assert.equal(await ownerOfAddress(app.database.idp, 'ann@sub.north.example'), undefined)

  const theirs = await added({ name: 'South ID' }, 'south', other)
  const claimed = (await addDomain(theirs.id, 'north.example', 'south', other)).body as { record: string }
  records['north.example'] = [[claimed.record]]
  const refused = await verify(theirs.id, 'north.example', 'south', other)
  assert.equal(refused.status, 409)
  assert.match(JSON.stringify(refused.body), /Another client/)
  await app.send(removeSsoDomain, { params: { ...north, connectionId: id, domain: 'north.example' } }, manager)
  assert.equal(await ownerOfAddress(app.database.idp, 'ann@north.example'), undefined)
  assert.equal((await verify(theirs.id, 'north.example', 'south', other)).status, 200)
})

test('a connection can be required only after someone has signed in with it', async () => {
  const { id } = await added()
  await addDomain(id, 'north.example')
  await verifyByOperator(operator(), { tenant: 'north', domain: 'north.example' })
  const require = (isRequired: boolean) =>
    app.send(
      updateSsoConnection,
      { params: { ...north, connectionId: id }, body: { ...settings, isRequired } },
      manager,
    )
  for (const refused of [await require(true), await add({ name: 'New', isRequired: true })]) {
    assert.equal(refused.status, 400)
    assert.match(JSON.stringify(refused.body), /isRequired.*before someone has signed in/)
  }
  const isRequired = async () => (await ownerOfAddress(app.database.idp, 'ann@north.example'))!.isRequired
  assert.equal(await isRequired(), false)
  await prove(id)
  for (const wanted of [true, false]) {
    assert.equal((await require(wanted)).status, 200)
    assert.equal(await isRequired(), wanted)
  }
})

test('an operator releases a domain, which another client can then verify', async () => {
  const { id } = await added()
  const theirs = await added({ name: 'South ID' }, 'south', other)
  const domain = 'north.example'
  for (const [connection, tenant, by] of [
    [id, 'north', manager],
    [theirs.id, 'south', other],
  ] as const)
    await addDomain(connection, domain, tenant, by)
  await verifyByOperator(operator(), { tenant: 'north', domain })
  await assert.rejects(verifyByOperator(operator(), { tenant: 'south', domain }), /Another client/)
  await releaseByOperator(operator(), { tenant: 'north', domain })
  assert.equal(await ownerOfAddress(app.database.idp, `ann@${domain}`), undefined)
  assert.equal((await listed()).results[0]!.domains[0]!.verifiedAt, null)
  await verifyByOperator(operator(), { tenant: 'south', domain })
  await assert.rejects(releaseByOperator(operator(), { tenant: 'north', domain: 'unknown.example' }), /has not added/)
})

test('the connections of a suspended client cannot be used', async () => {
  const { id } = await added()
  assert.ok(await findConnection(app.database.db, 'north', id))
  const suspend = (at: string) => app.database.owner.query(`update tenant set suspended_at = ${at} where id = 'north'`)
  await suspend('now()')
  try {
    assert.equal(await findConnection(app.database.db, 'north', id), undefined)
  } finally {
    await suspend('null')
  }
})

test('public mail domains and that of the operator are refused', async () => {
  const { id } = await added()
  for (const domain of ['gmail.com', 'caretaker.example', 'no domain', 'localhost'])
    assert.equal((await addDomain(id, domain)).status, 400, domain)
})

test('an operator verifies a domain that the client has added', async () => {
  const { id } = await added()
  await assert.rejects(verifyByOperator(operator(), { tenant: 'north', domain: 'north.example' }), /has not added/)
  await addDomain(id, 'north.example')
  await verifyByOperator(operator(), { tenant: 'north', domain: 'north.example' })
  assert.ok((await listed()).results[0]!.domains[0]!.verifiedAt)
})

describe('daily checks of verified domains', () => {
  const domain = 'north.example'
  const day = 86_400_000
  let id: string
  let record: string
  beforeEach(async () => {
    await app.database.owner.query(`delete from due where work = 'check domains'`)
    await app.database.owner.query(`delete from audit_entry where action like 'single sign-on%'`)
    await app.database.owner.query('delete from mail')
    id = (await added()).id
    record = ((await addDomain(id, domain)).body as SsoDomain).record
    records[domain] = [[record]]
    assert.equal((await verify(id, domain)).status, 200)
  })
  /** Checks as if days had passed since the verification; returns how many domains were checked. */
  const checkAfter = (days: number) => checkDomains(app.context, new Date(Date.now() + days * day + 60_000))
  const shown = async () => (await listed()).results[0]!.domains[0]!
  const signsIn = async () => (await ownerOfAddress(app.database.idp, `ann@${domain}`)) !== undefined
  const entries = async () => {
    const { rows } = await app.database.owner.query<{ entry: string }>(
      `select action || ' ' || tenant_id || ' by ' || person_name as entry from audit_entry
       where action like 'single sign-on record%' or action = 'single sign-on domain removed' order by at`,
    )
    return rows.map(({ entry }) => entry)
  }

  const mails = async () =>
    (
      await app.database.owner.query<{ tenant_id: string; recipient: string; subject: string; text: string }>(
        `select tenant_id, recipient, subject, text from mail where subject like '%domain%' or text like '%DNS%' order by at, recipient`,
      )
    ).rows

  test('the managers of the client get an e-mail when a record goes missing and when its domain ends', async () => {
    records[domain] = 'ENOTFOUND'
    await checkAfter(1)
    await checkAfter(2)
    const [missing, ...more] = await mails()
    assert.deepEqual([missing?.tenant_id, missing?.recipient, more.length], ['north', 'manager@north.test', 0])
    assert.match(missing!.subject, /: the DNS record of north\.example is missing$/)
    const { missingSince } = await shown()
    const ends = zonedText(+recordEndsAt(new Date(missingSince!)), 'Europe/London')
    assert.ok(missing!.text.includes(`Restore the record before ${ends}.`), missing!.text)
    assert.match(missing!.text, /The domain does not exist in DNS\./)
    assert.match(missing!.text, /\/north\/Settings\/signIn\n/)
    await checkAfter(8.1)
    const ended = (await mails()).slice(1)
    assert.deepEqual(
      ended.map(({ recipient, subject }) => [recipient, subject.replace(/^.*?: /, '')]),
      [['manager@north.test', 'single sign-on has ended for north.example']],
    )
    assert.match(ended[0]!.text, /verify the domain again/)
  })

  test('without a manager of its own, those of the vendor get the e-mail; restricted managers do not', async () => {
    await app.addMember('north', 'admin@vendor.test', 'Admin')
    const becomes = (role: string) =>
      app.database.owner.query('update membership set role = $1 where tenant_id = $2 and email = $3', [
        ...[role, 'north', manager],
      ])
    await becomes('Guest')
    try {
      delete records[domain]
      await checkAfter(1)
      const recipients = (await mails()).map(({ recipient }) => recipient)
      assert.deepEqual(recipients, ['admin@vendor.test'])
    } finally {
      await becomes('Manager')
    }
  })

  test('a record is checked once a day; a missing one is shown with the reason and audited once', async () => {
    assert.equal(await checkAfter(0.9), 0)
    assert.equal(await checkAfter(1), 1)
    assert.deepEqual([(await shown()).fault, (await shown()).missingSince], [null, null])
    for (const [response, fault, days] of [
      [[['v=spf1 -all']], 'no record', 2],
      ['ENODATA', 'no record', 3],
      ['ENOTFOUND', 'no domain', 4],
    ] as const) {
      records[domain] = response as string
      assert.equal(await checkAfter(days), 1)
      const found = await shown()
      assert.equal(found.fault, fault)
      assert.ok(found.verifiedAt, 'it stays verified')
      assert.equal(+new Date(found.endsAt!) - +new Date(found.missingSince!), 7 * day)
    }
    assert.deepEqual(await entries(), ['single sign-on record missing north by Caretaker'])
    assert.equal(await signsIn(), true)
    records[domain] = [[record]]
    await checkAfter(5)
    assert.deepEqual([(await shown()).fault, (await shown()).missingSince, (await shown()).endsAt], [null, null, null])
    assert.equal((await entries()).at(-1), 'single sign-on record found north by Caretaker')
  })

  test('a domain whose record is missing for a week no longer signs in users', async () => {
    delete records[domain]
    for (let days = 1; days < 8; days++) await checkAfter(days)
    assert.equal(await signsIn(), true)
    await checkAfter(8.1)
    assert.equal(await signsIn(), false)
    const { verifiedAt, missingSince, endsAt } = await shown()
    assert.ok(!verifiedAt && missingSince && !endsAt)
    assert.equal((await entries()).at(-1), 'single sign-on domain removed north by Caretaker')
    assert.equal(await checkAfter(20), 0)
    records[domain] = [[record]]
    const again = (await verify(id, domain)).body as SsoDomain
    assert.ok(again.verifiedAt && !again.missingSince && !again.fault)
    assert.equal(await signsIn(), true)
  })

  test('name servers that do not respond never end a domain, and are asked again within an hour', async () => {
    for (const code of ['ESERVFAIL', 'ETIMEOUT', 'ECONNREFUSED', 'EREFUSED']) {
      records[domain] = code
      for (const days of [1, 9, 30]) {
        await checkAfter(days)
        await app.database.owner.query('update sso_domain set next_check_at = null')
        await makeAllDue(app.database.owner, 'north')
      }
      const { fault, missingSince, verifiedAt } = await shown()
      assert.deepEqual([fault, missingSince], ['no answer', null], code)
      assert.ok(verifiedAt)
    }
    await checkAfter(40)
    assert.equal(await checkAfter(40.03), 0)
    assert.equal(await checkAfter(40.05), 1)
    assert.deepEqual(await entries(), [])
    const refused = await verify(id, domain)
    assert.deepEqual([refused.status, await signsIn()], [503, true])
    const metrics = await app.context.metrics.metrics()
    assert.match(metrics, /caretaker_sso_record_checks_total\{result="no answer"\} [1-9]/)
  })

  test('domains that the operator has verified are not checked', async () => {
    await verifyByOperator(operator(), { tenant: 'north', domain })
    delete records[domain]
    assert.equal((await shown()).isByOperator, true)
    for (const days of [1, 9, 30]) await checkAfter(days)
    assert.deepEqual([await signsIn(), (await shown()).missingSince], [true, null])
  })

  test('the check of one client changes nothing of another, whose name servers may fail', async () => {
    const theirs = await added({ name: 'South ID' }, 'south', other)
    const { record: proof } = (await addDomain(theirs.id, 'south.example', 'south', other)).body as SsoDomain
    records['south.example'] = [[proof]]
    await verify(theirs.id, 'south.example', 'south', other)
    delete records[domain]
    const stateOf = async (tenant: string) =>
      (await app.database.owner.query<object>('select * from sso_domain where tenant_id = $1', [tenant])).rows[0]
    await app.database.owner.query(`delete from due where tenant_id = 'south'`)
    const before = await stateOf('south')
    await checkAfter(1)
    assert.deepEqual(await stateOf('south'), before)
    assert.ok((await shown()).missingSince)
    assert.equal((await app.send(getSsoConnections, { params: north }, other)).status, 404)
  })

  test('nothing is checked with CARETAKER_OUTBOUND=off or with an identity provider of the installation', async () => {
    delete records[domain]
    const { config } = app.context
    for (const off of [{ outbound: false }, { oidc: { ...config.oidc, embedded: false } }])
      assert.equal(
        await checkDomains(
          { ...app.context, config: { ...config, ...off } as typeof config },
          new Date(Date.now() + 9 * day),
        ),
        0,
      )
    assert.equal((await shown()).missingSince, null)
    assert.equal(await checkAfter(1), 1, 'it is still due')
  })

  test('a domain that is removed while its record is looked up stays removed', async () => {
    const resolve = app.context.resolveTxt!
    app.context.resolveTxt = async (name) => {
      await app.send(removeSsoDomain, { params: { ...north, connectionId: id, domain } }, manager)
      return resolve(name)
    }
    delete records[domain]
    try {
      assert.equal(await checkAfter(1), 1)
    } finally {
      app.context.resolveTxt = resolve
    }
    assert.deepEqual((await listed()).results[0]!.domains, [])
  })
})

test('removing a connection removes its domains and identities', async () => {
  const { id } = await added()
  await addDomain(id, 'north.example')
  await verifyByOperator(operator(), { tenant: 'north', domain: 'north.example' })
  const response = await app.send(removeSsoConnection, { params: { ...north, connectionId: id } }, manager)
  assert.equal(response.status, 204)
  assert.equal(await ownerOfAddress(app.database.idp, 'ann@north.example'), undefined)
  assert.deepEqual((await listed()).results, [])
})

test('the test of a connection reads the discovery document, and reaches no private address', async () => {
  const provider = await startOpenIdProvider()
  let count = 0
  const test = async (issuer: string) => {
    const { id } = await added({ name: `Provider ${++count}`, issuer })
    return (await app.send(testSsoConnection, { params: { ...north, connectionId: id } }, manager)).body
  }
  assert.deepEqual(await test(provider.issuer), {
    ...{ fault: null, authorizationEndpoint: `${provider.issuer}/auth` },
    ...{ hasSignOut: true, hasBackChannel: true },
  })
  const none = { authorizationEndpoint: null, hasSignOut: false, hasBackChannel: false }
  assert.deepEqual(await test('https://10.0.0.1'), { fault: 'The address is not public.', ...none })
  const moved = await test(provider.issuer.replace('127.0.0.1', 'localhost'))
  assert.match(JSON.stringify(moved), /issuer/)
  const page = createServer((_request, response) => response.end('SSH-2.0-secret banner'))
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve))
  const unreachable = { fault: 'It could not be reached, or has no discovery document.', ...none }
  assert.deepEqual(await test(`http://127.0.0.1:${(page.address() as AddressInfo).port}`), unreachable)
  page.close()
  await provider.stop()
  assert.deepEqual(await test(`${provider.issuer}/gone`), unreachable, 'the same for a closed port')
})

test('with an identity provider of the installation there is no single sign-on of clients', async () => {
  const { oidc } = app.context.config
  Object.assign(oidc, { embedded: false })
  try {
    assert.equal((await listed()).isEmbedded, false)
    assert.equal((await add()).status, 422)
  } finally {
    Object.assign(oidc, { embedded: true })
  }
})
