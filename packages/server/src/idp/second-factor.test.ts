import assert from 'node:assert/strict'
import { afterAll, beforeAll, beforeEach, test } from 'vitest'
import * as oidc from 'openid-client'
import { Secret, TOTP } from 'otpauth'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import { testPasskey } from '../testing/passkey.ts'
import type { Browser, Provider } from '../testing/sign-in.ts'
import { authorizeUrl, browser, discover, makeAccount, startProvider } from '../testing/sign-in.ts'
import { endAllSessions, findAccount } from './accounts.ts'
import { acceptAppCode, beginApp, confirmApp, factorsOf, newRecoveryCodes, removeFactors } from './factors.ts'
import { addPasskey, creationOptions } from './passkeys.ts'
import { checkCode } from './second-factor.ts'

let database: TestDatabase
let provider: Provider
let origin: string
const password = 'a long password'

beforeAll(async () => {
  database = await testDatabase()
  provider = await startProvider(database, { CARETAKER_DEMO: 'off' })
  ;({ origin } = provider)
  await database.owner.query(`insert into tenant (id, display_name) values ('north', 'North Homes')`)
})
beforeEach(() => database.owner.query('delete from throttle'))
afterAll(async () => {
  await provider.app.close()
  await database.drop()
})

let people = 0
interface Member {
  id: string
  email: string
  name: string
}

/** An account of a member of the client, with a role. */
async function member(role: Role): Promise<Member> {
  const name = `person${(people += 1)}`
  const email = `${name}@north.test`
  const id = await makeAccount(database, email, password)
  await database.owner.query(
    `with made as (insert into person (id, issuer, subject, email, email_verified, name)
       values (gen_random_uuid(), 'embedded', $1::text, $2, true, $3) returning id)
     insert into membership (tenant_id, id, person_id, email, name, role)
     select 'north', gen_random_uuid(), id, $2, $3, $4 from made`,
    [id, email, name, role],
  )
  return { id, email, name }
}

const codeOf = (key: string, stepsLater = 0) =>
  new TOTP({ secret: Secret.fromBase32(key), digits: 6 }).generate({ timestamp: Date.now() + stepsLater * 30_000 })

const inSession = (account: Member) => ({ account, place: 'session of a test' }) as const

/** Adds an authenticator app, and returns its key. */
async function withApp(account: Member): Promise<string> {
  const { key } = await beginApp(database.idp, inSession(account))
  assert.ok(await confirmApp(database.idp, inSession(account), { code: codeOf(key, -1), isFirst: false }))
  return key
}

async function withPasskey(account: Member, passkey = testPasskey(origin)) {
  const { config } = provider
  const response = passkey.create(await creationOptions(config, database.idp, inSession(account)))
  assert.ok(await addPasskey(config, database.idp, inSession(account), { name: 'Phone', response, isFirst: false }))
  return passkey
}

/** Opens the sign-in page in a browser: its address, and the tokens at the end. */
async function opened(tab: Browser = browser(origin), more: Record<string, string> = {}) {
  const config = await discover(origin)
  const verifier = oidc.randomPKCECodeVerifier()
  const first = await tab.go(await authorizeUrl(config, origin, verifier, more))
  const page = first.headers.get('location')!
  const tokens = async (last: Response) => {
    const callback = await tab.follow(last, `${origin}/callback`)
    return oidc.authorizationCodeGrant(config, new URL(callback), { pkceCodeVerifier: verifier })
  }
  return { tab, page, tokens, config }
}

/** Enters the password, and returns the page that asks for the second factor. */
async function atSecondStep(account: Member, tab?: Browser, more?: Record<string, string>) {
  const at = await opened(tab, more)
  const answer = await at.tab.go(at.page, { email: account.email, password })
  assert.equal(answer.status, 303)
  const next = answer.headers.get('location')!
  return { ...at, answer, next, html: next.startsWith('/login/') ? await (await at.tab.go(next)).text() : '' }
}

