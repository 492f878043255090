import { hash } from 'node:crypto'

/** A source of numbers from 0 up to but excluding 1. */
export type Chance = () => number

const range = 2 ** 32
const digest = (key: string) => hash('sha1', `caretaker demo ${key}`, 'hex')

/** The same key gives the same numbers on every machine and in a demo of any size (mulberry32). */
export function chanceOf(key: string): Chance {
  let state = number(key)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / range
  }
}

/** FNV-1a: a 32-bit hash of a text, for uses that need no cryptographic hash. */
function number(key: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < key.length; index++) value = Math.imul(value ^ key.charCodeAt(index), 0x01000193)
  return scatter(value)
}

/** Mixes the bits of a number over all 32 positions (the finaliser of MurmurHash3). */
function scatter(bits: number): number {
  let value = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}

/** The id of a demo item: a UUID derived from its name (version 8, custom). */
export function demoId(key: string): string {
  const hex = digest(key)
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) % 4]!
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

export function pick<T>(chance: Chance, list: readonly T[]): T {
  return list[Math.floor(chance() * list.length)]!
}

/** Picks by weight; the weights need not add up to one. */
export function weighted<T>(chance: Chance, choices: readonly (readonly [T, number])[]): T {
  const total = choices.reduce((sum, [, weight]) => sum + weight, 0)
  let left = chance() * total
  for (const [choice, weight] of choices) {
    left -= weight
    if (left < 0) return choice
  }
  return choices.at(-1)![0]
}

/** An integer from `from` to `to`, both included. */
export function whole(chance: Chance, from: number, to: number): number {
  return from + Math.floor(chance() * (to - from + 1))
}

/** A smooth curve between -1 and 1 for a key, which changes direction about once per period (in ms). */
export function wanderer(key: string, period: number): (at: number) => number {
  const root = number(key)
  const end = (step: number) => (scatter(root ^ Math.imul(step, 0x9e3779b1)) / range) * 2 - 1
  return (at) => {
    const slot = Math.floor(at / period)
    const share = (1 - Math.cos((at / period - slot) * Math.PI)) / 2
    return end(slot) * (1 - share) + end(slot + 1) * share
  }
}
