import { useQuery } from '@tanstack/react-query'
import { IconCircleCheckFilled, IconClock } from '../../../icons/index.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { waitingFirst } from '@caretaker/rules/residents/residents.ts'
import { useActor } from '../../../api/actor.ts'
import { Card } from '../../../ui/card.tsx'
import { AppLink } from '../../../ui/link.tsx'
import { DateOf } from '../../../ui/zone.tsx'
import { propertyResidentsQuery } from '../queries.ts'
import classes from './residents-card.module.css'

/** The residents who have requested the property in the resident app, and whether they have access. */
export function ResidentsCard({ propertyId }: { propertyId: string }) {
  const { tenant } = useActor()
  const { data } = useQuery(propertyResidentsQuery(tenant, propertyId))
  if (!data) return undefined
  const asked = data
    .flatMap(({ auth0UserId, name, residences }) => residences.map((one) => ({ ...one, auth0UserId, name })))
    .toSorted(waitingFirst)
  return (
    <Card
      title="Residents"
      actions={
        <AppLink className={classes.link} href={pathTo(tenant, 'Settings', 'residents')}>
          Open in settings
        </AppLink>
      }
    >
      {asked.length === 0 ? (
        <p className={classes.quiet}>
          No requests for this property. Residents request access in the resident app; approve them in the settings.
        </p>
      ) : (
        <ul className={classes.list} aria-label="Residents of this property">
          {asked.map(({ auth0UserId, name, approved, since }) => {
            const Icon = approved ? IconCircleCheckFilled : IconClock
            return (
              <li key={auth0UserId}>
                <span>
                  <b>{name ?? auth0UserId}</b>
                  <span className={classes.quiet}>
                    Resident app, {approved ? 'since' : 'asked'} <DateOf at={since} />
                  </span>
                </span>
                <span className={classes.chip} data-approved={approved || undefined}>
                  <Icon size={14} aria-hidden />
                  {approved ? 'Approved' : 'Waiting for approval'}
                </span>
              </li>
            )
          })}
        </ul>
      )}
    </Card>
  )
}
