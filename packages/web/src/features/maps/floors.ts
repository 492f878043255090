import type { Replied } from '@caretaker/contract/route.ts'
import type { Floor, getBuilding } from '@caretaker/contract/buildings.ts'
import type { MapStatusFilter } from '@caretaker/rules/maps/status.ts'
import type { StatusTone } from '../../ui/theme.ts'

export type OpenedBuilding = NonNullable<Replied<typeof getBuilding>['data']>

/** A floor with how its devices fare that one may see. */
export interface FloorOf extends Floor {
  devices: number
  failed: number
  warning: number
  offline: number
}

/** From the lowest up. */
export function floorsOf({ floors, counts }: OpenedBuilding): FloorOf[] {
  const of = new Map(counts.map((count) => [count.floor, count]))
  return floors.map((floor) => ({ devices: 0, failed: 0, warning: 0, offline: 0, ...of.get(floor.floor), ...floor }))
}

/** The worst of a floor, and how many are that bad; undefined where it has no devices. */
export function worstOf(
  floor: FloorOf,
  by: MapStatusFilter,
): { tone: StatusTone; word: string; count: number } | undefined {
  if (floor.devices === 0) return undefined
  if (by === 'connection')
    return floor.offline > 0
      ? { tone: 'failed', word: 'not connected', count: floor.offline }
      : { tone: 'passed', word: 'connected or never heard', count: floor.devices }
  if (floor.failed > 0) return { tone: 'failed', word: 'failed', count: floor.failed }
  if (floor.warning > 0) return { tone: 'warning', word: 'warnings', count: floor.warning }
  return { tone: 'passed', word: 'without a fault', count: floor.devices }
}

/** What a floor says in one line. */
export function floorWords(floor: FloorOf, by: MapStatusFilter): string {
  const worst = worstOf(floor, by)
  return worst ? `${floor.name}: ${worst.count} ${worst.word}` : `${floor.name}: no devices`
}
