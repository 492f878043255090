import { demoBuildings, demoDevices, demoHomes } from '../fixtures.ts'
import { splitSerialNumber } from '@caretaker/rules/devices/serial-number.ts'
import { deviceStatuses } from '@caretaker/rules/devices/status.ts'
import { chanceOf, demoId, whole } from '../chance.ts'
import type { DemoDevice } from './device.ts'
import { day, hour, minute } from './device.ts'
import type { Address } from './places.ts'
import { homeAddress } from './places.ts'
import type { BuildingPlan, DevicePlan, HomePlan, LightPlan, StoriedWorld } from './storied.ts'
import { storiedWorld } from './storied.ts'

const at = (line: string, town: string, postcode: string, latitude: number, longitude: number): Address => ({
  line,
  town,
  county: 'West Yorkshire',
  postcode,
  latitude,
  longitude,
})

const module = (room: string, more: Partial<DevicePlan> = {}): DevicePlan => ({
  product: 'BX',
  room,
  monitoring: 'Boiler',
  ...more,
})
const dot = (room: string, traits: DevicePlan['traits'] = {}): DevicePlan => ({ product: 'MD', room, traits })
const enviro = (room: string, traits: DevicePlan['traits'] = {}): DevicePlan => ({ product: 'ED', room, traits })
const stat = (room: string, traits: DevicePlan['traits'] = {}): DevicePlan => ({ product: 'TH', room, traits })

