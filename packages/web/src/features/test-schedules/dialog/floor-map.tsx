import { useState, type CSSProperties } from 'react'
import { ActionIcon } from '@mantine/core'
import { IconMinus, IconPlus } from '../../../icons/index.ts'
import type { Floor } from '@caretaker/contract/buildings.ts'
import type { Plan } from '@caretaker/rules/buildings/geometry.ts'
import { contains, spotOf } from '@caretaker/rules/buildings/geometry.ts'
import type { Membership } from '@caretaker/rules/lighting/groups.ts'
import { usePlanPicture } from '../../../plans/plan-picture.ts'
import type { ChosenLight } from './choice.ts'
import type { ListProps } from './device-list.tsx'
import { groupNames } from './device-list.tsx'
import { MembershipIcon, membershipWords } from './membership-icon.tsx'
import classes from './group-dialog.module.css'

interface FloorMapProps extends ListProps {
  building: string
  floors: readonly Floor[]
  floor: string | undefined
  onFloor: (floor: string) => void
}

const legend: readonly Membership[] = [
  'inGroup',
  'addedToGroup',
  'removedFromGroup',
  'noGroup',
  'anotherGroup',
  'conflictingGroup',
]
const zooms = [1, 1.5, 2.25, 3]

/** The lights of a floor on its plan with their membership. A click adds or removes a light. */
export function FloorMap({ lights, building, floors, floor, onFloor, pointed, onPoint, onTurn }: FloorMapProps) {
  const [zoom, setZoom] = useState(0)
  const shown = floors.find((one) => one.floor === floor)
  const picture = usePlanPicture(building, shown)
  const plan = planOf(shown)
  const here = lights.filter((light) => light.floor === floor)
  const placed = here.filter(({ lat, lng }) => lat !== null && lng !== null && (!plan || contains(plan, { lat, lng })))
  const nowhere = here.length - placed.length
  const placeOn = plan ? onPlan(plan) : spots(lights)
  const size = plan
    ? ({ '--ratio': plan.width / plan.height, '--zoom': zooms[zoom] } as CSSProperties)
    : { width: `${zooms[zoom]! * 100}%`, height: `${zooms[zoom]! * 100}%` }
  return (
    <div className={classes.mapSide}>
      <div className={classes.mapHead}>
        <div className={classes.floorPick} role="group" aria-label="Floor">
          {floors.map((one) => (
            <FloorButton
              key={one.floor}
              name={one.name}
              lights={lights.filter((light) => light.floor === one.floor)}
              isShown={one.floor === floor}
              onPress={() => onFloor(one.floor)}
            />
          ))}
        </div>
        <div className={classes.zoom}>
          <ActionIcon aria-label="Zoom in" disabled={zoom === zooms.length - 1} onClick={() => setZoom(zoom + 1)}>
            <IconPlus size={16} aria-hidden />
          </ActionIcon>
          <ActionIcon aria-label="Zoom out" disabled={zoom === 0} onClick={() => setZoom(zoom - 1)}>
            <IconMinus size={16} aria-hidden />
          </ActionIcon>
        </div>
      </div>
      <div className={classes.map} data-plan={plan ? true : undefined} role="region" aria-label="Device map">
        <div className={classes.mapPlane} data-plan={plan ? shown!.floor : undefined} style={size}>
          {picture && plan && <img className={classes.planPicture} src={picture} alt={`Plan of ${shown!.name}`} />}
          {placed.map((light) => (
            <Pin
              key={light.deviceId}
              light={light}
              spot={placeOn(light)}
              isPointed={light.deviceId === pointed}
              onPress={() => {
                onTurn([light.deviceId], !['inGroup', 'addedToGroup'].includes(light.membership))
                onPoint(light.deviceId)
              }}
            />
          ))}
        </div>
      </div>
      {(!plan || nowhere > 0) && (
        <p className={classes.mapNote}>
          {!plan && 'This floor has no plan: lights are shown at their coordinates. '}
          {nowhere > 0 &&
            `${nowhere} ${nowhere === 1 ? 'has' : 'have'} no place${plan ? ' on the plan' : ''} and ${nowhere === 1 ? 'appears' : 'appear'} only in the list.`}
        </p>
      )}
      <ul className={classes.legend} aria-label="Legend">
        {legend.map((membership) => (
          <li key={membership}>
            <MembershipIcon membership={membership} size={16} />
            {membershipWords[membership]} <b>{lights.filter((light) => light.membership === membership).length}</b>
            {membership === 'anotherGroup' && (
              <span>{groupNames(lights.filter((light) => light.membership === membership))}</span>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}

const changed: readonly Membership[] = ['addedToGroup', 'removedFromGroup']

interface FloorButtonProps {
  name: string
  lights: readonly ChosenLight[]
  isShown: boolean
  onPress: () => void
}

/** A floor with the number of conflicting or changed lights. */
function FloorButton({ name, lights, isShown, onPress }: FloorButtonProps) {
  const hit = lights.filter(({ conflict }) => conflict !== undefined).length
  const count = hit || lights.filter(({ membership }) => changed.includes(membership)).length
  return (
    <button type="button" aria-pressed={isShown} onClick={onPress}>
      {name.replace(/^Floor (?=\d)/, '').replace(/ floor$/, '')}
      {count > 0 && (
        <span data-hit={hit > 0 || undefined}>
          {count}
          <span className="visually-hidden">{hit > 0 ? ' collide' : ' changed'}</span>
        </span>
      )}
    </button>
  )
}

interface Spot {
  x: number
  y: number
}

/** The position of a floor plan; undefined without a plan. */
function planOf(floor: Floor | undefined): Plan | undefined {
  if (!floor?.hasFloorPlan || floor.lat === null || floor.lng === null) return undefined
  return { ...floor, lat: floor.lat, lng: floor.lng }
}

/** The place of a light on an upright drawing, whatever the rotation of the plan. */
const onPlan =
  (plan: Plan) =>
  ({ lat, lng }: ChosenLight): Spot => {
    const { right, down } = spotOf(plan, { lat: lat!, lng: lng! })
    return { x: 0.5 + right / plan.width, y: 0.5 + down / plan.height }
  }

/** The place of a light within the extent of the building's lights, as shares of the frame; north is up. */
function spots(lights: readonly ChosenLight[]): (light: ChosenLight) => Spot {
  const range = (values: (number | null)[]) => {
    const known = values.filter((value) => value !== null)
    return { low: Math.min(...known), high: Math.max(...known) }
  }
  const [east, north] = [range(lights.map(({ lng }) => lng)), range(lights.map(({ lat }) => lat))]
  const share = (value: number, { low, high }: { low: number; high: number }) =>
    high > low ? 0.07 + (0.86 * (value - low)) / (high - low) : 0.5
  return ({ lat, lng }) => ({ x: share(lng!, east), y: 1 - share(lat!, north) })
}

interface PinProps {
  light: ChosenLight
  spot: Spot
  isPointed: boolean
  onPress: () => void
}

function Pin({ light, spot, isPointed, onPress }: PinProps) {
  const { membership, deviceName } = light
  const isChosen = membership === 'inGroup' || membership === 'addedToGroup'
  return (
    <button
      type="button"
      className={classes.pin}
      style={{ insetInlineStart: `${spot.x * 100}%`, top: `${spot.y * 100}%` }}
      aria-label={`${deviceName}: ${membershipWords[membership]}`}
      aria-pressed={isChosen}
      title={deviceName}
      data-pointed={isPointed || undefined}
      onClick={onPress}
    >
      <MembershipIcon membership={membership} size={22} />
      {(isPointed || changed.includes(membership)) && <span>{deviceName}</span>}
    </button>
  )
}
