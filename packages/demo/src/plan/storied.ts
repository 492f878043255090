import type { DemoTenant } from '../fixtures.ts'
import type { Story } from '@caretaker/contract/mqtt/fleet.ts'
import type { ConnectionStatus } from '@caretaker/rules/devices/connection.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { products } from '@caretaker/rules/devices/products.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import type { Chance } from '../chance.ts'
import { chanceOf, demoId } from '../chance.ts'
import type { DemoDevice, Detail, Monitoring } from './device.ts'
import {
  blank,
  hour,
  isInstalled,
  linkBehind,
  linkIn,
  modelOf,
  serialOf,
  silentSince,
  usualConnection,
} from './device.ts'
import { heatingOf } from './heating.ts'
import type { Address, DemoBuilding } from './places.ts'
import { building } from './places.ts'

export interface DemoProperty extends Address {
  id: string
  reference: string
  isVoid: boolean
  patch: string | null
}

/** The part of a tenant that is the same at every size. */
export interface StoriedWorld {
  buildings: DemoBuilding[]
  properties: DemoProperty[]
  devices: DemoDevice[]
}

/** The data of a device that are set explicitly; the rest follows from its location. */
export interface DevicePlan {
  product: Product
  serial?: string
  name?: string
  room?: string
  details?: string
  status?: DeviceStatus
  connection?: ConnectionStatus
  /** Hours since its last report, for an offline device. */
  silentHours?: number
  inWholesale?: boolean
  monitoring?: Monitoring
  powerClamps?: Record<string, string>
  relays?: Record<string, boolean>
  traits?: DemoDevice['traits']
  tags?: string[]
  patch?: string | null
  story?: Story
  detail?: Detail
  /** Whether the simulator runs it (by default it does), and its reporting interval in seconds. */
  lives?: boolean
  everySeconds?: number
  /** Whether it connects itself, such as an extender next to its gateway or a third-party device in a property. */
  connects?: boolean
}

/** A property. Its first device is the module or hub that the others are connected through. */
export interface HomePlan {
  reference: string
  address: Address
  patch?: string
  tags?: string[]
  isVoid?: boolean
  story?: Story
  detail: Detail
  devices: DevicePlan[]
}

export interface LightPlan extends Omit<DevicePlan, 'product'> {
  product?: 'EM' | 'EL'
  floor: number
}

/** Lights, and the gateway or extender that they are connected through. */
export interface LightGroup {
  gateway: DevicePlan & { floor: number }
  lights: LightPlan[]
  /** Extenders are connected through the gateway of the previous group. */
  others?: (DevicePlan & { floor: number })[]
}

export interface BuildingPlan {
  name: string
  address: Address
  storeys: number
  patch?: string
  groups: LightGroup[]
}

/** Seconds between two stored reports of a simulated device. A gap is longer than three intervals. */
const nominalInterval: Record<Detail, number> = { fine: 600, coarse: 3600, none: 3600 }

/** Builds the part of one tenant with scenarios; `firstNumber` is the start of its serial numbers. */
export function storiedWorld(
  tenant: DemoTenant,
  now: number,
  firstNumber: number,
  plans: { homes: HomePlan[]; buildings: BuildingPlan[]; others: DevicePlan[] },
): StoriedWorld {
  const world: StoriedWorld = { buildings: [], properties: [], devices: [] }
  const used = new Map<Product, number>()
  const nextSerial = (product: Product) => {
    const number = used.get(product) ?? firstNumber
    used.set(product, number + 1)
    return serialOf(product, number)
  }
  const make = (plan: DevicePlan, parent?: DemoDevice): DemoDevice => {
    const device = planned(tenant, plan, plan.serial ?? nextSerial(plan.product), now, parent)
    if (parent) parent.children++
    world.devices.push(device)
    return device
  }
  for (const plan of plans.homes) addHome(world, tenant, plan, make)
  for (const plan of plans.buildings) addBuilding(world, tenant, plan, make)
  for (const plan of plans.others) make(plan)
  return world
}

type Make = (plan: DevicePlan, parent?: DemoDevice) => DemoDevice

function addHome(world: StoriedWorld, tenant: string, plan: HomePlan, make: Make): void {
  const property: DemoProperty = {
    ...plan.address,
    id: propertyId(tenant, plan.reference),
    reference: plan.reference,
    isVoid: plan.isVoid ?? false,
    patch: plan.patch ?? null,
  }
  world.properties.push(property)
  const own = { detail: plan.detail, story: plan.story, patch: property.patch, tags: plan.tags }
  const devices: DemoDevice[] = []
  for (const device of plan.devices) {
    const made = make({ ...own, ...device }, device.connects ? undefined : devices[0])
    Object.assign(made, {
      propertyId: property.id,
      home: plan.reference,
      place: property,
      location: device.room ?? null,
    })
    devices.push(made)
  }
}

