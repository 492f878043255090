import type { Floor } from '@caretaker/contract/buildings.ts'
import type { FloorDevice } from '@caretaker/contract/devices.ts'
import { planSize } from '@caretaker/rules/buildings/building.ts'
import type { Plan } from '@caretaker/rules/buildings/geometry.ts'
import { contains, signedTurn, placeAfterMove } from '@caretaker/rules/buildings/geometry.ts'
import type { Place } from '@caretaker/rules/maps/mercator.ts'
import type { BuildingInFull } from '../../plans/queries.ts'
import { z } from '../../ui/zod.ts'

/** The fields of the form, in the order in which they are set. */
export const planFields = ['width', 'height', 'rotation', 'lat', 'lng'] as const

/** The largest rotation in degrees, in either direction. */
export const halfTurn = 180

const sizeError = `Between ${planSize.least} and ${planSize.most} m`
const side = z.number().min(planSize.least, sizeError).max(planSize.most, sizeError)
const rotationError = `Between −${halfTurn} and ${halfTurn}°`
export const planSchema = z.object({
  width: side,
  height: side,
  rotation: z.number().min(-halfTurn, rotationError).max(halfTurn, rotationError),
  lat: z.number(),
  lng: z.number(),
})

export const rounded = (value: number, digits: number) => Number(value.toFixed(digits))

/**
 * A plan rounded to the precision that is shown and sent: centimetres, tenths of a degree, and 8 decimals of a
 * coordinate (millimetres).
 */
export const roundedPlan = (plan: Plan): Plan => ({
  width: rounded(plan.width, 2),
  height: rounded(plan.height, 2),
  rotation: rounded(signedTurn(plan.rotation), 1),
  lat: rounded(plan.lat, 8),
  lng: rounded(plan.lng, 8),
})

export const placeOf = ({ lat, lng }: { lat: number | null; lng: number | null }): Place | undefined =>
  lat === null || lng === null ? undefined : { lat, lng }

export const planOf = ({ width, height, rotation }: Floor, place: Place): Plan => ({
  ...place,
  ...{ width, height, rotation: signedTurn(rotation) },
})

export const isSamePlan = (one: Plan, other: Plan) => planFields.every((name) => one[name] === other[name])

export const isOnPlan = (plan: Plan, { lat, long }: FloorDevice) =>
  lat !== null && long !== null && contains(plan, { lat, lng: long })

/** The device with the coordinates that keep its place on the drawing. */
export function movedWithPlan(before: Plan, after: Plan, device: FloorDevice): FloorDevice {
  const { lat, lng } = placeAfterMove(before, after, { lat: device.lat!, lng: device.long! })
  return { ...device, lat, long: lng }
}

/** Whether a floor plan is still at the default position and the floor has no devices that would no longer fit. */
export const isNotPositioned = (floor: Floor, { lat, lng, counts }: BuildingInFull) =>
  floor.hasFloorPlan &&
  floor.rotation === 0 &&
  floor.lat === lat &&
  floor.lng === lng &&
  !counts.some((one) => one.floor === floor.floor && one.devices > 0)

/** Whether two drawings have the same size. */
export const isSameSize = (one: Floor, other: Floor) => one.width === other.width && one.height === other.height
