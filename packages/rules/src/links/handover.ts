import type { PlaceArea } from './places.ts'
import { pathTo } from './places.ts'
import { listingOf } from '../devices/list.ts'
import type { Product } from '../devices/products.ts'
import { countsAsInstalled } from '../devices/status.ts'

/** The facts about a device that a hand-over to the mobile app needs. */
export interface HandedOver {
  deviceId: string
  serialNumber: string
  product: Product
  status: string
  inWholesale: boolean
  /** The property of the device, if known. */
  propertyId?: string | null
}

/** A wholesale device has the flag, whatever its status (core specification, section 9). */
export function isWholesale(device: Pick<HandedOver, 'inWholesale'>): boolean {
  return device.inWholesale
}

/** The boiler control modules of the Boilers listing; all other devices there are connected to one (decisions, 1). */
export function isBcm(product: Product): boolean {
  return product === 'BX' || product === 'BC'
}

/** The install route of a device type; undefined if it is installed only through a BCM or gateway. */
export function installAreaOf(product: Product): PlaceArea | undefined {
  const listing = listingOf(product)
  if (listing === 'EmergencyLights') return 'EmeredInstall'
  if (listing === 'NetworkingDevices') return 'NetworkInstall'
  return isBcm(product) ? 'BcmInstall' : undefined
}

export function movePath(tenant: string, serialNumber: string): string {
  return pathTo(tenant, 'MoveFromWholesale', serialNumber)
}

/** The install path of a device; undefined if it depends on the device's BCM or gateway. */
export function installPath(
  tenant: string,
  device: Pick<HandedOver, 'product' | 'serialNumber' | 'deviceId'>,
): string | undefined {
  const area = installAreaOf(device.product)
  return area && pathTo(tenant, area, device.serialNumber, device.deviceId)
}

/** The path of a device's page in the mobile app; undefined if it has none. */
export function appPagePath(tenant: string, device: Pick<HandedOver, 'product' | 'deviceId'>): string | undefined {
  const listing = listingOf(device.product)
  if (listing === 'EmergencyLights') return pathTo(tenant, 'EmeredDetails', device.deviceId)
  if (listing === 'NetworkingDevices') return pathTo(tenant, 'NetworkDetails', device.deviceId)
  if (isBcm(device.product)) return pathTo(tenant, 'BcmDetails', device.deviceId)
  if (listing === 'HomeHubs') return pathTo(tenant, 'HomeHubDetails', device.deviceId)
  return listing === 'Boilers' ? pathTo(tenant, 'BoilerConnectedDevice', device.deviceId) : undefined
}

/** Devices connected to a BCM or gateway, as named by the mobile app (devices gaps A7). */
const connectedKinds = { PM: 'PowerSense', PS: 'PowerSense', MD: 'MultiDot', ED: 'EnviroDot' } as const
export type ConnectedKind = (typeof connectedKinds)[keyof typeof connectedKinds]

export function connectedKindOf(product: Product): ConnectedKind | undefined {
  return product in connectedKinds ? connectedKinds[product as keyof typeof connectedKinds] : undefined
}

/** Whether such devices can be connected to the product. */
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
  /** The circuit that each clamp measures, by clamp number. */
  powerClamps?: Readonly<Record<string, string>> | null
}

/** The install path of a device connected to a BCM or gateway; unknown parts are omitted. */
export function connectedInstallPath(tenant: string, install: ConnectedInstall): string {
  const { deviceKind, bcmOrGatewayId, serialNumber, deviceId, location, locationDetails, powerClamps } = install
  const clamps = Object.entries(powerClamps ?? {}).map(([clamp, what]) => [`powerClamp${clamp}`, what] as const)
  const known = [['location', location] as const, ['locationDetails', locationDetails] as const, ...clamps]
    .filter(([, value]) => value)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value!)}`)
  const path = `${pathTo(tenant, 'ConnectedDeviceInstall', deviceKind, bcmOrGatewayId)}/${[serialNumber, deviceId].map(encodeURIComponent).join('/')}`
  return known.length > 0 ? `${path}?${known.join('&')}` : path
}

/** The clamps in the query of such an install route, by number. */
export function powerClampsIn(query: Readonly<Record<string, unknown>>): Record<string, string> {
  const clamps = Object.entries(query).flatMap(([name, value]) => {
    const clamp = /^powerClamp(.+)$/.exec(name)?.[1]
    return clamp !== undefined && typeof value === 'string' && value !== '' ? [[clamp, value] as const] : []
  })
  return Object.fromEntries(clamps)
}

/** The URL that opens a portal path in the mobile app: same path, the app's own base URL. */
export function deepLink(appUrl: string, path: string): string {
  return appUrl.replace(/\/+$/, '') + path
}

/** Why the mobile app is opened: to claim a device from wholesale, or to install it. */
export type HandoverStep = 'claim' | 'install'

/** Why a step is not possible for a device; undefined if it is. */
export function whyNot(
  step: HandoverStep,
  device: Pick<HandedOver, 'status' | 'inWholesale'>,
): 'not in wholesale' | 'in wholesale' | 'installed' | undefined {
  if (step === 'claim') return isWholesale(device) ? undefined : 'not in wholesale'
  if (isWholesale(device)) return 'in wholesale'
  return countsAsInstalled(device.status) ? 'installed' : undefined
}
