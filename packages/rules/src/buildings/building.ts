import { isNotIn } from '../forms/validators.ts'

/** Most characters of the name of a building, of a floor and of the file of its plan. */
export const longestBuildingName = 80
export const longestFloorName = 40
export const longestPlanName = 120

/** Most floors of one building: the tallest there is has 163. */
export const mostFloors = 200

/** Largest file of a floor plan, in bytes. */
export const largestFloorPlan = 20 * 1024 * 1024
/** Highest page of a PDF that can be chosen. */
export const mostPlanPages = 10_000

/** Texts of the form of a building (estate specification, section 5). */
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
  lastFloor: 'A building has at least one floor',
  unknownFloor: 'The default floor is not one of the floors',
  changedMeanwhile: 'Somebody else has changed this building meanwhile. Open it again to see how it is now.',
  floorMovedMeanwhile: 'Somebody else has moved this floor plan meanwhile. Open it again to see where it is now.',
} as const

/** What is wrong with the size of a file that is to be a floor plan. */
export function floorPlanSizeFault(bytes: number): string | undefined {
  if (bytes > largestFloorPlan) return buildingTexts.largePlan
  return bytes === 0 ? buildingTexts.emptyPlan : undefined
}

/** Metres: a plan is a closet at least and an airport at most. */
export const planSize = { least: 0.5, most: 1000 } as const
/** Degrees clockwise; a whole turn is none. */
export const mostRotation = 360

/** A floor as it is when nothing else was said of it: metres, degrees clockwise about its centre, which is nowhere yet. */
export const newFloorShape = { width: 30, height: 30, rotation: 0 } as const

interface Placed {
  lat: number | null
  lng: number | null
  width: number
  height: number
}

/**
 * A floor that is added to a building: it lies where the first one does and is as large, has no plan, and is called by its
 * index until somebody gives it a name (estate specification, section 3).
 */
export function addedFloor(floors: readonly (Placed & { name: string })[]) {
  const [first] = floors
  const taken = new Set(floors.map((floor) => floor.name))
  let index = floors.length
  // The index of a floor that was removed may still be the name of another.
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
 * The name as it is compared and as it stands in addresses: trimmed, small letters, hyphens for spaces, nothing but letters,
 * digits and hyphens. No two buildings of a tenant share it. Empty where a name has none of these.
 */
export const buildingKey = (name: string): string =>
  name
    .normalize('NFKC')
    .trim()
    .toLowerCase()
    .replaceAll(/\s+/g, '-')
    .replaceAll(/[^\p{L}\p{M}\p{N}-]/gu, '')

/** What is wrong with the name of a building, where `keys` are those of the others. */
export function buildingNameFault(name: string, keys: readonly string[] = []): string | undefined {
  const key = buildingKey(name)
  if (!/[\p{L}\p{N}]/u.test(key)) return buildingTexts.name
  return isNotIn(keys, buildingTexts.takenName)(key)
}

/** What is wrong with each floor's name: nothing stands at the index of one that is right. */
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

/** A turn within one: 0 up to 360 degrees. */
export const wholeTurn = (degrees: number): number => ((degrees % 360) + 360) % 360
