import { isVendorAction } from '@caretaker/rules/rights/can.ts'
import { z } from 'zod'
import { ErrorBody, refusals } from './refusal.ts'
import type { AnyRoute } from './route.ts'
import { isVersion1 } from './route.ts'

type Json = Record<string, unknown>

/** Writes the contract down as OpenAPI 3.1. Named schemas (`.meta({ id })`) become components. */
export function openapi(routes: Record<string, AnyRoute>, version: string): Json {
  const paths: Record<string, Json> = {}
  for (const [name, route] of Object.entries(routes)) {
    ;(paths[route.path] ??= {})[route.method.toLowerCase()] = {
      operationId: name,
      summary: route.summary,
      description: permissionText(route),
      ...(route.may === 'anyone' ? { security: [] } : {}),
      parameters: [...parameters('path', route.params), ...parameters('query', route.query)],
      ...requestBody('application/json', route.body),
      ...requestBody('multipart/form-data', route.form),
      responses: { [route.status]: answer(route), default: errorAnswer },
    }
  }
  const { schemas } = z.toJSONSchema(z.globalRegistry, {
    uri: (id) => `#/components/schemas/${id}`,
    unrepresentable: 'any',
    io: 'output',
  })
  return {
    openapi: '3.1.0',
    info: {
      title: 'Caretaker',
      version,
      description: 'Every call of the portal. Version 1 calls are POST /api/{Action}.',
    },
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas,
    },
  }
}

function permissionText(route: AnyRoute): string {
  const envelope = isVersion1(route) ? ' Version 1: answers in the envelope {isSuccessful, data, reason, message}.' : ''
  if (route.may === 'anyone') return `Needs no token.${envelope}`
  if (route.may === 'signed in') return `Needs a token.${envelope}`
  if (route.may === 'resident app') return "Needs a key of the client's resident app, as bearer token."
  const who = isVendorAction(route.may) ? "the vendor's staff" : 'a member of the client'
  return `Needs a token of ${who} who may '${route.may}'.${envelope}`
}

const errorAnswer = {
  description: `A refusal: ${[...new Set(Object.values(refusals).map((refusal) => refusal.status))].join(', ')} or 500.`,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
}
void ErrorBody

function answer(route: AnyRoute): Json {
  const file = route.file && { [route.file]: {} }
  if (!route.reply) return file ? { description: 'A file', content: file } : { description: 'Done' }
  const type = route.stream ? 'text/event-stream' : 'application/json'
  return { description: 'Done', content: { [type]: { schema: json(route.reply, 'output') }, ...file } }
}

/** JSON schema of one zod schema; schemas with a name are referred to, not repeated. */
function json(schema: unknown, io: 'input' | 'output'): Json {
  const { $schema: _, $defs, ...rest } = z.toJSONSchema(schema as z.ZodType, { io, unrepresentable: 'any' }) as Json
  return JSON.parse(JSON.stringify(rest).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json
}

function requestBody(type: string, schema: unknown): Json {
  return schema ? { requestBody: { required: true, content: { [type]: { schema: json(schema, 'input') } } } } : {}
}

interface Shape {
  properties?: Json
  required?: string[]
}

function parameters(place: 'path' | 'query', schema: unknown): Json[] {
  if (!schema) return []
  const { oneOf, ...whole } = json(schema, 'input') as Shape & { oneOf?: Shape[] }
  // Of calls that take one of several shapes, the parameters of all; what not every shape needs may be left out.
  const shapes = oneOf ?? [whole]
  const names = new Set(shapes.flatMap(({ properties = {} }) => Object.keys(properties)))
  return [...names].map((name) => {
    const of = shapes.flatMap(({ properties }) => properties?.[name] ?? [])
    return {
      name,
      in: place,
      required: place === 'path' || shapes.every(({ required }) => required?.includes(name)),
      schema: of.length === 1 ? of[0] : { anyOf: of },
    }
  })
}
