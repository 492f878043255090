/** Maximum nesting depth to which a message's JSON is kept. */
const deepest = 20
const longestText = 10_000

/** A copy with texts that the database can hold: without the character NUL and halves of surrogate pairs. */
export const storable = <T>(value: T): T => clean(value, 0) as T

function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.slice(0, longestText).toWellFormed().replaceAll('\0', '')
  if (typeof value !== 'object' || value === null) return value
  if (depth === deepest) return null
  if (Array.isArray(value)) return value.map((one) => clean(one, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [clean(key.slice(0, 200), 0) as string, clean(one, depth + 1)]),
  )
}
