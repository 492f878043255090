import assert from 'node:assert/strict'
import { test } from 'vitest'
import { z } from 'zod'
import { fieldsOfAnyContent, personalFields, withoutPersonalData } from './personal-fields.ts'
import { isReading } from './route.ts'
import { routes } from './routes.ts'

interface Schema {
  $ref?: string
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: Schema | boolean
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  $defs?: Record<string, Schema>
}

/** The names of all fields of a response. */
function fieldsOf(reply: z.ZodType): Set<string> {
  const whole = z.toJSONSchema(reply, { io: 'input', unrepresentable: 'any' }) as Schema
  const names = new Set<string>()
  const known = new Set<string>()
  const visit = (schema: Schema): void => {
    if (schema.$ref !== undefined) {
      const name = schema.$ref.split('/').at(-1)!
      if (known.has(name) || !whole.$defs?.[name]) return
      known.add(name)
      return visit(whole.$defs[name])
    }
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      names.add(name)
      visit(field)
    }
    const others = [schema.items, schema.additionalProperties, schema.anyOf, schema.oneOf, schema.allOf].flat()
    for (const other of others) if (typeof other === 'object') visit(other)
  }
  visit(whole)
  return names
}

/** Calls that read a file or a field with personal data. */
const suspects = Object.entries(routes).flatMap(([name, route]) => {
  const isAsked = isReading(route) || route.file !== undefined
  const fields = route.reply ? [...fieldsOf(route.reply as z.ZodType)] : []
  const hasPersonal = fields.some(
    (field) => personalFields.has(field) || fieldsOfAnyContent.has(field) || route.looksAt?.fields?.includes(field),
  )
  return isAsked && (route.file !== undefined || hasPersonal) ? [name] : []
})

test('each call that returns personal data of a home or a file declares whose, or states why it returns none', () => {
  // The log itself, whose exports are in the audit.
  const ofLog = ['exportPersonalDataReads']
  for (const name of suspects)
    if (!ofLog.includes(name))
      assert.ok(
        (routes[name]!.looksAt === undefined) === name in withoutPersonalData,
        `${name} needs either looksAt or a reason in withoutPersonalData`,
      )
})

test('only such calls declare it, and no reason is left over', () => {
  const indirect = ['getPropertyAudit', 'getAudit']
  for (const [name, route] of Object.entries(routes))
    if (route.looksAt) assert.ok(suspects.includes(name) || indirect.includes(name), `${name} returns no personal data`)
  for (const name of Object.keys(withoutPersonalData)) assert.ok(suspects.includes(name), `${name} needs no reason`)
})
