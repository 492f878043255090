import { hash } from 'node:crypto'

/** Numbers from 0 up to but excluding 1: the same ones for the same key, so that a failure comes again. */
export function chanceOf(key: string): () => number {
  let drawn = 0
  return () => hash('sha1', `${key} ${drawn++}`, 'buffer').readUInt32BE() / 2 ** 32
}

export function pick<T>(chance: () => number, list: readonly T[]): T {
  return list[Math.floor(chance() * list.length)]!
}
