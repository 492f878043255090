import { readFileSync, readdirSync } from 'node:fs'

/** In MB: `resident` counts shared pages in each process, `shared` divides them among the processes (PSS). */
export interface Memory {
  resident: number
  shared: number
}

/** Memory of a process and its descendants. */
export function treeMemory(pid: number): Memory {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)))
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
    } catch {
      // It has exited meanwhile.
    }
  const below = (wanted: number): number[] => [
    wanted,
    ...[...parents].filter(([, parent]) => parent === wanted).flatMap(([child]) => below(child)),
  ]
  const tree = below(pid).map(memoryOf)
  const sum = (of: (memory: Memory) => number) => tree.reduce((total, one) => total + of(one), 0)
  return { resident: sum(({ resident }) => resident), shared: sum(({ shared }) => shared) }
}

/** Memory of one process. */
export function memoryOf(pid: number): Memory {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const megabytes = (field: string) =>
    Math.round(Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) / 1000)
  return { resident: megabytes('Rss'), shared: megabytes('Pss') }
}
