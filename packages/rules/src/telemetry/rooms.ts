import { seriesColours } from './cards.ts'

/** The colour of each room, 1 to 6, by the rooms of a home: the same in all of its charts, whichever rooms one shows. */
export function roomColours(rooms: Iterable<string>): Map<string, number> {
  const names = [...new Set(rooms)].sort((a, b) => a.localeCompare(b, 'en-GB', { numeric: true }))
  return new Map(names.map((name, at) => [name, (at % seriesColours) + 1]))
}