/** The properties with a scenario, each with a month of readings every ten minutes. */
const storiedHomes: HomePlan[] = [
  {
    reference: demoHomes.damp,
    address: at('8 Mytholm Close', 'Hebden Bridge', 'HX7 8DQ', 53.7431, -2.0228),
    patch: 'East Patch',
    tags: ['DampWatch', 'Phase2', 'WinterWatch'],
    story: 'damp and mould',
    detail: 'fine',
    devices: [
      module('Kitchen', { details: 'Beside the back door' }),
      dot('Bedroom 1', { roomTemperature: 15.8, humidity: 74, occupants: 4 }),
      dot('Bathroom', { roomTemperature: 17.2, humidity: 71, occupants: 4 }),
      enviro('Living room', { roomTemperature: 18.4, humidity: 58, occupants: 4 }),
      stat('Hallway', { roomTemperature: 17.1, humidity: 66, occupants: 4 }),
      { product: 'AZ', room: 'Kitchen' },
      { product: 'PM', room: 'Hallway', powerClamps: { '1': 'Whole home' }, traits: { clamps: 1 } },
    ],
  },
  {
    reference: demoHomes.underHeated,
    address: at('22 Thornhill Road', 'Brighouse', 'HD6 3AQ', 53.6972, -1.7801),
    patch: 'West Patch',
    tags: ['WinterWatch'],
    story: 'under-heated',
    detail: 'fine',
    devices: [module('Kitchen'), stat('Living room'), dot('Bedroom 1'), dot('Bedroom 2')],
  },
  {
    reference: demoHomes.boilerLockout,
    address: at('14 Calder Rise', 'Sowerby Bridge', 'HX6 3AL', 53.7087, -1.9152),
    patch: 'East Patch',
    tags: ['Greenstar', 'Phase2', 'WinterWatch'],
    detail: 'fine',
    devices: [
      module('Kitchen', {
        serial: demoDevices.boilerLockout.serial,
        details: 'Wall cupboard left of the window',
        status: 'FailedEquipment',
        story: 'boiler lockout',
        traits: {
          ...{ gsmSignal: -71, capacity: 30, systemPressure: 1.4, firmware: '4.12.3' },
          ...{ boilerManufacturer: 'Worcester Bosch', boilerModel: 'Greenstar 30i', boilerGc: '47-406-13' },
          ...{ thermostatKind: 'ownBrandOpenTherm', chMax: 60, dhwSetPoint: 52, buzzer: true },
        },
      }),
      { ...stat('Living room'), serial: 'TH1000932D' },
      { ...dot('Bedroom 1'), serial: demoDevices.connectedDot.serial },
      enviro('Bathroom'),
      { product: 'AZ', serial: 'AZ1000077M', room: 'Kitchen', connection: 'NotConnected', lives: false },
    ],
  },
  {
    reference: demoHomes.heatSaviour,
    address: at('3 Canal Row', 'Todmorden', 'OL14 5QE', 53.7139, -2.0967),
    tags: ['Phase2'],
    story: 'heat saviour',
    detail: 'fine',
    devices: [
      {
        product: 'ASHP',
        serial: demoDevices.heatSaviour.serial,
        room: 'Back garden',
        monitoring: 'HeatPump',
        traits: { capacity: 8, gsmSignal: -68, immersion: true },
      },
      {
        product: 'PS',
        serial: demoDevices.powerSwitch.serial,
        room: 'Airing cupboard',
        relays: { '1': true, '2': false },
        traits: { relay1: true, relay2: false },
      },
      stat('Living room'),
      dot('Bedroom 1'),
    ],
  },
  {
    reference: 'NG-003058',
    address: at('9 Canal Row', 'Todmorden', 'OL14 5QE', 53.7141, -2.0962),
    story: 'heat saviour',
    detail: 'fine',
    devices: [
      module('Utility room', { monitoring: 'HeatPump', traits: { capacity: 6 } }),
      { product: 'PS', room: 'Airing cupboard', relays: { '1': false }, traits: { relay1: false } },
      dot('Living room'),
    ],
  },
  {
    reference: demoHomes.failedAutofill,
    address: at('31 Weavers Fold', 'Halifax', 'HX2 7QT', 53.7402, -1.8934),
    tags: ['Solar'],
    story: 'failed autofill',
    detail: 'fine',
    devices: [
      { ...module('Kitchen', { traits: { systemPressure: 0.5 } }), product: 'BC' },
      { product: 'AF', serial: demoDevices.failedAutofill.serial, room: 'Kitchen', status: 'FailedEquipment' },
      dot('Living room'),
    ],
  },
  {
    reference: demoHomes.void,
    address: at('5 Priory Mount', 'Wakefield', 'WF1 4ND', 53.6871, -1.5112),
    isVoid: true,
    story: 'void',
    detail: 'fine',
    devices: [
      module('Kitchen'),
      dot('Living room'),
      stat('Hallway'),
      // A PowerSense F, which cuts the electricity while the property is void.
      {
        product: 'PM',
        serial: 'PMF001120V',
        room: 'Hallway',
        connects: true,
        powerClamps: { '1': 'Sockets', '2': 'Cooker', '3': 'Lights' },
        traits: { clamps: 3 },
      },
    ],
  },
  {
    reference: demoHomes.gasCheckDue,
    address: at('17 Hawthorn Grove', 'Leeds', 'LS8 2NF', 53.8246, -1.5068),
    patch: 'North Patch',
    story: 'gas check due',
    detail: 'fine',
    devices: [module('Kitchen'), stat('Living room'), { product: 'ADEY', room: 'Airing cupboard', connects: true }],
  },
  {
    reference: demoHomes.dropsOut,
    address: at('40 Quarry Lane', 'Bradford', 'BD9 6BX', 53.8137, -1.7893),
    detail: 'fine',
    devices: [
      module('Utility room', {
        serial: demoDevices.dropsOut.serial,
        story: 'drops out',
        connection: 'intermittent',
        traits: { gsmSignal: -104, dropsPerDay: 8, dropMinutes: 14 },
      }),
      dot('Living room'),
      enviro('Bedroom 1'),
    ],
  },
  {
    reference: demoHomes.lively,
    address: at('12 Larkfield Avenue', 'Leeds', 'LS7 3PU', 53.8288, -1.5379),
    tags: ['Greenstar'],
    detail: 'fine',
    devices: [
      module('Kitchen', { serial: demoDevices.livelyBoiler.serial, everySeconds: 30 }),
      stat('Living room'),
      dot('Bedroom 1'),
      enviro('Living room'),
      {
        product: 'PM',
        room: 'Hallway',
        powerClamps: { '1': 'Sockets', '2': 'Cooker', '3': 'Kettle ring' },
        traits: { clamps: 3 },
      },
      {
        ...dot('Bathroom'),
        serial: demoDevices.allocatedDot.serial,
        status: 'Allocated',
        connection: 'neverconnected',
        lives: false,
      },
    ],
  },
  {
    reference: 'NG-005210',
    address: at('Flat 6, Wharf House, Wharf Street', 'Leeds', 'LS2 7EQ', 53.7947, -1.5374),
    detail: 'fine',
    devices: [{ product: 'HIU', room: 'Hall cupboard' }, stat('Living room'), dot('Bedroom 1')],
  },
  {
    reference: 'NG-005377',
    address: at('27 Station Terrace', 'Huddersfield', 'HD3 4TN', 53.6489, -1.8211),
    detail: 'fine',
    devices: [{ product: 'ZH', room: 'Hallway' }, stat('Living room'), dot('Bedroom 1'), enviro('Bedroom 2')],
  },
  {
    reference: 'NG-001655',
    address: at('2 Orchard Row', 'Wakefield', 'WF2 8LR', 53.6702, -1.5163),
    patch: 'South Patch',
    detail: 'fine',
    devices: [
      { ...module('Utility room'), product: 'BC' },
      { product: 'PM', room: 'Hallway', traits: { clamps: 2 } },
    ],
  },
]

