import { isFound } from '@caretaker/rules/texts/search-form.ts'

type State = Readonly<Record<string, unknown>>

/** One value of a device by its path, desired and reported; undefined if missing. */
export interface StatePair {
  key: string
  desired: unknown
  reported: unknown
  /** Desired, and not reported. */
  differs: boolean
}

/** All values of two states side by side, desired ones first. */
export function sideBySide(desired: State, reported: State): StatePair[] {
  const [asked, shown] = [flat(desired), flat(reported)]
  const keys = [...asked.keys(), ...[...shown.keys()].filter((key) => !asked.has(key)).sort()]
  return keys.map((key) => ({
    key,
    desired: asked.get(key),
    reported: shown.get(key),
    differs: asked.has(key) && JSON.stringify(asked.get(key)) !== JSON.stringify(shown.get(key)),
  }))
}

/** The values of a state by path, for example 'fault.code'. Empty objects are kept as they are. */
function flat(state: State, path = ''): Map<string, unknown> {
  return new Map(
    Object.entries(state).flatMap(([name, value]) => {
      const key = path ? `${path}.${name}` : name
      const isGroup =
        typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
      return isGroup ? [...flat(value as State, key)] : [[key, value] as const]
    }),
  )
}

/** Whether the key or values of a row contain every word of a search. */
export const hasText = ({ key, desired, reported }: StatePair, text: string): boolean =>
  isFound(text, [key, JSON.stringify(desired), JSON.stringify(reported)])
