type Json = Record<string, unknown>

/** Texts of an example, by field name, for texts that the schema does not describe. */
export type SampleTexts = Readonly<Record<string, string>>

/**
 * A minimal example of a schema: its required fields, filled from the examples, enums and bounds of the schema, and from `texts`.
 */
export function sampleOf(schema: Json, schemas: Json, texts: SampleTexts = {}, name = ''): unknown {
  const { $ref, examples, anyOf, oneOf, allOf, type } = schema
  const inner = (part: unknown) => sampleOf(part as Json, schemas, texts, name)
  if ('const' in schema) return schema.const
  if (Array.isArray(examples)) return examples[0]
  if ('default' in schema) return schema.default
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (typeof $ref === 'string') return inner(schemas[$ref.split('/').at(-1)!])
  const options = (anyOf ?? oneOf) as Json[] | undefined
  if (options) return inner(options[0])
  if (Array.isArray(allOf)) return Object.assign({}, ...allOf.map(inner)) as Json
  if (type === 'object') return sampleOfObject(schema, schemas, texts)
  if (type === 'array' && Array.isArray(schema.prefixItems)) return schema.prefixItems.map(inner)
  if (type === 'array') return Array.from({ length: Number(schema.minItems ?? 1) || 1 }, () => inner(schema.items))
  if (type === 'string' || (Array.isArray(type) && type.includes('string') && texts[name] !== undefined))
    return sampleOfText(schema, texts[name])
  if (type === 'integer' || type === 'number')
    return Math.max(leastOf(schema), Math.min(1, Number(schema.maximum ?? 1)))
  if (type === 'boolean') return true
  return null
}

const leastOf = ({ minimum, exclusiveMinimum }: Json) =>
  minimum !== undefined || exclusiveMinimum === undefined
    ? Number(minimum ?? 1)
    : Math.floor(Number(exclusiveMinimum)) + 1

function sampleOfObject(
  { properties = {}, required = [], additionalProperties = {} }: { properties?: Json; required?: string[] } & Json,
  schemas: Json,
  texts: SampleTexts,
): Json {
  const schemaOf = (name: string) => ((properties as Json)[name] ?? additionalProperties) as Json
  return Object.fromEntries(required.map((name) => [name, sampleOf(schemaOf(name), schemas, texts, name)]))
}

function sampleOfText({ format, minLength, maxLength, pattern }: Json, known: string | undefined): string {
  if (format === 'uuid') return '0d8a6c1e-3f5b-4c2d-9e7a-5b1f2c3d4e5f'
  if (format === 'email') return 'priya@example.org'
  if (format === 'date') return '2026-11-02'
  if (format === 'date-time') return '2026-11-02T09:30:00Z'
  if (format === 'uri') return 'https://example.org/'
  const fits = known !== undefined && !pattern && known.length <= Number(maxLength ?? Infinity)
  if (fits && known.length >= Number(minLength ?? 0)) return known
  return 'text'.padEnd(Number(minLength ?? 0), '.')
}
