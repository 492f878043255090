import { createHash } from 'node:crypto'
import { buildingKey } from '@caretaker/rules/buildings/building.ts'
import { keyOf } from '@caretaker/server/files/keys.ts'
import { demoId } from '../chance.ts'
import { demoBuildings } from '../fixtures.ts'
import type { Row } from '../copy.ts'
import type { DemoBuilding } from '../plan/places.ts'
import type { Seeder } from '../seeding.ts'
import { planDrawing, planShape } from './floor-plans.ts'

/** The number of buildings of a tenant that have plans for all floors but the highest. */
const drawn = 12

/** The log book details of one building, for the inspector's sheet. */
const logBook = {
  responsible_person: 'Priya Nair',
  completion_certificate: 'EL-2019-044 of 12/03/2019, site file in the riser',
  central_battery: null,
}
const emptyLogBook = { responsible_person: null, completion_certificate: null, central_battery: null }

/** Creates buildings, their floors, and the plans of the first buildings. */
export const seedBuildings: Seeder = async ({ write, files, now, world: { plan, buildings } }) => {
  await write(
    'building',
    ['id', 'name', 'compared_name', 'address', 'postcode', 'latitude', 'longitude', ...Object.keys(emptyLogBook)],
    buildings.map(({ id, name, address, postcode, latitude, longitude }) => [
      id,
      name,
      buildingKey(name),
      address,
      postcode,
      latitude,
      longitude,
      ...Object.values(name === demoBuildings.failedT180 ? logBook : emptyLogBook),
    ]),
  )
  await write(
    'floor',
    ['id', 'building_id', 'number', 'name', 'latitude', 'longitude', 'width', 'height', 'rotation'],
    buildings.flatMap((building) => {
      const { width, height, rotation } = planShape(building.name)
      const lies = [building.latitude, building.longitude, width, height, rotation]
      return building.floors.map((floor) => [floor.id, building.id, floor.number, floor.name, ...lies])
    }),
  )
  const uploaded = new Date(now - 90 * 86_400_000)
  const [fileRows, planRows]: [Row[], Row[]] = [[], []]
  for (const building of buildings.slice(0, drawn))
    for (const floor of building.floors.slice(0, -1)) {
      const content = Buffer.from(planDrawing(building.name, floor.name, planShape(building.name)))
      const sha256 = createHash('sha256').update(content).digest()
      const id = demoId(`${plan.id} plan ${floor.id}`)
      const name = fileNameOf(building, floor)
      await files.put(keyOf(plan.id, id), new Blob([content]))
      fileRows.push([id, 'floor_plan', name, 'image/svg+xml', content.length, sha256, uploaded])
      planRows.push([floor.id, id, name, uploaded])
    }
  await write('file', ['id', 'referrer', 'name', 'content_type', 'size', 'sha256', 'created_at'], fileRows)
  await write('floor_plan', ['floor_id', 'file_id', 'name', 'uploaded_at'], planRows)
}

const fileNameOf = ({ name }: DemoBuilding, floor: DemoBuilding['floors'][number]) =>
  `${buildingKey(name)}-${floor.number === 0 ? 'ground' : floor.number}.svg`
