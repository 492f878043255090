import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, test } from 'vitest'
import { resetUserPassword } from '@caretaker/contract/people.ts'
import { listMails } from '../mail/mail.ts'
import { inTenant } from '../postgres/tenant.ts'
import { testApp } from '../testing/app.ts'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import type { Provider } from '../testing/sign-in.ts'
import { browser, openSignIn, signInAs, startProvider } from '../testing/sign-in.ts'
import { addTenant } from '../cli/operator.ts'
import { inviteUser } from '../cli/users.ts'

let database: TestDatabase
let provider: Provider
const email = 'priya@north.test'
const password = 'a long password'

beforeAll(async () => {
  database = await testDatabase()
  provider = await startProvider(database)
  const operator = { config: provider.config, owner: database.owner, db: database.db }
  await addTenant(operator, { id: 'north', name: 'North Homes', contacts: '', timeZone: 'Europe/London' })
  await inviteUser(operator, { tenant: 'north', email, name: 'Priya', role: 'Manager' })
})
afterAll(async () => {
  await provider.app.close()
  await database.drop()
})
beforeEach(async () => {
  await database.owner.query('delete from throttle')
  await database.owner.query('delete from mail')
})

const ask = (form: Record<string, string>) => browser(provider.origin).go('/account/password', form)
const letters = async () =>
  (await database.owner.query<{ recipient: string; text: string }>('select * from mail order by at')).rows
/** E-mails as developers of a demo see them. */
const mailbox = () => inTenant(database.db, 'north', (tx) => listMails(tx, provider.context.config))
const linkIn = (text: string) => new RegExp(`${provider.origin}/account/password/[\\w-]+`).exec(text)?.[0]
/** E-mails are written after the response is sent. */
async function lettersBecome(count: number) {
  for (let look = 0; look < 100 && (await letters()).length < count; look++) await sleep(20)
  await sleep(100)
  assert.equal((await letters()).length, count)
  return letters()
}

test('a person who has forgotten their password requests a link by e-mail and connection, and signs in with a new password [est-7.6-1]', async () => {
  const tab = browser(provider.origin)
  const signInPage = await (await tab.go(await openSignIn(tab, provider.origin))).text()
  const [, address] = /<a href="([^"]+)">Forgot password</.exec(signInPage)!
  const form = await (await tab.go(address!)).text()
  const [, connection] = /name="connection" value="([^"]+)"/.exec(form)!
  const answer = await tab.go(address!, { email: email.toUpperCase(), connection: connection! })
  assert.equal(answer.status, 200)
  assert.match(await answer.text(), /Check your e-mail/)
  const [letter] = await lettersBecome(1)
  assert.equal(letter!.recipient, email)
  const link = linkIn((await mailbox())[0]!.text!)!
  const saved = await tab.go(link, { password, repeat: password })
  assert.match(await saved.text(), /Password saved/)
  assert.ok((await signInAs(provider.origin, { email, password })).tokens.access_token)
})

test('the response does not reveal whether an account exists; without e-mail or connection it is refused', async () => {
  const words = async (response: Response) => [response.status, await response.text()]
  const known = await words(await ask({ email, connection: 'embedded' }))
  assert.deepEqual(await words(await ask({ email: 'nobody@north.test', connection: 'embedded' })), known)
  await lettersBecome(1)
  for (const form of [
    { email },
    { connection: 'embedded' },
    { email, connection: 'other' },
    { email: 'x', connection: 'embedded' },
  ])
    assert.equal((await ask(form as Record<string, string>)).status, 400)
  await lettersBecome(1)
})

test('a person receives at most three links an hour from all callers together; a caller may request twenty', async () => {
  for (let at = 0; at < 6; at++) assert.equal((await ask({ email, connection: 'embedded' })).status, 200)
  await lettersBecome(3)
  await database.owner.query(`update throttle set since = since - interval '61 minutes'`)
  await ask({ email, connection: 'embedded' })
  await lettersBecome(4)
  for (let at = 1; at < 20; at++) await ask({ email: 'nobody@north.test', connection: 'embedded' })
  const refused = await ask({ email, connection: 'embedded' })
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '3600'])
})

test('links sent by managers count towards the person’s limit', async () => {
  const app = await testApp({}, database)
  await app.addMember('north', 'manager@north.test', 'Manager')
  const { rows } = await database.owner.query<{ id: string }>(`select id from membership where email = $1`, [email])
  const send = () => app.send(resetUserPassword, { params: { tenant: 'north', id: rows[0]!.id } }, 'manager@north.test')
  for (let at = 0; at < 3; at++) assert.equal((await send()).status, 204)
  const refused = await send()
  assert.equal(refused.status, 422)
  assert.match(refused.body.message, /several links within the hour/)
  assert.equal((await letters()).length, 3)
  await app.app.close()
})

test('no link is stored in the database: a demo’s mailbox creates one when it is opened, and all work until one is used', async () => {
  await ask({ email, connection: 'embedded' })
  const [letter] = await lettersBecome(1)
  assert.equal(linkIn(letter!.text), undefined)
  const { rows } = await database.owner.query<{ row: string }>('select mail::text as row from mail')
  const links = [linkIn((await mailbox())[0]!.text!)!, linkIn((await mailbox())[0]!.text!)!]
  for (const link of links) {
    assert.ok(!rows[0]!.row.includes(link.split('/').at(-1)!))
    assert.equal((await browser(provider.origin).go(link)).status, 200)
  }
  const form = { password, repeat: password }
  assert.equal((await browser(provider.origin).go(links[0]!, form)).status, 200)
  assert.equal((await browser(provider.origin).go(links[1]!, form)).status, 410)
})

test('the mailbox creates no new link for an old e-mail', async () => {
  await ask({ email, connection: 'embedded' })
  await lettersBecome(1)
  await database.owner.query(`update mail set at = at - interval '73 hours'`)
  assert.equal(linkIn((await mailbox())[0]!.text!), undefined)
})
