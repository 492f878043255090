import { isNotIn } from '../forms/validators.ts'

/** Longest name of a building, a floor and a plan file, in characters. */
export const longestBuildingName = 80
export const longestFloorName = 40
export const longestPlanName = 120

/** The most floors in one building: the tallest building has 163. */
export const mostFloors = 200

/** Largest floor plan file, in bytes. */
export const largestFloorPlan = 20 * 1024 * 1024
/** Highest PDF page that can be chosen. */
export const mostPlanPages = 10_000

/** Texts of the building form (estate specification, section 5). */
export const buildingTexts = {
  name: 'Building name is required',
  takenName: 'Name is already being used',
  postCode: 'Post Code is required',
  invalidPostCode: 'Post code is invalid',
  floorName: 'Floor name is required',
  takenFloorName: 'Two floors have this name',
  largePlan: 'The floor plan is larger than 20 MB.',
  planTypes: 'A floor plan is an SVG, PDF, PNG, JPEG or WebP file.',
  emptyPlan: 'The file is empty.',
  lastFloor: 'A building needs at least one floor',
  unknownFloor: 'The default floor is not one of the floors',
  changedMeanwhile: 'Someone else has changed this building. Open it again to see the changes.',
  floorMovedMeanwhile: 'Someone else has moved this floor plan. Open it again to see its new position.',
} as const

/** The validation error of a floor plan file's size. */
export function floorPlanSizeFault(bytes: number): string | undefined {
  if (bytes > largestFloorPlan) return buildingTexts.largePlan
  return bytes === 0 ? buildingTexts.emptyPlan : undefined
}

/** Side of a plan in metres, from a closet to an airport. */
export const planSize = { least: 0.5, most: 1000 } as const
/** Degrees clockwise; a full turn is 0. */
export const mostRotation = 360

/** Default shape of a floor without a position: metres, degrees clockwise about its centre. */
export const newFloorShape = { width: 30, height: 30, rotation: 0 } as const

interface Placed {
  lat: number | null
  lng: number | null
  width: number
  height: number
}

/**
 * A new floor of a building: same position and size as the first floor, no plan, named after its index (estate
 * specification, section 3).
 */
export function addedFloor(floors: readonly (Placed & { name: string })[]) {
  const [first] = floors
  const taken = new Set(floors.map((floor) => floor.name))
  let index = floors.length
  // Another floor may already be named after the index of a removed floor.
  while (taken.has(String(index))) index++
  return {
    name: String(index),
    lat: first?.lat ?? null,
    lng: first?.lng ?? null,
    width: first?.width ?? newFloorShape.width,
    height: first?.height ?? newFloorShape.height,
    rotation: newFloorShape.rotation,
    image: '',
    hasFloorPlan: false,
  }
}

/**
 * The name for comparison and for URLs: trimmed, lower case, hyphens for spaces, only letters, digits and hyphens.
 * Unique per tenant. Empty for a name without any of these.
 */
export const buildingKey = (name: string): string =>
  name
    .normalize('NFKC')
    .trim()
    .toLowerCase()
    .replaceAll(/\s+/g, '-')
    .replaceAll(/[^\p{L}\p{M}\p{N}-]/gu, '')

/** The validation error of a building name; `keys` are the other buildings' keys. */
export function buildingNameFault(name: string, keys: readonly string[] = []): string | undefined {
  const key = buildingKey(name)
  if (!/[\p{L}\p{N}]/u.test(key)) return buildingTexts.name
  return isNotIn(keys, buildingTexts.takenName)(key)
}

/** The validation error of each floor name, by index; undefined for valid names. */
export function floorNameFaults(names: readonly string[]): (string | undefined)[] {
  const seen = new Set<string>()
  return names.map((name) => {
    const key = name.trim().toLowerCase()
    if (!key) return buildingTexts.floorName
    const fault = seen.has(key) ? buildingTexts.takenFloorName : undefined
    seen.add(key)
    return fault
  })
}

/** An angle normalised to 0 ≤ x < 360 degrees. */
export const wholeTurn = (degrees: number): number => ((degrees % 360) + 360) % 360
