import type { MapOpened } from '@caretaker/contract/maps.ts'
import type { MapStatusFilter } from '@caretaker/rules/maps/status.ts'
import type { StatusTone } from '../../ui/theme.ts'

/** A floor with how its devices fare that one may see. Addresses name it by its index, which is its place among all floors. */
export type FloorOf = MapOpened['floors'][number]

/** The worst of a floor, and how many are that bad; undefined where it has no devices. */
export function worstOf(
  floor: FloorOf,
  by: MapStatusFilter,
): { tone: StatusTone; word: string; count: number } | undefined {
  if (floor.devices === 0) return undefined
  if (by === 'connection')
    return floor.offline > 0
      ? { tone: 'failed', word: 'not connected', count: floor.offline }
      : { tone: 'passed', word: 'connected or no contact yet', count: floor.devices }
  if (floor.failed > 0) return { tone: 'failed', word: 'failed', count: floor.failed }
  if (floor.warning > 0) return { tone: 'warning', word: 'warnings', count: floor.warning }
  return { tone: 'passed', word: 'without a fault', count: floor.devices }
}

/** What a floor says in one line. */
export function floorWords(floor: FloorOf, by: MapStatusFilter): string {
  const worst = worstOf(floor, by)
  return worst ? `${floor.name}: ${worst.count} ${worst.word}` : `${floor.name}: no devices`
}
