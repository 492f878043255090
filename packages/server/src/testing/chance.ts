import { hash } from 'node:crypto'

/**
 * Pseudo-random numbers from 0 (inclusive) to 1 (exclusive), the same for the same key, so that failures are
 * reproducible.
 */
export function chanceOf(key: string): () => number {
  let drawn = 0
  return () => hash('sha1', `${key} ${drawn++}`, 'buffer').readUInt32BE() / 2 ** 32
}

export function pick<T>(chance: () => number, list: readonly T[]): T {
  return list[Math.floor(chance() * list.length)]!
}