const optionsIn = (html: string) =>
  JSON.parse(/data-options="([^"]+)"/.exec(html)![1]!.replaceAll('&quot;', '"').replaceAll('&amp;', '&')) as {
    challenge: string
    user: { id: string }
  }
const alertIn = async (response: Response) => /role="alert">([^<]+)</.exec(await response.text())?.[1]
const auditOf = async ({ name }: Member) => {
  const { rows } = await database.owner.query<{ action: string; reason: string | null; person: string }>(
    `select action, after->>'reason' as reason, person_name as person from audit_entry
     where tenant_id = 'north' and subject_name = $1 order by at, id`,
    [name],
  )
  return rows
}

test('a manager without a second factor adds an authenticator app at the sign-in, and is shown ten recovery codes', async () => {
  const manager = await member('Manager')
  const { tab, page, next, html, tokens } = await atSecondStep(manager)
  assert.match(html, /<h1>Add a second factor<\/h1>/)
  assert.match(html, /<svg[\s\S]+aria-label|aria-label="QR code/)
  const key = keyIn(html)
  assert.match((await alertIn(await tab.go(`${next}/app`, { code: '000000' })))!, /not the code/)
  const codes = await (await tab.go(`${next}/app`, { code: codeOf(key) })).text()
  assert.equal([...codes.matchAll(/<li>(\w{4}(?:-\w{4}){5})<\/li>/g)].length, 10)
  assert.equal((await tokens(await tab.go(`${next}/continue`, {}))).token_type, 'bearer')
  assert.deepEqual(
    (await auditOf(manager)).map(({ action }) => action),
    ['second factor changed', 'signed in'],
  )
  const { rows } = await database.owner.query(`select subject from mail where recipient = $1`, [manager.email])
  assert.deepEqual(rows, [{ subject: 'The second factor of your Caretaker account was changed' }])
  assert.equal((await tab.go(page)).status, 400, 'the sign-in is over')
})

test('a manager without a second factor adds a passkey at the sign-in', async () => {
  const manager = await member('Manager')
  const { tab, next, html, tokens } = await atSecondStep(manager)
  const response = JSON.stringify(testPasskey(origin).create(optionsIn(html)))
  assert.match(await (await tab.go(`${next}/new-passkey`, { response })).text(), /Save your recovery codes/)
  assert.ok(await tokens(await tab.go(`${next}/continue`, {})))
})

test('nobody passes the page that adds a second factor without adding one', async () => {
  const manager = await member('Manager')
  const { tab, page, next } = await atSecondStep(manager)
  for (const path of ['continue', 'code']) assert.equal((await tab.go(`${next}/${path}`, { code: '1' })).status, 400)
  const resumed = await tab.go(`${origin}/oidc/auth/${page.split('/').at(-1)}`)
  assert.match(resumed.headers.get('location') ?? '', /\/login\//)
})

const keyIn = (html: string) => /class="key">([^<]+)</.exec(html)![1]!.replaceAll(' ', '')

test('a page that adds a first factor is of no use once the account has one: neither an app nor a passkey is added there', async () => {
  const manager = await member('Manager')
  const [owner, other] = [await atSecondStep(manager), await atSecondStep(manager)]
  const response = JSON.stringify(testPasskey(origin).create(optionsIn(other.html)))
  const code = codeOf(keyIn(other.html))
  const passkey = await withPasskey(manager)
  for (const [path, form] of [
    ['app', { code }],
    ['new-passkey', { response }],
  ] as const)
    for (const late of [owner, other]) {
      const answer = await late.tab.go(`${late.next}/${path}`, form)
      assert.notEqual(answer.status, 200)
      assert.doesNotMatch(await answer.text(), /Save your recovery codes/)
    }
  assert.match(await (await owner.tab.go(owner.page)).text(), /name="password"/)
  const { passkeys, appAddedAt } = await factorsOf(database.idp, manager.id)
  assert.deepEqual([passkeys.map(({ id }) => id), appAddedAt], [[passkey.id], null])
})

test('two browsers that add an authenticator app see different keys, and none of them outlives an app that was added or a reset', async () => {
  const manager = await member('Manager')
  const [one, other] = [await atSecondStep(manager), await atSecondStep(manager)]
  assert.notEqual(keyIn(one.html), keyIn(other.html))
  assert.equal(keyIn(await (await one.tab.go(one.next)).text()), keyIn(one.html), 'the same after a reload')
  const foreign = await one.tab.go(`${one.next}/app`, { code: codeOf(keyIn(other.html)) })
  assert.match((await alertIn(foreign))!, /not the code/)
  const pending = async () => {
    const { rows } = await database.owner.query(
      `select from idp.payload where model = 'PendingAuthenticatorApp' and payload->>'accountId' = $1`,
      [manager.id],
    )
    return rows.length
  }
  assert.equal(await pending(), 2)
  assert.equal((await one.tab.go(`${one.next}/app`, { code: codeOf(keyIn(one.html)) })).status, 200)
  assert.equal(await pending(), 0)
  await beginApp(database.idp, inSession(manager))
  await removeFactors(database.idp, manager.id)
  assert.equal(await pending(), 0)
})

test('an account that has a factor gets no second first one, and keeps the app that it has', async () => {
  const manager = await member('Manager')
  const key = await withApp(manager)
  const { key: later } = await beginApp(database.idp, inSession(manager))
  assert.equal(await confirmApp(database.idp, inSession(manager), { code: codeOf(later), isFirst: true }), false)
  const options = await creationOptions(provider.config, database.idp, inSession(manager))
  const made = { name: 'Phone', response: testPasskey(origin).create(options), isFirst: true }
  assert.equal(await addPasskey(provider.config, database.idp, inSession(manager), made), false)
  assert.ok(await acceptAppCode(database.idp, manager.id, codeOf(key)))
})

test('by default guests and engineers need no second factor, managers, admins and developers do', async () => {
  for (const role of ['Guest', 'LightingEngineer', 'BoilerEngineer'] as const)
    assert.equal((await atSecondStep(await member(role))).html, '', role)
  for (const role of ['Manager', 'Admin', 'Developer'] as const)
    assert.match((await atSecondStep(await member(role))).html, /Add a second factor/, role)
})

test('an invited manager needs one at the first sign-in', async () => {
  const email = 'invited@north.test'
  await makeAccount(database, email, password)
  await database.owner.query(
    `with made as (insert into membership (tenant_id, id, email, name, role)
       values ('north', gen_random_uuid(), $1, 'Ina', 'Manager') returning id)
     insert into invitation (tenant_id, membership_id, email) select 'north', id, $1 from made`,
    [email],
  )
  assert.match((await atSecondStep({ id: '', name: '', email })).html, /Add a second factor/)
})

test('a code of the app signs in once: its reuse is refused, and so is a wrong one', async () => {
  const guest = await member('Guest')
  const key = await withApp(guest)
  const first = await atSecondStep(guest)
  assert.match(first.html, /Confirm that it is you/)
  const refused = await first.tab.go(`${first.next}/code`, { code: '000000' })
  assert.equal(refused.status, 401)
  assert.match((await alertIn(refused))!, /^The code is wrong or was used already/)
  const code = codeOf(key)
  assert.ok(
    await first.tokens(await first.tab.go(`${first.next}/code`, { code: ` ${code.slice(0, 3)} ${code.slice(3)}` })),
  )
  const second = await atSecondStep(guest)
  assert.equal((await second.tab.go(`${second.next}/code`, { code })).status, 401)
  assert.equal((await second.tab.go(`${second.next}/code`, { code: codeOf(key, -1) })).status, 401, 'an older one too')
  assert.ok(await second.tokens(await second.tab.go(`${second.next}/code`, { code: codeOf(key, 1) })))
  assert.deepEqual(
    (await auditOf(guest)).map(({ action, reason, person }) => [action, reason, person]),
    [
      ['sign-in failed', 'wrong second factor', 'Unknown caller'],
      ['signed in', 'authenticator app', guest.name],
      ['sign-in failed', 'wrong second factor', 'Unknown caller'],
      ['sign-in failed', 'wrong second factor', 'Unknown caller'],
      ['signed in', 'authenticator app', guest.name],
    ],
  )
})

test('a recovery code works once, with or without its hyphens; another account has no use for it', async () => {
  const [guest, other] = [await member('Guest'), await member('Guest')]
  await withApp(guest)
  await withApp(other)
  const [code] = await newRecoveryCodes(database.idp, guest.id)
  assert.match(code!, /^[a-z2-7]{4}(-[a-z2-7]{4}){5}$/, '120 bits')
  const elsewhere = await atSecondStep(other)
  assert.equal((await elsewhere.tab.go(`${elsewhere.next}/code`, { code: code! })).status, 401)
  const first = await atSecondStep(guest)
  assert.ok(
    await first.tokens(await first.tab.go(`${first.next}/code`, { code: code!.replaceAll('-', '').toUpperCase() })),
  )
  const second = await atSecondStep(guest)
  assert.equal((await second.tab.go(`${second.next}/code`, { code: code! })).status, 401)
})

test('after ten wrong codes a caller has to wait, with the right one too, and the owner gets an e-mail', async () => {
  const guest = await member('Guest')
  const key = await withApp(guest)
  const { tab, next } = await atSecondStep(guest)
  for (let at = 0; at < 10; at++) assert.equal((await tab.go(`${next}/code`, { code: '000000' })).status, 401)
  const refused = await tab.go(`${next}/code`, { code: codeOf(key) })
  assert.equal(refused.status, 429)
  assert.ok(refused.headers.has('retry-after'))
  assert.ok((await auditOf(guest)).some(({ action }) => action === 'sign-in locked out'))
  const { rows } = await database.owner.query(`select subject from mail where recipient = $1`, [guest.email])
  assert.deepEqual(rows, [{ subject: 'Wrong codes were tried for your Caretaker account' }])
})

test('codes that are guessed from many addresses are noticed: the owner gets an e-mail, and after thirty nobody gets on for an hour', async () => {
  const guest = await member('Guest')
  const key = await withApp(guest)
  const account = (await findAccount(database.idp, guest.id))!
  const guess = (at: number, code = '000000') => checkCode(provider.context, account, { code, caller: `192.0.2.${at}` })
  const mails = async () =>
    (await database.owner.query('select from mail where recipient = $1', [guest.email])).rowCount
  for (let at = 1; at <= 4; at++) assert.deepEqual(await guess(at), { refused: 'wrong' })
  assert.equal(await mails(), 0)
  for (let at = 5; at <= 30; at++) assert.deepEqual(await guess(at), { refused: 'wrong' })
  assert.equal(await mails(), 1)
  for (const at of [31, 32]) assert.deepEqual(await guess(at, codeOf(key)), { refused: 'too many', seconds: 3600 })
  const lockOuts = (await auditOf(guest)).filter(({ action }) => action === 'sign-in locked out')
  assert.deepEqual(
    lockOuts.map(({ reason }) => reason),
    ['wrong codes of many callers'],
  )
})

test('a passkey is the second factor of its own account, and of no other', async () => {
  const [guest, other] = [await member('Guest'), await member('Guest')]
  const [own, foreign] = [await withPasskey(guest), await withPasskey(other)]
  const { tab, next, html, tokens } = await atSecondStep(guest)
  const wrong = await tab.go(`${next}/passkey`, { response: JSON.stringify(foreign.get(optionsIn(html))) })
  assert.equal(wrong.status, 401)
  const answered = JSON.stringify(own.get(optionsIn(await wrong.text())))
  assert.ok(await tokens(await tab.go(`${next}/passkey`, { response: answered })))
})

test('beyond the limit of failed passkeys a correct one is refused too', async () => {
  const guest = await member('Guest')
  const own = await withPasskey(guest)
  const { tab, next, html } = await atSecondStep(guest)
  const wrong = await tab.go(`${next}/passkey`, { response: 'nonsense' })
  assert.equal(wrong.status, 401)
  await database.owner.query('update throttle set count = 100')
  const answered = JSON.stringify(own.get(optionsIn(html)))
  const refused = await tab.go(`${next}/passkey`, { response: answered })
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '900'])
  await database.owner.query('delete from throttle')
})

