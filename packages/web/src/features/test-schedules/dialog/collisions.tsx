import { Button } from '@mantine/core'
import { IconAlertTriangleFilled } from '../../../icons/index.ts'
import type { DarkNight } from '@caretaker/contract/groups.ts'
import { isMovable } from '@caretaker/rules/lighting/collisions.ts'
import { dateText } from '../../../ui/age.ts'
import { Empty } from '../../../ui/states.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { localTimeText } from '../groups-data.tsx'
import { Hours } from '../hours.tsx'
import { typeOf } from '../words.tsx'
import type { Conflict } from './choice.ts'
import type { ListProps } from './device-list.tsx'
import { LightRow } from './device-list.tsx'
import classes from './group-dialog.module.css'
import { inNaturalOrder } from '@caretaker/rules/texts/natural-order.ts'

interface CollisionsProps extends ListProps {
  /** The edited group; empty for a new one. */
  ownName: string
  t180: { from: string; to: string } | null
  conflicts: readonly Conflict[]
  night: DarkNight | null
  freeStarts: readonly string[]
  onStart: (start: string) => void
}

/** Conflicts with the start, by hour, and free starts. These are only warnings. */
export function Collisions({ ownName, t180, conflicts, night, freeStarts, onStart, lights, ...list }: CollisionsProps) {
  const zone = useZone()
  const met = lights.filter(({ conflict }) => conflict !== undefined)
  const chosen = lights.filter(({ membership }) => membership === 'inGroup' || membership === 'addedToGroup')
  const isWhole = night !== null && !isMovable(night)
  const added = met.filter(({ membership }) => membership === 'addedToGroup')
  if (!t180 || (!met.length && !night))
    return <Empty text="No collisions" hint="No light of another group of the building is tested in these 3 hours." />
  const own = { name: 'This group', from: Date.parse(t180.from), minutes: 180, word: 'T180', isOwn: true }
  const rivals = Map.groupBy(conflicts, ({ groupName }) => groupName)
  const others = [...rivals].map(([name, [first]]) => ({
    name,
    from: Date.parse(first!.testDate),
    minutes: first!.duration,
    word: typeOf(first!),
  }))
  // Groups of the same night without a common light, which still leave the building without working lights.
  const neighbours = (night?.runs ?? [])
    .filter(({ groupId, groupName }) => groupId !== '' && groupName !== ownName && !rivals.has(groupName))
    .map((run) => ({ name: run.groupName, from: Date.parse(run.testDate), minutes: 180, word: 'T180' }))
  return (
    <div className={classes.scroll}>
      <div className={classes.warning} role="note">
        <p>
          <IconAlertTriangleFilled size={16} aria-hidden />
          <b>
            {met.length
              ? `${met.length} ${met.length === 1 ? 'light' : 'lights'} already ${met.length === 1 ? 'tests' : 'test'} in these 3 hours`
              : `All ${night!.lights} lights of ${night!.buildingName} would be tested at once`}
          </b>
        </p>
        <p>
          Night of {dateText(t180.from, zone)}. {met.length > 0 && 'Choose another start or keep this one. '}
          {night && 'Until their batteries are recharged, no light of the building would last through a power cut.'}
          {isWhole && ' Leave every second light for another group and test that group on another night.'}
        </p>
        <Hours rows={[own, ...others, ...neighbours]} />
        {isWhole && (
          <p className={classes.free}>
            <Button variant="default" onClick={() => list.onTurn(everySecond(chosen), false)}>
              Leave every second light
            </Button>
          </p>
        )}
        {freeStarts.length > 0 && (
          <p className={classes.free}>
            First free {freeStarts.length === 1 ? 'start' : 'starts'}
            {freeStarts.map((start) => (
              <Button key={start} variant="default" onClick={() => onStart(start)}>
                {localTimeText(start)}
              </Button>
            ))}
          </p>
        )}
      </div>
      {met.length > 0 && (
        <section aria-label="Lights that collide">
          <h4 className={classes.sectionHead}>
            Lights that collide <span>{met.length}</span>
            {added.length > 0 && (
              <button
                type="button"
                onClick={() =>
                  list.onTurn(
                    added.map(({ deviceId }) => deviceId),
                    false,
                  )
                }
              >
                Remove all {added.length}
              </button>
            )}
          </h4>
          <ul>
            {met.map((light) => (
              <LightRow key={light.deviceId} light={light} {...list} />
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

/** Every second light, floor by floor, so that neighbours are not tested in the same night. */
function everySecond(lights: CollisionsProps['lights']): string[] {
  const along = (light: CollisionsProps['lights'][number]) => light.room ?? light.deviceName
  return lights
    .toSorted((a, b) => (a.floorNumber ?? 0) - (b.floorNumber ?? 0) || inNaturalOrder(along(a), along(b)))
    .filter((_, at) => at % 2 === 1)
    .map(({ deviceId }) => deviceId)
}
