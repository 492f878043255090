import { seriesColours } from './cards.ts'
import { inNaturalOrder } from '../texts/natural-order.ts'

/** The colour of each room, 1 to 6: the same in all charts of a property, whichever rooms one shows. */
export function roomColours(rooms: Iterable<string>): Map<string, number> {
  const names = [...new Set(rooms)].sort(inNaturalOrder)
  return new Map(names.map((name, at) => [name, (at % seriesColours) + 1]))
}