/** A property with both a module and a hub; the multi-dot is the thermostat of the module. */
const dualHome: HomePlan = {
  reference: 'NG-005402',
  address: at('29 Station Terrace', 'Huddersfield', 'HD3 4TN', 53.649, -1.8213),
  detail: 'coarse',
  devices: [
    module('Kitchen', { serial: 'BX1000961P' }),
    { ...dot('Living room', { installedAs: 'thermostat' }), serial: demoDevices.thermostatDot.serial },
    { product: 'ZH', serial: 'ZH1000963V', room: 'Hallway', connects: true },
  ],
}

const livelyStreets = 14

/** A street of ordinary properties that are simulated too. */
function ordinaryHome(index: number): HomePlan {
  const sensors = [
    [stat('Living room'), dot('Bedroom 1')],
    [dot('Living room'), enviro('Bedroom 1')],
    [stat('Hallway'), { product: 'PM', room: 'Hallway', traits: { clamps: 1 } } satisfies DevicePlan],
  ][index % 3]!
  const main: DevicePlan =
    index % 5 === 4
      ? { product: 'ASHP', room: 'Side of the house', monitoring: 'HeatPump' }
      : module(index % 2 ? 'Kitchen' : 'Utility room')
  return {
    reference: `NG-${String(801 + index * 7).padStart(6, '0')}`,
    address: homeAddress('northgate', index),
    detail: 'coarse',
    ...(index % 4 === 0 && { patch: 'East Patch' }),
    devices: [main, ...sensors],
  }
}

const lights = (floor: number, ...names: string[]): LightPlan[] => names.map((name) => ({ floor, name, room: name }))
const failed = { status: 'FailedEquipment' } as const
const worn = { status: 'PreventativeMaintenance', traits: { batteryHealth: 0.76 } } as const

