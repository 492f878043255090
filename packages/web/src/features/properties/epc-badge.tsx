import type { Property } from '@caretaker/contract/properties.ts'
import { energyRatings, energyRatingWords } from '@caretaker/rules/properties/dwelling.ts'
import classes from './epc-badge.module.css'

/** An energy rating in the colours of the certificate. */
export function EpcBadge({ rating }: { rating: Property['epcRating'] }) {
  if (rating === null) return <span className={classes.none}>{energyRatingWords(rating)}</span>
  return (
    <span className={classes.badge} data-rating={rating}>
      {rating}
    </span>
  )
}

/** The whole scale with only the band of the rating in colour. */
export function EpcScale({ rating }: { rating: Property['epcRating'] }) {
  if (rating === null) return <EpcBadge rating={rating} />
  return (
    <span className={classes.scale}>
      {bands.map((band) =>
        band === rating ? (
          <EpcBadge key={band} rating={band} />
        ) : (
          <span key={band} className={classes.band} aria-hidden>
            {band}
          </span>
        ),
      )}
    </span>
  )
}

const bands = energyRatings.filter((one) => one !== 'NoRating')
