import type { ListingName } from '@caretaker/rules/devices/list.ts'

/** The listing of which a case holds all that has failed. */
const withCases = ['EmergencyLights'] as const satisfies ListingName[]
/** The others: between all of them every device is shown once. Home hubs count where the client has them. */
export const others = [
  'Boilers',
  'NetworkingDevices',
  'VStats',
  'ThirdParty',
  'HomeHubs',
] as const satisfies ListingName[]

/** The listings that between them show every device of the client once. */
export const wholes = (hasHubs: boolean): readonly ListingName[] =>
  [...withCases, ...others].filter((name) => hasHubs || name !== 'HomeHubs')
