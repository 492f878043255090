import { Fault } from './fault.ts'

export type FilterValue = string | number | boolean | null

/** An attribute, as a filter or a path names it; names in lower case. */
export interface AttributePath {
  /** The schema before the attribute, in lower case; undefined for the resource's own. */
  schema: string | undefined
  attribute: string
  sub: string | undefined
  /** Selects values of a multi-valued attribute, as in `emails[type eq "work"]`. */
  values: readonly Comparison[] | undefined
}

/** A comparison with `eq`; if there are several, all must match. */
export interface Comparison extends AttributePath {
  value: FilterValue
}

interface Reader {
  peek(): string | undefined
  next(): string | undefined
}

const longest = 2000
const token = /"(?:\\.|[^"\\])*"|[()[\]]|[^\s()[\]"]+|\S/g

function readerOf(text: string, type: 'invalidFilter' | 'invalidPath'): Reader {
  if (text.length > longest) throw new Fault(type, `At most ${longest} characters are supported.`)
  const tokens = text.match(token) ?? []
  let at = 0
  return { peek: () => tokens[at], next: () => tokens[at++] }
}

/** The comparisons of a filter. Only `eq` and `and` are supported, as providers of directories send them. */
export function parseFilter(text: string): Comparison[] {
  const reader = readerOf(text, 'invalidFilter')
  const comparisons = readComparisons(reader, 'invalidFilter')
  const rest = reader.next()
  if (rest !== undefined) throw new Fault('invalidFilter', unsupported(rest))
  return comparisons
}

/** The path of an operation, such as `emails[type eq "work"].value`. */
export function parsePath(text: string): AttributePath {
  const reader = readerOf(text, 'invalidPath')
  const path = readPath(reader, 'invalidPath')
  const rest = reader.next()
  if (rest !== undefined) throw new Fault('invalidPath', `The path is not supported: ${text}`)
  return path
}

const unsupported = (part: string) =>
  `The filter is not supported near ${part}. Supported are comparisons with eq, joined with and.`

function readComparisons(reader: Reader, type: 'invalidFilter' | 'invalidPath'): Comparison[] {
  const comparisons: Comparison[] = []
  do {
    if (reader.peek() === '(') {
      reader.next()
      comparisons.push(...readComparisons(reader, type))
      expectToken(reader, ')', type)
    } else comparisons.push(readComparison(reader, type))
  } while (reader.peek()?.toLowerCase() === 'and' && reader.next())
  return comparisons
}

function readComparison(reader: Reader, type: 'invalidFilter' | 'invalidPath'): Comparison {
  const path = readPath(reader, type)
  const operator = reader.next()
  if (operator?.toLowerCase() !== 'eq') throw new Fault(type, unsupported(operator ?? 'the end'))
  const value = reader.next()
  if (value === undefined) throw new Fault(type, unsupported('the end'))
  return { ...path, value: valueOf(value, type) }
}

function valueOf(literal: string, type: 'invalidFilter' | 'invalidPath'): FilterValue {
  const plain = /^(?:true|false|null)$/i.test(literal) ? literal.toLowerCase() : literal
  try {
    const value: unknown = JSON.parse(plain)
    const isStored = typeof value !== 'string' || !value.includes('\u0000')
    if (isStored && (value === null || ['string', 'number', 'boolean'].includes(typeof value)))
      return value as FilterValue
  } catch {
    // Refused below.
  }
  throw new Fault(type, unsupported(literal))
}

function readPath(reader: Reader, type: 'invalidFilter' | 'invalidPath'): AttributePath {
  const name = reader.next()
  if (name === undefined || !/^[\w$:.-]+$/.test(name))
    throw new Fault(type, type === 'invalidFilter' ? unsupported(name ?? 'the end') : 'The path has no attribute.')
  const path = pathIn(name)
  if (reader.peek() !== '[') return { ...path, values: undefined }
  reader.next()
  const values = readComparisons(reader, type)
  expectToken(reader, ']', type)
  const sub = /^\.([\w$-]+)$/.exec(reader.peek() ?? '')?.[1]
  if (sub !== undefined) reader.next()
  return { ...path, sub: sub?.toLowerCase() ?? path.sub, values }
}

/** The schema, attribute and sub-attribute of a name, in lower case. A version such as 2.0 has a dot as well, so the last colon comes first. */
export function pathIn(name: string): Pick<AttributePath, 'schema' | 'attribute' | 'sub'> {
  const lower = name.toLowerCase()
  const colon = lower.lastIndexOf(':')
  const [attribute = '', ...subs] = lower.slice(colon + 1).split('.')
  // The path of a whole extension ends with the last part of its schema.
  if (colon >= 0 && !subs.length && /:\d\.\d$/.test(lower.slice(0, colon)))
    return { schema: lower, attribute: '', sub: undefined }
  return {
    schema: colon < 0 ? undefined : lower.slice(0, colon),
    attribute,
    sub: subs.length ? subs.join('.') : undefined,
  }
}

function expectToken(reader: Reader, expected: string, type: 'invalidFilter' | 'invalidPath'): void {
  const found = reader.next()
  if (found !== expected) throw new Fault(type, unsupported(found ?? 'the end'))
}