function addBuilding(world: StoriedWorld, tenant: string, plan: BuildingPlan, make: Make): void {
  const patch = plan.patch ?? null
  const site = building(tenant, plan.name, plan.address, plan.storeys, patch)
  world.buildings.push(site)
  let gateway: DemoDevice | undefined
  const put = (device: DevicePlan & { floor: number }, parent?: DemoDevice) => {
    if (!isInstalled(device.status ?? 'Ok')) return make({ ...device, name: undefined, room: undefined })
    const made = make({ patch, detail: 'coarse', ...device }, parent)
    Object.assign(made, { buildingId: site.id, floorId: site.floors[device.floor]!.id, home: site.name })
    made.place = scattered(site, chanceOf(`${made.serial} place`))
    return made
  }
  for (const group of plan.groups) {
    const head = put(group.gateway, group.gateway.product === 'ZR' ? gateway : undefined)
    if (group.gateway.product !== 'ZR') gateway = head
    // Devices without a cable are connected through the building's gateway, and offline when it is.
    for (const light of group.lights) put({ product: 'EM', ...light }, head)
    for (const other of group.others ?? []) put(other)
  }
}

/** A position some metres from the centre of a building. */
export function scattered(site: { latitude: number; longitude: number }, chance: Chance) {
  const shift = () => (chance() - 0.5) * 0.0003
  return {
    latitude: Math.round((site.latitude + shift()) * 1e6) / 1e6,
    longitude: Math.round((site.longitude + shift() * 1.6) * 1e6) / 1e6,
  }
}

export function propertyId(tenant: string, reference: string): string {
  return demoId(`${tenant} property ${reference}`)
}

function planned(
  tenant: string,
  plan: DevicePlan,
  serial: string,
  now: number,
  parent: DemoDevice | undefined,
): DemoDevice {
  const chance = chanceOf(`${tenant} ${serial}`)
  const device = blank(tenant, plan.product, serial, now, chance)
  const installed = isInstalled(plan.status ?? 'Ok')
  const lives = (plan.lives ?? true) && installed && !plan.inWholesale && (!parent || parent.life !== undefined)
  const detail = plan.detail ?? 'none'
  const wanted = plan.connection ?? usualConnection(plan.status ?? 'Ok')
  const own = plan.silentHours
    ? silentSince(now - plan.silentHours * hour)
    : linkIn(wanted, chance, now, lives ? nominalInterval[detail] : undefined)
  return {
    ...device,
    name: plan.name ?? usualName(plan),
    status: plan.status ?? 'Ok',
    // A simulated device reports as soon as the simulator starts; until then it counts as just heard.
    link: lives && wanted === 'Connected' ? { ...own, heardAt: now - 45_000 } : linkBehind(parent?.link, own, now),
    inWholesale: plan.inWholesale ?? false,
    parentId: parent?.id ?? null,
    patch: plan.patch ?? null,
    tags: plan.tags ?? [],
    room: plan.room ?? null,
    locationDetails: plan.details ?? null,
    powerClamps: plan.powerClamps ?? null,
    monitoring: plan.monitoring ?? null,
    ...(plan.relays && { relays: plan.relays }),
    detail,
    ...(plan.story && { story: plan.story }),
    traits: {
      ...device.traits,
      ...(detail === 'fine' && countersOf(device.serial)),
      ...heatingOf({ product: plan.product, monitoring: plan.monitoring ?? null, serial }),
      ...plan.traits,
    },
    ...(lives && {
      life: {
        model: modelOf({ product: plan.product, monitoring: plan.monitoring ?? null }),
        connects: plan.connects ?? parent === undefined,
        interval: plan.everySeconds ?? (detail === 'fine' ? 120 : 300),
      },
    }),
  }
}

/** The counters of a heating device at the end of its history, from which the simulator continues. */
function countersOf(serial: string): DemoDevice['traits'] {
  const burnerHours = Math.round(1500 + chanceOf(`${serial} age`)() * 9000)
  return { burnerHours, pumpHours: Math.round(burnerHours * 2.1), burnerStarts: Math.round(burnerHours * 4.2) }
}

function usualName({ product, room }: DevicePlan): string {
  const kind = products[product].name
  const known = product === 'BX' || product === 'BC' ? 'boiler control module' : kind
  if (!room) return known
  return `${room} ${/^(MQTT|Zigbee)/.test(known) || product === 'TH' ? known : known.charAt(0).toLowerCase() + known.slice(1)}`
}
