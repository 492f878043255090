import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, test } from 'vitest'
import { listMails } from '../mail/mail.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import type { Browser, Provider } from '../testing/sign-in.ts'
import { browser, makeAccount, openSignIn, startProvider } from '../testing/sign-in.ts'
import { callerOf } from '../http/caller.ts'
import { passwordToken } from '../identity/password-link.ts'
import { ensureAccount } from './accounts.ts'
import { signIn } from './sign-in.ts'

let database: TestDatabase
let provider: Provider
const email = 'priya@north.test'
const password = 'a long password'
const here = '198.51.100.1'
const elsewhere = '203.0.113.9'

beforeAll(async () => {
  database = await testDatabase()
  const account = await makeAccount(database, email, password)
  await database.owner.query(`insert into tenant (id, display_name) values ('north', 'North Homes')`)
  await database.owner.query(
    `with priya as (insert into person (id, issuer, subject, email, email_verified, name)
       values (gen_random_uuid(), 'embedded', $1, $2, true, 'Priya') returning id)
     insert into membership (tenant_id, id, person_id, email, name, role)
     select 'north', gen_random_uuid(), id, $2, 'Priya', 'Manager' from priya`,
    [account, email],
  )
  provider = await startProvider(database, { CARETAKER_TRUSTED_PROXIES: '1' })
})
afterAll(async () => {
  await provider.app.close()
  await database.drop()
})
beforeEach(() => database.owner.query('delete from throttle'))

/** A visitor of the sign-in page whose address a proxy passes on. */
async function visitor(caller: string, tab: Browser = browser(provider.origin)) {
  const page = await openSignIn(tab, provider.origin)
  return async (form: { email: string; password: string }) => {
    const response = await tab.go(page, form, { 'x-forwarded-for': caller })
    if (response.status === 429) assert.equal(response.headers.get('retry-after'), '900')
    return { status: response.status, text: /role="alert">([^<]+)</.exec(await response.text())?.[1] }
  }
}

const wrong = { email, password: 'wrong' }
const right = { email, password }
const times = <T>(count: number, what: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, at) => what(at)))

/** Moves the recorded attempts this many minutes into the past. */
const minutesPass = (minutes: number) =>
  database.owner.query('update throttle set since = since - make_interval(mins => $1)', [minutes])

test('a wrong password and an unknown e-mail get the same refusal', async () => {
  const tries = await visitor(here)
  const refused = { status: 401, text: 'E-mail or password is wrong.' }
  assert.deepEqual(await tries(wrong), refused)
  assert.deepEqual(await tries({ email: 'nobody@north.test', password }), refused)
})

test('of thirty simultaneous guesses, ten are checked', async () => {
  const tries = await visitor(here)
  const statuses = (await times(30, () => tries(wrong))).map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 401).length, 10)
  assert.equal(statuses.filter((status) => status === 429).length, 20)
})

test('ten wrong passwords lock out only the caller who tried them, for 15 minutes', async () => {
  const attacker = await visitor(here)
  for (let guess = 0; guess < 10; guess++) assert.equal((await attacker(wrong)).status, 401)
  const locked = await attacker(right)
  assert.equal(locked.status, 429)
  assert.match(locked.text!, /wait 15 minutes/)
  assert.equal(
    (await (await visitor(here))({ email: 'other@north.test', password: 'x' })).status,
    401,
    'other accounts',
  )
  assert.equal((await (await visitor(elsewhere))(right)).status, 303, 'the owner, elsewhere')
  await minutesPass(14)
  assert.equal((await attacker(right)).status, 429)
  await minutesPass(2)
  assert.equal((await attacker(right)).status, 303)
})

test('the owner can sign in from a known device while other callers are locked out', async () => {
  const tab = browser(provider.origin)
  assert.equal((await (await visitor(here, tab))(right)).status, 303)
  const attacker = await visitor(here)
  for (let guess = 0; guess < 10; guess++) await attacker(wrong)
  assert.equal((await attacker(right)).status, 429)
  // As after the provider's own session has ended: only the device cookie is left.
  const again = browser(provider.origin)
  const cookie = await deviceCookieOf(tab)
  const page = await openSignIn(again, provider.origin)
  const asks = (form: Record<string, string>) =>
    again.go(page, form, { 'x-forwarded-for': here, cookie: `${cookie}; ${again.cookieFor(page)}` })
  assert.equal((await asks({ email: 'other@north.test', password: 'x' })).status, 401, 'for its own account alone')
  assert.equal((await asks(right)).status, 303)
})

test('a known device may guess ten times too, and is unknown after a new password', async () => {
  const tab = browser(provider.origin)
  assert.equal((await (await visitor(here, tab))(right)).status, 303)
  const cookie = await deviceCookieOf(tab)
  const asks = async (form: Record<string, string>) => {
    const again = browser(provider.origin)
    const page = await openSignIn(again, provider.origin)
    const headers = { 'x-forwarded-for': here, cookie: `${cookie}; ${again.cookieFor(page)}` }
    return (await again.go(page, form, headers)).status
  }
  for (let guess = 0; guess < 10; guess++) assert.equal(await asks(wrong), 401)
  assert.equal(await asks(right), 429)
  await database.owner.query('delete from throttle')
  const attacker = await visitor(here)
  for (let guess = 0; guess < 10; guess++) await attacker(wrong)
  assert.equal(await asks(right), 303)
  await makeAccount(database, email, password)
  assert.equal(await asks(right), 429)
})

