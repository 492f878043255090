import { useQuery } from '@tanstack/react-query'
import type { Property } from '@caretaker/contract/properties.ts'
import { dayText, dayAt } from '@caretaker/rules/calendar/days.ts'
import { useActor } from '../../../api/actor.ts'
import { Card } from '../../../ui/card.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { propertyEnergyQuery } from '../queries.ts'
import classes from './energy-card.module.css'

/** The energy use of the last week by day. Nothing without a power meter. */
export function EnergyCard({ property }: { property: Property }) {
  const { tenant } = useActor()
  const zone = useZone()
  const { data } = useQuery(propertyEnergyQuery(tenant, property))
  const days = (data?.energy ?? []).flatMap(({ date, value }) => (value === null ? [] : [{ date, value }]))
  if (!data || !days.length) return undefined
  const most = Math.max(...days.map(({ value }) => value), 0.001)
  const burned = data.heating.flatMap(({ value }) => value ?? [])
  const total = days.reduce((sum, { value }) => sum + value, 0)
  const words = days.map(({ date, value }) => `${dayText(dayAt(date, zone))} ${value.toFixed(1)} kWh`)
  return (
    <Card title="Energy" actions={<span className={classes.quiet}>last 7 days</span>}>
      <div className={classes.week}>
        <div>
          <p className={classes.figure}>
            <b>{total.toFixed(1)}</b> <small>kWh</small>
          </p>
          <p className={classes.quiet}>Metered electricity</p>
        </div>
        <div className={classes.bars} role="img" aria-label={words.join(', ')}>
          {days.map(({ date, value }, at) => (
            <i
              key={date}
              title={words[at]}
              data-most={value === most || undefined}
              style={{ height: `${Math.max(0, (value / most) * 100)}%` }}
            />
          ))}
        </div>
      </div>
      {burned.length > 0 && (
        <p className={classes.row}>
          <span>Boiler burning</span>
          <b>{(burned.reduce((sum, value) => sum + value, 0) / burned.length).toFixed(1)} h a day</b>
        </p>
      )}
    </Card>
  )
}
