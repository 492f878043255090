import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Property } from '@caretaker/contract/properties.ts'
import { hasFeature } from '@caretaker/rules/identity/actor.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { isMissed, runningDeadlines } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import { whenText } from '@caretaker/rules/properties/awaabs-history.ts'
import { deadlineName } from '@caretaker/rules/properties/awaabs-words.ts'
import { dampLevelWords, pressingDampLevels } from '@caretaker/rules/properties/damp.ts'
import { countWords } from '@caretaker/rules/properties/details.ts'
import { useActor } from '../../../api/actor.ts'
import { useClock } from '../../../ui/age-view.tsx'
import { AlarmPanel } from '../../../ui/alarm-panel.tsx'
import { AppLink } from '../../../ui/link.tsx'
import { DateOf, useZone } from '../../../ui/zone.tsx'
import { propertyDampQuery } from '../queries.ts'
import { unseenRoom } from './damp-card.tsx'
import { deadlineOf } from './law-deadline.ts'
import classes from './info.module.css'

/**
 * What endangers those who live here, first thing on every tab of the page: rooms in which mould is likely, and a step of the law
 * that is overdue. In full on the first tab, in one line on the others.
 */
export function HomeAlarm({ property, brief }: { property: Property; brief: boolean }) {
  const actor = useActor()
  const { tenant } = actor
  const now = useClock()
  const zone = useZone()
  const { data: damp } = useQuery(propertyDampQuery(tenant, property.propertyId))
  const rooms = (damp?.rooms ?? []).filter(({ level }) => pressingDampLevels.includes(level))
  const [worst] = rooms
  const deadlines = hasFeature(actor, 'AwaabsLaw') ? (property.awaabsLawCases[0]?.deadlines ?? []) : []
  const [next] = runningDeadlines(deadlines.map(deadlineOf), zone)
  const isOverdue = next !== undefined && isMissed(next, now, zone)
  const law =
    next && `Awaab's Law: ${deadlineName(next)} ${isOverdue ? 'was due' : 'is due'} ${whenText(next.due, zone)}`
  const unseen = damp?.isOfUnseen && pressingDampLevels.includes(damp.level) ? damp.level : undefined
  if (!worst && !unseen && !isOverdue) return undefined
  const people = property.numberOfInhabitant
  const lives = people ? (people === 1 ? 'One person lives here.' : `${countWords(people)} people live here.`) : ''
  const toInfo = brief && (
    <AppLink className={classes.toInfo} href={pathTo(tenant, 'Properties', property.propertyId, 'info')}>
      Open info
    </AppLink>
  )
  const line = brief ? law || '' : undefined
  if (!worst && unseen)
    return (
      <AlarmPanel
        tone="failed"
        brief={line}
        actions={toInfo}
        title={`Damp and mould risk ${dampLevelWords[unseen].toLowerCase()} in this home`}
        meaning={[unseenRoom, lives].filter(Boolean).join(' ')}
        facts={[law]}
      />
    )
  if (!worst)
    return <AlarmPanel tone="failed" title={law} meaning={lives} brief={brief ? lives : undefined} actions={toInfo} />
  const names = rooms.map(({ room, serialNumber }) => room ?? serialNumber)
  return (
    <AlarmPanel
      tone="failed"
      title={`Damp and mould risk ${dampLevelWords[worst.level].toLowerCase()} in ${names.join(', ')}`}
      meaning={[worst.reason, lives].filter(Boolean).join(' ')}
      brief={line}
      facts={[
        <>
          Since <DateOf at={worst.since} />
        </>,
        law,
      ]}
      actions={
        toInfo || (
          <Button
            variant="default"
            component={AppLink}
            href={pathTo(tenant, 'Properties', property.propertyId, 'telemetry')}
          >
            Open telemetry
          </Button>
        )
      }
    />
  )
}
