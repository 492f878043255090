import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, test } from 'vitest'
import pino from 'pino'
import { readConfig } from '../config.ts'
import type { FileStore } from '../context.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import type { MailServer } from '../testing/mail-server.ts'
import { mailServer } from '../testing/mail-server.ts'
import { linkPlace } from '../identity/password-link.ts'
import { accountOfToken, ensureAccount } from '../idp/accounts.ts'
import { deliverMails } from './deliver.ts'
import { invitation, passwordReset } from './account-emails.ts'
import type { Mail } from './mail.ts'
import { listMails, postMail } from './mail.ts'

let database: TestDatabase
let server: MailServer
const log = pino({ level: 'silent' })
beforeAll(async () => {
  database = await testDatabase()
  await database.owner.query(`insert into tenant (id, display_name) values ('north', 'North')`)
  server = await mailServer()
})
afterAll(async () => {
  await server.close()
  await database.drop()
})
beforeEach(async () => {
  await database.owner.query('delete from mail_outbox; delete from mail')
  server.received.length = 0
  server.answerRecipient = server.answerSender = '250 ok'
  server.atEnd = 'answer'
})

const configured = (env: Record<string, string> = {}) =>
  readConfig({
    CARETAKER_ORIGIN: 'https://portal.test',
    SMTP_URL: server.url,
    SMTP_FROM: 'Care <care@portal.test>',
    ...env,
  })
const demo = readConfig({})
const unsent = readConfig({ CARETAKER_DEMO: 'off' })

const letter = (subject = 'Hello', to = 'ann@north.test'): Mail => ({
  to,
  subject,
  text: 'words\n',
  html: '<p>words</p>',
})
const post = (mail = letter(), config = configured()) =>
  inTenant(database.db, 'north', (tx) => postMail(tx, config, mail))
/** Stored files by key. */
const stored = new Map<string, string>()
const files: FileStore = {
  put: async (key, content) => void stored.set(key, await content.text()),
  read: async (key) => {
    if (!stored.has(key)) throw new Error('There is no such file')
    return Readable.from([Buffer.from(stored.get(key)!)])
  },
  delete: async (key) => void stored.delete(key),
}
const deliver = (config = configured()) => deliverMails({ config, db: database.db, idp: database.idp, files, log })
const list = (config = configured()) => inTenant(database.db, 'north', (tx) => listMails(tx, config))
const waiting = async () => (await database.owner.query('select from mail_outbox')).rowCount
/** Makes all e-mails due. */
const pass = () => database.owner.query(`update mail_outbox set due_at = now() - interval '1 second'`)

test('a demo without a mail server keeps its e-mails readable and sends none', async () => {
  await post(letter(), demo)
  const [mail] = await list(demo)
  assert.deepEqual([mail!.state, mail!.text, mail!.to, mail!.subject], ['kept', 'words\n', 'ann@north.test', 'Hello'])
  assert.equal(await waiting(), 0)
  assert.equal(await deliver(demo), 0)
})

test('otherwise e-mails wait for a mail server, and nobody can read them meanwhile', async () => {
  await post(letter(), unsent)
  const [mail] = await list(unsent)
  assert.deepEqual([mail!.state, mail!.text], ['waiting', null])
  assert.equal(await deliver(unsent), 0)
  assert.equal(await deliver(), 1)
  assert.equal(server.received.length, 1)
})

test('with outbound messages off no e-mail is sent, not even later, and each is marked as not sent', async () => {
  const off = configured({ CARETAKER_OUTBOUND: 'off', CARETAKER_DEMO: 'off' })
  await post(letter(), configured())
  await post(letter(), off)
  // Rejected by a mail server for now, and due again tomorrow.
  await post()
  await database.owner.query(
    `update mail_outbox set attempts = 3, due_at = now() + interval '1 day' where mail_id = (select mail_id from mail_outbox limit 1)`,
  )
  assert.equal(await deliver(off), 0)
  assert.deepEqual(
    (await list(off)).map(({ state, error, text }) => [state, error, text]),
    Array.from({ length: 3 }, () => ['suppressed', 'CARETAKER_OUTBOUND is off', null]),
  )
  assert.equal(await waiting(), 0)
  assert.equal(await deliver(), 0)
  assert.deepEqual(server.received, [])
  // A demo keeps its e-mails readable, like one without a mail server.
  const offInDemo = configured({ CARETAKER_OUTBOUND: 'off', CARETAKER_DEMO: 'on' })
  await post(letter('To read'), offInDemo)
  assert.deepEqual(
    (await list(offInDemo)).filter(({ subject }) => subject === 'To read').map(({ state, text }) => [state, text]),
    [['kept', 'words\n']],
  )
  assert.equal(await waiting(), 0)
})

