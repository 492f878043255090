import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, test } from 'vitest'
import { CallError } from '@caretaker/contract/error-texts.ts'
import type { AnyRoute, Sent } from '@caretaker/contract/route.ts'
import { routes } from '@caretaker/contract/routes.ts'
import { getTenantTags, tenantDeleteTag } from '@caretaker/contract/tags.ts'
import { listUsers } from '@caretaker/contract/people.ts'
import { attempt } from './attempt.ts'
import { call, listen, provideTokens } from './call.ts'

/** The next answer of the server. */
let answer: { status: number; body: string }
/** The last request. */
let asked: IncomingMessage | undefined
const server = createServer((request, response) => {
  asked = request
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
})
const browserless = globalThis.fetch

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  // In a browser, relative paths belong to the page; Node has no base URL.
  globalThis.fetch = (address, init) => browserless(new URL(address as string, `http://127.0.0.1:${port}`), init)
})
afterAll(() => {
  globalThis.fetch = browserless
  server.close()
})

const answers = (status: number, body: unknown) => {
  answer = { status, body: typeof body === 'string' ? body : JSON.stringify(body) }
}
const tag = { body: { tenant: 'north', id: '00000000-0000-4000-8000-000000000001' } }
const refused = { isSuccessful: false, data: null, reason: 'Not today', message: null }

test('the version 1 wrapper gives the data of a success, and false on any failure [core-8-34]', async () => {
  answers(200, { isSuccessful: true, data: { tags: [], alerts: [] }, reason: null, message: null })
  assert.deepEqual(await attempt(getTenantTags, { body: { tenant: 'north' } }), { tags: [], alerts: [] })
  for (const [status, body] of [
    [200, refused],
    [400, refused],
    [401, ''],
    [403, refused],
    [404, refused],
    [500, 'no JSON at all'],
    [502, ''],
  ] as const) {
    answers(status, body)
    assert.equal(await attempt(tenantDeleteTag, tag), false, String(status))
  }
})

test('a failure goes to the error handler that a call was given [dev-7errors-2]', async () => {
  const failures: unknown[] = []
  answers(200, refused)
  await attempt(tenantDeleteTag, tag, (error) => failures.push(error))
  assert.equal(failures.length, 1)
  assert.ok(failures[0] instanceof CallError)
  assert.equal(failures[0].message, 'Not today')
  answers(200, { isSuccessful: true, data: { id: tag.body.id }, reason: null, message: null })
  await attempt(tenantDeleteTag, tag, (error) => failures.push(error))
  assert.equal(failures.length, 1)
})

test('the version 2 wrapper raises an error that carries the status [core-8-35]', async () => {
  for (const status of [400, 401, 403, 404, 409, 410, 422, 500, 503]) {
    answers(status, { message: 'So it is', domainErrors: [], validationErrors: [] })
    const error = await call(listUsers, { params: { tenant: 'north' } }).then(
      () => assert.fail('it succeeded'),
      (reason: unknown) => reason,
    )
    assert.ok(error instanceof CallError)
    assert.equal(error.status, status)
    assert.equal(error.message, 'So it is')
  }
})

/** The part of XMLHttpRequest that forms need. */
class FormSender extends EventTarget {
  upload = new EventTarget()
  status = 0
  responseText = ''
  #sent = { method: '', address: '', headers: {} as Record<string, string> }
  open(method: string, address: string) {
    Object.assign(this.#sent, { method, address })
  }
  setRequestHeader(name: string, value: string) {
    this.#sent.headers[name] = value
  }
  send(body: FormData) {
    const { method, address, headers } = this.#sent
    void fetch(address, { method, headers, body }).then((response) => {
      this.status = response.status
      this.dispatchEvent(new Event('load'))
    })
  }
}

test('every call of the contract carries a bearer token, but those that anyone may make [est-7-1]', async () => {
  Object.assign(globalThis, { XMLHttpRequest: FormSender })
  provideTokens({ current: async () => 'a.bearer.token', instead: async () => undefined, refused: () => {} })
  answers(500, '')
  const { signal } = new AbortController()
  for (const [name, route] of Object.entries(routes as unknown as Record<string, AnyRoute>)) {
    asked = undefined
    const sent = (route.form ? { form: {} } : route.method === 'GET' ? {} : { body: {} }) as Sent<AnyRoute>
    const made = route.stream ? listen(route, sent, { signal, onEvent: () => {} }) : call(route, sent)
    await assert.rejects(made, CallError, name)
    assert.ok(asked, name)
    const { authorization } = (asked as IncomingMessage).headers
    assert.equal(authorization, route.may === 'anyone' ? undefined : 'Bearer a.bearer.token', name)
  }
})
