/** A list with one of its items moved to another index. */
export function movedTo<T>(items: readonly T[], item: T, to: number): T[] {
  const rest = items.filter((one) => one !== item)
  return [...rest.slice(0, to), item, ...rest.slice(to)]
}
