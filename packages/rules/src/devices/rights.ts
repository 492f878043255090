import type { Actor } from '../identity/actor.ts'
import {
  hasFeature,
  hasLevel,
  isEngineer,
  isLimited,
  isManager,
  seesEverything,
  seesTenant,
  tagsAllow,
} from '../identity/actor.ts'
import { levels } from '../identity/roles.ts'
import type { GeneralRights, SubjectRights } from '../identity/rights.ts'
import { detailListingOf } from './list.ts'
import type { Product } from './products.ts'
import { areaOf, familyOf, isRestrictedType, productCodes } from './products.ts'
import { countsAsInstalled, isInService } from './status.ts'

/** What a permission question needs to know of a device. */
export interface DeviceSubject {
  product: Product
  status: string
  inWholesale: boolean
  /** Ids of the access rights tags of the device; one at most in the portal. */
  accessRightsTags: readonly string[]
}

/** A device is read-only for those who may read its area but not edit it. */
export function isReadOnly(actor: Pick<Actor, 'role'>, device: Pick<DeviceSubject, 'product'>): boolean {
  return !isEngineer(actor, areaOf(device.product))
}

/** What a page lets edit: nothing of a device that is read-only, and nothing of a restricted type (devices specification, section 6). */
function isEditable(actor: Pick<Actor, 'role'>, device: Pick<DeviceSubject, 'product'>): boolean {
  return !isReadOnly(actor, device) && !isRestrictedType(device.product)
}

/**
 * Whether the actor may read what happened to a device. 'Limited-access': neither who sees a part of the tenant only nor who
 * may only read (decisions, 9); a developer with access to all areas may (core-6-26).
 */
export function readsHistory(actor: Actor, device: Pick<DeviceSubject, 'product'>): boolean {
  return seesEverything(actor) || (!isLimited(actor) && !isReadOnly(actor, device))
}

/**
 * The flag userCanUpdateAccessRightsTag of a device: a manager of misc who carries no tags, where the device is not
 * read-only. Limited users could otherwise lift or hand on the restrictions that hold for themselves.
 */
export function userCanUpdateAccessRightsTag(actor: Actor, device: Pick<DeviceSubject, 'product'>): boolean {
  return !isReadOnly(actor, device) && !isLimited(actor) && isManager(actor, 'misc')
}

const hidesEditing = (actor: Actor) => actor.features.includes('HideEditPropertyAndResidentFields')
const mayEditBoilers = (actor: Actor) => isEngineer(actor, 'boilers') && !hidesEditing(actor)
const mayTag = (actor: Actor) => isManager(actor, 'misc')
/** As with the keys of other software: managers, never limited users. */
const managesKeys = (actor: Actor) => isManager(actor, 'misc') && seesTenant(actor)
const mayEditAny = (actor: Actor) => productCodes.some((code) => !isReadOnly(actor, { product: code }))

/** The flag's part that is no device's own, or the capability in its place. */
export function mayUpdateAccessRightsTags(actor: Actor): boolean {
  return !isLimited(actor) && (isManager(actor, 'misc') || actor.capabilities.includes('EditAccessRightsTags'))
}

/** Questions about the devices of a tenant as a whole. */
export const devicesRights = {
  'see lighting': (actor) => hasLevel(actor, 'lighting', levels.read),
  'see boilers': (actor) => hasLevel(actor, 'boilers', levels.read),
  'see networking': (actor) => hasLevel(actor, 'networking', levels.read),
  'see lift monitors': (actor) => hasLevel(actor, 'liftMonitors', levels.read),
  'see people counters': (actor) => hasLevel(actor, 'peopleCounters', levels.read),
  'see third party': (actor) => hasLevel(actor, 'thirdParty', levels.read),
  /** Thermostats and multi-dots, whose area is misc by their device type. */
  'see sensors': (actor) => hasLevel(actor, 'misc', levels.read),
  /** Home hubs, where the tenant has them. */
  'see home hubs': (actor) => hasLevel(actor, 'misc', levels.read) && hasFeature(actor, 'HomeHub'),
  /** Claiming and installing devices of any area at all, by handing them over to the mobile app. */
  'install devices': (actor) => mayEditAny(actor),
} satisfies GeneralRights

