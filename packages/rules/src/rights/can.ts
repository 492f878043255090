import type { Capability, Feature } from '../identity/features.ts'
import type { Area, Level, Role } from '../identity/roles.ts'
import { levelOf, levels } from '../identity/roles.ts'
import type { Product } from '../devices/products.ts'
import { areaOf, productCodes } from '../devices/products.ts'
import { countsAsInstalled } from '../devices/status.ts'

/** Somebody at work in one tenant: everything that decides what they may see and do there. */
export interface Actor {
  userId: string
  /** The person as a user of the tenant: the id by which its users are listed, and own views. */
  memberId: string
  tenant: string
  role: Role
  /** Ids of the access rights tags the person carries in this tenant. */
  tags: readonly string[]
  features: readonly Feature[]
  capabilities: readonly Capability[]
}

/** What a permission question needs to know of a device. */
export interface DeviceSubject {
  product: Product
  status: string
  inWholesale: boolean
  /** Ids of the access rights tags of the device; one at most in the portal. */
  accessRightsTags: readonly string[]
}

/** Whether the actor carries access rights tags, and therefore sees only what carries one of them. */
export function isLimited(actor: Pick<Actor, 'tags'>): boolean {
  return actor.tags.length > 0
}

/** A developer with access to all areas sees every route and tab, limited or not (core gaps A15). */
export function seesEverything(actor: Pick<Actor, 'role'>): boolean {
  return levelOf(actor.role, 'all') >= levels.dev
}

/** Whether no restriction keeps parts of the tenant from the actor. */
const seesTenant = (actor: Pick<Actor, 'role' | 'tags'>) => !isLimited(actor) || seesEverything(actor)

/** A developer is at work where a feature is off, too: the flags of a tenant say what it has bought (core gaps A15). */
const hasFeature = (actor: Actor, feature: Feature) => seesEverything(actor) || actor.features.includes(feature)
const hasCapability = (actor: Actor, one: Capability) => seesEverything(actor) || actor.capabilities.includes(one)

export function hasLevel(actor: Pick<Actor, 'role'>, area: Area, level: Level): boolean {
  return levelOf(actor.role, area) >= level
}

/** The two capabilities that follow from the level in an area (devices specification, section 1). */
export const isManager = (actor: Pick<Actor, 'role'>, area: Area) => hasLevel(actor, area, levels.manage)
/** An engineer of an area is whoever may edit there. */
export const isEngineer = (actor: Pick<Actor, 'role'>, area: Area) => hasLevel(actor, area, levels.edit)

/** Whether the actor's access rights tags leave the device visible; without tags everything is. */
export function tagsAllow(actor: Pick<Actor, 'tags'>, device: Pick<DeviceSubject, 'accessRightsTags'>): boolean {
  return !isLimited(actor) || device.accessRightsTags.some((tag) => actor.tags.includes(tag))
}

/** A device is read-only for those who may read its area but not edit it. */
export function isReadOnly(actor: Pick<Actor, 'role'>, device: Pick<DeviceSubject, 'product'>): boolean {
  return !isEngineer(actor, areaOf(device.product))
}

/** Questions about the tenant as a whole. */
const general = {
  /** Any member of the tenant, whatever the role. */
  'enter tenant': () => true,
  'see lighting': (actor: Actor) => hasLevel(actor, 'lighting', levels.read),
  'see boilers': (actor: Actor) => hasLevel(actor, 'boilers', levels.read),
  'see networking': (actor: Actor) => hasLevel(actor, 'networking', levels.read),
  'see third party': (actor: Actor) => hasLevel(actor, 'thirdParty', levels.read),
  'see reports': (actor: Actor) => hasLevel(actor, 'reports', levels.read),
  /** Thermostats and multi-dots, whose area is misc by their device type. */
  'see sensors': (actor: Actor) => hasLevel(actor, 'misc', levels.read),
  /** The device map, and the map on which a floor is positioned (core gaps B10). */
  'see maps': (actor: Actor) => hasLevel(actor, 'misc', levels.read),
  /** Home hubs, where the tenant has them. */
  'see home hubs': (actor: Actor) => hasLevel(actor, 'misc', levels.read) && hasFeature(actor, 'HomeHub'),
  'see properties': (actor: Actor) => hasFeature(actor, 'PropertyCentric') && hasCapability(actor, 'ViewProperties'),
  'see managed service': (actor: Actor) => hasFeature(actor, 'ManagedService'),
  /** Buildings and the test schedules of their lights: hidden from limited users. */
  'see buildings': seesTenant,
  'see test schedules': seesTenant,
  /** The sidebar's way to all test results; who sees lighting may open them by address. */
  'be led to test results': (actor: Actor) => hasLevel(actor, 'misc', levels.dev),
  /** Claiming and installing devices of any area at all, by handing them over to the mobile app. */
  'install devices': (actor: Actor) => productCodes.some((code) => !isReadOnly(actor, { product: code })),
  /** Names of the tenant's users, for example of a view's authors. */
  'see users': (actor: Actor) => hasLevel(actor, 'users', levels.read),
  /** The Users screen and every change on it; who may change whom is `whyNotChange`. */
  'administer users': (actor: Actor) => hasLevel(actor, 'misc', levels.edit),
  /** New tags of the tenant. */
  'manage tags': (actor: Actor) => isManager(actor, 'misc'),
  /** Another name of a tag, and its end, are those of every device, the ones that a limited user does not see included. */
  'change tags': (actor: Actor) => isManager(actor, 'misc') && seesTenant(actor),
  /** Settings are hidden from limited users; a developer with all areas sees them all the same. */
  'see settings': (actor: Actor) => hasLevel(actor, 'misc', levels.read) && seesTenant(actor),
  /** Creating and deleting access rights tags: a manager of misc who carries none. */
  'manage access rights tags': (actor: Actor) => isManager(actor, 'misc') && !isLimited(actor),
  /** The record of every change, of things of all restrictions: admins and developers. */
  'see audit': (actor: Actor) => hasLevel(actor, 'misc', levels.admin) && seesTenant(actor),
  /** The mails that a demo keeps instead of sending them, password links included. */
  'see mailbox': seesEverything,
}

