import assert from 'node:assert/strict'
import { test } from 'vitest'
import { z } from 'zod'
import type { AnyRoute } from './route.ts'
import { takesIdempotencyKeys } from './route.ts'
import { routes } from './routes.ts'

/** Fields of responses that contain a new secret. */
const secretFields = /^(?:secret|key|password|token)$/

/** The names of all fields of a JSON schema. */
function* fieldsOf(part: unknown): Generator<string> {
  if (typeof part !== 'object' || part === null) return
  for (const [name, value] of Object.entries(part)) {
    if (name === 'properties') yield* Object.keys(value as object)
    yield* fieldsOf(value)
  }
}

test('calls that return a new secret are marked, so that no response with a secret is stored for repetitions', () => {
  const all = Object.entries(routes as Record<string, AnyRoute>).filter(([, route]) => takesIdempotencyKeys(route))
  const marked = all.filter(([, { returnsSecret }]) => returnsSecret).map(([name]) => name)
  const found = all.filter(([, { reply }]) => {
    if (!reply) return false
    const schema = z.toJSONSchema(reply as z.ZodType, { io: 'output', unrepresentable: 'any' })
    return [...fieldsOf(schema)].some((name) => secretFields.test(name))
  })
  assert.deepEqual(marked.toSorted(), [
    'addConnection',
    'addWebhook',
    'createApiKey',
    'createProvisioningKey',
    'createResidentAppKey',
    'replaceConnectionKey',
    'replaceDeviceKey',
    'rotateWebhookSecret',
  ])
  const others = found.map(([name]) => name).filter((name) => !marked.includes(name))
  assert.deepEqual(others.toSorted(), [])
})