const buildings: BuildingPlan[] = [
  {
    name: demoBuildings.lively,
    address: at('Kestrel Way', 'Leeds', 'LS11 9BD', 53.7823, -1.5502),
    storeys: 5,
    patch: 'East Patch',
    groups: [
      {
        gateway: {
          product: 'ZG',
          serial: demoDevices.livelyGateway.serial,
          name: demoDevices.livelyGateway.name,
          room: 'Riser cupboard',
          floor: 0,
          detail: 'fine',
          everySeconds: 30,
        },
        lights: [
          {
            floor: 1,
            serial: demoDevices.livelyLight.serial,
            name: demoDevices.livelyLight.name,
            room: 'Stair A',
            detail: 'fine',
            everySeconds: 30,
            tags: ['NightTest'],
            traits: { batteryHealth: 1, lampHealth: 1 },
          },
          ...lights(0, 'Entrance lobby', 'Lift lobby', 'Bin store'),
          ...lights(1, 'Corridor 1', 'Corridor 2', 'Stair B landing 1'),
          ...lights(2, 'Stair A landing 2', 'Corridor 3', 'Corridor 4', 'Stair B landing 2'),
        ],
        others: [
          { product: 'PC', room: 'Community room', floor: 0 },
          { product: 'MG', room: 'Meter cupboard', floor: 0 },
        ],
      },
      {
        gateway: { product: 'ZR', room: 'Corridor 5', floor: 3, connects: true },
        lights: [
          ...lights(3, 'Stair A landing 3', 'Corridor 5', 'Stair B landing 3'),
          ...lights(4, 'Stair A landing 4', 'Plant room', 'Stair B landing 4'),
        ],
      },
    ],
  },
  {
    name: demoBuildings.failedT180,
    address: at('Gibbet Street', 'Halifax', 'HX1 5TX', 53.7236, -1.8772),
    storeys: 6,
    groups: [
      {
        gateway: { product: 'ZG', room: 'Riser', floor: 2 },
        lights: [
          {
            floor: 2,
            serial: demoDevices.failedT180.serial,
            name: demoDevices.failedT180.name,
            room: 'Stairwell B',
            detail: 'fine',
            story: 'failed T180',
            tags: ['NightTest'],
            traits: { batteryHealth: 0.47 },
            ...failed,
          },
          {
            floor: 2,
            serial: 'EM1000371C',
            name: 'Corridor 7',
            room: 'Corridor',
            connection: 'NotConnected',
            lives: false,
            traits: { lampHealth: 0.1 },
            ...failed,
          },
          {
            floor: 2,
            product: 'EL',
            serial: 'EL1000118R',
            name: 'Plant room',
            room: 'Plant room',
            traits: { batteryHealth: 0.4, inverterFailed: true },
            ...failed,
          },
          { floor: 2, serial: 'EM1000368F', name: 'Corridor 4', room: 'Corridor', ...worn },
          { floor: 2, serial: 'EM1000382W', name: 'Lift lobby, rear', room: 'Lift lobby', ...worn },
          {
            floor: 0,
            serial: 'EM1000341H',
            name: 'Bin store',
            room: 'Bin store',
            traits: { lampHealth: 0.2 },
            ...failed,
          },
          {
            floor: 0,
            serial: demoDevices.untaggedLight.serial,
            name: demoDevices.untaggedLight.name,
            room: 'Entrance lobby',
            traits: { maintained: true },
          },
          ...lights(0, 'Lift lobby', 'Meter cupboard'),
          ...lights(1, 'Stairwell A, level 1', 'Corridor 1', 'Corridor 2'),
          ...lights(2, 'Stairwell A, level 2', 'Corridor 3', 'Corridor 5', 'Corridor 6', 'Lift lobby, front'),
          ...lights(3, 'Stairwell A, level 3', 'Corridor 9'),
        ],
        others: [{ product: 'LM', room: 'Lift motor room', floor: 5 }],
      },
    ],
  },
  {
    name: demoBuildings.collision,
    address: at('Navigation Walk', 'Wakefield', 'WF1 5RH', 53.6742, -1.4913),
    storeys: 4,
    groups: [
      {
        gateway: { product: 'ZG', room: 'Comms cupboard', floor: 0 },
        lights: [
          ...lights(0, 'Entrance lobby', 'Stair A entrance', 'Stair B entrance'),
          ...lights(1, 'Stair A landing 1', 'Corridor 1', 'Stair B landing 1'),
          ...lights(2, 'Stair A landing 2', 'Corridor 2', 'Stair B landing 2'),
        ],
      },
    ],
  },
  {
    name: demoBuildings.offlineGateway,
    address: at('Riverside Drive', 'Bradford', 'BD3 9LN', 53.7968, -1.7341),
    storeys: 5,
    patch: 'West Patch',
    groups: [
      {
        gateway: {
          product: 'ZG',
          serial: demoDevices.offlineGateway.serial,
          name: demoDevices.offlineGateway.name,
          room: 'Roof plant room',
          floor: 4,
          silentHours: 34,
          lives: false,
          story: 'offline gateway',
          tags: ['Phase2'],
        },
        lights: [
          ...lights(0, 'Entrance lobby', 'Car park ramp'),
          ...lights(1, 'Stair A landing 1', 'Stair B landing 1'),
          ...lights(2, 'Stair A landing 2', 'Stair B landing 2'),
          ...lights(3, 'Stair A landing 3', 'Stair B landing 3', 'Roof access'),
        ].map((light) => ({ ...light, tags: ['Phase2'] })),
      },
    ],
  },
  {
    name: 'Alder House',
    address: at('Alder Street', 'Huddersfield', 'HD1 6PB', 53.6521, -1.7866),
    storeys: 3,
    groups: [
      {
        gateway: { product: 'ZG', room: 'Riser', floor: 0, lives: false },
        lights: [
          // One light for every status, and for every connection state.
          ...deviceStatuses.map((status, index): LightPlan => ({
            floor: index % 3,
            name: `Corridor ${index + 1}`,
            room: 'Corridor',
            status,
            ...(status === 'FailedEquipment' && { traits: { lampHealth: 0.15 } }),
            ...(status === 'PreventativeMaintenance' && { traits: { batteryHealth: 0.77 } }),
          })),
          { floor: 0, name: 'Laundry', room: 'Laundry', connection: 'intermittent' as const },
          {
            floor: 0,
            name: 'Drying room',
            room: 'Laundry',
            status: 'Installed',
            connection: 'neverconnected' as const,
          },
          { floor: 1, name: 'Landing', room: 'Landing', connection: 'NotConnected' as const },
        ],
      },
    ],
  },
]

