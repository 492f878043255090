/** A source of numbers from 0 up to but excluding 1. */
export type Random = () => number

const range = 2 ** 32

/** Mixes the bits of a number over all 32 positions (the finaliser of MurmurHash3). */
function scatter(bits: number): number {
  let hash = bits
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** A 32-bit hash of a text. */
export function hash(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  return scatter(value)
}

/** A number from 0 to 1 for a text, for spreading devices evenly. */
export function fraction(text: string): number {
  return hash(text) / range
}

/** A generator that gives the same numbers for the same seed (mulberry32). */
export function generator(seed: string): Random {
  let state = hash(seed)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / range
  }
}

/** A random UUID (version 4). */
export function uuid(random: Random): string {
  const digit = (count: number) => Array.from({ length: count }, () => Math.floor(random() * 16).toString(16)).join('')
  return `${digit(8)}-${digit(4)}-4${digit(3)}-${'89ab'[Math.floor(random() * 4)]}${digit(3)}-${digit(12)}`
}

/** A smooth curve between -1 and 1 for a key, which changes direction about once per period (in ms). */
export function wander(key: string, now: number, period: number): number {
  const root = hash(key)
  const slot = Math.floor(now / period)
  const at = (step: number) => (scatter(root ^ Math.imul(step, 0x9e3779b1)) / range) * 2 - 1
  const share = (1 - Math.cos((now / period - slot) * Math.PI)) / 2
  return at(slot) * (1 - share) + at(slot + 1) * share
}
