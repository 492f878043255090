/** The first path segment after the tenant of every screen (core specification, section 2.4). */
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

/** A path of the portal: '{tenant}/{area}/{id}/{subid}', without the parts that are not given. */
export function pathTo(tenant: string, area?: PlaceArea, id?: string, subid?: string): string {
  const parts = [tenant, area, id, subid]
  const known = parts.slice(0, parts.indexOf(undefined) < 0 ? parts.length : parts.indexOf(undefined)) as string[]
  return `/${known.map(encodeURIComponent).join('/')}`
}

/** The decoded segments of a path; a segment that cannot be decoded stays as it is. */
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

/** The area named by a segment, ignoring letter case. */
export function areaNamed(segment: string | undefined): PlaceArea | undefined {
  return placeAreas.find((area) => area.toLowerCase() === segment?.toLowerCase())
}

/** Which of these tenants the path begins with, if any. */
export function tenantInPath(path: string, tenants: readonly string[]): string | undefined {
  const [first] = segmentsOf(path)
  return tenants.find((tenant) => tenant.toLowerCase() === first?.toLowerCase())
}

/**
 * The URL to open after a tenant was picked: the current one with the tenant as prefix. Another tenant's prefix is
 * replaced; the area is kept, ids and query are dropped, since they belong to the other tenant (core gaps B5).
 */
export function addressInTenant(address: string, tenant: string): string {
  const [first, second] = segmentsOf(address)
  if (first === undefined) return pathTo(tenant, 'Dashboard')
  if (tenantInPath(address, [tenant])) return address
  if (areaNamed(first)) return `${pathTo(tenant)}${address}`
  return pathTo(tenant, areaNamed(second) ?? 'Dashboard')
}

/** The URL for switching clients: the area without tenant and ids, to be opened in the next client. */
export function addressWithoutTenant(address: string): string {
  return `/${areaNamed(segmentsOf(address)[1]) ?? 'Dashboard'}`
}

/** The redirect path of the identity provider; never a target to return to. */
export const callbackPath = '/callback'

/**
 * The stored target of a sign-in, or undefined if unusable. Only paths of the portal are accepted: a stored value must
 * not lead to another site.
 */
export function safeTarget(target: unknown): string | undefined {
  if (typeof target !== 'string' || !target.startsWith('/') || /^\/[/\\]/.test(target)) return undefined
  // oxlint-disable-next-line no-control-regex -- browsers drop these, and '/\t/evil' would become '//evil'
  if (/[\u0000-\u001f\\]/.test(target)) return undefined
  const path = target.split(/[?#]/, 1)[0]!
  return path === '/' || path.toLowerCase() === callbackPath ? undefined : target
}

/** The Dashboard, where a sign-in lands before continuing to its target (core specification, section 2.1). */
export function landingFor(target: string | undefined): string {
  const [first] = segmentsOf(target ?? '')
  return first === undefined || areaNamed(first) ? '/Dashboard' : pathTo(first, 'Dashboard')
}
