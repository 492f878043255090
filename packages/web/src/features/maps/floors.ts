import type { OpenedMapBuilding } from '@caretaker/contract/maps.ts'
import type { MapStatusFilter } from '@caretaker/rules/maps/status.ts'
import type { StatusTone } from '../../ui/tokens.ts'

/** A floor with the status of its visible devices. Addresses use its index among all floors. */
export type FloorOf = OpenedMapBuilding['floors'][number]

/** The worst status of a floor and its count; undefined without devices. */
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

/** A floor in one line. */
export function floorWords(floor: FloorOf, by: MapStatusFilter): string {
  const worst = worstOf(floor, by)
  return worst ? `${floor.name}: ${worst.count} ${worst.word}` : `${floor.name}: no devices`
}
