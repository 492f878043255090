import { z } from 'zod'
import { ErrorBody, Version1ErrorBody } from './refusal.ts'

export type Json = Record<string, unknown>

export const binary = { type: 'string', format: 'binary' }

const asJsonSchema = {
  unrepresentable: 'any',
  override: ({ zodSchema, jsonSchema }) => {
    const { def } = zodSchema._zod
    // A text that is normalised, such as an id in lower case, is still a text of that format.
    if (def.type === 'pipe' && !Object.keys(jsonSchema).length) Object.assign(jsonSchema, textBefore(zodSchema))
    // A file in a form.
    if (def.type === 'custom') Object.assign(jsonSchema, binary)
    // The bounds of JavaScript's integers are not limits of the API.
    for (const bound of ['minimum', 'maximum'] as const)
      if (Math.abs(Number(jsonSchema[bound])) === Number.MAX_SAFE_INTEGER) delete jsonSchema[bound]
    // The format implies the pattern and is shorter.
    if (jsonSchema.format) delete jsonSchema.pattern
    // `maxItems` limits a tuple to the listed items. Linters do not accept `false` for further items.
    if (jsonSchema.prefixItems) jsonSchema.items = {}
    // A record with fixed keys becomes an object with properties.
    const { required, additionalProperties, properties } = jsonSchema
    if (def.type !== 'record' || !required || properties) return
    jsonSchema.properties = Object.fromEntries(required.map((key) => [key, additionalProperties ?? {}]))
    jsonSchema.additionalProperties = false
    delete jsonSchema.propertyNames
  },
} satisfies Parameters<typeof z.toJSONSchema>[1]

/** The schema of a text before its transformation; empty for other values. */
function textBefore(schema: unknown): Json {
  const { $schema: _, ...before } = z.toJSONSchema(schema as z.ZodType, { unrepresentable: 'any', io: 'input' }) as Json
  if (before.type !== 'string') return {}
  return before.format ? { type: 'string', format: before.format } : before
}

/** All named schemas (`.meta({ id })`), by name. */
export function components(): Json {
  void [ErrorBody, Version1ErrorBody]
  const uri = (id: string) => `#/components/schemas/${id}`
  const { schemas } = z.toJSONSchema(z.globalRegistry, { ...asJsonSchema, uri, io: 'output' })
  // The place of a component in the document identifies it. A `$id` would change the base of the references within it.
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $id: _, $schema: _dialect, ...schema }]) => [name, schema]),
  )
}

/** The schemas that are referred to, directly or through another schema. */
export function reachable(schemas: Json, from: Json, always: readonly string[] = []): Json {
  const found = new Set(always)
  const look = (part: unknown) => {
    for (const [, name] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      if (!found.has(name!)) {
        found.add(name!)
        look(schemas[name!])
      }
  }
  look(from)
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)))
}

/** The JSON schema of a zod schema; named schemas are referenced. */
export function json(schema: unknown, io: 'input' | 'output'): Json {
  const { $schema: _, $defs, ...rest } = z.toJSONSchema(schema as z.ZodType, { ...asJsonSchema, io }) as Json
  return JSON.parse(JSON.stringify(rest).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json
}
