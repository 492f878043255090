/** A floor with its name and number of devices. */
export interface Occupied {
  name: string
  devices: number
}

/** Names of the floor that opens by default if none is chosen (estate specification, section 4). */
const groundNames: readonly string[] = ['0', 'G', 'GROUND']

/**
 * The default floor regardless of devices: the chosen one, else the one named as ground floor, else the lowest that is
 * not below ground, else the first.
 * @param floors from the lowest up
 */
export function defaultFloor<F extends { name: string; number: number }>(
  floors: readonly F[],
  isChosen: (floor: F) => boolean,
): F | undefined {
  return (
    floors.find(isChosen) ??
    floors.find((floor) => groundNames.includes(floor.name.trim().toUpperCase())) ??
    floors.find((floor) => floor.number >= 0) ??
    floors[0]
  )
}

/** The floor on which a building opens: its default floor, or the first floor with devices if the default has none. */
export function openingFloor<F extends Occupied>(floors: readonly F[], chosen: F | undefined): F | undefined {
  if (chosen && chosen.devices > 0) return chosen
  return floors.find((floor) => floor.devices > 0) ?? chosen ?? floors[0]
}

/** The index of the next floor; wraps around. */
export const nextFloor = (floors: number, at: number): number => (at + 1) % floors

/** The index of the previous floor; wraps around. */
export const previousFloor = (floors: number, at: number): number => (at + floors - 1) % floors
