import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import pino from 'pino'
import type { Session } from '@caretaker/contract/session.ts'
import { setPassword } from '@caretaker/server/idp/accounts.ts'
import type { TestDatabase } from '@caretaker/server/testing/database.ts'
import { testDatabase } from '@caretaker/server/testing/database.ts'
import type { TestOperator } from '@caretaker/server/testing/operator.ts'
import { openOperator } from '@caretaker/server/testing/operator.ts'
import { freePort } from '@caretaker/server/testing/ports.ts'
import type { Provider } from '@caretaker/server/testing/sign-in.ts'
import { browser, makeAccount, signInAs, startProvider } from '@caretaker/server/testing/sign-in.ts'
import { root } from './child.mjs'
import type { Glewlwyd } from './glewlwyd.ts'
import { startGlewlwyd, withoutGlewlwyd } from './glewlwyd.ts'

const manual = readFileSync(path.join(root, 'docs/operations.md'), 'utf8')
const chapter = /^## Moving to another identity provider\n(.*?)^## /ms.exec(manual)![1]!
/** The chapter's code blocks in a given language, with the addresses of this test. */
const blocks = (kind: string) =>
  [...chapter.matchAll(new RegExp(`^ *\`\`\`${kind}\\n(.*?)^ *\`\`\`$`, 'gms'))].map(([, block]) =>
    block!
      .replaceAll(/^ {3}(?=\S)/gm, '')
      .replaceAll('https://portal.example.org', portal)
      .replaceAll('https://id.example.org', `http://localhost:${providerPort}`)
      .replaceAll('subjects.csv', path.join(folder, 'subjects.csv'))
      .trimEnd(),
  )

const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-move-'))
const password = 'a long password'
let portal: string
let providerPort: number
let database: TestDatabase
let foreign: Glewlwyd
let server: Provider | undefined
let operator: TestOperator
/** The variables that a shell following the chapter has exported. */
const env: Record<string, string> = {}
const logged: string[] = []

beforeAll(async () => {
  if (withoutGlewlwyd) return
  const port = await freePort('localhost')
  portal = `http://localhost:${port}`
  providerPort = await freePort('localhost')
  database = await testDatabase()
  const [configuration] = blocks('ini')
  const [plugin, client] = blocks('json').map((text) => JSON.parse(text) as object)
  foreign = await startGlewlwyd({
    port: providerPort,
    plugin: plugin!,
    client: client as { client_id: string; scope: string[] },
    allowOrigin: /^allow_origin="([^"]+)"$/.exec(configuration!)![1]!,
  })
  await start()
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  if (withoutGlewlwyd) return
  await server?.app.close()
  await foreign.stop()
  await database.drop()
})

async function start(): Promise<void> {
  await server?.app.close()
  server = await startProvider(database, env, Number(new URL(portal).port))
  server.context.log = pino({ level: 'warn' }, { write: (line: string) => logged.push(line) })
  operator = openOperator({ DATABASE_URL: database.url, PORT: new URL(portal).port, ...env })
}

async function caretaker(line: string): Promise<string> {
  const { code, stdout, stderr } = await operator.run(line.split(' '))
  assert.equal(code, 0, `${line}: ${stderr}`)
  return stdout
}

/** Runs the lines of a block and returns their output. */
async function type(block: string): Promise<string> {
  const printed: string[] = []
  for (const line of block.split('\n')) {
    const [, name, value] = /^export (\w+)=(.+)$/.exec(line) ?? []
    if (name) env[name] = value!
    else if (line.startsWith('unset ')) for (const one of line.split(' ').slice(1)) delete env[one]
    else if (line === 'npm start') await start()
    else printed.push(await caretaker(/^npm run caretaker -- (.+)$/.exec(line)![1]!))
  }
  return printed.join('')
}

/** Signs in at Glewlwyd, as the portal and the sign-in page do, and returns the access token. */
async function tokenOf(username: string): Promise<string> {
  const { issuer, oidc } = { issuer: foreign.issuer, oidc: server!.config.oidc }
  const tab = browser(foreign.origin)
  const verifier = randomBytes(32).toString('base64url')
  const start = new URL(`${issuer}/auth`)
  const scope = 'openid profile email offline_access'
  for (const [name, value] of Object.entries({
    response_type: 'code',
    client_id: oidc.clientId,
    redirect_uri: `${portal}/callback`,
    ...{ scope, state: 'state', nonce: randomBytes(16).toString('hex') },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...{ resource: oidc.audience, audience: oidc.audience },
  }))
    start.searchParams.set(name, value)
  const page = new URL((await tab.go(start.href)).headers.get('location')!)
  const send = async (method: string, where: string, body: object) => {
    const address = `${foreign.origin}/api/${where}`
    const headers = { 'content-type': 'application/json', cookie: cookies.join('; ') }
    const response = await fetch(address, { method, headers, body: JSON.stringify(body) })
    assert.ok(response.ok, `${where}: ${response.status}`)
    cookies.push(...response.headers.getSetCookie().map((line) => line.split(';')[0]!))
  }
  const cookies: string[] = [tab.cookieFor(foreign.origin)].filter(Boolean)
  await send('POST', 'auth/', { username, password: foreign.password })
  await send('PUT', `auth/grant/${oidc.clientId}`, { scope })
  const callback = new URL(page.searchParams.get('callback_url')!)
  callback.searchParams.set('g_continue', '')
  const back = await fetch(callback, { redirect: 'manual', headers: { cookie: cookies.join('; ') } })
  const code = new URL(back.headers.get('location')!).searchParams.get('code')
  assert.ok(code, back.headers.get('location')!)
  const answer = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { origin: portal },
    body: new URLSearchParams({
      ...{ grant_type: 'authorization_code', code, client_id: oidc.clientId, code_verifier: verifier },
      ...{ redirect_uri: `${portal}/callback`, resource: oidc.audience },
    }),
  })
  assert.equal(answer.headers.get('access-control-allow-origin'), portal, 'CORS of the token endpoint')
  const tokens = (await answer.json()) as { access_token?: string; refresh_token?: string }
  assert.ok(tokens.access_token && tokens.refresh_token, JSON.stringify(tokens))
  return tokens.access_token
}