/** Questions about one device. */
export const deviceRights = {
  'see device': {
    any: () => true,
    one: (actor, device) => hasLevel(actor, areaOf(device.product), levels.read) && tagsAllow(actor, device),
  },
  'see device history': {
    any: (actor) => productCodes.some((product) => readsHistory(actor, { product })),
    one: (actor, device) => tagsAllow(actor, device) && readsHistory(actor, device),
  },
  'flick test': {
    any: (actor) => isEngineer(actor, 'lighting'),
    one: (actor, device) =>
      areaOf(device.product) === 'lighting' &&
      isEngineer(actor, 'lighting') &&
      tagsAllow(actor, device) &&
      !device.inWholesale &&
      countsAsInstalled(device.status),
  },
  /** Saying that it is broken, disabled, due or repaired. */
  'set condition': {
    any: mayEditAny,
    one: (actor, device) => tagsAllow(actor, device) && isEditable(actor, device) && !device.inWholesale,
  },
  /** Writing into its file what nobody measures: whoever may edit it, wherever it is. */
  'write note': {
    any: mayEditAny,
    one: (actor, device) => tagsAllow(actor, device) && isEditable(actor, device),
  },
  /** Looking at what it sent and what it is sent, as it is: developers with access to all areas (core-6-26). */
  'debug device': {
    any: seesEverything,
    one: (actor, device) => seesEverything(actor) && tagsAllow(actor, device),
  },
  /** Tags of a device: a manager of misc (devices specification, section 6). */
  'tag device': {
    any: mayTag,
    one: (actor, device) => tagsAllow(actor, device) && mayTag(actor),
  },
  uninstall: {
    any: mayEditAny,
    one: (actor, device) => tagsAllow(actor, device) && !isReadOnly(actor, device) && countsAsInstalled(device.status),
  },
  /** The way back: whoever may uninstall it, as soon as it is claimed from wholesale. */
  install: {
    any: mayEditAny,
    one: (actor, device) =>
      tagsAllow(actor, device) && !isReadOnly(actor, device) && !device.inWholesale && !isInService(device.status),
  },
  /** Seeing whether a device may connect, giving it a new key, and revoking its key. */
  'manage device keys': {
    any: managesKeys,
    one: (actor, device) => managesKeys(actor) && tagsAllow(actor, device),
  },
  /** Saying where it is: whoever may edit it. */
  'place device': {
    any: mayEditAny,
    one: (actor, device) =>
      tagsAllow(actor, device) &&
      isEditable(actor, device) &&
      !(detailListingOf(device.product) === 'Boilers' && hidesEditing(actor)),
  },
  /** What is set on the page of a boiler or heat pump, of the device and of its home (devices specification, section 6). */
  'edit boiler': {
    any: mayEditBoilers,
    one: (actor, device) =>
      mayEditBoilers(actor) &&
      detailListingOf(device.product) === 'Boilers' &&
      tagsAllow(actor, device) &&
      !isReadOnly(actor, device) &&
      !isRestrictedType(device.product),
  },
  /** The relays of a power switch, which are shown with the heat pump that they switch. */
  'switch relay': {
    any: mayEditBoilers,
    one: (actor, device) =>
      mayEditBoilers(actor) &&
      familyOf(device.product) === 'powerSwitch' &&
      tagsAllow(actor, device) &&
      !isReadOnly(actor, device),
  },
  /** The schedules of a V-Stat, which are shown with the home that it heats. */
  'set schedule': {
    any: (actor) => isEngineer(actor, 'misc') && !hidesEditing(actor),
    one: (actor, device) =>
      familyOf(device.product) === 'vStat' &&
      isEngineer(actor, 'misc') &&
      !hidesEditing(actor) &&
      tagsAllow(actor, device) &&
      !isReadOnly(actor, device),
  },
  /** Saying what hangs on an emergency light: luminaire, battery, monitored circuit. */
  'equip light': {
    any: (actor) => isEngineer(actor, 'lighting'),
    one: (actor, device) =>
      areaOf(device.product) === 'lighting' && tagsAllow(actor, device) && isEditable(actor, device),
  },
  /** Joining and leaving the network: emergency lights and repeaters. */
  'change network': {
    any: (actor) => isEngineer(actor, 'lighting') || isEngineer(actor, 'networking'),
    one: (actor, device) =>
      (areaOf(device.product) === 'lighting' || device.product === 'ZR') &&
      tagsAllow(actor, device) &&
      !isReadOnly(actor, device) &&
      countsAsInstalled(device.status),
  },
  /** Clearing the lockout of a boiler or autofill. */
  'reset device': {
    any: mayEditAny,
    one: (actor, device) => tagsAllow(actor, device) && !isReadOnly(actor, device) && !device.inWholesale,
  },
  /** Not read-only, and the device's own flag or the tenant's capability says so. */
  'set access rights tag': {
    any: mayUpdateAccessRightsTags,
    one: (actor, device) => tagsAllow(actor, device) && !isReadOnly(actor, device) && mayUpdateAccessRightsTags(actor),
  },
} satisfies SubjectRights<DeviceSubject>
