import { IconBuilding, IconHome, IconList, IconLock, IconShieldHalf, IconUser, IconWorld } from '../../icons/index.ts'
import { defaultStringifySearch } from '@tanstack/react-router'
import type { Answer } from '@caretaker/contract/route.ts'
import type { RouteOf } from '@caretaker/contract/routes.ts'
import type { FoundDevice } from '@caretaker/contract/search.ts'
import type { searchEverything } from '@caretaker/contract/calls/search.ts'
import { complianceGroups, stateWords } from '@caretaker/rules/compliance/due.ts'
import { rowPath } from '@caretaker/rules/links/row-click.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { detailListings, listingNames, listingOf, listings } from '@caretaker/rules/devices/list.ts'
import { fieldsOf } from '@caretaker/rules/lists/list.ts'
import { listOfRoot } from '@caretaker/rules/views/lists.ts'
import { viewGroup } from '@caretaker/rules/views/view.ts'
import { listingAddress, viewAddress } from '../../api/listing-address.ts'
import { AreaIcon } from '../area-icon.tsx'
import type { Entry, Group } from './entries.ts'
import { isMatch } from './entries.ts'

export type Found = NonNullable<Answer<RouteOf<typeof searchEverything>>['data']>

export const iconProps = { size: 18, stroke: 1.7, 'aria-hidden': true } as const

/**
 * Buildings open the first listing that can be filtered by them, because users who search for a building want its
 * devices.
 */
export function buildingGroup(actor: Actor, { buildings }: Found): Group {
  const listing = listingNames.find(
    (name) =>
      can(actor, listings[name].may) && fieldsOf(listings[name], false).some(({ fieldId }) => fieldId === 'building'),
  )
  const entries = buildings.items.map(({ buildingId, name, address, status }): Entry => ({
    id: `building-${buildingId}`,
    icon: <IconBuilding {...iconProps} />,
    label: name,
    detail: address ?? undefined,
    status: status ?? undefined,
    href: listingAddress(actor.tenant, listing ?? 'EmergencyLights', {
      filters: [{ fieldId: 'building', filterOp: 'equals', value: name }],
    }),
  }))
  return { name: 'Buildings', found: buildings.total, entries: listing ? entries : [] }
}

/**
 * Properties whose reference or address matches, each with the found devices beneath. A property links to its page; a
 * user without access to properties sees only the devices.
 */
export function propertyGroups(actor: Actor, { devices, properties }: Found, text: string): Group[] {
  const inside = Map.groupBy(devices.items.filter(matchesHome(text)), ({ propertyId }) => propertyId!)
  const entryOf = (propertyId: string, reference: string, address: string | null, state?: string): Entry => ({
    id: `property-${propertyId}`,
    icon: <IconHome {...iconProps} />,
    label: reference || address || 'No reference',
    detail: [reference ? address : null, state].filter(Boolean).join(', ') || undefined,
    href: pathTo(actor.tenant, 'Properties', propertyId, 'info'),
  })
  const homes = new Map(
    properties.items.map(({ propertyId, propertyReference, address, gasSafety }): [string, Entry] => {
      const isBad = gasSafety !== null && complianceGroups[gasSafety] === 'Failed'
      const state = isBad ? `gas ${stateWords[gasSafety].toLowerCase()}` : undefined
      return [propertyId, entryOf(propertyId, propertyReference, address, state)]
    }),
  )
  if (can(actor, 'see properties'))
    for (const [propertyId, [first]] of inside)
      if (!homes.has(propertyId)) homes.set(propertyId, entryOf(propertyId, first!.propertyReference!, first!.address))
  return [...new Set([...homes.keys(), ...inside.keys()])].map((propertyId): Group => {
    const home = homes.get(propertyId)
    const beneath = shownTo(actor, inside.get(propertyId) ?? []).map(({ device, listing }) => ({
      ...deviceEntry(actor, listing, device, device.name),
      beneath: home !== undefined,
    }))
    return { name: 'Property', entries: [...(home ? [home] : []), ...beneath] }
  })
}

