import { escaped } from './html.ts'

export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  const?: unknown
  enum?: unknown[]
  default?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

/** One row of a table of fields. */
interface Field {
  name: string
  type: string
  isRequired: boolean
}

/** A table of all fields of a shape, nested ones by their dotted path; a line of text if it has no fields. */
export function schemaTable(schema: Schema, caption: string, top = ''): string {
  const fields = fieldsOf(schema, top)
  if (!fields.length) return `<p class="type">${typeText(schema)}</p>`
  const rows = fields.map(
    ({ name, type, isRequired }) =>
      `<tr><th scope="row"><code>${breakable(name)}</code></th><td>${type}</td><td>${isRequired ? 'required' : ''}</td></tr>`,
  )
  const head = '<tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Required</th></tr>'
  return `<table><caption>${escaped(caption)}</caption><thead>${head}</thead><tbody>${rows.join('')}</tbody></table>`
}

/** A long path may break after its dots. */
const breakable = (name: string) => escaped(name).replaceAll('.', '.<wbr>')

function fieldsOf(schema: Schema, prefix: string): Field[] {
  const { properties = {}, required = [] } = schema
  return Object.entries(properties).flatMap(([key, field]) => {
    const name = prefix ? `${prefix}.${key}` : key
    return [{ name, type: typeText(field), isRequired: required.includes(key) }, ...innerFields(field, name)]
  })
}

/** The nested fields of a field: of an object, of list items, of each of several shapes. */
function innerFields(schema: Schema, name: string): Field[] {
  if (schema.properties) return fieldsOf(schema, name)
  if (schema.items) return innerFields(schema.items, `${name}[]`)
  const seen = new Set<string>()
  return (schema.anyOf ?? schema.oneOf ?? [])
    .flatMap((one) => innerFields(one, name))
    .filter((field) => !seen.has(field.name) && seen.add(field.name))
}

/** The type of a value in words; a named shape as a link to it. */
export function typeText(schema: Schema): string {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1)!
    return `<a href="#shape-${escaped(name)}">${escaped(name)}</a>`
  }
  if (schema.const !== undefined) return value(schema.const)
  if (schema.enum) return schema.enum.map(value).join(' | ')
  const options = schema.anyOf ?? schema.oneOf
  if (options) return [...new Set(options.map(typeText))].join(' or ')
  if (schema.items) return `list of ${typeText(schema.items)}${bounds(schema.minItems, schema.maxItems, 'items')}`
  if (typeof schema.additionalProperties === 'object') return `object of ${typeText(schema.additionalProperties)}`
  return `${word(schema)}${limits(schema)}${schema.default === undefined ? '' : `, else ${value(schema.default)}`}`
}

const value = (given: unknown) => `<code>${escaped(JSON.stringify(given))}</code>`

function word({ type, format }: Schema): string {
  if (format === 'binary') return 'file'
  if (format) return escaped(format)
  const words = [type ?? 'anything'].flat().map((one) => (one === 'string' ? 'text' : escaped(one)))
  return words.join(' or ')
}

/** The limits of a value, without those beyond the exact integers of JSON, which no value reaches. */
function limits({ minimum, maximum, minLength, maxLength }: Schema): string {
  const real = (bound?: number) =>
    bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound : undefined
  return bounds(real(minimum), real(maximum), '') + bounds(minLength, maxLength, 'characters')
}

function bounds(least: number | undefined, most: number | undefined, of: string): string {
  if (least === undefined && most === undefined) return ''
  const range =
    most === undefined ? `at least ${least}` : least === undefined ? `at most ${most}` : `${least} to ${most}`
  return `, ${range}${of && ` ${of}`}`
}
