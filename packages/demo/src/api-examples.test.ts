import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, test } from 'vitest'
import { z } from 'zod'
import type { RecordedExample } from '@caretaker/contract/openapi.ts'
import { exampleTexts } from '@caretaker/contract/openapi.ts'
import type { AnyRoute } from '@caretaker/contract/route.ts'
import { isReading } from '@caretaker/contract/route.ts'
import { routes } from '@caretaker/contract/routes.ts'
import { sampleOf } from '@caretaker/contract/sample.ts'
import type { TestApp } from '@caretaker/server/testing/app.ts'
import { issuer, testApp } from '@caretaker/server/testing/app.ts'
import { testDatabase } from '@caretaker/server/testing/database.ts'
import { recordsExamples } from '@caretaker/server/testing/recording.ts'
import type { KnownTexts } from './api-requests.ts'
import { first, inScenarios, knownTexts, requests, results, roleFor } from './api-requests.ts'
import type { Caller } from './api-scenarios.ts'
import { scenarios } from './api-scenarios.ts'
import { smallestDemo } from './fixtures.ts'
import { seedDemo } from './seed.ts'

const file = fileURLToPath(new URL('../../server/src/documentation/examples.json', import.meta.url))
const callers = { Developer: 'integrator@northgate.example', BoilerEngineer: 'heating@northgate.example' } as const

let dataDir: string
let world: TestApp
let known: KnownTexts
beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'caretaker-examples-'))
  const database = await testDatabase()
  const { owner } = database.product
  await seedDemo({ owner, devices: smallestDemo, now: new Date(), issuer, dataDir, historyDays: 1 })
  world = await testApp({ CARETAKER_DATA: dataDir }, database)
  for (const [role, email] of Object.entries(callers))
    await world.addMember('northgate', email, role as keyof typeof callers)
  known = await knownTexts(owner)
})
afterAll(async () => {
  await world.close()
  rmSync(dataDir, { recursive: true, force: true })
})

/** The documented calls in order: first those that create something, then those that read, then those that change. */
function inOrder(): [string, AnyRoute][] {
  const all = Object.entries(routes).filter(([, route]) => !route.internal && !route.stream && route.reply)
  const step = ([name, route]: [string, AnyRoute]) => (first.includes(name) ? 0 : isReading(route) ? 1 : 2)
  return all.toSorted((one, other) => step(one) - step(other))
}

type Fields = Record<string, unknown>

/** The contract's example request with the demo's ids and the fields of `requests`. */
function requestOf(
  name: string,
  route: AnyRoute,
  fields?: Fields,
): Record<'params' | 'query' | 'body' | 'form', unknown> {
  const { body, ...own } = fields ?? requests[name]?.(known) ?? {}
  const partOf = (shape: unknown, isMain: boolean): Fields | undefined => {
    if (!shape) return undefined
    const { $defs = {}, ...schema } = z.toJSONSchema(shape as z.ZodType, { io: 'input', unrepresentable: 'any' })
    const sample = { ...(sampleOf(schema, $defs, { ...exampleTexts, ...known }) as Fields | null) }
    for (const key of Object.keys(sample)) if (typeof sample[key] === 'string' && known[key]) sample[key] = known[key]
    const inPath = (key: string) => route.path.includes(`{${key}}`)
    for (const [key, value] of Object.entries(own)) if (inPath(key) !== isMain) sample[key] = value
    return Object.fromEntries(Object.entries(sample).filter(([, value]) => value !== undefined && value !== null))
  }
  return {
    params: partOf(route.params, false),
    query: partOf(route.query, true),
    body: body ?? partOf(route.body, true),
    form: partOf(route.form, true),
  }
}

/** The value with each list cut to at most this many items. */
function shortened(value: unknown, most: number): unknown {
  if (Array.isArray(value)) return value.slice(0, most).map((item) => shortened(item, most))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shortened(part, most)]))
}

/** The part of a response at this place: names and positions, separated by dots. */
const valueAt = (body: unknown, place: string): unknown =>
  place.split('.').reduce<unknown>((part, key) => (part as Fields | undefined)?.[key], body)

/** The shortest version of a response that still matches its schema. */
function exampleOf(route: AnyRoute, body: unknown): unknown {
  const shape = route.reply as z.ZodType
  const versions = [1, 2, 7, 12, 10_000].map((most) => shortened(body, most))
  return versions.find((version) => shape.safeParse(version).success)
}

/** The names of a response's fields, and of the fields of its data if it has the envelope. */
function fieldsOf(response: unknown): string[] {
  const { data, ...own } = response as Fields
  return [...Object.keys(own), ...(isRecord(data) ? Object.keys(data).map((name) => `data.${name}`) : [])].toSorted()
}
const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

test('the example of an operation in the API document is a response of the demo', async () => {
  const failed: Record<string, string> = {}
  const made: Record<string, RecordedExample> = {}
  const calls = new Set<string>()
  /** Makes a call, records its response and returns its data. */
  const make = async (name: string, fields?: Fields, { role = roleFor(name), headers }: Caller = {}) => {
    calls.add(name)
    const route: AnyRoute = routes[name]!
    const request = requestOf(name, route, fields)
    const email = headers ? undefined : callers[role as keyof typeof callers]
    const { status, body } = await world.send(route as never, request as never, email, { headers })
    const answer = (isRecord(body) ? body : {}) as Fields
    if (status !== route.status || answer.isSuccessful === false) {
      failed[name] = `${status} ${JSON.stringify(answer)}`
      return undefined
    }
    const data = answer.data ?? answer
    if (isRecord(body) && !route.returnsSecret)
      made[name] = { ...(isRecord(request.body) && { request: request.body }), response: exampleOf(route, body) }
    return data
  }
  const documented = inOrder().map(([name]) => name)
  for (const name of documented.filter((one) => !inScenarios.has(one))) {
    const data = await make(name)
    const [text, place] = results[name] ?? []
    if (text && data) known[text] = String(valueAt(data, place!))
  }
  for (const [name, scenario] of Object.entries(scenarios))
    try {
      await scenario({ world, known, make })
    } catch (error) {
      failed[name] ??= String(error)
    }
  assert.deepEqual(
    documented.filter((name) => !calls.has(name)),
    [],
    'documented calls that no scenario makes',
  )
  if (recordsExamples()) writeFileSync(file, `${JSON.stringify(made, null, 2)}\n`)
  assert.deepEqual(failed, {}, 'calls that failed: see requests in api-requests.ts, and api-scenarios.ts')
  const stored = JSON.parse(readFileSync(file, 'utf8')) as Record<string, RecordedExample>
  const again = 'the examples are out of date: run this test with RECORD_EXAMPLES=on'
  assert.deepEqual(Object.keys(stored).toSorted(), Object.keys(made).toSorted(), again)
  for (const [name, { response }] of Object.entries(stored)) {
    const read = (routes[name]!.reply as z.ZodType).safeParse(response)
    assert.ok(read.success, `${name}: ${again}: ${read.error && z.prettifyError(read.error)}`)
    assert.deepEqual(fieldsOf(response), fieldsOf(made[name]!.response), `${name}: ${again}`)
  }
})
