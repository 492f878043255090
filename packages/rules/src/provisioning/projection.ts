import type { Attributes } from './attributes.ts'
import { pathIn } from './filter.ts'
import { isObject } from './values.ts'

/** The attributes that a caller wants, as comma-separated names (RFC 7644, section 3.9). */
export interface Wanted {
  attributes: readonly string[]
  excluded: readonly string[]
}

/** A filter, as in `emails[type eq "work"]`, is left out: all values are returned. */
export const namesIn = (text: string | undefined): string[] =>
  (text ?? '')
    .replaceAll(/\[[^\]]*\]/g, '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)

/** Always returned. */
const always = new Set(['schemas', 'id'])

/** Whether any part of an attribute is returned, so that it has to be read. */
export function returns({ attributes, excluded }: Wanted, name: string): boolean {
  const isNamed = (one: string) => pathIn(one).attribute === name.toLowerCase()
  if (attributes.length) return attributes.some(isNamed)
  return !excluded.some((one) => isNamed(one) && pathIn(one).sub === undefined)
}

/** The resource with the wanted attributes only. */
export function projected(resource: Attributes, { attributes, excluded }: Wanted): Attributes {
  const list = attributes.length ? attributes : excluded
  if (!list.length) return resource
  const paths = list.map(pathIn)
  return Object.fromEntries(
    Object.entries(resource).flatMap(([name, value]) => {
      if (always.has(name)) return [[name, value]]
      const lower = name.toLowerCase()
      const isExtension = lower.includes(':')
      const named = paths.filter((path) => (isExtension ? isOfSchema(path, lower) : path.attribute === lower))
      const subs = named.map((path) => (isExtension ? path.attribute : (path.sub ?? '')))
      const isWhole = subs.includes('')
      if (attributes.length)
        return named.length ? [[name, isWhole ? value : parts(value, (one) => subs.includes(one))]] : []
      return isWhole ? [] : [[name, named.length ? parts(value, (one) => !subs.includes(one)) : value]]
    }),
  )
}

const isOfSchema = ({ schema }: { schema: string | undefined }, extension: string) => schema === extension

function parts(value: unknown, isWanted: (name: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => parts(one, isWanted))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => isWanted(name.toLowerCase())))
}
