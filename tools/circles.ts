/**
 * Finds circular imports between files or modules: such files cannot be understood, tested or moved alone. Type imports
 * count as well; a type that two modules need belongs in a third module that both import.
 */
import path from 'node:path'
import type { Source } from './floors.ts'
import { importsOf, withoutComments } from './floors.ts'

/** Imports between files or modules, each with an example. */
type Arrows = Map<string, Map<string, string>>

/**
 * The module of a file: its folder below `src`, or the feature if that folder is `features`. A file directly in `src`,
 * such as shared settings, is a module of its own. Undefined for tests, which may import any module, and for files
 * outside packages.
 */
export function roomOf(file: string): string | undefined {
  if (/\.(test|spec)\.tsx?$/.test(file)) return undefined
  const [, name, rest] = /^packages\/([^/]+)\/src\/(.+)$/.exec(file) ?? []
  if (name === undefined || rest === undefined) return undefined
  const [first = '', second = '', ...deeper] = rest.split('/')
  const room = first === 'features' && deeper.length ? `features/${second}` : first
  return `${name}/${room}`
}

/** All circular imports, one for each group of connected files, as `a → b → a` with the imports that cause it. */
export function circles(sources: readonly Source[]): string[] {
  const files: Arrows = new Map()
  const rooms: Arrows = new Map()
  const known = new Set(sources.map(({ file }) => file))
  for (const { file, text } of sources) {
    for (const specifier of importsOf(withoutComments(text))) {
      if (!specifier.startsWith('.')) continue
      const target = path.posix.join(path.posix.dirname(file), specifier)
      if (!known.has(target)) continue
      add(files, file, target, '')
      const [here, there] = [roomOf(file), roomOf(target)]
      if (here && there && here !== there) add(rooms, here, there, `${file} imports ${specifier}`)
    }
  }
  return [
    ...circlesIn(files).map((circle) => circle.join(' → ')),
    ...circlesIn(rooms).map((circle) => circleText(circle, rooms)),
  ]
}

function add(arrows: Arrows, from: string, to: string, by: string): void {
  const ends = arrows.get(from) ?? new Map<string, string>()
  if (!ends.has(to)) ends.set(to, by)
  arrows.set(from, ends)
}

function circleText(circle: readonly string[], arrows: Arrows): string {
  const imports = circle.slice(1).map((to, at) => `  ${arrows.get(circle[at]!)!.get(to)}`)
  return [circle.join(' → '), ...imports].join('\n')
}

/** The shortest circle of each group, starting with its first member by name. */
function circlesIn(arrows: Arrows): string[][] {
  const found: string[][] = []
  const tangled = new Set<string>()
  for (const start of [...arrows.keys()].sort()) {
    if (tangled.has(start)) continue
    const circle = shortestBack(start, arrows)
    if (!circle) continue
    for (const one of reachable(start, arrows)) if (reachable(one, arrows).has(start)) tangled.add(one)
    found.push(circle)
  }
  return found
}

function shortestBack(start: string, arrows: Arrows): string[] | undefined {
  const before = new Map<string, string>()
  const waiting = [start]
  for (const from of waiting)
    for (const to of arrows.get(from)?.keys() ?? []) {
      if (to === start) {
        const way = [from]
        while (way[0] !== start) way.unshift(before.get(way[0]!)!)
        return [...way, start]
      }
      if (!before.has(to)) {
        before.set(to, from)
        waiting.push(to)
      }
    }
  return undefined
}

function reachable(start: string, arrows: Arrows): Set<string> {
  const met = new Set([start])
  for (const one of met) for (const to of arrows.get(one)?.keys() ?? []) met.add(to)
  return met
}
