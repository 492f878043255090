import type { PlaceArea } from './places.ts'
import { pathTo } from './places.ts'
import { listingOf } from '../devices/list.ts'
import type { Product } from '../devices/products.ts'
import { countsAsInstalled } from '../devices/status.ts'

/** What a hand-over to the mobile app needs to know of a device. */
export interface HandedOver {
  deviceId: string
  serialNumber: string
  product: Product
  status: string
  inWholesale: boolean
  /** The home it belongs to, where that is known. */
  propertyId?: string | null
}

/** A wholesale device is one whose flag says so, whatever its status (core specification, section 9). */
export function isWholesale(device: Pick<HandedOver, 'inWholesale'>): boolean {
  return device.inWholesale
}

/** The boiler control modules of the Boilers listing; all else there is connected to one (decisions, 1). */
export function isBcm(product: Product): boolean {
  return product === 'BX' || product === 'BC'
}

/** The install route of a device's type; undefined for what is installed through a BCM or gateway only. */
export function installAreaOf(product: Product): PlaceArea | undefined {
  const listing = listingOf(product)
  if (listing === 'EmergencyLights') return 'EmeredInstall'
  if (listing === 'NetworkingDevices') return 'NetworkInstall'
  return isBcm(product) ? 'BcmInstall' : undefined
}

export function movePath(tenant: string, serialNumber: string): string {
  return pathTo(tenant, 'MoveFromWholesale', serialNumber)
}

/** Where a device is installed, or undefined when that needs to know the BCM or gateway it is connected to. */
export function installPath(
  tenant: string,
  device: Pick<HandedOver, 'product' | 'serialNumber' | 'deviceId'>,
): string | undefined {
  const area = installAreaOf(device.product)
  return area && pathTo(tenant, area, device.serialNumber, device.deviceId)
}

/** The page of a device as the mobile app has it, or undefined for what has none there. */
export function appPagePath(tenant: string, device: Pick<HandedOver, 'product' | 'deviceId'>): string | undefined {
  const listing = listingOf(device.product)
  if (listing === 'EmergencyLights') return pathTo(tenant, 'EmeredDetails', device.deviceId)
  if (listing === 'NetworkingDevices') return pathTo(tenant, 'NetworkDetails', device.deviceId)
  if (isBcm(device.product)) return pathTo(tenant, 'BcmDetails', device.deviceId)
  if (listing === 'HomeHubs') return pathTo(tenant, 'HomeHubDetails', device.deviceId)
  return listing === 'Boilers' ? pathTo(tenant, 'BoilerConnectedDevice', device.deviceId) : undefined
}

/** What connects to a BCM or gateway, as the mobile app calls it (devices gaps A7). */
const connectedKinds = { PM: 'PowerSense', PS: 'PowerSense', MD: 'MultiDot', ED: 'EnviroDot' } as const
export type ConnectedKind = (typeof connectedKinds)[keyof typeof connectedKinds]

export function connectedKindOf(product: Product): ConnectedKind | undefined {
  return product in connectedKinds ? connectedKinds[product as keyof typeof connectedKinds] : undefined
}

/** Whether devices of a connected kind can speak through the product. */
export function isBcmOrGateway(product: Product): boolean {
  return isBcm(product) || product === 'ZH' || (product !== 'ZR' && listingOf(product) === 'NetworkingDevices')
}

export interface ConnectedInstall {
  deviceKind: ConnectedKind
  bcmOrGatewayId: string
  serialNumber: string
  deviceId: string
  location?: string | null
  locationDetails?: string | null
  /** What each clamp is around, by the clamp's number. */
  powerClamps?: Readonly<Record<string, string>> | null
}

/** Where a device is connected to a BCM or gateway; what is not known of its place is left out. */
export function connectedInstallPath(tenant: string, install: ConnectedInstall): string {
  const { deviceKind, bcmOrGatewayId, serialNumber, deviceId, location, locationDetails, powerClamps } = install
  const clamps = Object.entries(powerClamps ?? {}).map(([clamp, what]) => [`powerClamp${clamp}`, what] as const)
  const known = [['location', location] as const, ['locationDetails', locationDetails] as const, ...clamps]
    .filter(([, value]) => value)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value!)}`)
  const path = `${pathTo(tenant, 'ConnectedDeviceInstall', deviceKind, bcmOrGatewayId)}/${[serialNumber, deviceId].map(encodeURIComponent).join('/')}`
  return known.length > 0 ? `${path}?${known.join('&')}` : path
}

/** The clamps in the query of a connected device's install route, by their number. */
export function powerClampsIn(query: Readonly<Record<string, unknown>>): Record<string, string> {
  const clamps = Object.entries(query).flatMap(([name, value]) => {
    const clamp = /^powerClamp(.+)$/.exec(name)?.[1]
    return clamp !== undefined && typeof value === 'string' && value !== '' ? [[clamp, value] as const] : []
  })
  return Object.fromEntries(clamps)
}

/** The address that opens a path of the portal in the mobile app: same path, the app's own base. */
export function deepLink(appUrl: string, path: string): string {
  return appUrl.replace(/\/+$/, '') + path
}

/** What the mobile app is opened for: to take a device out of wholesale, or to install it. */
export type HandoverStep = 'claim' | 'install'

/** Why a step is not to be taken with a device, or undefined when it is. */
export function whyNot(
  step: HandoverStep,
  device: Pick<HandedOver, 'status' | 'inWholesale'>,
): 'not in wholesale' | 'in wholesale' | 'installed' | undefined {
  if (step === 'claim') return isWholesale(device) ? undefined : 'not in wholesale'
  if (isWholesale(device)) return 'in wholesale'
  return countsAsInstalled(device.status) ? 'installed' : undefined
}
