/** Facts about a property (core specification, section 3, enumerations). */
export const compassPoints = ['North', 'South', 'East', 'West'] as const
export type CompassPoint = (typeof compassPoints)[number]

/** No rating is the value NoRating, sent as null (core gaps A8). */
export const energyRatings = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'NoRating'] as const
export type EnergyRating = (typeof energyRatings)[number]

/** A rating for display. */
export function energyRatingWords(rating: EnergyRating | null): string {
  return rating === null || rating === 'NoRating' ? 'No rating' : rating
}

export const voidFlags = ['NotVoid', 'Void'] as const
export type VoidFlag = (typeof voidFlags)[number]
export const voidWords: Record<VoidFlag, string> = { NotVoid: 'Not void', Void: 'Void' }

export const heatingTypes = ['Unknown', 'None', 'Boiler', 'HeatPump', 'Hybrid', 'HIU', 'Hydrogen'] as const
export type HeatingType = (typeof heatingTypes)[number]