const matchesHome = (text: string) => (device: FoundDevice) =>
  device.propertyReference !== null && isMatch(text, device.propertyReference, device.address ?? undefined)

/** The best matching devices, and a link per listing to all its matches. */
export function deviceGroup(actor: Actor, { devices }: Found, text: string): Group {
  const found = shownTo(actor, devices.items)
  const isBeneath = matchesHome(text)
  const entries = found
    .filter(({ device }) => !isBeneath(device))
    .map(({ device, listing }) => deviceEntry(actor, listing, device, whereabouts(device, text)))
  const shown = [...new Set(found.map(({ listing }) => listing))]
  const listingLinks = shown.map((listing): Entry => ({
    id: `listing-${listing}`,
    icon: <IconList {...iconProps} />,
    label: `Search ${listings[listing].label} for ‘${text}’`,
    href: listingAddress(actor.tenant, listing, { search: text }),
  }))
  return { name: 'Devices', found: devices.total, entries: [...entries, ...listingLinks] }
}

/** The devices in listings that the user may see. */
function shownTo(actor: Actor, devices: readonly FoundDevice[]) {
  return devices.flatMap((device) => {
    const listing = listingOf(device.productId)
    return listing && can(actor, listings[listing].may) ? [{ device, listing }] : []
  })
}

const deviceEntry = (actor: Actor, listing: ListingName, device: FoundDevice, detail: string): Entry => ({
  id: `device-${device.deviceId}`,
  icon: <AreaIcon name={listing} size={iconProps.size} />,
  label: device.serialNumber,
  detail,
  status: device.status,
  href: deviceAddress(actor, listing, device),
})

/** The name and place; also the address or tag if that matched. */
function whereabouts({ name, place, address, tag }: FoundDevice, text: string): string {
  const known = [name, place].filter(Boolean).join(', ')
  const further = [!place || !isMatch(text, known) ? address : null, tag && `tag ${tag}`]
  return [known, ...further].filter(Boolean).join(', ')
}

/** The page of the device, or its row in the listing if it has no page. */
function deviceAddress(actor: Actor, listing: ListingName, device: FoundDevice): string {
  const { deviceId, serialNumber, productId: product, status, inWholesale } = device
  const page = (detailListings as readonly ListingName[]).includes(listing)
    ? rowPath(actor, listing, { deviceId, serialNumber, product, status, inWholesale })
    : undefined
  return page ?? listingAddress(actor.tenant, listing, { search: serialNumber })
}

/** Users link to their row in the list of users; only for user administrators. */
export function peopleGroup(actor: Actor, { people }: Found): Group {
  const users = pathTo(actor.tenant, 'Users')
  const entries = people.items.flatMap(({ userId, name, email }): Entry[] => {
    if (!can(actor, 'administer users') || !email) return []
    const href = users + defaultStringifySearch({ filter: email })
    return [{ id: `person-${userId}`, icon: <IconUser {...iconProps} />, label: name, detail: email, href }]
  })
  return { name: 'People', found: people.total, entries }
}

const viewIcons = { system: IconShieldHalf, public: IconWorld, private: IconLock }
const viewKinds = { system: 'System', public: 'Public', private: 'Private' }

/** Views that open in their listing; only for users with access to it. */
export function viewEntries(actor: Actor, views: readonly Found['views']['items'][number][]): Entry[] {
  return views.flatMap((view): Entry[] => {
    const list = listOfRoot(view.root)
    if (!list || !can(actor, list.may)) return []
    const kind = viewGroup(view)
    const Icon = viewIcons[kind]
    return [
      {
        id: `view-${view.root}-${view.viewId}`,
        icon: <Icon {...iconProps} />,
        label: view.label,
        detail: `${viewKinds[kind]} view of ${list === listings.Bcms ? 'Boilers by heating type' : list.label}`,
        href: viewAddress(actor.tenant, list, view.viewId),
      },
    ]
  })
}
