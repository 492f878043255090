import { useQuery } from '@tanstack/react-query'
import { IconDroplet, IconTemperature } from '../../../icons/index.ts'
import { roomColours } from '@caretaker/rules/telemetry/rooms.ts'
import { useActor } from '../../../api/actor.ts'
import { Age } from '../../../ui/age-view.tsx'
import { Card } from '../../../ui/card.tsx'
import { Sparkline } from '../../../ui/sparkline.tsx'
import { propertyAirQuery } from '../queries.ts'
import { homeNow } from './home-now.ts'
import classes from './home-now.module.css'

const degrees = (value: number | null) => (value === null ? 'No data' : `${value.toFixed(1)} °C`)
const percent = (value: number | null) => (value === null ? '' : `, ${Math.round(value)} %`)

/** The current air in the property, and of each room with the last week as a line. Nothing without a recent reading. */
export function HomeNowCard({ propertyId }: { propertyId: string }) {
  const { tenant } = useActor()
  const { data } = useQuery(propertyAirQuery(tenant, propertyId))
  const found = data && homeNow(data.temperature, data.humidity, data.to)
  if (!found) return undefined
  const colours = roomColours(found.rooms.map(({ name }) => name))
  return (
    <Card
      title="Current conditions"
      actions={
        <span className={classes.quiet}>
          <Age at={found.at} />, last 7 days
        </span>
      }
    >
      <dl className={classes.figures}>
        <div>
          <dt>
            <IconTemperature size={16} stroke={1.7} aria-hidden /> Temperature
          </dt>
          <dd>
            {found.temperature === null ? (
              <span className={classes.quiet}>No data</span>
            ) : (
              <b>{found.temperature.toFixed(1)}</b>
            )}{' '}
            {found.temperature !== null && <small>°C</small>}
          </dd>
        </div>
        {found.humidity !== null && (
          <div>
            <dt>
              <IconDroplet size={16} stroke={1.7} aria-hidden /> Humidity
            </dt>
            <dd>
              <b>{Math.round(found.humidity)}</b> <small>%</small>
            </dd>
          </div>
        )}
      </dl>
      <ul className={classes.rooms} aria-label="Current room conditions">
        {found.rooms.map((room) => (
          <li key={room.deviceId}>
            <span>
              <b>{room.name}</b>
              <span className={classes.quiet}>
                {degrees(room.temperature)}
                {percent(room.humidity)}
              </span>
            </span>
            <Sparkline
              points={room.points}
              from={data.from}
              to={data.to}
              colour={colours.get(room.name)}
              leastSpan={4}
            />
          </li>
        ))}
      </ul>
    </Card>
  )
}
