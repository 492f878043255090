import type { FleetModel, Story } from '@caretaker/contract/mqtt/fleet.ts'
import type { ConnectionStatus } from '@caretaker/rules/devices/connection.ts'
import { connectionStatus } from '@caretaker/rules/devices/connection.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { familyOf } from '@caretaker/rules/devices/products.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import { displayGroup } from '@caretaker/rules/devices/status.ts'
import type { Chance } from '../chance.ts'
import { demoId, pick, whole } from '../chance.ts'
import type { Place } from './places.ts'

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

/** The density of a device's history: every ten minutes for a month, every two hours for a week, or none. */
export type Detail = 'fine' | 'coarse' | 'none'

export type Monitoring = 'Boiler' | 'HeatPump' | 'None' | 'Unknown'

/** The state of a device's link. Times in milliseconds since the epoch, here and below. */
export interface Link {
  heardAt: number | null
  drops: number[]
  /** Seconds between two reports. */
  interval: number
}

/** How the simulator runs a device. */
export interface Life {
  model: FleetModel
  /** Whether it connects itself; otherwise its parent reports for it. */
  connects: boolean
  /** Seconds between two reports. */
  interval: number
  /** Whether it only reports its presence until it receives a command. */
  isQuiet?: boolean
}

export interface DemoFault {
  code: string
  description: string
  source: 'boiler' | 'autofill'
  isResettable: boolean
  since: number
  eventId: string
}

/** A device of the demo, with its data for all tables. */
export interface DemoDevice {
  id: string
  serial: string
  product: Product
  name: string
  status: DeviceStatus
  link: Link
  inWholesale: boolean
  buildingId: string | null
  floorId: string | null
  propertyId: string | null
  parentId: string | null
  /** Name of its access rights tag. */
  patch: string | null
  tags: readonly string[]
  room: string | null
  location: string | null
  locationDetails: string | null
  powerClamps: Record<string, string> | null
  place: Place | null
  monitoring: Monitoring | null
  relays?: Record<string, boolean>
  fault?: DemoFault
  /** Faults that have ended. */
  pastFaults?: (DemoFault & { until: number })[]
  createdAt: number
  updatedAt: number
  detail: Detail
  /** Its story, which applies to its history and to the simulator. */
  story?: Story
  /** Devices of one property share its rhythm. */
  home: string
  traits: Record<string, number | string | boolean>
  /** The number of connected devices, if its reports depend on it. */
  children: number
  life?: Life
}

const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ'

/** A serial number: product code, model 1, six digits, and a check letter. */
export function serialOf(product: Product, number: number): string {
  const before = `${product}1${String(number).padStart(6, '0')}`
  const sum = [...before].reduce((sum, sign, index) => sum + sign.charCodeAt(0) * (index * 2 + 3), 0)
  return before + letters[sum % letters.length]!
}

export function deviceId(tenant: string, serial: string): string {
  return demoId(`${tenant} device ${serial}`)
}

export function statusOfLink(link: Link, now: number): ConnectionStatus {
  return connectionStatus(
    { connected: false, heardAt: link.heardAt, drops: link.drops, reportingInterval: link.interval },
    now,
  )
}

/** Devices without a story report once an hour. */
export const quietInterval = 3600
/** In a demo too large to simulate, devices have a weekly reporting interval, so that they stay connected for weeks. */
export const unplayedInterval = 7 * 86_400
/** Offline devices had an hourly interval, so that they soon count as offline. */
const silentInterval = 3600

/** A link in the requested state, according to the rule that the worker applies. */
export function linkIn(state: ConnectionStatus, chance: Chance, now: number, interval = quietInterval): Link {
  // Most devices reported recently, as in a running system.
  const recently = now - Math.floor(20_000 + chance() ** 3 * Math.min(interval * 1000, 6 * hour))
  if (state === 'neverconnected') return { heardAt: null, drops: [], interval }
  if (state === 'Connected') return { heardAt: recently, drops: [], interval }
  if (state === 'NotConnected') return silentSince(now - Math.floor(4 * hour + chance() ** 2 * 12 * day))
  const drops = Array.from({ length: whole(chance, 5, 9) }, () => Math.floor(now - chance() * 20 * hour))
  return { heardAt: recently, drops: drops.sort((a, b) => a - b), interval }
}

