import { settableKindsOf } from '@caretaker/rules/conditions/settable.ts'
import type { DemoTenant } from '../fixtures.ts'
import type { ConnectionStatus } from '@caretaker/rules/devices/connection.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { familyOf, products } from '@caretaker/rules/devices/products.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import type { Chance } from '../chance.ts'
import { chanceOf, pick, weighted, whole } from '../chance.ts'
import type { DemoDevice, Monitoring } from './device.ts'
import {
  blank,
  faultOf,
  isInstalled,
  linkBehind,
  linkIn,
  modelOf,
  quietInterval,
  serialOf,
  statusOfLink,
  unplayedInterval,
  usualConnection,
} from './device.ts'
import type { DemoBuilding } from './places.ts'
import { homeAddress, usualBuilding } from './places.ts'
import type { DemoProperty, StoriedWorld } from './storied.ts'
import { propertyId, scattered } from './storied.ts'

/** The composition of a tenant apart from the devices with a scenario. */
export interface Mixture {
  tenant: DemoTenant
  /** The total number of devices, including those with a scenario. */
  devices: number
  /** The number of devices of each product among about 2,800. */
  shares: Partial<Record<Product, number>>
  /** The first serial number of devices without a story. The ranges of the tenants do not overlap. */
  firstNumber: number
  referencePrefix: string
  /** Access rights tags of its patches, with weights. */
  patches: readonly (readonly [string, number])[]
  tags: readonly string[]
  /** The share of devices with a history. */
  remembered: number
  /** Whether the simulator keeps the connected devices connected. */
  isPlayed: boolean
}

export interface Bulk {
  buildings: DemoBuilding[]
  properties: DemoProperty[]
  /** Parents come before their children. */
  devices(): Iterable<DemoDevice>
}

const lightsInBuilding = 20

/** All devices and places without a story. */
export function bulkOf(mixture: Mixture, storied: StoriedWorld, now: number): Bulk {
  const counts = countsOf(mixture, storied)
  const count = (product: Product) => counts.get(product) ?? 0
  const standing = (['MG', 'ZG', 'ZR', 'EM', 'EL', 'LM', 'PC'] as const).some((product) => count(product) > 0)
  const fitting = Math.min(count('ZG'), Math.round((count('EM') + count('EL')) / lightsInBuilding))
  const buildings = buildingsOf(mixture, storied, standing ? Math.max(1, fitting) : 0)
  const make = makerOf(mixture, counts, now)
  const { homes, properties } = homesOf(mixture, make, counts, now)
  return {
    buildings,
    properties,
    devices: function* () {
      yield* devicesOfBuildings(buildings, make, count, now, intervalOf(mixture))
      yield* homes.map((home) => home.main)
      yield* devicesOfHomes(homes, make, count, now)
    },
  }
}

/**
 * Marks a device that reported recently as simulated, so that it stays connected, if it connects itself or its parent
 * is simulated.
 */
export function giveLife(device: DemoDevice, played: Set<string>, now: number): void {
  const { id, parentId, link, product, life } = device
  if (life) return void played.add(id)
  if (!['Connected', 'intermittent'].includes(statusOfLink(link, now))) return
  if (parentId !== null && !played.has(parentId)) return
  played.add(id)
  // Lights are connected through an extender, which needs its own connection.
  const connects = parentId === null || product === 'ZR'
  device.life = { model: modelOf(device), connects, interval: link.interval, isQuiet: true }
}

const intervalOf = ({ isPlayed }: Pick<Mixture, 'isPlayed'>) => (isPlayed ? quietInterval : unplayedInterval)

/**
 * The number of devices of each product to add: its share of the total, minus the devices with a scenario (largest
 * remainder method).
 */
export function countsOf({ devices, shares }: Mixture, storied: StoriedWorld): Map<Product, number> {
  const wanted = devices - storied.devices.length
  const had = Map.groupBy(storied.devices, (device) => device.product)
  const total = Object.values(shares).reduce((sum, share) => sum + share, 0)
  const lacking = Object.entries(shares).map(([code, share]) => {
    const product = code as Product
    return { product, lacks: Math.max(0, (share / total) * devices - (had.get(product)?.length ?? 0)) }
  })
  const sum = lacking.reduce((sum, { lacks }) => sum + lacks, 0)
  const exact = lacking.map(({ product, lacks }) => ({ product, exact: sum ? (lacks / sum) * wanted : 0 }))
  const counts = new Map(exact.map(({ product, exact }) => [product, Math.floor(exact)]))
  let left = wanted - [...counts.values()].reduce((sum, count) => sum + count, 0)
  for (const { product } of exact.toSorted((a, b) => (b.exact % 1) - (a.exact % 1))) {
    if (left-- <= 0) break
    counts.set(product, counts.get(product)! + 1)
  }
  return counts
}

