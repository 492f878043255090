import { callbackPath, placeAreas, segmentsOf } from './places.ts'

/** Every page of the portal as a route of the web client: `$x` is a segment, `{-$x}` an optional one. */
export const pagePaths = [
  '/$tenant',
  '/$tenant/Dashboard',
  '/$tenant/EmergencyLights',
  '/$tenant/EmergencyLights/Listing',
  '/$tenant/EmergencyLights/Listing/$viewId',
  '/$tenant/EmergencyLights/Parts',
  '/$tenant/EmergencyLights/$deviceId/{-$tab}',
  '/$tenant/EmergencyTestResults',
  '/$tenant/Boilers',
  '/$tenant/Boilers/Listing',
  '/$tenant/Boilers/Listing/$viewId',
  '/$tenant/Boilers/$deviceId/{-$tab}',
  '/$tenant/NetworkingDevices',
  '/$tenant/NetworkingDevices/Listing',
  '/$tenant/NetworkingDevices/Listing/$viewId',
  '/$tenant/NetworkingDevices/$deviceId/{-$tab}',
  '/$tenant/Properties',
  '/$tenant/Properties/Import/{-$importId}',
  '/$tenant/Properties/Add',
  '/$tenant/Properties/Archived',
  '/$tenant/Properties/Listing',
  '/$tenant/Properties/Listing/$viewId',
  '/$tenant/Properties/$propertyId/{-$tab}',
  '/$tenant/ThirdParty',
  '/$tenant/ThirdParty/Listing',
  '/$tenant/ThirdParty/Listing/$viewId',
  '/$tenant/ThirdParty/$deviceId/{-$tab}',
  '/$tenant/Bcms',
  '/$tenant/HomeHubs',
  '/$tenant/VStats',
  '/$tenant/MultiDots',
  '/$tenant/Buildings',
  '/$tenant/Buildings/Add',
  '/$tenant/Buildings/$building',
  '/$tenant/EmergencyLightSchedules',
  '/$tenant/EmergencyLightSchedules/Plan',
  '/$tenant/EmergencyLightSchedules/Results',
  '/$tenant/Users',
  '/$tenant/Alerts',
  '/$tenant/Settings',
  '/$tenant/Settings/tags',
  '/$tenant/Settings/accessRightsTags',
  '/$tenant/Settings/luminaire',
  '/$tenant/Settings/residents',
  '/$tenant/Settings/apiKeys',
  '/$tenant/Settings/webhooks',
  '/$tenant/Settings/connections',
  '/$tenant/Settings/connections/newSensors',
  '/$tenant/Settings/connections/models',
  '/$tenant/Settings/connections/models/$modelId/{-$tab}',
  '/$tenant/Settings/connections/messages/$connectionId',
  '/$tenant/Settings/signIn',
  '/$tenant/Settings/awaabsLaw',
  '/$tenant/Settings/Tenants',
  '/$tenant/Settings/Tenants/Add',
  '/$tenant/Settings/Tenants/$tenantId',
  '/$tenant/Settings/System',
  '/$tenant/Audit',
  '/$tenant/ManagedService',
  '/$tenant/Reporting',
  '/$tenant/Reporting/breachRegister',
  '/$tenant/Reporting/myReports',
  '/$tenant/Reporting/mySchedules',
  '/$tenant/Mailbox',
  '/$tenant/MyAccount',
  '/$tenant/BulkActions',
  '/$tenant/Floor',
  '/$tenant/FloorPlan',
  '/$tenant/FloorPlan/Place',
  '/$tenant/BuildingMap',
  '/$tenant/PositionFloor',
  '/$tenant/Support',
  '/$tenant/Error',
  '/$tenant/EmeredDetails',
  '/$tenant/EmeredDetails/$deviceId',
  '/$tenant/BcmDetails',
  '/$tenant/BcmDetails/$deviceId',
  '/$tenant/NetworkDetails',
  '/$tenant/NetworkDetails/$deviceId',
  '/$tenant/BoilerConnectedDevice',
  '/$tenant/BoilerConnectedDevice/$deviceId',
  '/$tenant/EmeredInstall',
  '/$tenant/EmeredInstall/$serialNumber/$deviceId',
  '/$tenant/BcmInstall',
  '/$tenant/BcmInstall/$serialNumber/$deviceId',
  '/$tenant/NetworkInstall',
  '/$tenant/NetworkInstall/$serialNumber/$deviceId',
  '/$tenant/MoveFromWholesale',
  '/$tenant/MoveFromWholesale/$serialNumber',
  '/$tenant/ConnectedDeviceInstall',
  '/$tenant/ConnectedDeviceInstall/$deviceKind/$bcmOrGatewayId/$serialNumber/$deviceId',
] as const
export type PagePath = (typeof pagePaths)[number]

/** First segments of the URLs that the server handles; it refuses to start with a route under any other. */
export const serverSegments = [
  'api',
  'oidc',
  'login',
  'account',
  'assets',
  'livez',
  'readyz',
  'metrics',
  'map',
  'scim',
] as const

/** Static names in the position of a client id, as in `Settings/Tenants/Add`. */
const besideTenantIds = pagePaths
  .filter((path) => path.includes('/$tenantId'))
  .flatMap((path) => {
    const [before] = path.split('$tenantId')
    return pagePaths.filter((other) => other.startsWith(before!)).map((other) => other.slice(before!.length))
  })
  .filter((name) => !name.startsWith('$'))

/** First segments used by the server and the portal, in lower case; no client can have one as its id. */
export const reservedSegments: readonly string[] = [
  ...new Set(
    [...serverSegments, ...segmentsOf(callbackPath), ...placeAreas, ...besideTenantIds].map((one) => one.toLowerCase()),
  ),
]

const patterns = pagePaths.map((path) => path.slice(1).split('/').slice(1))

/** Whether a URL is a page of the portal. The client comes first; without one, users choose it on arrival. */
export function isPagePath(path: string): boolean {
  const segments = segmentsOf(path)
  const [first = '', ...rest] = segments
  if (!segments.length || path.split(/[?#]/, 1)[0]!.toLowerCase() === callbackPath) return true
  const isTenant = /^[a-z0-9][a-z0-9-]{0,39}$/i.test(first) && !reservedSegments.includes(first.toLowerCase())
  const below = isTenant ? rest : segments
  return patterns.some((pattern) => (isTenant || pattern.length > 0) && isLike(below, pattern))
}

function isLike(segments: readonly string[], pattern: readonly string[]): boolean {
  const needed = pattern.filter((part) => !part.startsWith('{-'))
  if (segments.length < needed.length || segments.length > pattern.length) return false
  return segments.every((segment, at) => {
    const part = pattern[at]!
    return part.startsWith('$') || part.startsWith('{-') || part.toLowerCase() === segment.toLowerCase()
  })
}
