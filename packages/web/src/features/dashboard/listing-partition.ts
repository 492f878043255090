import type { ListingName } from '@caretaker/rules/devices/list.ts'

/** The listings whose failures are counted by one case each. */
const withCases = ['EmergencyLights'] as const satisfies ListingName[]
/** The other listings: together they show every device once. Home hubs are included if the client has them. */
export const others = [
  'Boilers',
  'NetworkingDevices',
  'VStats',
  'ThirdParty',
  'HomeHubs',
] as const satisfies ListingName[]

/** The listings that together show every device of the client once. */
export const listingPartition = (hasHubs: boolean): readonly ListingName[] =>
  [...withCases, ...others].filter((name) => hasHubs || name !== 'HomeHubs')
