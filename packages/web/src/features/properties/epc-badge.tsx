import type { Property } from '@caretaker/contract/properties.ts'
import { energyRatings, energyRatingWords } from '@caretaker/rules/properties/dwelling.ts'
import classes from './epc-badge.module.css'

/** An energy rating by the colours that certificates have. */
export function EpcBadge({ rating }: { rating: Property['epcRating'] }) {
  if (rating === null) return <span className={classes.none}>{energyRatingWords(rating)}</span>
  return (
    <span className={classes.badge} data-rating={rating}>
      {rating}
    </span>
  )
}

/** The whole scale, on which a rating is seen at a glance: only its own band has its colour. */
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
