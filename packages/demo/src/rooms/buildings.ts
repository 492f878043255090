import type { Seeder } from '../seeding.ts'

/** Buildings and their floors. */
export const seedBuildings: Seeder = async ({ write, world: { buildings } }) => {
  await write(
    'building',
    ['id', 'name', 'address', 'postcode', 'latitude', 'longitude'],
    buildings.map(({ id, name, address, postcode, latitude, longitude }) => [
      id,
      name,
      address,
      postcode,
      latitude,
      longitude,
    ]),
  )
  await write(
    'floor',
    ['id', 'building_id', 'number', 'name'],
    buildings.flatMap((building) => building.floors.map((floor) => [floor.id, building.id, floor.number, floor.name])),
  )
}