test('when many callers guess at one account, unknown devices get slower responses and then none', async () => {
  const waits: number[] = []
  const guess = (caller: string, tried = 'wrong') =>
    signIn(provider.context, { email, password: tried, caller, knows: () => false }, async (ms) => waits.push(ms))
  for (let at = 0; at < 10; at++) await guess(`caller ${at}`)
  assert.deepEqual(waits, [])
  for (let at = 10; at < 14; at++) await guess(`caller ${at}`)
  assert.deepEqual(waits, [1000, 2000, 3000, 4000])
  assert.ok('account' in (await guess('the owner', password)), 'the owner is slow, and comes in')
  await database.owner.query('update throttle set count = 100 where count = 14')
  assert.deepEqual(await guess('one more', password), { refused: 'too many' })
  assert.equal(Math.max(...waits), 5000)
  const known = { email, password, caller: here, knows: () => true }
  assert.ok('account' in (await signIn(provider.context, known)), 'not from where they are known')
})

test('with an e-mailed link, the owner keeps the password and signs in at once while others are refused', async () => {
  const tab = browser(provider.origin)
  const guess = (caller: string) =>
    signIn(provider.context, { email, password: 'wrong', caller, knows: () => false }, async () => {})
  await guess('caller 0')
  await database.owner.query('update throttle set count = 100')
  await database.owner.query('delete from mail')
  const page = await openSignIn(tab, provider.origin)
  const locked = await tab.go(page, right, { 'x-forwarded-for': elsewhere })
  assert.equal(locked.status, 429)
  // The page offers a button that sends the link.
  const [, address] = /<form method="post" action="([^"]+)">/.exec(await locked.text())!
  assert.equal((await tab.go(address!, { connection: 'embedded', email })).status, 200)
  const mail = async () => (await inTenant(database.db, 'north', (tx) => listMails(tx, provider.context.config)))[0]
  for (let look = 0; look < 100 && !(await mail()); look++) await sleep(20)
  const link = new RegExp(`${provider.origin}/account/password/[\\w-]+`).exec((await mail())!.text!)![0]
  assert.match(await (await tab.go(link)).text(), /name="keep" value="yes"/)
  assert.match(await (await tab.go(link, { keep: 'yes' })).text(), /Password kept/)
  assert.equal((await (await visitor(elsewhere, tab))(right)).status, 303)
  assert.equal((await (await visitor(here))(right)).status, 429, 'from another browser')
  assert.equal((await tab.go(link, { keep: 'yes' })).status, 410, 'once')
})

test('an account without a password cannot keep one', async () => {
  const account = await ensureAccount(database.idp, 'invited@north.test', 'Ida')
  const link = `/account/password/${await passwordToken(database.idp, account)}`
  const tab = browser(provider.origin)
  assert.doesNotMatch(await (await tab.go(link)).text(), /name="keep"/)
  const answer = await tab.go(link, { keep: 'yes' })
  assert.equal(answer.status, 400)
  assert.deepEqual(answer.headers.getSetCookie(), [])
  assert.equal((await tab.go(link)).status, 200, 'the link still works')
})

test('one caller may guess at a hundred accounts in 15 minutes', async () => {
  const guess = (at: number) =>
    signIn(provider.context, { email: `${at}@north.test`, password: 'x', caller: here, knows: () => false })
  await guess(0)
  await database.owner.query('update throttle set count = 99')
  assert.deepEqual(await guess(1), { refused: 'wrong' })
  assert.deepEqual(await guess(2), { refused: 'too many' })
  await minutesPass(16)
  assert.deepEqual(await guess(3), { refused: 'wrong' })
})

test('the owner gets an e-mail about wrong passwords once a day; without an account none is sent', async () => {
  const letters = async () =>
    (await database.owner.query<{ subject: string; recipient: string; text: string }>('select * from mail')).rows
  await database.owner.query('delete from mail')
  const guess = (caller: string, whose: string) =>
    signIn(provider.context, { email: whose, password: 'wrong', caller, knows: () => false }, async () => {})
  for (const caller of [here, elsewhere])
    for (const whose of [email, 'nobody@north.test']) for (let at = 0; at < 11; at++) await guess(caller, whose)
  for (let look = 0; look < 100 && !(await letters()).length; look++) await sleep(50)
  const [letter, ...more] = await letters()
  assert.equal(letter?.recipient, email)
  assert.match(letter.subject, /Wrong passwords/)
  assert.match(letter.text, /10 wrong passwords/)
  assert.ok(letter.text.includes(`${provider.origin}/account/password\n`))
  assert.deepEqual(more, [])
})

test('a caller is an IPv4 address, or the network of a single IPv6 subscriber', () => {
  assert.equal(callerOf('198.51.100.1'), '198.51.100.1')
  assert.equal(callerOf('::ffff:198.51.100.1'), '198.51.100.1')
  assert.equal(callerOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64')
  assert.equal(callerOf('2001:db8:1:2::ffff'), callerOf('2001:db8:1:2:3:4:5:6'))
  assert.notEqual(callerOf('2001:db8:1:3::1'), callerOf('2001:db8:1:2::1'))
  assert.equal(callerOf('::1'), '0:0:0:0::/64')
})

const deviceCookieOf = async (tab: Browser) => /known_[^;]+/.exec(tab.cookieFor('/login/x'))![0]