/** Questions about one device. Asked without a device, they say whether the actor may do it to any device at all. */
const onDevice = {
  'see device': (actor: Actor, device: DeviceSubject) =>
    hasLevel(actor, areaOf(device.product), levels.read) && tagsAllow(actor, device),
  'flick test': (actor: Actor, device: DeviceSubject) =>
    areaOf(device.product) === 'lighting' &&
    isEngineer(actor, 'lighting') &&
    tagsAllow(actor, device) &&
    !device.inWholesale &&
    countsAsInstalled(device.status),
  /** Tags of a device: a manager of misc (devices specification, section 6). */
  'tag device': (actor: Actor, device: DeviceSubject) => tagsAllow(actor, device) && mayTag(actor),
  uninstall: (actor: Actor, device: DeviceSubject) =>
    tagsAllow(actor, device) && !isReadOnly(actor, device) && countsAsInstalled(device.status),
  /** Joining and leaving the network: emergency lights and repeaters. */
  'change network': (actor: Actor, device: DeviceSubject) =>
    (areaOf(device.product) === 'lighting' || device.product === 'ZR') &&
    tagsAllow(actor, device) &&
    !isReadOnly(actor, device) &&
    countsAsInstalled(device.status),
  /** Clearing the lockout of a boiler or autofill. */
  'reset device': (actor: Actor, device: DeviceSubject) =>
    tagsAllow(actor, device) && !isReadOnly(actor, device) && !device.inWholesale,
  /** Not read-only, and the device's own flag or the tenant's capability says so. */
  'set access rights tag': (actor: Actor, device: DeviceSubject) =>
    tagsAllow(actor, device) && !isReadOnly(actor, device) && mayUpdateAccessRightsTags(actor),
}

/**
 * The flag userCanUpdateAccessRightsTag of a device: a manager of misc who carries no tags, where the device is not
 * read-only. Limited users could otherwise lift or hand on the restrictions that hold for themselves.
 */
export function userCanUpdateAccessRightsTag(actor: Actor, device: Pick<DeviceSubject, 'product'>): boolean {
  return !isReadOnly(actor, device) && !isLimited(actor) && isManager(actor, 'misc')
}

const mayTag = (actor: Actor) => isManager(actor, 'misc')
const mayEditAny = (actor: Actor) => productCodes.some((code) => !isReadOnly(actor, { product: code }))

/** The flag's part that is no device's own, or the capability in its place. */
function mayUpdateAccessRightsTags(actor: Actor): boolean {
  return !isLimited(actor) && (isManager(actor, 'misc') || actor.capabilities.includes('EditAccessRightsTags'))
}

const onAnyDevice: Record<keyof typeof onDevice, (actor: Actor) => boolean> = {
  'see device': () => true,
  'flick test': (actor) => isEngineer(actor, 'lighting'),
  'tag device': mayTag,
  uninstall: mayEditAny,
  'change network': (actor) => isEngineer(actor, 'lighting') || isEngineer(actor, 'networking'),
  'reset device': mayEditAny,
  'set access rights tag': mayUpdateAccessRightsTags,
}

export type GeneralAction = keyof typeof general
export type DeviceAction = keyof typeof onDevice
export type Action = GeneralAction | DeviceAction

export const actions = [...Object.keys(general), ...Object.keys(onDevice)] as Action[]

/**
 * The one question about permission, asked by the server before it acts and by the web before it offers.
 * A device action without its device asks whether the actor may do it to any device at all.
 */
export function can(actor: Actor, action: Action, device?: DeviceSubject): boolean {
  if (action in general) return general[action as GeneralAction](actor)
  return device ? onDevice[action as DeviceAction](actor, device) : onAnyDevice[action as DeviceAction](actor)
}
