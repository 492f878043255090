import path from 'node:path'
import type { Plugin } from 'vite'

const contract = path.resolve(import.meta.dirname, '../contract/src') + path.sep
const whole = '?whole'

/** What a page needs of a route: where to send it, and how to read what comes. The rest is for the server and its pages of the API. */
const kept = new Set(['method', 'path', 'may', 'status', 'file'])

/**
 * Gives the pages of each module of the contract what it says without zod: its calls without their shapes, its texts and
 * numbers. Whatever else a page names, such as the shape that a form is checked by, it gets from the module as it is
 * written, and only such a page loads zod.
 */
export function contractCalls(): Plugin {
  return {
    name: 'contract-calls',
    apply: 'build',
    transform(code, id) {
      if (!id.startsWith(contract) || id.endsWith(whole)) return undefined
      const light = withoutZod(code, (this.parse(code) as unknown as { body: Statement[] }).body)
      if (light === undefined) return undefined
      return { code: `${light}\nexport * from ${JSON.stringify(`./${path.basename(id)}${whole}`)}`, map: null }
    },
  }
}

interface Node {
  type: string
  start: number
  end: number
}
interface Named extends Node {
  name?: string
}
interface Statement extends Node {
  declaration?: Statement | null
  declarations?: (Node & { id: Named; init: Node | null })[]
  id?: Named | null
  specifiers?: (Node & { local: Named })[]
  source?: { value: string } | null
}
interface Call extends Node {
  callee: Named
  arguments: (Node & { properties?: (Node & { key?: Named })[] })[]
}

/** A statement as the light module has it, what it names, and what it declares. */
interface Part {
  text: string
  declares: string[]
  names: Set<string>
}

/** The statements that do without zod, as they are without the shapes of calls; undefined where all do. */
function withoutZod(code: string, statements: Statement[]): string | undefined {
  const parts = statements.map((statement) => partOf(code, statement))
  const heavy = new Set(parts.filter((_, at) => bringsZod(statements[at]!)).flatMap(({ declares }) => declares))
  if (heavy.size === 0) return undefined
  for (let before = -1; before < heavy.size;) {
    before = heavy.size
    for (const { declares, names } of parts)
      if ([...names].some((name) => heavy.has(name))) declares.forEach((name) => heavy.add(name))
  }
  return parts
    .filter(({ declares }) => declares.length > 0 && !declares.some((name) => heavy.has(name)))
    .map(({ text }) => text)
    .join('\n')
}

/** Another module of the contract may, whatever it is asked for; `route` itself does not. */
function bringsZod({ type, source }: Statement): boolean {
  return type === 'ImportDeclaration' && !/^@caretaker\/rules\/|^\.\/route\.ts$/.test(source!.value)
}

function partOf(code: string, statement: Statement): Part {
  const inner = statement.declaration ?? statement
  const declared = [
    inner.id,
    ...(inner.declarations ?? []).map(({ id }) => id),
    ...(statement.specifiers ?? []).map(({ local }) => local),
  ]
  const declares = declared.flatMap((id) => id?.name ?? [])
  const names = new Set<string>()
  const cuts: Node[] = []
  visit(statement, names, cuts)
  let text = code.slice(statement.start, statement.end)
  for (const { start, end } of cuts.toSorted((a, b) => b.start - a.start))
    text = text.slice(0, start - statement.start) + text.slice(end - statement.start)
  return { text, declares, names }
}

/** Collects the names in a statement, and the shapes of calls in it, which are to be cut with what they name. */
function visit(node: Node, names: Set<string>, cuts: Node[]): void {
  if (node.type === 'Identifier') names.add((node as Named).name!)
  const shapes = shapesIn(node)
  cuts.push(...shapes)
  for (const child of Object.values(node).flat() as unknown[]) if (isNode(child)) visit(child, names, cuts)
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

function shapesIn(node: Node): Node[] {
  const { callee, arguments: [spec] = [] } = node as Partial<Call>
  if (callee?.name !== 'route' || !spec?.properties) return []
  const properties = spec.properties
  const shapes = properties.filter(({ key }) => !kept.has(key?.name ?? ''))
  spec.properties = properties.filter((property) => !shapes.includes(property))
  return shapes.map(({ type, start }) => ({
    type,
    start,
    end: properties.find((next) => next.start > start)?.start ?? spec.end - 1,
  }))
}