test('a passkey signs in without a password; an answer counts once, for its own sign-in and site', async () => {
  const manager = await member('Manager')
  const passkey = await withPasskey(manager)
  const ask = async () => {
    const at = await opened()
    return { ...at, options: optionsIn(await (await at.tab.go(`${at.page}/passkey`)).text()) }
  }
  const send = (at: Awaited<ReturnType<typeof ask>>, answer: unknown) =>
    at.tab.go(`${at.page}/passkey`, { response: JSON.stringify(answer) })
  const first = await ask()
  const answer = passkey.get(first.options)
  assert.ok(await first.tokens(await send(first, answer)))
  const second = await ask()
  for (const bad of [
    answer,
    passkey.get(second.options, 'https://evil.test'),
    testPasskey(origin).get(second.options),
    { id: passkey.id },
    'nonsense',
    null,
  ])
    assert.equal((await send(second, bad)).status, 401)
})

test('a passkey of a device that does not check who holds it is refused', async () => {
  const guest = await member('Guest')
  const careless = testPasskey(origin, { verifies: false })
  const { config } = provider
  const response = careless.create(await creationOptions(config, database.idp, inSession(guest)))
  assert.equal(
    await addPasskey(config, database.idp, inSession(guest), { name: 'Key', response, isFirst: false }),
    false,
  )
})