const others: DevicePlan[] = [
  {
    product: 'EM',
    serial: demoDevices.inWholesale.serial,
    name: demoDevices.inWholesale.name,
    status: 'Inventory',
    inWholesale: true,
  },
  { product: 'ZG', status: 'Inventory', inWholesale: true },
  { product: 'BX', status: 'Inventory', inWholesale: true, monitoring: 'Unknown' },
  ...(['stockLight', 'stockGateway', 'stockModule'] as const).map((key): DevicePlan => {
    const { serial, name } = demoDevices[key]
    const { product } = splitSerialNumber(serial)
    return { product: product!, serial, name, status: 'Inventory' }
  }),
]

/** The part of Northgate Homes with scenarios. */
export function northgate(now: number): StoriedWorld {
  const ordinary = Array.from({ length: livelyStreets }, (_, index) => ordinaryHome(index))
  const homes = [...storiedHomes, ...ordinary, dualHome]
  const world = storiedWorld('northgate', now, 1001, { homes, buildings, others })
  for (const device of world.devices) addEvents(device, now)
  return world
}

/** Adds the events of devices whose story is an event. */
function addEvents(device: DemoDevice, now: number): void {
  const { serial } = device
  if (device.story === 'boiler lockout') {
    const description = 'Ignition lockout: no flame after several attempts to light'
    const lowPressure = { code: 'E119', description: 'Low water pressure', isResettable: false }
    const fault = (name: string, since: number) => ({
      code: 'EA',
      description,
      source: 'boiler' as const,
      isResettable: true,
      since: Math.floor(since),
      eventId: demoId(`${serial} ${name}`),
    })
    device.fault = fault('fault', now - 4 * hour - 22 * minute)
    device.pastFaults = [
      { ...fault('fault before', now - 3 * day - 6 * hour), until: now - 3 * day - 2 * hour },
      { ...fault('first fault', now - 19 * day), until: now - 19 * day + 5 * hour },
      // The pressure fell first, which may be why the boiler does not light.
      { ...fault('pressure again', now - 25 * day), ...lowPressure, until: now - 25 * day + 18 * hour + 40 * minute },
      { ...fault('pressure', now - 27 * day), ...lowPressure, until: now - 27 * day + 3 * hour + 10 * minute },
    ]
  }
  if (serial === demoDevices.failedAutofill.serial) {
    const fault = {
      code: 'AF1',
      description: 'Autofill lockout: the system did not reach its pressure in time',
      source: 'autofill' as const,
      isResettable: true,
    }
    const since = now - 2 * day - 3 * hour
    // Just before one of the fills in its pressure history (rooms/history.ts), because it was reset and then filled.
    const before = Math.floor(since - 9.0431 * day - 55 * minute)
    device.fault = { ...fault, since, eventId: demoId(`${serial} fault`) }
    device.pastFaults = [
      { ...fault, since: before, until: before + 55 * minute, eventId: demoId(`${serial} fault before`) },
    ]
  }
  if (device.fault)
    Object.assign(device.traits, {
      faultCode: device.fault.code,
      faultSince: device.fault.since,
      faultEventId: device.fault.eventId,
    })
  if (serial === demoDevices.dropsOut.serial) {
    const chance = chanceOf(`${serial} drops`)
    device.link.drops = Array.from({ length: 7 }, (_, index) => now - index * 3 * hour - whole(chance, 5, 120) * minute)
    device.link.drops.reverse()
  }
}
