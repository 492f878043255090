import type { Property } from '@caretaker/contract/properties.ts'
import { energyRatingWords } from '@caretaker/rules/properties/dwelling.ts'
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
