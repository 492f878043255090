import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { parse, parseAllDocuments, stringify } from 'yaml'

/**
 * Renders the chart without Helm, which no package registry of the tests has. Supports the part of Go's templates and
 * Helm's functions that the chart uses; anything else is an error. Where Helm is installed, the tests also run Helm
 * itself.
 */
export function renderChart(folder: string, options: { values?: Values; secret?: Values } = {}): Manifest[] {
  const values = merged(parse(readFileSync(path.join(folder, 'values.yaml'), 'utf8')) as Values, options.values ?? {})
  const { appVersion } = parse(readFileSync(path.join(folder, 'Chart.yaml'), 'utf8')) as { appVersion: string }
  const names = readdirSync(path.join(folder, 'templates')).toSorted()
  const chart = new Chart(options.secret)
  const bodies = names.map((name) => chart.parse(readFileSync(path.join(folder, 'templates', name), 'utf8'), name))
  const root = {
    Values: values,
    Chart: { AppVersion: appVersion },
    Release: { Name: 'caretaker', Namespace: 'default', Service: 'Helm' },
    Files: { Get: (name: string) => readFileSync(path.join(folder, name), 'utf8') },
  }
  return bodies.flatMap((body, at) => {
    const text = chart.render(body, { dot: root, variables: { $: root } })
    return parseAllDocuments(text).flatMap((document) => {
      if (document.errors.length) throw new Error(`${names[at]}: ${String(document.errors[0])}\n${text}`)
      return (document.toJS() as Manifest | null) ?? []
    })
  })
}

export interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string; annotations?: Record<string, string> }
  // oxlint-disable-next-line typescript/no-explicit-any -- objects of many kinds, validated by the schemas of Kubernetes
  spec?: any
  [more: string]: unknown
}
type Values = Record<string, unknown>

const isMap = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The chart's values, overridden by those of an installation. Lists and texts are replaced; null removes an entry. */
function merged(of: Values, by: Values): Values {
  const result = { ...of }
  for (const [key, value] of Object.entries(by)) {
    if (value === null) delete result[key]
    else result[key] = isMap(value) && isMap(of[key]) ? merged(of[key], value) : value
  }
  return result
}

interface Scope {
  dot: unknown
  variables: Values
}
type Evaluate = (scope: Scope) => unknown
type Node = (scope: Scope) => string

/** One action, `{{ … }}`, and the text before it. */
interface Piece {
  text: string
  action?: string
}

