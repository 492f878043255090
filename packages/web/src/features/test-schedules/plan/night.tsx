import { ActionIcon, Button } from '@mantine/core'
import { IconCalendarEvent, IconChevronLeft, IconChevronRight } from '../../../icons/index.ts'
import type { DarkNight } from '@caretaker/contract/groups.ts'
import { isMovable } from '@caretaker/rules/lighting/collisions.ts'
import { localTimeAt } from '@caretaker/rules/lighting/plan.ts'
import { Card } from '../../../ui/card.tsx'
import { dateTimeText } from '../../../ui/age.ts'
import { useZone } from '../../../ui/zone.tsx'
import type { GroupsData } from '../groups-data.tsx'
import { CollisionChip, localTimeText } from '../groups-data.tsx'
import { Hours } from '../hours.tsx'
import { inWords } from '../month-grid.tsx'
import { monthName } from '../months.ts'
import { lightsText, typeOf } from '../words.tsx'
import { nearestNight } from '../plan-place.ts'
import { collisionOf, dayOf, keyOf, weekdayOf } from './marks.ts'
import type { PlanView } from './view.ts'
import classes from './plan.module.css'

const hour = 3_600_000

/** One night by hour, its meaning and solution: by default a colliding one, otherwise the nearest. */
export function Night({ entries, collisions, search, show, month, today, mayEdit, update }: PlanView & GroupsData) {
  const zone = useZone()
  const nights = [...new Set(entries.map((entry) => dayOf(entry, zone)))].sort()
  const colliding = entries.find((entry) => collisionOf(entry, collisions))
  const night = search.night ?? (colliding ? dayOf(colliding, zone) : nearestNight(nights, today))
  if (!night) return undefined
  const here = entries.filter((entry) => dayOf(entry, zone) === night)
  const hit = here.map((entry) => collisionOf(entry, collisions)).find((one) => one !== undefined)
  const at = nights.indexOf(night)
  const step = (to: string | undefined) => to && show({ month, night: to })
  return (
    <Card
      title={`Night of ${weekdayOf(night)} ${Number(night.slice(8))} ${monthName(night.slice(0, 7))}`}
      aside={hit && <CollisionChip night={hit} />}
      actions={
        <>
          <ActionIcon
            variant="default"
            aria-label="Night before"
            disabled={at <= 0}
            onClick={() => step(nights[at - 1])}
          >
            <IconChevronLeft size={16} aria-hidden />
          </ActionIcon>
          <ActionIcon
            variant="default"
            aria-label="Next night"
            disabled={at === nights.length - 1}
            onClick={() => step(nights[at + 1])}
          >
            <IconChevronRight size={16} aria-hidden />
          </ActionIcon>
        </>
      }
      className={classes.night}
    >
      {hit && <p>{meaning(hit, zone)}</p>}
      {here.length === 0 && <p className={classes.dimmed}>No tests scheduled</p>}
      <Hours
        rows={here.map((entry) => ({
          name: entry.groupName,
          from: Date.parse(entry.testDate),
          minutes: entry.duration,
          word: typeOf(entry),
          isOwn: collisionOf(entry, collisions) !== undefined,
        }))}
      />
      <ul className={classes.nightList}>
        {here.map((entry) => (
          <li key={keyOf(entry)}>
            <b>{typeOf(entry)}</b> {entry.groupName}: {inWords(entry, zone)}
          </li>
        ))}
      </ul>
      {hit && mayEdit && <MoveOffer night={hit} update={update} />}
    </Card>
  )
}

/** The consequence of a collision, in one sentence. */
export function meaning({ lights, buildingName, runs }: DarkNight, zone: string): string {
  const starts = runs.map(({ testDate }) => Date.parse(testDate))
  const [first, last] = [Math.min(...starts), Math.max(...starts) + 3 * hour]
  // For consecutive tests the days are included.
  const clock = (at: number) => (last - first > 12 * hour ? dateTimeText(at, zone) : localTimeAt(at, zone).slice(11))
  return `All ${lightsText(lights)} of ${buildingName} run their T180 from ${clock(first)} to ${clock(last)}. Until their batteries are recharged, none of them would last through a power cut.`
}

function MoveOffer({ night, update }: { night: DarkNight; update: GroupsData['update'] }) {
  const { move, runs, buildingName } = night
  if (!isMovable(night))
    return (
      <div className={classes.wayOut}>
        <span>
          One group holds all lights of {buildingName}: with every second one in another group and another night, half
          of them stay charged
        </span>
        <Button onClick={() => update(runs[0]!.groupName)}>Update {runs[0]!.groupName}</Button>
      </div>
    )
  const other = runs.find(({ groupName }) => groupName !== move?.groupName)
  return (
    <div className={classes.wayOut}>
      <span>
        {move
          ? `From ${localTimeText(move.t180StartDate)} on, ${move.groupName} no longer collides with the others`
          : 'No free start in the next four weeks'}
      </span>
      {other && (
        <Button variant="default" onClick={() => update(other.groupName)}>
          Update {other.groupName}
        </Button>
      )}
      {move && (
        <Button
          leftSection={<IconCalendarEvent size={16} aria-hidden />}
          onClick={() => update(move.groupName, move.t180StartDate)}
        >
          Move {move.groupName}
        </Button>
      )}
    </div>
  )
}
