import type { Attributes, Definition } from './attributes.ts'
import { definitionNamed, enterpriseDefinitions, ignoredAttributes, schemas, userDefinitions } from './attributes.ts'
import type { AttributePath, Comparison, FilterValue } from './filter.ts'
import { parsePath } from './filter.ts'
import { Fault } from './fault.ts'
import type { Operation } from './operations.ts'
import type { UserValues } from './values.ts'
import { documentOf, externalId, isObject, readValue, userIn } from './values.ts'

/** The user after these operations; the given one stays as it is. */
export function patchedUser(user: UserValues, id: string, operations: readonly Operation[]): UserValues {
  const document = JSON.parse(JSON.stringify(documentOf(user))) as Attributes
  for (const operation of operations) apply(document, id, operation)
  // Removing `active` never grants access.
  return userIn(document, false)
}

function apply(document: Attributes, id: string, { op, path, value }: Operation): void {
  if (path !== undefined) return applyAt(document, parsePath(path), { op, value })
  if (op === 'remove') throw new Fault('noTarget', 'A remove operation needs a path.')
  if (!isObject(value)) throw new Fault('invalidValue', 'The value of an operation without a path must be an object.')
  for (const [name, one] of Object.entries(value)) {
    const lower = name.toLowerCase()
    if (lower === 'id' && one !== id) throw new Fault('mutability', 'id cannot be changed.')
    if (['id', 'schemas', 'meta'].includes(lower)) continue
    if (ignoredAttributes.includes(lower)) continue
    applyAt(document, parsePath(name), { op, value: one })
  }
}

type Change = Pick<Operation, 'op' | 'value'>
interface Target {
  /** The object that has the attribute. */
  holder: Attributes
  definition: Definition
}

function applyAt(document: Attributes, path: AttributePath, change: Change): void {
  const extension = path.schema === schemas.enterprise.toLowerCase()
  if (path.schema !== undefined && !extension && path.schema !== schemas.user.toLowerCase())
    throw new Fault('invalidPath', `Unknown schema: ${path.schema}`)
  if (extension || isEnterpriseAttribute(path)) return inExtension(document, path, change)
  if (path.attribute === '') {
    if (!isObject(change.value)) throw new Fault('invalidValue', 'The value of a schema must be an object.')
    for (const [name, value] of Object.entries(change.value)) applyAt(document, parsePath(name), { ...change, value })
    return
  }
  changeAttribute(document, [...userDefinitions, externalId], path, change)
}

/** Entra ID names `manager` without its schema. */
const isEnterpriseAttribute = ({ schema, attribute }: AttributePath) =>
  schema === undefined && definitionNamed(enterpriseDefinitions, attribute) !== undefined

/** The extension is an object of its own in the document; without attributes it is removed. */
function inExtension(document: Attributes, path: AttributePath, change: Change): void {
  const stored = document[schemas.enterprise]
  const holder = isObject(stored) ? stored : {}
  if (path.attribute !== '') changeAttribute(holder, enterpriseDefinitions, path, change)
  else if (change.op === 'remove') for (const name of Object.keys(holder)) delete holder[name]
  else if (isObject(change.value))
    for (const [name, value] of Object.entries(change.value))
      changeAttribute(holder, enterpriseDefinitions, parsePath(name), { ...change, value })
  else throw new Fault('invalidValue', 'The value of a schema must be an object.')
  if (Object.keys(holder).length) document[schemas.enterprise] = holder
  else delete document[schemas.enterprise]
}

function changeAttribute(
  holder: Attributes,
  definitions: readonly Definition[],
  path: AttributePath,
  change: Change,
): void {
  if (ignoredAttributes.includes(path.attribute) || ignoredAttributes.includes(path.sub ?? '')) return
  if (['id', 'meta', 'schemas'].includes(path.attribute))
    throw new Fault('mutability', `${path.attribute} cannot be changed.`)
  const definition = definitionNamed(definitions, path.attribute)
  if (!definition) throw new Fault('invalidPath', `Unknown attribute: ${path.attribute}`)
  if (definition.readOnly) throw new Fault('mutability', `${definition.name} cannot be changed.`)
  const target = { holder, definition }
  if (definition.multiValued) return changeValues(target, path, change)
  if (path.values) throw new Fault('invalidPath', `${definition.name} can have only one value.`)
  if (path.sub !== undefined) return changePart(target, path.sub, change)
  if (change.op === 'remove' && definition.required) throw new Fault('mutability', `${definition.name} is required.`)
  const value = change.op === 'remove' ? undefined : readValue(definition, change.value)
  set(holder, definition.name, definition.type === 'complex' ? merged(holder[definition.name], value) : value)
}