test('an e-mail is sent once, as text and HTML, and its texts are then deleted', async () => {
  await post()
  assert.equal(await deliver(), 1)
  assert.equal(await deliver(), 0)
  const [message] = server.received
  for (const part of [
    /^From: Care <care@portal\.test>$/m,
    /^To: ann@north\.test$/m,
    /^Subject: Hello$/m,
    /^Message-ID: <[0-9a-f-]{36}@portal\.test>$/im,
    /^Content-Type: text\/plain/m,
    /^Content-Type: text\/html/m,
  ])
    assert.match(message!.replaceAll('\r', ''), part)
  const { rows } = await database.owner.query('select text, html, sent_at from mail')
  assert.deepEqual([rows[0].text, rows[0].html], [null, null])
  assert.deepEqual(
    (await list()).map(({ state, text }) => [state, text]),
    [['sent', null]],
  )
  assert.equal(await waiting(), 0)
})

test('an attachment is sent and then released; an unreadable one delays no other e-mail', async () => {
  const send = async (content?: string) => {
    const id = randomUUID()
    await database.owner.query(
      `insert into file (tenant_id, id, referrer, name, content_type, size, sha256, created_at)
       values ('north', $1::uuid, 'mail', 'any', 'text/csv', 3, sha256($1::uuid::text::bytea), now())`,
      [id],
    )
    if (content !== undefined) stored.set(`north/${id}`, content)
    await post({ ...letter(), attachment: { id, name: '2026-10-Overview.csv' } })
  }
  await send()
  await send('a,b')
  await post(letter('Plain'))
  assert.equal(await deliver(), 2)
  const [message, plain] = server.received.map((one) => one.replaceAll('\r', ''))
  for (const part of [
    /^Content-Type: text\/csv; name=2026-10-Overview\.csv$/m,
    /^Content-Disposition: attachment; filename=2026-10-Overview\.csv$/m,
    new RegExp(`^${Buffer.from('a,b').toString('base64')}$`, 'm'),
  ])
    assert.match(message!, part)
  assert.doesNotMatch(plain!, /attachment/)
  const { rows } = await database.owner.query(
    'select attachment_id is null as gone, error from mail order by attachment_id nulls first',
  )
  assert.deepEqual(
    rows.map(({ gone, error }) => [gone, error]),
    [
      [true, null],
      [true, null],
      [false, 'The attachment cannot be read'],
    ],
  )
})

test('an e-mail of a rolled-back transaction is never sent', async () => {
  const failing = inTenant(database.db, 'north', async (tx) => {
    await postMail(tx, configured(), letter())
    throw new Error('the change fails after all')
  })
  await assert.rejects(failing, /after all/)
  assert.equal(await deliver(), 0)
})

test('an e-mail that is rejected temporarily is retried later, not immediately', async () => {
  await post()
  server.answerRecipient = '450 mailbox busy'
  assert.equal(await deliver(), 0)
  server.answerRecipient = '250 ok'
  assert.equal(await deliver(), 0)
  const [mail] = await list()
  assert.equal(mail!.state, 'waiting')
  assert.match(mail!.error!, /450 mailbox busy/)
  await pass()
  assert.equal(await deliver(), 1)
  assert.deepEqual([(await list())[0]!.state, (await list())[0]!.error], ['sent', null])
})

test('an e-mail that is rejected permanently is given up', async () => {
  await post()
  server.answerRecipient = '550 no such user'
  await deliver()
  const [mail] = await list()
  assert.equal(mail!.state, 'failed')
  assert.match(mail!.error!, /550 no such user/)
  assert.equal(await waiting(), 0)
})

test('a server that rejects the sender loses no e-mail: the operator has to fix it', async () => {
  await post()
  await post(letter('Second'))
  server.answerSender = '530 sign in first'
  assert.equal(await deliver(), 0)
  assert.deepEqual(
    (await list()).map(({ state, error }) => [state, error !== null]),
    [
      ['waiting', false],
      ['waiting', true],
    ],
  )
  server.answerSender = '250 ok'
  await pass()
  assert.equal(await deliver(), 2)
})

test('if a server accepts an e-mail without confirming it, it is sent again with the same message id', async () => {
  await post()
  server.atEnd = 'hang up'
  assert.equal(await deliver(), 0)
  assert.equal(server.received.length, 1)
  server.atEnd = 'answer'
  await pass()
  assert.equal(await deliver(), 1)
  await pass()
  assert.equal(await deliver(), 0)
  const ids = server.received.map((message) => /^Message-ID: (.*)$/im.exec(message)![1]!.trim())
  assert.equal(ids.length, 2)
  assert.equal(new Set(ids).size, 1)
})

test('a server that hangs is abandoned after a while, and does not delay the other e-mails as long', async () => {
  await post()
  await post(letter('Second'))
  server.atEnd = 'hang'
  const patient = configured({ SMTP_URL: `${server.url}?socketTimeout=300` })
  assert.equal(await deliver(patient), 0)
  assert.equal(server.received.length, 1)
  const states = (await list()).map(({ state }) => state)
  assert.deepEqual(states, ['waiting', 'waiting'])
  server.atEnd = 'answer'
  await pass()
  assert.equal(await deliver(), 2)
})