test('a remembered browser needs no second factor, until the factors or the password change', async () => {
  const manager = await member('Manager')
  const key = await withApp(manager)
  const { tab, next, tokens } = await atSecondStep(manager)
  await tokens(await tab.go(`${next}/code`, { code: codeOf(key), remember: 'yes' }))
  const again = () => atSecondStep(manager, tab, { prompt: 'login' })
  assert.equal((await again()).html, '')
  await database.owner.query('update idp.account set factors_changed_at = now() where id = $1', [manager.id])
  assert.match((await again()).html, /Confirm that it is you/)
})

test('a remembered browser is forgotten as its account is signed out everywhere', async () => {
  const manager = await member('Manager')
  const key = await withApp(manager)
  const { tab, next, tokens } = await atSecondStep(manager)
  await tokens(await tab.go(`${next}/code`, { code: codeOf(key), remember: 'yes' }))
  await endAllSessions(database.idp, manager.id)
  assert.match((await atSecondStep(manager, tab)).html, /Confirm that it is you/)
})

test('a browser that remembers one account is not remembered for another', async () => {
  const [one, other] = [await member('Guest'), await member('Guest')]
  const key = await withApp(one)
  await withApp(other)
  const { tab, next, tokens } = await atSecondStep(one)
  await tokens(await tab.go(`${next}/code`, { code: codeOf(key), remember: 'yes' }))
  assert.match((await atSecondStep(other, tab, { prompt: 'login' })).html, /Confirm that it is you/)
})