function changePart({ holder, definition }: Target, sub: string, change: Change): void {
  const part = partOf(definition, sub)
  const parts = { ...(holder[definition.name] as Attributes | undefined) }
  set(parts, part.name, change.op === 'remove' ? undefined : readValue(part, change.value))
  set(holder, definition.name, Object.keys(parts).length ? parts : undefined)
}

function changeValues(target: Target, path: AttributePath, change: Change): void {
  const { holder, definition } = target
  const stored = (holder[definition.name] as Attributes[] | undefined) ?? []
  const isMeant = path.values ? matcherOf(path.values) : () => true
  const next =
    change.op === 'remove'
      ? withoutValues(target, stored, { path, change, isMeant })
      : path.values || path.sub !== undefined
        ? withChanged(target, stored, { path, change, isMeant })
        : withGiven(target, stored, change)
  set(holder, definition.name, next.length ? next : undefined)
}

interface Meant {
  path: AttributePath
  change: Change
  isMeant: (value: Attributes) => boolean
}

function withoutValues({ definition }: Target, stored: Attributes[], { path, change, isMeant }: Meant): Attributes[] {
  if (path.sub !== undefined) {
    const part = partOf(definition, path.sub).name
    return stored.map((one) => (isMeant(one) ? without(one, part) : one)).filter((one) => Object.keys(one).length)
  }
  if (path.values || change.value === undefined || change.value === null) return stored.filter((one) => !isMeant(one))
  const listed = (readValue(definition, change.value) as Attributes[] | undefined) ?? []
  return stored.filter((one) => !listed.some((other) => other['value'] === one['value']))
}

/**
 * Changes selected values. If none is selected, a path to a sub-attribute adds a value, as Entra ID expects; other
 * paths have no target.
 */
function withChanged({ definition }: Target, stored: Attributes[], { path, change, isMeant }: Meant): Attributes[] {
  const changes =
    path.sub === undefined
      ? ((readValue(definition, change.value) as Attributes[] | undefined)?.[0] ?? {})
      : partRead(partOf(definition, path.sub), change.value)
  if (stored.some(isMeant))
    return onePrimary(
      stored.map((one) => (isMeant(one) ? { ...one, ...changes } : one)),
      changes['primary'] === true ? stored.findIndex(isMeant) : undefined,
    )
  if (change.op === 'replace' && path.sub === undefined)
    throw new Fault('noTarget', `No value of ${definition.name} matches the filter.`)
  const added = { ...selected(definition, path.values ?? []), ...changes }
  return onePrimary([...stored, added], added['primary'] === true ? stored.length : undefined)
}

function withGiven({ definition }: Target, stored: Attributes[], change: Change): Attributes[] {
  const given = (readValue(definition, change.value) as Attributes[] | undefined) ?? []
  if (change.op === 'replace') return given
  const isSame = (one: Attributes, other: Attributes) =>
    one['value'] === other['value'] && one['type'] === other['type']
  const others = stored.filter((one) => !given.some((other) => isSame(one, other)))
  const primary = given.findIndex((one) => one['primary'] === true)
  return onePrimary([...others, ...given], primary < 0 ? undefined : others.length + primary)
}

const partRead = (part: Definition, value: unknown): Attributes => ({ [part.name]: readValue(part, value) })

/** A value that became primary is the only primary one. */
const onePrimary = (values: Attributes[], at: number | undefined) =>
  at === undefined ? values : values.map((one, index) => (index === at ? one : without(one, 'primary')))

/** The attributes that a value must have to match a filter. */
function selected(definition: Definition, comparisons: readonly Comparison[]): Attributes {
  return Object.assign(
    {},
    ...comparisons.map(({ attribute, value }) => partRead(partOf(definition, attribute), value)),
  ) as Attributes
}

const matcherOf = (comparisons: readonly Comparison[]) => (one: Attributes) =>
  comparisons.every(({ attribute, value }) => {
    const stored = Object.entries(one).find(([name]) => name.toLowerCase() === attribute)?.[1] as
      | FilterValue
      | undefined
    return String(stored ?? '').toLowerCase() === String(value ?? '').toLowerCase()
  })

function partOf(definition: Definition, name: string): Definition {
  const part = definitionNamed(definition.sub ?? [], name)
  if (!part) throw new Fault('invalidPath', `${definition.name} has no part ${name}.`)
  if (part.readOnly) throw new Fault('mutability', `${definition.name}.${part.name} cannot be changed.`)
  return part
}

const merged = (stored: unknown, given: unknown) =>
  isObject(stored) && isObject(given) ? { ...stored, ...given } : given

function set(holder: Attributes, name: string, value: unknown): void {
  if (value === undefined) delete holder[name]
  else holder[name] = value
}

const without = (one: Attributes, name: string): Attributes =>
  Object.fromEntries(Object.entries(one).filter(([other]) => other !== name))
