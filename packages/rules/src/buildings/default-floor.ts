/** A floor as the choice of one knows it: its name, and how many devices are on it. */
export interface Occupied {
  name: string
  devices: number
}

/** Names of a floor by which a building opens where nobody has chosen one (estate specification, section 4). */
const groundNames: readonly string[] = ['0', 'G', 'GROUND']

/**
 * The floor that stands first where nothing is known of devices: the one that was chosen, else the one named as the
 * ground floor, else the lowest that is not below ground, else the first.
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

/** The floor on which a building opens: its default floor, or where that has no devices the first that has some. */
export function openingFloor<F extends Occupied>(floors: readonly F[], chosen: F | undefined): F | undefined {
  if (chosen && chosen.devices > 0) return chosen
  return floors.find((floor) => floor.devices > 0) ?? chosen ?? floors[0]
}

/** The floor after this one; after the last comes the first. */
export const nextFloor = (floors: number, at: number): number => (at + 1) % floors

/** The floor before this one; before the first comes the last. */
export const previousFloor = (floors: number, at: number): number => (at + floors - 1) % floors
