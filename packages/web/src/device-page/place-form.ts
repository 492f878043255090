import type { Building } from '@caretaker/contract/buildings.ts'
import type { Device } from '@caretaker/contract/devices.ts'
import { z } from '../ui/zod.ts'

const text = (max: number) => z.string().max(max)
const degrees = (most: number, message: string) =>
  z
    .string()
    .trim()
    .refine((value) => value === '' || (Number.isFinite(Number(value)) && Math.abs(Number(value)) <= most), message)

/** Where a device is, as its form has it: empty texts where nothing is set. */
export const PlaceForm = z
  .object({
    building: z.string(),
    floor: z.string(),
    room: text(100),
    location: text(100),
    locationDetails: text(200),
    latitude: degrees(90, 'Latitude is a number from -90 to 90'),
    longitude: degrees(180, 'Longitude is a number from -180 to 180'),
  })
  .refine(({ latitude, longitude }) => (latitude === '') === (longitude === ''), {
    path: ['longitude'],
    message: 'Give latitude and longitude together',
  })
export type PlaceValues = z.output<typeof PlaceForm>

/** A choice cannot be empty, so this stands for none. */
export const nowhere = 'none'

export function placeValues(device: Device, buildings: readonly Building[]): PlaceValues {
  const building = buildings.find((one) => one.building === device.buildingId)
  return {
    building: device.buildingId ?? nowhere,
    floor: building?.floors.find(({ number }) => number === device.floor)?.floor ?? nowhere,
    room: device.room ?? '',
    location: device.location ?? '',
    locationDetails: device.locationDetails ?? '',
    latitude: device.lat?.toString() ?? '',
    longitude: device.long?.toString() ?? '',
  }
}

const orNull = (value: string) => (value === '' || value === nowhere ? null : value)

/** What differs, as the two calls take it; undefined for a call that is not needed. */
export function placeChanges(before: PlaceValues, after: PlaceValues) {
  const differs = (name: keyof PlaceValues) => before[name] !== after[name]
  const moved = {
    ...(differs('building') && { buildingId: orNull(after.building) }),
    ...((differs('building') || differs('floor')) && { floorId: orNull(after.floor) }),
    ...(differs('room') && { room: orNull(after.room) }),
    ...(differs('location') && { location: orNull(after.location) }),
    ...(differs('locationDetails') && { locationDetails: orNull(after.locationDetails) }),
  }
  const [latitude, longitude] = [orNull(after.latitude), orNull(after.longitude)]
  const located = (differs('latitude') || differs('longitude')) && {
    latitude: latitude === null ? null : Number(latitude),
    longitude: longitude === null ? null : Number(longitude),
  }
  return { moved: Object.keys(moved).length ? moved : undefined, located: located || undefined }
}