async function sessionBy(token: string): Promise<Session> {
  const response = await fetch(`${portal}/api/session`, { headers: { authorization: `Bearer ${token}` } })
  assert.equal(response.status, 200, `${await response.clone().text()} ${logged.join('')}`)
  return (await response.json()) as Session
}
const membersOf = ({ tenants }: Session) => tenants.map(({ id, memberId }) => ({ id, memberId }))
const embeddedSession = async (name: string) => {
  const { tokens } = await signInAs(portal, { email: `${name}@northgate.example`, password })
  return sessionBy(tokens.access_token)
}

test('the chapter on moving to another identity provider works as written, with a real second provider', async (t) => {
  if (withoutGlewlwyd) return t.skip(withoutGlewlwyd)
  const people = ['ann', 'ben', 'cara', 'dan'] as const
  await caretaker('tenant add --id northgate --name Northgate')
  const before = {} as Record<(typeof people)[number], { id: string; memberId: string }[]>
  for (const name of people) {
    await caretaker(`user invite --tenant northgate --email ${name}@northgate.example --name ${name}`)
    await makeAccount(database, `${name}@northgate.example`, password)
    before[name] = membersOf(await embeddedSession(name))
    assert.equal(before[name].length, 1)
    // At Glewlwyd, Ben has another e-mail address, and Dan's address is not verified.
    const email = name === 'ben' ? 'ben@elsewhere.example' : `${name}@northgate.example`
    await foreign.addPerson(name, { email, 'email-verified': name === 'dan' ? 'no' : 'yes' })
  }
  await database.owner.query(`update person set email_verified = false where email = 'cara@northgate.example'`)
  const [look, change, move, byMap, invite, back, ...more] = blocks('sh')
  assert.deepEqual(more, [])

  const looked = await type(look!)
  assert.match(looked, /^at the first sign-in +ann@northgate\.example \(northgate\)$/m)
  assert.match(looked, /^not moved +cara@northgate\.example \(northgate\): the e-mail was never verified/m)
  assert.match(looked, /^0 would be moved, 3 at their first sign-in, 1 not moved$/m)

  await type(change!)
  const token = await tokenOf('ann')
  const { aud, iss } = decodeJwt(token)
  assert.deepEqual([aud, iss, decodeProtectedHeader(token).alg], [`${portal}/api`, foreign.issuer, 'RS256'])
  for (const where of ['.well-known/openid-configuration', 'jwks', 'userinfo']) {
    const { headers } = await fetch(`${foreign.issuer}/${where}`, {
      headers: { origin: portal, authorization: `Bearer ${token}` },
    })
    assert.equal(headers.get('access-control-allow-origin'), portal, where)
  }
  logged.length = 0
  assert.deepEqual(membersOf(await sessionBy(token)), before.ann)
  assert.match(logged.join(''), /a member signs in with another identity provider now/)
  assert.deepEqual(membersOf(await sessionBy(await tokenOf('dan'))), [], 'is not verified there')
  for (const name of ['ben', 'cara']) assert.deepEqual(membersOf(await sessionBy(await tokenOf(name))), [])

  const moved = await type(move!)
  assert.match(moved, /^0 moved, 2 at their first sign-in, 1 not moved$/m)
  assert.match(moved, /^northgate {2}ann@northgate\.example {2}ann {2}Manager {2}active$/m)
  assert.match(moved, /cara@northgate\.example.*known only to another identity provider$/m)

  const [map] = blocks('csv')
  const subject = decodeJwt(await tokenOf('ben')).sub!
  writeFileSync(path.join(folder, 'subjects.csv'), map!.replace('b7c1d0', subject))
  assert.match(await type(byMap!), /^moved +ben@northgate\.example \(northgate\)$/m)
  assert.deepEqual(membersOf(await sessionBy(await tokenOf('ben'))), before.ben)
  assert.match(await type(invite!), /cara@northgate\.example is invited again, as Manager and may sign in/)
  assert.deepEqual(membersOf(await sessionBy(await tokenOf('cara'))), before.cara)

  const returned = await type(back!)
  assert.match(returned, /^3 moved, 0 at their first sign-in, 0 not moved$/m)
  const [, link] = /\/account\/password\/([\w-]+)/.exec(returned)!
  for (const name of people) assert.deepEqual(membersOf(await embeddedSession(name)), before[name], name)
  assert.ok(await setPassword(database.idp, link!, 'another long password'))
})

test('the errors that the chapter lists are those in the log', async (t) => {
  if (withoutGlewlwyd) return t.skip(withoutGlewlwyd)
  const { tokenFaults } = await import('@caretaker/server/identity/token-faults.ts')
  const table = chapter.slice(chapter.indexOf('### When tokens are refused'))
  const named = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
  )
  assert.deepEqual(named.filter((name) => name !== 'reason').sort(), [...tokenFaults].sort())
})
