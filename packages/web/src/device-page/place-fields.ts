/** A select value cannot be empty, so this means none. */
export const nowhere = 'none'

/** Coordinates as typed: '53.7236, -1.8772'; empty for none. */
export function coordinatesText(lat: number | null, long: number | null): string {
  return lat === null || long === null ? '' : `${lat}, ${long}`
}

/** The degrees of a text; null for both if it is empty, undefined if it is invalid. */
export function coordinatesIn(text: string): { latitude: number; longitude: number } | null | undefined {
  if (text.trim() === '') return null
  const parts = text.split(',').map((part) => part.trim())
  const [latitude, longitude] = parts.map(Number)
  if (parts.length !== 2 || parts.includes('') || latitude === undefined || longitude === undefined) return undefined
  if (!Number.isFinite(latitude) || !Number.isFinite(longitude)) return undefined
  return Math.abs(latitude) > 90 || Math.abs(longitude) > 180 ? undefined : { latitude, longitude }
}

export function coordinatesFault(text: string): string | undefined {
  if (coordinatesIn(text) !== undefined) return undefined
  return 'Enter latitude and longitude in degrees, for example 53.7236, -1.8772'
}