test('an account that is removed in the middle of a sign-in gets no further', async () => {
  const guest = await member('Guest')
  const key = await withApp(guest)
  const { tab, next } = await atSecondStep(guest)
  await database.owner.query('delete from idp.account where id = $1', [guest.id])
  assert.equal((await tab.go(`${next}/code`, { code: codeOf(key) })).status, 400)
})

test('who has lost the second factor and had it reset adds a new one at the next sign-in', async () => {
  const manager = await member('Manager')
  await withApp(manager)
  await withPasskey(manager)
  await newRecoveryCodes(database.idp, manager.id)
  assert.equal(await removeFactors(database.idp, manager.id), true)
  assert.equal(await removeFactors(database.idp, manager.id), false)
  const { rows } = await database.owner.query('select from idp.recovery_code where account_id = $1', [manager.id])
  assert.equal(rows.length, 0)
  assert.match((await atSecondStep(manager)).html, /Add a second factor/)
})

test('the secret of an app is not stored as it is, and one row does not open with the secret of another', async () => {
  const [one, other] = [await member('Guest'), await member('Guest')]
  const key = await withApp(one)
  const { rows } = await database.owner.query<{ secret: string }>(
    'select secret from idp.authenticator_app where account_id = $1',
    [one.id],
  )
  const { secret } = rows[0]!
  const plain = Buffer.from(Secret.fromBase32(key).buffer)
  assert.ok(!secret.includes(key) && !secret.includes(plain.toString('base64url')))
  await withApp(other)
  await database.owner.query('update idp.authenticator_app set secret = $2 where account_id = $1', [other.id, secret])
  const { tab, next } = await atSecondStep(other)
  assert.equal((await tab.go(`${next}/code`, { code: codeOf(key, 1) })).status, 500)
})

