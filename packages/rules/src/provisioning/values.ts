import type { Attributes, Definition } from './attributes.ts'
import { definitionNamed, enterpriseDefinitions, schemas, userDefinitions } from './attributes.ts'
import { Fault } from './fault.ts'

const longestText = 1000
/** Maximum values of a user's attribute. */
const mostValues = 100

export const isObject = (value: unknown): value is Attributes =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const wrong = (definition: Definition, what: string) => new Fault('invalidValue', `${definition.name} ${what}`)

/** The value of an attribute in its stored form; undefined if it is empty, which removes the attribute. */
export function readValue(definition: Definition, value: unknown): unknown {
  if (value === null || value === undefined) return undefined
  if (definition.multiValued) return readValues(definition, value)
  return readOne(definition, value)
}

function readValues(definition: Definition, value: unknown): Attributes[] | undefined {
  const given = Array.isArray(value) ? (value as unknown[]) : [value]
  if (given.length > mostValues) throw wrong(definition, `can have at most ${mostValues} values.`)
  const values = given.map((one) => readOne(definition, one) as Attributes).filter((one) => Object.keys(one).length)
  if (values.filter((one) => one['primary'] === true).length > 1)
    throw wrong(definition, 'can have only one primary value.')
  return values.length ? values : undefined
}

function readOne(definition: Definition, value: unknown): unknown {
  if (definition.type === 'boolean') return readBoolean(definition, value)
  if (definition.type === 'complex') return readParts(definition, value)
  if (typeof value !== 'string') throw wrong(definition, 'must be a string.')
  if (value.length > longestText) throw wrong(definition, `can have at most ${longestText} characters.`)
  // oxlint-disable-next-line no-control-regex -- control characters are refused
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(value) || !value.isWellFormed())
    throw wrong(definition, 'contains characters that are not allowed.')
  return value
}

/** Entra ID sends booleans as texts. */
function readBoolean(definition: Definition, value: unknown): boolean {
  const text = typeof value === 'string' ? value.toLowerCase() : value
  if (text === true || text === 'true') return true
  if (text === false || text === 'false') return false
  throw wrong(definition, 'must be true or false.')
}

/** A text is read as the sub-attribute `value`. Entra ID sends the manager in a list. */
function readParts(definition: Definition, given: unknown): Attributes {
  const sub = definition.sub ?? []
  const value: unknown = Array.isArray(given) && given.length === 1 ? given[0] : given
  if (typeof value === 'string' && definitionNamed(sub, 'value')) return readParts(definition, { value })
  if (!isObject(value)) throw wrong(definition, 'must be an object.')
  return readAttributes(sub, value)
}

/** The known attributes of an object in their stored form. Others are ignored (RFC 7644, section 3.3). */
export function readAttributes(definitions: readonly Definition[], given: Attributes): Attributes {
  const read: Attributes = {}
  for (const [name, value] of Object.entries(given)) {
    const definition = definitionNamed(definitions, name)
    if (!definition || definition.readOnly) continue
    const stored = readValue(definition, value)
    if (stored !== undefined) read[definition.name] = stored
  }
  return read
}

/** The parts of a new or replaced user, with all attributes in their stored form. */
export interface UserValues {
  userName: string
  externalId: string | null
  active: boolean
  /** The other attributes; attributes of the enterprise extension are below its schema. */
  attributes: Attributes
}

/** The document of a user, in which operations change attributes. */
export const documentOf = ({ userName, externalId, active, attributes }: UserValues): Attributes => ({
  ...attributes,
  ...{ userName, active },
  ...(externalId !== null && { externalId }),
})

/** Reads a user from a request. Without `active`, a replaced user stays active or inactive as before. */
export function readUser(body: unknown, wasActive = true): UserValues {
  if (!isObject(body)) throw new Fault('invalidSyntax', 'The body must be a JSON object.')
  const document = readAttributes([...userDefinitions, externalId], body)
  const extension = Object.entries(body).find(([name]) => name.toLowerCase() === schemas.enterprise.toLowerCase())?.[1]
  if (isObject(extension)) {
    const enterprise = readAttributes(enterpriseDefinitions, extension)
    if (Object.keys(enterprise).length) document[schemas.enterprise] = enterprise
  }
  const isCleared = Object.entries(body).some(([name, value]) => name.toLowerCase() === 'active' && value === null)
  return userIn(document, !isCleared && wasActive)
}

/** Identifies a resource in the directory (RFC 7643, section 3.1). */
export const externalId: Definition = { name: 'externalId', type: 'string', description: 'The id in the directory.' }

/** The user of a document; `isActive` is used if the document has no `active`. */
export function userIn(
  { userName, externalId: external, active, ...attributes }: Attributes,
  isActive: boolean,
): UserValues {
  if (typeof userName !== 'string' || userName.trim() === '') throw new Fault('invalidValue', 'userName is required.')
  return {
    userName: userName.trim(),
    externalId: typeof external === 'string' ? external : null,
    active: typeof active === 'boolean' ? active : isActive,
    attributes,
  }
}

/** User and group names are compared without case. */
export const comparedName = (name: string): string => name.normalize('NFC').trim().toLowerCase()
