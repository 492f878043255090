import assert from 'node:assert/strict'
import { afterEach, test } from 'vitest'
import { getAccessRightsTags, tenantCreateTag } from '@caretaker/contract/calls/tags.ts'
import { openClient } from './client.ts'

const original = globalThis.fetch
afterEach(() => {
  globalThis.fetch = original
})

/** A client whose calls get these responses, one after the other, and the requests that it sent. */
function clientOf(...responses: Response[]) {
  const requests: RequestInit[] = []
  globalThis.fetch = async (_address, request) => {
    requests.push(request!)
    return responses.shift()!
  }
  return { ...openClient({ origin: 'https://caretaker.test', key: 'key', attempts: 2 }), requests }
}
const page = (status: number) =>
  new Response('<html>Sign in</html>', { status, headers: { 'content-type': 'text/html' } })
const json = (body: unknown) => Response.json(body)
const tag = { body: { tenant: 'north', name: 'Lobby' } }

test('a success that is not JSON is a failure, and the call is repeated with the same key', async () => {
  const done = { isSuccessful: true, data: { id: '1' }, reason: null, message: null }
  const { call, requests } = clientOf(page(200), json(done))
  assert.deepEqual(await call(tenantCreateTag, tag), { id: '1' })
  const keys = requests.map(({ headers }) => (headers as Record<string, string>)['idempotency-key'])
  assert.ok(keys[0] && keys[0] === keys[1])

  const broken = new Response('{"isSuccess', { headers: { 'content-type': 'application/json' } })
  await assert.rejects(clientOf(page(201), broken).call(tenantCreateTag, tag), {
    message: /does not come from Caretaker/,
  })
})

test('a redirect is not followed: the key goes to no other address', async () => {
  const { call, requests } = clientOf(new Response(null, { status: 302, headers: { location: 'https://other.test/' } }))
  await assert.rejects(call(getAccessRightsTags, { params: { tenant: 'north' } }), { status: 302 })
  assert.deepEqual(
    requests.map(({ redirect }) => redirect),
    ['manual'],
  )
})

test('an empty success is a success', async () => {
  assert.equal(await clientOf(new Response(null, { status: 204 })).call(tenantCreateTag, tag), undefined)
})
