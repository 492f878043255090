import { z } from 'zod'
import type { Answer, AnyRoute, Route } from '@caretaker/contract/route.ts'
import { isVersion1 } from '@caretaker/contract/route.ts'
import { routes } from '@caretaker/contract/routes.ts'
import { allLists } from '@caretaker/rules/views/lists.ts'
import { builtInViews } from '@caretaker/rules/views/view.ts'
import { getClientSettings, getSession } from '@caretaker/contract/session.ts'
import { getCapabilities, getFeatures } from '@caretaker/contract/tenants.ts'
import { getViewDefinitions } from '@caretaker/contract/views.ts'
import type { Unwrapped } from '../api/call.ts'
import type { ServerAnswer } from './network.ts'
import { answer } from './network.ts'

type Json = Record<string, unknown>

/** The number of items of an outer list, and of an inner one. */
const lengths = [4, 2]

/**
 * An answer of the route that shows as much as possible: lists have several items, and each takes the next choice of
 * every enumeration, optional value and flag. `at` is the choice of the first.
 */
export function variedExampleOf<T extends Route>(route: T, at = 0): Unwrapped<Answer<T>> {
  const { $defs = {}, ...schema } = z.toJSONSchema(route.reply as z.ZodType, { io: 'input', unrepresentable: 'any' })
  const sample = varied(schema, { schemas: $defs, at, depth: 0, serial: String(at + 1), listsBefore: 0 })
  return (isEnveloped(route) ? (sample as { data: unknown }).data : sample) as Unwrapped<Answer<T>>
}

/** Calls that `openPortal` answers itself. */
const answeredByPortal: readonly AnyRoute[] = [getClientSettings, getSession, getFeatures, getCapabilities]

/** Answers of all routes that show as much as possible, with the built-in views of all lists. */
export function variedAnswers(): ServerAnswer[] {
  const all = Object.values(routes as Record<string, AnyRoute>)
  return [
    ...all
      .filter((route) => route.reply && !route.stream && !answeredByPortal.includes(route))
      .map((route) => answer(route as never, () => variedExampleOf(route) as never)),
    answer(getViewDefinitions, {
      views: Object.values(allLists)
        .flatMap((list) => builtInViews(list))
        .map((view) => ({ ...view, ownerName: null })),
      fields: {},
    } as never),
  ]
}

const isEnveloped = (route: AnyRoute) =>
  isVersion1(route) && route.reply instanceof z.ZodObject && 'isSuccessful' in route.reply.shape

/** Values of fields whose schema allows more than a page can use, or that would block a page for everyone. */
const fixedFields: Json = {
  t180StartDate: '2026-11-02T09:30',
  freeNight: '2026-11-30T02:00',
  hour: '09:30',
  timeZone: 'Europe/London',
  userHasReadOnlyAccess: false,
}

interface Place {
  schemas: Json
  /** The index of the choice. */
  at: number
  depth: number
  /** Used in all texts and ids, so that items of different lists differ. */
  serial: string
  /** The number of preceding lists of the same object. */
  listsBefore: number
}

function varied(schema: Json, place: Place): unknown {
  const { $ref, examples, anyOf, oneOf, allOf, type } = schema
  const next = <T>(choices: readonly T[]): T => choices[place.at % choices.length]!
  if ('const' in schema) return schema.const
  if (Array.isArray(examples)) return next(examples)
  if (Array.isArray(schema.enum)) return next(schema.enum)
  if (typeof $ref === 'string') return varied(place.schemas[$ref.split('/').at(-1)!] as Json, place)
  const options = (anyOf ?? oneOf) as Json[] | undefined
  if (options) return varied(next(options), place)
  if (Array.isArray(allOf)) return Object.assign({}, ...allOf.map((part) => varied(part as Json, place))) as Json
  if (type === 'object') return variedObject(schema, place)
  if (type === 'array') return variedArray(schema, place)
  if (type === 'string') return variedText(schema, place)
  if (type === 'integer' || type === 'number') return variedNumber(schema, place)
  if (type === 'boolean') return place.at % 2 === 0
  return null
}

function variedObject(schema: Json, place: Place): Json {
  const { properties = {}, required = [], additionalProperties = {} } = schema as Record<string, Json>
  const names = new Set([...Object.keys(properties), ...(required as unknown as string[])])
  let lists = 0
  return Object.fromEntries(
    [...names].map((name) => {
      if (name in fixedFields) return [name, fixedFields[name]]
      const shape = (properties[name] ?? additionalProperties) as Json
      const before = shape['type'] === 'array' ? lists++ : 0
      return [name, varied(shape, { ...place, listsBefore: before })]
    }),
  )
}

function variedArray({ prefixItems, items, minItems, maxItems }: Json, place: Place): unknown[] {
  if (Array.isArray(prefixItems)) return prefixItems.map((item) => varied(item as Json, place))
  const { schemas, at, depth, serial, listsBefore } = place
  const wanted = Math.max(lengths[depth] ?? 1, Number(minItems ?? 0))
  return Array.from({ length: Math.min(wanted, Number(maxItems ?? wanted)) }, (_, index) =>
    varied(items as Json, {
      schemas,
      at: at + index,
      depth: depth + 1,
      serial: depth === 0 ? String(10 * listsBefore + at + index + 1) : `${serial}${index + 1}`,
      listsBefore: 0,
    }),
  )
}

function variedText({ format, minLength, maxLength }: Json, { at, serial }: Place): string {
  const number = String(at + 1)
  if (format === 'uuid') return `0d8a6c1e-3f5b-4c2d-9e7a-${serial.padStart(12, '0')}`
  if (format === 'email') return `priya${serial}@northgate.example`
  if (format === 'date') return `2026-11-${number.padStart(2, '0')}`
  if (format === 'date-time') return `2026-11-02T09:${number.padStart(2, '0')}:00Z`
  if (format === 'uri') return `https://example.org/${serial}`
  return `Calder Wharf ${serial}`.padEnd(Number(minLength ?? 0), '.').slice(0, Number(maxLength ?? 100))
}

function variedNumber({ minimum, exclusiveMinimum, maximum }: Json, { at }: Place): number {
  const least = Number(minimum ?? (exclusiveMinimum === undefined ? 1 : Math.floor(Number(exclusiveMinimum)) + 1))
  return Math.min(Math.max(least, at + 1), Number(maximum ?? at + 1))
}
