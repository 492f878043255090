import { isFound } from '@caretaker/rules/texts/search-form.ts'

type State = Readonly<Record<string, unknown>>

/** One value of a device by its path, as it was asked for and as it is reported; undefined where it is not. */
export interface TwoTruths {
  key: string
  desired: unknown
  reported: unknown
  /** It was asked for, and is not reported so. */
  differs: boolean
}

/** Every single value of two states, side by side, those that were asked for first. */
export function sideBySide(desired: State, reported: State): TwoTruths[] {
  const [asked, told] = [flat(desired), flat(reported)]
  const keys = [...asked.keys(), ...[...told.keys()].filter((key) => !asked.has(key)).sort()]
  return keys.map((key) => ({
    key,
    desired: asked.get(key),
    reported: told.get(key),
    differs: asked.has(key) && JSON.stringify(asked.get(key)) !== JSON.stringify(told.get(key)),
  }))
}

/** The values of a state by their paths: 'fault.code'. What is empty stands as it is. */
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

/** Whether a row has each word of a search in its key or its values. */
export const hasText = ({ key, desired, reported }: TwoTruths, text: string): boolean =>
  isFound(text, [key, JSON.stringify(desired), JSON.stringify(reported)])