function buildingsOf({ tenant, patches }: Mixture, storied: StoriedWorld, wanted: number): DemoBuilding[] {
  const taken = new Set(storied.buildings.map((building) => building.name))
  const result: DemoBuilding[] = []
  for (let index = 0; result.length < wanted; index++) {
    const found = usualBuilding(tenant, index, patchOf(patches, chanceOf(`${tenant} patch of building ${index}`)))
    if (!taken.has(found.name)) result.push(found)
  }
  return result
}

/** A fifth of all places belong to a patch. */
function patchOf(patches: Mixture['patches'], chance: Chance): string | null {
  return patches.length && chance() < 0.2 ? weighted(chance, patches) : null
}

type Make = (product: Product, index: number) => { device: DemoDevice; chance: Chance }

const statuses: (readonly [DeviceStatus, number])[] = [
  ['Ok', 9330],
  ['PreventativeMaintenance', 120],
  ['Installed', 40],
  ['Allocated', 20],
  ['DisabledOther', 15],
  ['DisabledNonPayment', 10],
  ['RepairedDevice', 15],
  ['RepairedEquipment', 15],
  ['FailedEquipment', 85],
  ['FailedDevice', 25],
  ['Inventory', 300],
  ['Unknown', 8],
  ['Factory', 10],
  ['AwaitingRecycling', 12],
  ['REMOVED', 8],
  ['DISPOSED', 7],
]
/** Non-payment does not apply to lights and gateways. */
const fitting = (product: Product, status: DeviceStatus): DeviceStatus =>
  status === 'DisabledNonPayment' && !settableKindsOf(product).includes('disabledNonPayment') ? 'DisabledOther' : status

const connections: (readonly [ConnectionStatus, number])[] = [
  ['Connected', 970],
  ['intermittent', 12],
  ['NotConnected', 14],
  ['neverconnected', 4],
]

function makerOf(mixture: Mixture, counts: Map<Product, number>, now: number): Make {
  const { tenant, firstNumber, tags, remembered } = mixture
  const interval = intervalOf(mixture)
  return (product, index) => {
    const serial = serialOf(product, firstNumber + index)
    const chance = chanceOf(`${tenant} ${serial}`)
    const device = blank(tenant, product, serial, now, chance)
    const status = fitting(product, weighted(chance, statuses))
    const installed = isInstalled(status)
    const drawn = installed ? weighted(chance, connections) : usualConnection(status)
    // Installed devices wait for their first test or their first report.
    const connection = status === 'Installed' && familyOf(product) !== 'emered' ? 'neverconnected' : drawn
    const past = installed && (index + 0.5) / counts.get(product)! < remembered
    return {
      chance,
      device: {
        ...device,
        status,
        link: linkIn(connection, chance, now, interval),
        inWholesale: status === 'Inventory' && chance() < 0.15,
        tags: tags.length && installed && chance() < 0.12 ? [pick(chance, tags)] : [],
        name: products[product].name,
        detail: past ? 'coarse' : 'none',
      },
    }
  }
}

const rooms = [
  'Stair A',
  'Stair B',
  'Corridor',
  'Lift lobby',
  'Plant room',
  'Bin store',
  'Laundry',
  'Car park',
] as const

function lightName(floor: number, chance: Chance): { name: string; room: string } {
  const room = weighted(
    chance,
    rooms.map((room, index) => [room, index < 3 ? 6 : 1]),
  )
  if (room.startsWith('Stair')) return { room, name: floor === 0 ? `${room} entrance` : `${room} landing ${floor}` }
  if (room === 'Corridor') return { room, name: `Corridor ${whole(chance, 1, 24)}` }
  if (room === 'Car park') return { room, name: `Car park bay ${whole(chance, 1, 60)}` }
  return { room, name: room }
}

/** A building whose lights are wired and tested but not set up. Only their names give their location. */
const newLights = ['Level 0', 'Level 1', 'Level 2'].flatMap((level) =>
  [
    ...['lift lobby', 'stair A', 'stair B', 'plant room', 'bin store'],
    ...Array.from({ length: 7 }, (_, index) => `corridor ${index + 1}`),
  ].map((room) => `${level}, ${room}`),
)

