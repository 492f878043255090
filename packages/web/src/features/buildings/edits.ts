import type { Floor } from '@caretaker/contract/buildings.ts'
import { addedFloor, floorNameFaults } from '@caretaker/rules/buildings/building.ts'
import { defaultFloor } from '@caretaker/rules/buildings/default-floor.ts'

/** Degrees of WGS 84. */
export interface Position {
  lat: number
  lng: number
}

/** Unsaved changes to the floors of a building. A new building has only added floors. */
export interface Edits {
  /** New names of stored floors, by id. */
  names: Readonly<Record<string, string>>
  added: readonly { key: string; name: string }[]
  removed: readonly string[]
  /** The key of the new default floor. */
  defaultKey?: string | undefined
}

export const noEdits: Edits = { names: {}, added: [], removed: [] }

/** A floor in the form. Its key is its id, or a temporary key. */
export interface DraftFloor {
  key: string
  name: string
  number: number
  stored?: Floor
}

export function floorsOf(stored: readonly Floor[], { names, added, removed }: Edits): DraftFloor[] {
  const kept = stored
    .filter(({ floor }) => !removed.includes(floor))
    .map((floor) => ({ key: floor.floor, name: names[floor.floor] ?? floor.name, number: floor.number, stored: floor }))
  const top = Math.max(-1, ...stored.map(({ number }) => number))
  return [...kept, ...added.map((floor, at) => ({ ...floor, number: top + 1 + at }))]
}

/** The default floor in the form. */
export const chosenFloor = (floors: readonly DraftFloor[], key: string | null | undefined): DraftFloor | undefined =>
  defaultFloor(floors, (floor) => floor.key === key)

export function withFloor(stored: readonly Floor[], edits: Edits, key: string): Edits {
  const like = floorsOf(stored, edits).map((floor) => ({
    lat: null,
    lng: null,
    width: 30,
    height: 30,
    ...floor.stored,
    name: floor.name,
  }))
  return { ...edits, added: [...edits.added, { key, name: addedFloor(like).name }] }
}

export function withName(stored: readonly Floor[], edits: Edits, key: string, name: string): Edits {
  const before = stored.find(({ floor }) => floor === key)
  if (!before) return { ...edits, added: edits.added.map((floor) => (floor.key === key ? { ...floor, name } : floor)) }
  const { [key]: _, ...others } = edits.names
  return { ...edits, names: name === before.name ? others : { ...others, [key]: name } }
}

export function withoutFloor(edits: Edits, key: string): Edits {
  const isAdded = edits.added.some((floor) => floor.key === key)
  return isAdded
    ? { ...edits, added: edits.added.filter((floor) => floor.key !== key) }
    : { ...edits, removed: [...edits.removed, key] }
}

/** The error of a name, compared with the other floors. */
export function nameFault(floors: readonly DraftFloor[], key: string, name: string): string | undefined {
  const others = floors.filter((floor) => floor.key !== key).map((floor) => floor.name)
  return floorNameFaults([...others, name]).at(-1)
}

/** The unsaved changes in words: '1 floor renamed, 2 added'. Empty if there are none. */
export function unsavedText(edits: Edits, more: { isMoved: boolean; isNewDefault: boolean }): string {
  const counts: [number, string][] = [
    [Object.keys(edits.names).filter((id) => !edits.removed.includes(id)).length, 'renamed'],
    [edits.added.length, 'added'],
    [edits.removed.length, 'removed'],
  ]
  const changes = counts.filter(([count]) => count > 0)
  const floors = changes.map(([count, what], at) =>
    at === 0 ? `${count} ${count === 1 ? 'floor' : 'floors'} ${what}` : `${count} ${what}`,
  )
  const others = [...(more.isNewDefault ? ['default floor changed'] : []), ...(more.isMoved ? ['building moved'] : [])]
  return [...floors, ...others].join(', ')
}