test('a browser that is signed in with a password alone has to sign in again once its role needs a second factor', async () => {
  const guest = await member('Guest')
  const { tab, answer, tokens, config } = await atSecondStep(guest)
  await tokens(answer)
  const ask = async () => {
    const next = await tab.go(await authorizeUrl(config, origin, oidc.randomPKCECodeVerifier()))
    return next.headers.get('location')!
  }
  assert.match(await ask(), /\/callback\?code=/)
  await database.owner.query(`update membership set role = 'Manager' where email = $1`, [guest.email])
  assert.match(await ask(), /\/login\//)
})

test('a session without a second factor gets no new token once its role needs one; a session with one does', async () => {
  const guest = await member('Guest')
  const { answer, tokens, config } = await atSecondStep(guest)
  const refresh = async (token: string | undefined) => oidc.refreshTokenGrant(config, token!)
  const { refresh_token } = await refresh((await tokens(answer)).refresh_token)
  await database.owner.query(`update membership set role = 'Manager' where email = $1`, [guest.email])
  await assert.rejects(refresh(refresh_token), { error: 'invalid_grant' })
  const key = await withApp(guest)
  const again = await atSecondStep(guest)
  const given = await again.tokens(await again.tab.go(`${again.next}/code`, { code: codeOf(key) }))
  assert.ok(await refresh((await refresh(given.refresh_token)).refresh_token))
})

test('signing out everywhere ends sign-ins that have begun: after the password, and after the last step', async () => {
  const [guest, manager, other] = [await member('Guest'), await member('Manager'), await member('Guest')]
  const [finished, begun, foreign] = [await atSecondStep(guest), await atSecondStep(manager), await atSecondStep(other)]
  for (const { id } of [guest, manager]) await endAllSessions(database.idp, id)
  assert.equal((await finished.tab.go(finished.next)).headers.get('location'), null)
  assert.equal((await begun.tab.go(begun.next)).status, 400)
  assert.ok(await foreign.tokens(foreign.answer))
})

test('the pages with passkeys have no script of their own, and the one they load is the product’s', async () => {
  const { tab, page } = await opened()
  const response = await tab.go(`${page}/passkey`)
  assert.match(response.headers.get('content-security-policy')!, /script-src 'self';/)
  assert.deepEqual(
    [...(await response.text()).matchAll(/<script[^>]*>[^<]*/g)].map(([script]) => script),
    ['<script src="/account/passkeys.js" defer>'],
  )
  const script = await tab.go('/account/passkeys.js')
  assert.match(script.headers.get('content-type')!, /^text\/javascript/)
  assert.match(await script.text(), /SimpleWebAuthnBrowser/)
})