test('while the mail server is unreachable every e-mail waits, and one is given up after many attempts', async () => {
  await post()
  await post(letter('Second'))
  const away = configured({ SMTP_URL: 'smtp://127.0.0.1:9' })
  assert.equal(await deliver(away), 0)
  const { rows } = await database.owner.query<{ attempts: number }>('select attempts from mail_outbox order by 1')
  assert.deepEqual(rows, [{ attempts: 0 }, { attempts: 1 }])
  await database.owner.query('update mail_outbox set attempts = 11')
  await pass()
  await deliver(away)
  assert.deepEqual((await list()).map(({ state }) => state).sort(), ['failed', 'waiting'])
})

test('several concurrent workers send each e-mail once', async () => {
  for (let n = 0; n < 12; n++) await post(letter(`Mail ${n}`))
  const sent = await Promise.all([deliver(), deliver(), deliver()])
  assert.equal(sent[0]! + sent[1]! + sent[2]!, 12)
  const subjects = server.received.map((message) => /^Subject: (.*)$/m.exec(message)![1]!.trim())
  assert.equal(new Set(subjects).size, 12)
  assert.equal(subjects.length, 12)
})

test('names cannot add headers or markup', async () => {
  const link = { kind: 'sign in', address: 'https://portal.test/north' } as const
  const mail = invitation(
    { email: 'ann@north.test', name: '<script>alert(1)</script>' },
    { by: 'Bob', client: 'North\r\nBcc: eve@evil.test', link },
  )
  assert.ok(!mail.html.includes('<script>'))
  await post(mail)
  await deliver()
  const [headers] = server.received[0]!.split('\r\n\r\n')
  assert.match(headers!, /^Subject: You are invited to North/m)
  assert.ok(!/^bcc:/im.test(headers!))
})

test('names stored with web addresses become no links, and e-mail addresses stay complete', () => {
  const link = { kind: 'sign in', address: 'https://portal.test/north' } as const
  const by = { by: 'www.evil.example (ask support@north.example)', client: 'http://evil.example/win', link }
  const mail = invitation({ email: 'ann@north.test', name: 'evil.example/win' }, by)
  for (const words of [mail.subject, mail.text, mail.html])
    assert.doesNotMatch(words, /\/\/evil|evil\.example|www\.evil/)
  assert.match(mail.subject, /You are invited to http: \/\/ evil\. example\/win on Caretaker/)
  for (const words of [mail.text, mail.html])
    assert.ok(words.includes('support@north.example') && words.includes(link.address))
})

test('a password link is created when its e-mail is sent, each time a new one, and never stored', async () => {
  const origin = 'https://portal.test'
  const id = await ensureAccount(database.idp, 'ann@north.test', 'Ann')
  const linked = {
    ...passwordReset({ email: 'ann@north.test', name: 'Ann' }, { by: 'Bob', address: linkPlace(origin) }),
    linkAccount: id,
  }
  const linksIn = (message: string) => {
    const readable = message.replaceAll('=\r\n', '').replaceAll('=3D', '=')
    return [
      ...new Set(
        [...readable.matchAll(/https:\/\/portal\.test\/account\/password\/([\w-]+)/g)].map(([, token]) => token!),
      ),
    ]
  }
  await post(linked)
  const { rows } = await database.owner.query<{ text: string; html: string }>('select text, html from mail')
  for (const text of [rows[0]!.text, rows[0]!.html]) assert.deepEqual(linksIn(text), [])
  server.atEnd = 'hang up'
  await deliver()
  server.atEnd = 'answer'
  await pass()
  assert.equal(await deliver(), 1)
  const tokens = server.received.map((message) => linksIn(message))
  assert.deepEqual(
    tokens.map((of) => of.length),
    [1, 1],
    'one link in both forms of each sending',
  )
  for (const [token] of tokens) assert.equal((await accountOfToken(database.idp, token!))?.id, id)
  assert.notEqual(tokens[0]![0], tokens[1]![0])
  assert.equal((await database.owner.query('select from mail where link_account is not null')).rowCount, 0)
})

test('an e-mail for an account at another provider has the address where a link can be requested', async () => {
  const mail = passwordReset(
    { email: 'ann@north.test', name: 'Ann' },
    { by: 'Bob', address: linkPlace('https://portal.test') },
  )
  await post({ ...mail, linkAccount: randomUUID() })
  assert.equal(await deliver(), 1)
  assert.match(server.received[0]!.replaceAll('=\r\n', ''), /https:\/\/portal\.test\/account\/password\?link=(3D)?mail/)
})

test('both forms of an e-mail have the same words and link to the given address', () => {
  const address = 'https://portal.test/account/password/token'
  const mail = passwordReset({ email: 'ann@north.test', name: 'Ann' }, { by: 'Bob', address })
  assert.ok(mail.text.includes(address) && mail.html.includes(`href="${address}"`))
  for (const words of ['Hello Ann,', 'Bob has asked for a new password for you.'])
    assert.ok(mail.text.includes(words) && mail.html.includes(words), words)
})
