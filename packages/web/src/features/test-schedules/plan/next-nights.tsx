import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { IconAlertTriangleFilled } from '../../../icons/index.ts'
import { localTimeAt } from '@caretaker/rules/lighting/plan.ts'
import { useActor } from '../../../api/actor.ts'
import { Card } from '../../../ui/card.tsx'
import { Loading } from '../../../ui/states.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { scheduleQuery } from '../queries.ts'
import { inDays, typeOf } from '../words.tsx'
import { collisionOf, dayOf, keyOf, weekdayOf } from './marks.ts'
import type { PlanView } from './view.ts'
import classes from './plan.module.css'

const week = 7 * 86_400_000
const nightsAtFirst = 4

/** The tests of the next weeks by night, whatever month is shown. */
export function NextNights({ search, collisions, now, show }: PlanView) {
  const { tenant } = useActor()
  const zone = useZone()
  const [all, setAll] = useState(false)
  const { data } = useQuery(scheduleQuery(tenant, { from: now, to: now + 5 * week }))
  const coming = (data ?? []).filter(
    (entry) => entry.lights > 0 && (!search.building || entry.building === search.building),
  )
  const nights = [...Map.groupBy(coming, (entry) => dayOf(entry, zone))]
  return (
    <Card
      title="Next runs"
      actions={
        nights.length > nightsAtFirst && (
          <button type="button" className={classes.textButton} onClick={() => setAll(!all)}>
            {all ? 'Fewer' : 'All'}
          </button>
        )
      }
    >
      {!data && <Loading label="Loading the next runs" />}
      {data && nights.length === 0 && <p className={classes.dimmed}>No tests scheduled</p>}
      <ul className={classes.nights}>
        {(all ? nights : nights.slice(0, nightsAtFirst)).map(([day, entries]) => (
          <li key={day}>
            <button type="button" onClick={() => show({ month: day.slice(0, 7), night: day })}>
              <b>
                {weekdayOf(day).slice(0, 3)} {Number(day.slice(8))}
              </b>
              <span>{inDays(entries[0]!.testDate, now, zone)}</span>
            </button>
            <ul>
              {entries.map((entry) => (
                <li key={keyOf(entry)}>
                  <b>{typeOf(entry)}</b>
                  <span>{entry.groupName}</span>
                  {collisionOf(entry, collisions) && (
                    <IconAlertTriangleFilled size={14} aria-label="Collides" className={classes.amber} />
                  )}
                  <span className={classes.clock}>{localTimeAt(Date.parse(entry.testDate), zone).slice(11)}</span>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </Card>
  )
}
