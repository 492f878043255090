import { readFileSync, readdirSync } from 'node:fs'

/** Memory of a process and all below it in MB: `resident` counts shared pages in each, `shared` divides them fairly (PSS). */
export function treeMemory(pid: number): { resident: number; shared: number } {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)))
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
    } catch {
      // It ended meanwhile.
    }
  const below = (wanted: number): number[] => [
    wanted,
    ...[...parents].filter(([, parent]) => parent === wanted).flatMap(([child]) => below(child)),
  ]
  const kB = (text: string, field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0)
  const tree = below(pid).map((one) => readFileSync(`/proc/${one}/smaps_rollup`, 'utf8'))
  const sum = (field: string) => Math.round(tree.reduce((total, text) => total + kB(text, field), 0) / 1000)
  return { resident: sum('Rss'), shared: sum('Pss') }
}