/** Going offline is one lost connection, recorded when it is detected. */
export function silentSince(heardAt: number): Link {
  return { heardAt, drops: [heardAt + 3 * silentInterval * 1000 + 20_000], interval: silentInterval }
}

/** A device connected through a parent is offline when its parent is; otherwise it has its own link. */
export function linkBehind(parent: Link | undefined, own: Link, now: number): Link {
  if (!parent || own.heardAt === null) return own
  const state = statusOfLink(parent, now)
  if (state === 'neverconnected') return { ...own, heardAt: null, drops: [] }
  return state === 'NotConnected' ? silentSince(Math.min(own.heardAt, parent.heardAt! - 30_000)) : own
}

export function isInstalled(status: DeviceStatus): boolean {
  return displayGroup(status) !== 'NotInstalled'
}

/** A device in stock has never reported; a removed one has. */
export function usualConnection(status: DeviceStatus): ConnectionStatus {
  if (isInstalled(status)) return 'Connected'
  return ['AwaitingRecycling', 'REMOVED', 'DISPOSED'].includes(status) ? 'NotConnected' : 'neverconnected'
}

/** The basic data of a device. */
export function blank(tenant: string, product: Product, serial: string, now: number, chance: Chance): DemoDevice {
  const createdAt = now - Math.floor((120 + chance() * 1500) * day)
  return {
    id: deviceId(tenant, serial),
    serial,
    product,
    name: serial,
    status: 'Ok',
    link: linkIn('Connected', chance, now),
    inWholesale: false,
    buildingId: null,
    floorId: null,
    propertyId: null,
    parentId: null,
    patch: null,
    tags: [],
    room: null,
    location: null,
    locationDetails: null,
    powerClamps: null,
    place: null,
    monitoring: null,
    createdAt,
    updatedAt: now - Math.floor(chance() ** 2 * 60 * day),
    detail: 'none',
    home: serial,
    traits: { firmware: pick(chance, firmwares[familyOf(product)] ?? ['2.4.1', '2.3.7']) },
    children: 0,
  }
}

const firmwares: Partial<Record<ReturnType<typeof familyOf>, string[]>> = {
  boiler: ['4.12.3', '4.12.3', '4.11.0'],
  gateway: ['3.8.2', '3.8.2', '3.7.9'],
  emered: ['1.9.4', '1.9.4', '1.8.1'],
}

const boilerFaults = [
  ['EA', 'Flame not detected', true],
  ['F28', 'Ignition lockout: no flame after several attempts to light', true],
  ['E119', 'Low water pressure', false],
  ['D1', 'Return sensor fault', false],
] as const

/** The active fault of a failed boiler or autofill. */
export function faultOf(device: DemoDevice, chance: Chance, now: number): DemoFault {
  const source = familyOf(device.product) === 'autofill' ? 'autofill' : 'boiler'
  const [code, description, isResettable] =
    source === 'autofill'
      ? (['AF1', 'Autofill lockout: the system did not reach its pressure in time', true] as const)
      : pick(chance, boilerFaults)
  return {
    code,
    description,
    source,
    isResettable,
    since: now - Math.floor((2 + chance() * 90) * hour),
    eventId: demoId(`${device.serial} fault`),
  }
}

/** The model of a device: its family's model, except that a module on a heat pump behaves like a heat pump. */
export function modelOf(device: Pick<DemoDevice, 'product' | 'monitoring'>): FleetModel {
  return device.monitoring === 'HeatPump' ? 'airSourceHeatPump' : familyOf(device.product)
}