/** One light in this many is in the new building, if there are enough lights to fill it. */
const lightsForNew = 10

/** The name of a light if it is in the new building, as every n-th light of a tenant is. */
function newLightOf(index: number, count: number): string | undefined {
  const apart = Math.floor(count / newLights.length)
  return apart >= lightsForNew && index % apart === 0 ? newLights[index / apart] : undefined
}

function* devicesOfBuildings(
  buildings: DemoBuilding[],
  make: Make,
  count: (product: Product) => number,
  now: number,
  interval: number,
): Iterable<DemoDevice> {
  const spread = (index: number, of: number) => Math.floor((index * buildings.length) / of)
  /** For each building, the devices that its lights are connected through, and the number of lights so far. */
  const heads: DemoDevice[][] = buildings.map(() => [])
  const lit = buildings.map(() => 0)
  const place = (device: DemoDevice, index: number, chance: Chance, floor?: number) => {
    const building = buildings[index]!
    if (!isInstalled(device.status)) return undefined
    const level = building.floors[floor ?? Math.floor(chance() * building.floors.length)]!
    Object.assign(device, { buildingId: building.id, floorId: level.id, patch: building.patch, home: building.name })
    device.place = scattered(building, chance)
    return level
  }
  const behind = (device: DemoDevice, parent: DemoDevice | undefined) => {
    if (!parent) return
    device.parentId = parent.id
    device.link = linkBehind(parent.link, device.link, now)
  }
  for (const product of ['MG', 'ZG', 'ZR'] as const)
    for (let index = 0; index < count(product); index++) {
      const { device, chance } = make(product, index)
      const at = spread(index, count(product))
      if (place(device, at, chance)) {
        device.room = pick(chance, ['Riser cupboard', 'Comms room', 'Meter cupboard', 'Roof plant room'])
        device.name = `${device.room} ${product === 'ZR' ? 'extender' : 'gateway'}`
        if (product === 'ZR')
          behind(
            device,
            heads[at]!.find((head) => head.product === 'ZG'),
          )
        if (product !== 'MG') heads[at]!.push(device)
        device.children = product === 'MG' ? 0 : whole(chance, 9, 24)
      }
      yield device
    }
  for (const product of ['EM', 'EL'] as const)
    for (let index = 0; index < count(product); index++) {
      const { device, chance } = make(product, index)
      const at = spread(index, count(product))
      const waiting = product === 'EM' ? newLightOf(index, count(product)) : undefined
      if (waiting) {
        const link = linkIn('Connected', chance, now, interval)
        Object.assign(device, { name: waiting, status: 'Ok', inWholesale: false, tags: [], link })
      }
      const level = waiting ? undefined : place(device, at, chance)
      if (level) {
        Object.assign(device, lightName(level.number, chance))
        Object.assign(device.traits, wear(device.status, chance))
        const near = heads[at]!
        behind(device, near[lit[at]!++ % near.length])
      }
      yield device
    }
  for (const product of ['LM', 'PC'] as const)
    for (let index = 0; index < count(product); index++) {
      const { device, chance } = make(product, index)
      if (place(device, spread(index, count(product)), chance)) {
        device.room = product === 'LM' ? 'Lift motor room' : 'Entrance lobby'
        device.name = `${device.room} ${products[product].name.toLowerCase()}`
      }
      yield device
    }
}

/** The defects of a light whose status shows a problem. */
function wear(status: DeviceStatus, chance: Chance): DemoDevice['traits'] {
  if (status === 'PreventativeMaintenance') return { batteryHealth: 0.755 + chance() * 0.03 }
  if (status !== 'FailedEquipment') return {}
  return weighted<DemoDevice['traits']>(chance, [
    [{ batteryHealth: 0.35 + chance() * 0.35 }, 6],
    [{ lampHealth: 0.1 + chance() * 0.15 }, 2],
    [{ inverterFailed: true }, 1],
  ])
}

/** The products that can be the main device of a property, through which the others are connected. */
const mains = ['BX', 'BC', 'ASHP', 'HIU', 'ZH'] as const
const mainRooms: Record<(typeof mains)[number], readonly string[]> = {
  BX: ['Kitchen', 'Utility room', 'Airing cupboard'],
  BC: ['Kitchen', 'Utility room', 'Airing cupboard'],
  ASHP: ['Back garden', 'Side of the house'],
  HIU: ['Hall cupboard'],
  ZH: ['Hallway', 'Living room'],
}

