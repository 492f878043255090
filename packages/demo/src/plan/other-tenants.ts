import { demoDevices } from '../fixtures.ts'
import { homeAddress, regions, type Region } from './places.ts'
import type { DevicePlan, HomePlan, LightPlan, StoriedWorld } from './storied.ts'
import { storiedWorld } from './storied.ts'

const lights = (floor: number, ...names: string[]): LightPlan[] => names.map((name) => ({ floor, name, room: name }))

function inTown(region: Region, town: number, line: string, postcode: string) {
  const { name, county, latitude, longitude } = regions[region][town]!
  return { line, town: name, county, postcode, latitude: latitude + 0.004, longitude: longitude - 0.003 }
}

/** The part of Harbour Facilities with scenarios: two sites with emergency lighting and its network. */
export function harbour(now: number): StoriedWorld {
  return storiedWorld('harbour', now, 601_001, {
    homes: [],
    buildings: [
      {
        name: 'Princes Terminal',
        address: inTown('harbour', 0, 'Princes Parade', 'L3 1DL'),
        storeys: 3,
        patch: 'Waterfront',
        groups: [
          {
            gateway: {
              product: 'ZG',
              serial: demoDevices.harbourGateway.serial,
              name: demoDevices.harbourGateway.name,
              room: 'Comms room',
              floor: 0,
            },
            lights: [
              {
                floor: 0,
                serial: demoDevices.harbourLight.serial,
                name: demoDevices.harbourLight.name,
                room: 'Hall 1',
                everySeconds: 60,
              },
              ...lights(0, 'Hall 1 gate B', 'Hall 1 gate C', 'Ticket office'),
              ...lights(1, 'Gallery north', 'Gallery south', 'Stair 1 landing', 'Stair 2 landing'),
            ],
            others: [{ product: 'MG', room: 'Comms room', floor: 0 }],
          },
          {
            gateway: { product: 'ZR', room: 'Gallery', floor: 2, connects: true },
            lights: lights(2, 'Control room', 'Roof walkway', 'Plant room'),
          },
        ],
      },
      {
        name: 'Queensway Car Park',
        address: inTown('harbour', 3, 'Queensway', 'SO14 3EX'),
        storeys: 4,
        groups: [
          {
            gateway: { product: 'ZG', room: 'Attendant office', floor: 0 },
            lights: [
              ...lights(0, 'Pay station', 'Exit lane'),
              ...lights(1, 'Stair A landing 1', 'Bay 40'),
              { floor: 2, product: 'EL', name: 'Stair A landing 2', room: 'Stair A' },
            ],
          },
        ],
      },
    ],
    others: [{ product: 'EM', status: 'Inventory', inWholesale: true }],
  })
}

const module = (more: Partial<DevicePlan> = {}): DevicePlan => ({
  product: 'BX',
  room: 'Kitchen',
  monitoring: 'Boiler',
  ...more,
})

/** The part of Meridian Council with scenarios: three properties and a building. */
export function meridian(now: number): StoriedWorld {
  const home = (index: number, ...devices: DevicePlan[]): HomePlan => ({
    reference: `MC-${String(1201 + index * 13).padStart(6, '0')}`,
    address: homeAddress('meridian', index),
    detail: 'coarse',
    devices,
  })
  return storiedWorld('meridian', now, 801_001, {
    homes: [
      home(
        0,
        module({ serial: demoDevices.meridianBoiler.serial, everySeconds: 60 }),
        { product: 'TH', room: 'Living room' },
        { product: 'MD', room: 'Bedroom 1' },
      ),
      home(1, module(), { product: 'ED', room: 'Living room' }),
      home(2, { product: 'ZH', room: 'Hallway' }, { product: 'MD', room: 'Living room' }),
    ],
    buildings: [
      {
        name: 'Wold House',
        address: inTown('meridian', 0, 'Eastgate', 'LN11 9AB'),
        storeys: 3,
        patch: 'Central',
        groups: [
          {
            gateway: { product: 'ZG', room: 'Riser', floor: 0 },
            lights: [
              {
                floor: 1,
                serial: demoDevices.meridianLight.serial,
                name: demoDevices.meridianLight.name,
                room: 'Stair A',
                everySeconds: 60,
              },
              ...lights(0, 'Entrance lobby', 'Day room'),
              ...lights(2, 'Stair A landing 2'),
            ],
          },
        ],
      },
    ],
    others: [],
  })
}
