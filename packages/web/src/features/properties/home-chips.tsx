import { IconClock } from '../../icons/index.ts'
import type { Property } from '@caretaker/contract/properties.ts'
import { hasFeature } from '@caretaker/rules/identity/actor.ts'
import { useActor } from '../../api/actor.ts'
import classes from './home-chips.module.css'

/** The step of the property's case under the law. Nothing without a case. */
export function HomeChips({ property }: { property: Property }) {
  const actor = useActor()
  const step = property.awaabsLawStatus
  if (!hasFeature(actor, 'AwaabsLaw') || step === 'None') return undefined
  return (
    <span className={classes.chip}>
      <IconClock size={14} stroke={2} aria-hidden />
      Awaab's Law: {step}
    </span>
  )
}