interface Home {
  main: DemoDevice
  property: DemoProperty | undefined
}

function homesOf(
  { tenant, patches, referencePrefix }: Mixture,
  make: Make,
  counts: Map<Product, number>,
  now: number,
): { homes: Home[]; properties: DemoProperty[] } {
  const homes: Home[] = []
  const properties: DemoProperty[] = []
  for (const product of mains)
    for (let index = 0; index < (counts.get(product) ?? 0); index++) {
      const { device, chance } = make(product, index)
      device.monitoring = monitoringOf(device, chance)
      const property = isInstalled(device.status)
        ? newProperty(tenant, referencePrefix, properties.length, patches)
        : undefined
      if (property) {
        properties.push(property)
        furnish(device, property, pick(chance, mainRooms[product]))
      }
      homes.push({ main: withFault(device, chance, now), property })
    }
  return { homes, properties }
}

/** The first streets belong to properties with a scenario. */
const firstHome = 28

function newProperty(tenant: DemoTenant, prefix: string, index: number, patches: Mixture['patches']): DemoProperty {
  const reference = `${prefix}-${String(10_001 + index).padStart(6, '0')}`
  const chance = chanceOf(`${tenant} property ${reference}`)
  return {
    ...homeAddress(tenant, firstHome + index),
    id: propertyId(tenant, reference),
    reference,
    isVoid: chance() < 0.015,
    patch: patchOf(patches, chance),
  }
}

function monitoringOf({ product, status }: DemoDevice, chance: Chance): Monitoring | null {
  if (product === 'ASHP') return 'HeatPump'
  if (product !== 'BX' && product !== 'BC') return null
  if (!isInstalled(status)) return 'Unknown'
  return weighted<Monitoring>(chance, [
    ['Boiler', 318],
    ['HeatPump', 96],
    ['None', 41],
  ])
}

function furnish(device: DemoDevice, property: DemoProperty, room: string): void {
  const known =
    device.product === 'BX' || device.product === 'BC' ? 'boiler control module' : products[device.product].name
  const kind = device.product === 'TH' ? known : known.charAt(0).toLowerCase() + known.slice(1)
  Object.assign(device, {
    propertyId: property.id,
    patch: property.patch,
    home: property.reference,
    place: property,
    room,
    location: room,
    name: `${room} ${kind}`,
  })
}

const sensorRooms: Partial<Record<Product, readonly string[]>> = {
  MD: ['Living room', 'Bedroom 1', 'Bathroom', 'Bedroom 2'],
  ED: ['Living room', 'Bedroom 1'],
  TH: ['Living room', 'Hallway'],
  PM: ['Hallway', 'Meter cupboard'],
  PS: ['Airing cupboard'],
  AF: ['Kitchen'],
  AZ: ['Kitchen'],
  ADEY: ['Airing cupboard'],
}

function* devicesOfHomes(
  homes: Home[],
  make: Make,
  count: (product: Product) => number,
  now: number,
): Iterable<DemoDevice> {
  const occupied = homes.filter((home) => home.property)
  const pumps = occupied.filter((home) => home.main.monitoring === 'HeatPump')
  for (const [code, choice] of Object.entries(sensorRooms)) {
    const product = code as Product
    // Only heat pumps have relays that a power switch can control.
    const hosts = product === 'PS' && pumps.length ? pumps : occupied
    for (let index = 0; index < count(product); index++) {
      const { device, chance } = make(product, index)
      const host = hosts[Math.floor((index * hosts.length) / count(product))]
      if (host && isInstalled(device.status)) {
        furnish(device, host.property!, pick(chance, choice))
        if (product !== 'ADEY') {
          device.parentId = host.main.id
          device.link = linkBehind(host.main.link, device.link, now)
          host.main.children++
        }
        if (product === 'PM') device.powerClamps = { '1': 'Sockets', '2': 'Cooker', '3': 'Kettle ring' }
        if (product === 'PS') device.relays = { '1': chance() < 0.7, '2': chance() < 0.4 }
      }
      yield withFault(device, chance, now)
    }
  }
}

/** A failed heating device has a fault, whose event is still open. */
export function withFault(device: DemoDevice, chance: Chance, now: number): DemoDevice {
  const heats = ['BX', 'BC', 'ASHP', 'AF', 'AZ'].includes(device.product)
  if (heats && device.status === 'FailedEquipment') device.fault = faultOf(device, chance, now)
  return device
}
