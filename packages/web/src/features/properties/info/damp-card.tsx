import { useQuery } from '@tanstack/react-query'
import type { PropertyDamp } from '@caretaker/contract/damp.ts'
import { dampLevelWords } from '@caretaker/rules/properties/damp.ts'
import { useActor } from '../../../api/actor.ts'
import { Card } from '../../../ui/card.tsx'
import { DateOf } from '../../../ui/zone.tsx'
import { DampLevelView } from '../damp-level.tsx'
import { propertyDampQuery } from '../queries.ts'
import classes from './void.module.css'

/** Explains a level that belongs to a hidden room. */
export const unseenRoom = 'The level is for a room whose sensor you cannot see.'

/** The damp and mould risk of each room, with the reason. Nothing without an air sensor. */
export function DampCard({ propertyId }: { propertyId: string }) {
  const { tenant } = useActor()
  const { data } = useQuery(propertyDampQuery(tenant, propertyId))
  if (!data || (data.rooms.length === 0 && !data.isOfHiddenRoom)) return undefined
  return (
    <Card title="Damp and mould risk" actions={<DampLevelView level={data.level} />}>
      <p className={classes.quiet}>
        An estimate from temperature, humidity and the weather of the last weeks, not a survey.
        {data.assumed && ` ${data.assumed}`}
        {data.isOfHiddenRoom && ` ${unseenRoom}`}
      </p>
      <ul className={classes.effects} aria-label="Damp and mould risk of each room">
        {data.rooms.map((room) => (
          <Room key={room.deviceId} {...room} />
        ))}
      </ul>
    </Card>
  )
}

function Room({
  room,
  serialNumber,
  level,
  reason,
  since,
  cold,
  coldReason,
  meanTemperature,
  meanHumidity,
}: PropertyDamp['rooms'][number]) {
  const air = meanTemperature !== null && meanHumidity !== null && `${meanTemperature} °C, ${meanHumidity} % in 7 days`
  return (
    <li>
      <div>
        <b>{room ?? serialNumber}</b> {air && <span className={classes.quiet}>{air}</span>}
        <p>{reason}</p>
        {level !== 'low' && level !== 'not assessed' && (
          <p className={classes.quiet}>
            {dampLevelWords[level]} since <DateOf at={since} />
          </p>
        )}
        {cold && <p>{`${cold === 'cold' ? 'Cold' : 'Severely cold'}, perhaps under-heated. ${coldReason}`}</p>}
      </div>
      <DampLevelView level={level} />
    </li>
  )
}
