import { useQuery } from '@tanstack/react-query'
import { IconClock } from '../../icons/index.ts'
import type { Property } from '@caretaker/contract/properties.ts'
import { hasFeature } from '@caretaker/rules/identity/actor.ts'
import { dampLevelWords, pressingDampLevels } from '@caretaker/rules/properties/damp.ts'
import { useActor } from '../../api/actor.ts'
import { StatusIcon } from '../../ui/status-icon.tsx'
import { propertyDampQuery } from './queries.ts'
import classes from './home-chips.module.css'

/** What of a home decides what is done next: that it is damp, and where its case under the law is. Nothing where nothing presses. */
export function HomeChips({ property }: { property: Property }) {
  const actor = useActor()
  const { data } = useQuery(propertyDampQuery(actor.tenant, property.propertyId))
  const level = data?.level
  const step = property.awaabsLawStatus
  return (
    <>
      {level && pressingDampLevels.includes(level) && (
        <span className={classes.chip} data-tone="failed">
          <StatusIcon tone="failed" size={14} />
          Damp risk {dampLevelWords[level].toLowerCase()}
        </span>
      )}
      {hasFeature(actor, 'AwaabsLaw') && step !== 'None' && (
        <span className={classes.chip}>
          <IconClock size={14} stroke={2} aria-hidden />
          Awaab's Law: {step}
        </span>
      )}
    </>
  )
}