function piecesOf(source: string): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  let trimsNext = false
  const texts = (text: string, trimsEnd: boolean) => {
    const start = trimsNext ? text.trimStart() : text
    return trimsEnd ? start.trimEnd() : start
  }
  for (const found of source.matchAll(/\{\{(-?)\s*((?:"(?:\\.|[^"\\])*"|`[^`]*`|(?!-?\}\})[^])*?)\s*(-?)\}\}/g)) {
    const text = texts(source.slice(at, found.index), found[1] === '-')
    pieces.push({ text, action: found[2]! })
    trimsNext = found[3] === '-'
    at = found.index + found[0].length
  }
  pieces.push({ text: texts(source.slice(at), false) })
  return pieces
}

const isTrue = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : isMap(value) ? Object.keys(value).length > 0 : Boolean(value)
function toText(value: unknown): string {
  if (value === undefined || value === null) return ''
  // Go would print a list or map in a form that is useless in a template.
  if (typeof value === 'object') throw new Error(`not a text: ${JSON.stringify(value)}`)
  return String(value as string | number | boolean)
}
const indented = (count: unknown, text: unknown) => toText(text).replaceAll(/^/gm, ' '.repeat(Number(count)))

const functions: Record<string, (...values: unknown[]) => unknown> = {
  add1: (number) => Number(number) + 1,
  default: (fallback, value) => (isTrue(value) ? value : fallback),
  eq: (one, ...others) => others.includes(one),
  fail: (message) => {
    throw new Error(toText(message))
  },
  indent: indented,
  int: (value) => Math.trunc(Number(value)),
  nindent: (count, text) => `\n${indented(count, text)}`,
  not: (value) => !isTrue(value),
  printf: (format, ...values) => toText(format).replaceAll(/%[sdv]/g, () => toText(values.shift())),
  quote: (value) => JSON.stringify(toText(value)),
  required: (message, value) => {
    if (!isTrue(value)) throw new Error(toText(message))
    return value
  },
  sha256sum: (text) => createHash('sha256').update(toText(text)).digest('hex'),
  toYaml: (value) => stringify(value ?? null, { lineWidth: 0 }).trimEnd(),
}

class Chart {
  readonly #defined = new Map<string, Node>()
  readonly #secret: Values | undefined

  constructor(secret?: Values) {
    this.#secret = secret
  }

  render(body: Node, scope: Scope): string {
    return body(scope)
  }

  /** Parses a template file; all files can use its definitions. */
  parse(source: string, name: string): Node {
    const pieces = piecesOf(source)
    try {
      const body = this.#parseBody(pieces)
      if (pieces.length) throw new Error(`unexpected {{ ${pieces[0]!.action} }}`)
      return body.node
    } catch (error) {
      throw new Error(`${name}: ${String(error)}`, { cause: error })
    }
  }

  /** Parses nodes up to `else` or `end`, and returns that action as well. */
  #parseBody(pieces: Piece[]): { node: Node; end?: string } {
    const nodes: Node[] = []
    const node: Node = (scope) => {
      const inner = { ...scope, variables: { ...scope.variables } }
      return nodes.map((one) => one(inner)).join('')
    }
    while (pieces.length) {
      const { text, action } = pieces.shift()!
      nodes.push(() => text)
      if (action === undefined) break
      const [, word = '', rest = ''] = /^([a-z]*)\b\s*([^]*)$/.exec(action) ?? []
      if (word === 'end' || word === 'else') return { node, end: action }
      if (action.startsWith('/*')) continue
      if (word === 'define') this.#defined.set(JSON.parse(rest) as string, this.#parseBody(pieces).node)
      else if (['if', 'with', 'range'].includes(word)) nodes.push(this.#parseBlock(word, rest, pieces))
      else {
        const [, variable, value] = /^(\$\w+)\s*:?=\s*([^]*)$/.exec(action) ?? []
        const evaluate = this.#expression(value ?? action)
        nodes.push((scope) => {
          const result = evaluate(scope)
          if (variable) scope.variables[variable] = result
          return variable ? '' : toText(result)
        })
      }
    }
    return { node }
  }

  #parseBlock(word: string, condition: string, pieces: Piece[]): Node {
    const [, first, second, value] = /^(\$\w+)\s*(?:,\s*(\$\w+))?\s*:=\s*([^]*)$/.exec(condition) ?? []
    const evaluate = this.#expression(value ?? condition)
    const body = this.#parseBody(pieces)
    let otherwise: Node = () => ''
    const [, chained, rest = ''] = /^else\s+(if|with)\s+([^]*)$/.exec(body.end ?? '') ?? []
    if (chained) otherwise = this.#parseBlock(chained, rest, pieces)
    else if (body.end === 'else') otherwise = this.#parseBody(pieces).node
    else if (body.end !== 'end') throw new Error(`{{ ${word} ${condition} }} has no end`)
    return (scope) => {
      const of = evaluate(scope)
      if (!isTrue(of)) return otherwise(scope)
      if (word === 'if') return body.node(scope)
      const within = (dot: unknown, key?: unknown) => {
        const [keyName, valueName] = second ? [first, second] : [undefined, first]
        const variables = {
          ...scope.variables,
          ...(keyName && { [keyName]: key }),
          ...(valueName && { [valueName]: dot }),
        }
        return body.node({ dot, variables })
      }
      if (word === 'with') return within(of)
      if (Array.isArray(of)) return of.map((item, at) => within(item, at)).join('')
      // Go ranges over a map in the order of its keys.
      return Object.keys(of as Values)
        .toSorted()
        .map((key) => within((of as Values)[key], key))
        .join('')
    }
  }

  #expression(source: string): Evaluate {
    const tokens = [...source.matchAll(/"(?:\\.|[^"\\])*"|`[^`]*`|-?\d+(?:\.\d+)?|[\w$.]+|[()|]|(\S)/g)].map(
      ([token, unknown]) => {
        if (unknown) throw new Error(`unknown '${unknown}' in {{ ${source} }}`)
        return token
      },
    )
    const evaluate = this.#pipeline(tokens)
    if (tokens.length) throw new Error(`'${tokens[0]}' is left in {{ ${source} }}`)
    return evaluate
  }

  #pipeline(tokens: string[]): Evaluate {
    let evaluate = this.#command(tokens)
    while (tokens[0] === '|') {
      tokens.shift()
      const [before, next] = [evaluate, this.#command(tokens, true)]
      evaluate = (scope) => (next as (scope: Scope, piped: unknown) => unknown)(scope, before(scope))
    }
    return evaluate
  }

  /** A function with its arguments, of which the last may come through a pipe, or a single value. */
  #command(tokens: string[], isPiped = false): (scope: Scope, piped?: unknown) => unknown {
    const [head] = tokens
    const isMethod = head !== undefined && /^\$?\.Files\.Get$/.test(head)
    const isFunction = head !== undefined && /^[a-z]\w*$/.test(head) && !['true', 'false', 'nil'].includes(head)
    if (!isFunction && !isMethod) return this.#operand(tokens)
    tokens.shift()
    const values: Evaluate[] = []
    while (tokens.length && tokens[0] !== ')' && tokens[0] !== '|') values.push(this.#operand(tokens))
    const all = (scope: Scope, piped: unknown) => [...values.map((one) => one(scope)), ...(isPiped ? [piped] : [])]
    if (isMethod) return (scope, piped) => valueAt(head, scope, all(scope, piped))
    if (head === 'and' || head === 'or')
      return (scope, piped) => {
        const given = all(scope, piped)
        return given.find((value) => isTrue(value) === (head === 'or')) ?? given.at(-1)
      }
    if (head === 'include')
      return (scope) => {
        const [name, dot] = values.map((one) => one(scope))
        const body = this.#defined.get(name as string)
        if (!body) throw new Error(`no template is named ${String(name)}`)
        return body({ dot, variables: { $: dot } })
      }
    if (head === 'lookup') return () => this.#secret ?? {}
    const run = functions[head]
    if (!run) throw new Error(`the function ${head} is not known`)
    return (scope, piped) => run(...all(scope, piped))
  }

  #operand(tokens: string[]): Evaluate {
    const token = tokens.shift()
    if (token === undefined) throw new Error('a value is missing')
    if (token === '(') {
      const inner = this.#pipeline(tokens)
      if (tokens.shift() !== ')') throw new Error('a bracket is not closed')
      if (!tokens[0]?.startsWith('.') || tokens[0] === '.') return inner
      const field = tokens.shift()!
      return (scope) => valueAt(field, { ...scope, dot: inner(scope) })
    }
    if (token.startsWith('"')) return () => JSON.parse(token) as string
    if (token.startsWith('`')) return () => token.slice(1, -1)
    if (/^-?\d/.test(token)) return () => Number(token)
    if (token === 'true' || token === 'false') return () => token === 'true'
    if (token === 'nil') return () => null
    if (!/^[.$]/.test(token)) return this.#command([token])
    return (scope) => valueAt(token, scope)
  }
}

/**
 * The value of `.a.b`, `$.a.b` or `$name.a`; a missing last name is empty, but a name inside a missing value is an
 * error.
 */
function valueAt(token: string, scope: Scope, values?: unknown[]): unknown {
  const [start, ...names] = token.split('.')
  let value = start ? scope.variables[start] : scope.dot
  if (start && !(start in scope.variables)) throw new Error(`the variable ${start} is not known`)
  for (const name of names.filter(Boolean)) {
    if (value === undefined || value === null) throw new Error(`${token}: there is no value with the name ${name}`)
    value = (value as Values)[name]
  }
  return typeof value === 'function' ? (value as (...given: unknown[]) => unknown)(...(values ?? [])) : value
}
