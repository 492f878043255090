/** The first path segment after the tenant, of every screen that a person can be at (core specification, section 2.4). */
export const placeAreas = [
  'Dashboard',
  'Properties',
  'ManagedService',
  'EmergencyLights',
  'NetworkingDevices',
  'Buildings',
  'BuildingMap',
  'EmergencyLightSchedules',
  'EmergencyTestResults',
  'Boilers',
  'BoilerConnectedDevice',
  'MoveFromWholesale',
  'EmeredInstall',
  'BcmInstall',
  'NetworkInstall',
  'ConnectedDeviceInstall',
  'EmeredDetails',
  'BcmDetails',
  'HomeHubDetails',
  'NetworkDetails',
  'Bcms',
  'HomeHubs',
  'VStats',
  'MultiDots',
  'ThirdParty',
  'Floor',
  'FloorPlan',
  'PositionFloor',
  'Reporting',
  'Users',
  'Alerts',
  'Settings',
  'Audit',
  'Mailbox',
  'BulkActions',
  'MyAccount',
  'Support',
  'Error',
] as const
export type PlaceArea = (typeof placeAreas)[number]

/** An address of the portal: '{tenant}/{area}/{id}/{subid}', leaving out the parts that are not given. */
export function pathTo(tenant: string, area?: PlaceArea, id?: string, subid?: string): string {
  const parts = [tenant, area, id, subid]
  const known = parts.slice(0, parts.indexOf(undefined) < 0 ? parts.length : parts.indexOf(undefined)) as string[]
  return `/${known.map(encodeURIComponent).join('/')}`
}

/** The segments of a path, decoded; a segment that cannot be decoded stays as it is. */
export function segmentsOf(path: string): string[] {
  return (path.split(/[?#]/, 1)[0] ?? '').split('/').filter(Boolean).map(decoded)
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** The area that a segment names, whatever its letter case. */
export function areaNamed(segment: string | undefined): PlaceArea | undefined {
  return placeAreas.find((area) => area.toLowerCase() === segment?.toLowerCase())
}

/** Which of these tenants the path begins with, if any. */
export function tenantInPath(path: string, tenants: readonly string[]): string | undefined {
  const [first] = segmentsOf(path)
  return tenants.find((tenant) => tenant.toLowerCase() === first?.toLowerCase())
}

/**
 * The address that a picked tenant opens from the current one: the same, prefixed by the tenant. Another tenant's prefix
 * is replaced, the area kept, and ids and query dropped, because they belong to the other tenant (core gaps B5).
 */
export function addressInTenant(address: string, tenant: string): string {
  const [first, second] = segmentsOf(address)
  if (first === undefined) return pathTo(tenant, 'Dashboard')
  if (tenantInPath(address, [tenant])) return address
  if (areaNamed(first)) return `${pathTo(tenant)}${address}`
  return pathTo(tenant, areaNamed(second) ?? 'Dashboard')
}

/** Where a change of client begins: the area without tenant and ids, so that picking the next client opens it there. */
export function addressWithoutTenant(address: string): string {
  return `/${areaNamed(segmentsOf(address)[1]) ?? 'Dashboard'}`
}

/** Where the identity provider sends people back to: a step of signing in, never a place to come back to. */
export const callbackPath = '/callback'

/**
 * The remembered target of a sign-in, or undefined when there is none worth returning to. Only an address of the portal
 * itself counts: a stored value must not lead a person to another site.
 */
export function safeTarget(target: unknown): string | undefined {
  if (typeof target !== 'string' || !target.startsWith('/') || /^\/[/\\]/.test(target)) return undefined
  // oxlint-disable-next-line no-control-regex -- browsers drop these, and '/\t/evil' would become '//evil'
  if (/[\u0000-\u001f\\]/.test(target)) return undefined
  const path = target.split(/[?#]/, 1)[0]!
  return path === '/' || path.toLowerCase() === callbackPath ? undefined : target
}

/** The Dashboard on which a sign-in lands before it goes on to its target (core specification, section 2.1). */
export function landingFor(target: string | undefined): string {
  const [first] = segmentsOf(target ?? '')
  return first === undefined || areaNamed(first) ? '/Dashboard' : pathTo(first, 'Dashboard')
}
