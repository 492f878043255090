import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { getResidents, requestResidence } from '@caretaker/contract/residents.ts'
import { routes } from '@caretaker/contract/routes.ts'
import { getSession } from '@caretaker/contract/session.ts'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import type { Provider } from '../testing/sign-in.ts'
import { makeAccount, signInAs, startProvider } from '../testing/sign-in.ts'

const atOnce = 60
/**
 * Maximum delay in ms of other users' calls at p95 during a flood of invalid calls, if such a call takes `usual` at
 * p95.
 */
const mostDelay = 100
const usual = 15
const tries = 3

let database: TestDatabase
let provider: Provider
let token: string
beforeAll(async () => {
  database = await testDatabase()
  provider = await startProvider(database)
  const credentials = { email: 'manager@north.test', password: 'a long enough password' }
  await makeAccount(database, credentials.email, credentials.password)
  const { tokens } = await signInAs(provider.origin, credentials)
  token = tokens.access_token
  await database.owner.query(`insert into tenant (id, display_name) values ('north', 'North')`)
  await database.owner.query(`insert into tenant_feature (tenant_id, feature) values ('north', 'ManageResidentAccess')`)
  await call(await asMember(getSession.path))
  await database.owner.query(`
    insert into membership (tenant_id, id, person_id, email, name, role)
    select 'north', gen_random_uuid(), id, email, name, 'Manager' from person`)
})
afterAll(async () => {
  await provider.app.close()
  await database.drop()
})

interface Call {
  method: string
  url: string
  headers: Record<string, string>
  body?: string
}

async function call({ url, ...init }: Call): Promise<number> {
  const response = await fetch(`${provider.origin}${url}`, { ...init, redirect: 'manual' })
  await response.arrayBuffer()
  return response.status
}
const asMember = async (url: string): Promise<Call> => ({
  ...{ method: 'GET', url, headers: { authorization: `Bearer ${token}` } },
})

const key = 'A'.repeat(43)
/** For each public call of the contract, a body that reaches its validation. */
const bodies: Record<string, object> = {
  [requestResidence.path]: {
    ...{ email: 'ann@residents.test', name: 'Ann', propertyReference: 'NG-1', postcode: 'LS6 1AB' },
  },
}
const ofContract = Object.values(routes)
  .filter(({ may }) => may === 'anyone' || may === 'resident app')
  .map(({ method, path, may }): Call => ({
    method,
    url: path.replace('{tenant}', 'north').replaceAll(/\{\w+\}/g, 'unknown'),
    headers: {
      ...(may === 'resident app' && { authorization: `Bearer resident_${key}` }),
      ...(method !== 'GET' && { 'content-type': 'application/json' }),
    },
    ...(method !== 'GET' && { body: JSON.stringify(bodies[path] ?? {}) }),
  }))
const asForm = { 'content-type': 'application/x-www-form-urlencoded' }
const form = (url: string, body: string): Call => ({ method: 'POST', url, headers: asForm, body })
const others: Call[] = [
  { method: 'GET', url: getSession.path, headers: { authorization: `Bearer caretaker_north_${key}` } },
  { method: 'GET', url: getSession.path, headers: { authorization: 'Bearer e30.e30.e30' } },
  { method: 'GET', url: '/login/unknown', headers: {} },
  form('/login/unknown', 'email=manager@north.test&password=wrong'),
  { method: 'GET', url: '/account/password', headers: {} },
  form('/account/password', 'email=nobody@north.test&connection=embedded'),
  { method: 'GET', url: '/account/password/unknown', headers: {} },
  form('/account/password/unknown', 'password=correct-horse-battery&repeat=correct-horse-battery'),
  { method: 'GET', url: '/oidc/auth?client_id=unknown', headers: {} },
  form('/oidc/token', 'grant_type=authorization_code&code=unknown&client_id=caretaker-web'),
]

const p95 = (times: number[]) => times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1]!

/** Durations in ms of a member's sequential calls until `over`. */
async function latencies(over: () => boolean): Promise<number[]> {
  const [times, one] = [[] as number[], await asMember(getResidents.path.replace('{tenant}', 'north'))]
  while (!over() || times.length < 20) {
    const begun = performance.now()
    assert.equal(await call(one), 200)
    times.push(performance.now() - begun)
  }
  return times
}

/**
 * How much slower a member's calls are at p95 during the invalid calls, and how much is acceptable at the machine's
 * current speed.
 */
async function delayBy(wrong: Call): Promise<{ delay: number; most: number }> {
  const quiet = p95(await latencies(() => true))
  let isOver = false
  const flood = Promise.all(Array.from({ length: atOnce }, () => call(wrong))).finally(() => (isOver = true))
  const busy = p95(await latencies(() => isOver))
  for (const status of await flood) assert.ok(status < 500, `${wrong.method} ${wrong.url}: ${status}`)
  return { delay: busy - quiet, most: mostDelay * Math.max(1, quiet / usual) }
}

for (const wrong of [...ofContract, ...others])
  test(`${atOnce} wrong calls at once hardly delay others: ${wrong.method} ${wrong.url}${wrong.headers.authorization ? ` ${wrong.headers.authorization.slice(0, 20)}…` : ''}`, async () => {
    const delays: number[] = []
    // Another process may disturb one attempt; calls that hold connections delay all of them.
    for (let n = 0; n < tries; n++) {
      const { delay, most } = await delayBy(wrong)
      if (delay < most) return
      delays.push(Math.round(delay))
    }
    assert.fail(`p95 later by ${delays.join(', ')} ms`)
  })
