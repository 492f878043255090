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

/** The facts about a device that rights depend on. */
export interface DeviceSubject {
  product: Product
  status: string
  inWholesale: boolean
  /** Ids of the access rights tags of the device; the portal sets at most one. */
  accessRightsTags: readonly string[]
  /** Whether its messages come through a connection of the client; false if left out. */
  isOfConnection?: boolean
}

/**
 * Whether the device is display-only: of a restricted type, without a connection. A sensor of a connection is managed in the
 * portal like any other device.
 */
export function isRestricted(device: Pick<DeviceSubject, 'product' | 'isOfConnection'>): boolean {
  return isRestrictedType(device.product) && !device.isOfConnection
}

/** A device is read-only for actors who may read its area but not edit it. */
export function isReadOnly(actor: Pick<Actor, 'role'>, device: Pick<DeviceSubject, 'product'>): boolean {
  return !isEngineer(actor, areaOf(device.product))
}

/**
 * Whether its page is editable: the device is neither read-only nor restricted (devices specification, section 6).
 */
function isEditable(actor: Pick<Actor, 'role'>, device: Pick<DeviceSubject, 'product' | 'isOfConnection'>): boolean {
  return !isReadOnly(actor, device) && !isRestricted(device)
}

/**
 * Whether the actor may read the history of a device. 'Limited-access' excludes users restricted by tags and read-only
 * users (decisions, 9); a developer with access to all areas may read it (core-6-26).
 */
export function readsHistory(actor: Actor, device: Pick<DeviceSubject, 'product'>): boolean {
  return seesEverything(actor) || (!isLimited(actor) && !isReadOnly(actor, device))
}

/**
 * The flag userCanUpdateAccessRightsTag of a device: for managers of misc without tags, if the device is not read-only.
 * Restricted users could otherwise lift or pass on their own restrictions.
 */
export function userCanUpdateAccessRightsTag(actor: Actor, device: Pick<DeviceSubject, 'product'>): boolean {
  return !isReadOnly(actor, device) && !isLimited(actor) && isManager(actor, 'misc')
}

const hidesEditing = (actor: Actor) => actor.features.includes('HideEditPropertyAndResidentFields')
const mayEditBoilers = (actor: Actor) => isEngineer(actor, 'boilers') && !hidesEditing(actor)
const mayTag = (actor: Actor) => isManager(actor, 'misc')
/** The same as for API keys: managers without tag restrictions. */
const managesKeys = (actor: Actor) => isManager(actor, 'misc') && seesTenant(actor)
const mayEditAny = (actor: Actor) => productCodes.some((code) => !isReadOnly(actor, { product: code }))

/** The part of the flag that does not depend on the device, or the capability instead. */
export function mayUpdateAccessRightsTags(actor: Actor): boolean {
  return !isLimited(actor) && (isManager(actor, 'misc') || actor.capabilities.includes('EditAccessRightsTags'))
}

/** Rights on all devices of a tenant. */
export const devicesRights = {
  'see lighting': (actor) => hasLevel(actor, 'lighting', levels.read),
  'see boilers': (actor) => hasLevel(actor, 'boilers', levels.read),
  'see networking': (actor) => hasLevel(actor, 'networking', levels.read),
  'see lift monitors': (actor) => hasLevel(actor, 'liftMonitors', levels.read),
  'see people counters': (actor) => hasLevel(actor, 'peopleCounters', levels.read),
  'see third party': (actor) => hasLevel(actor, 'thirdParty', levels.read),
  /** Thermostats and multi-dots, whose device type puts them in the area misc. */
  'see sensors': (actor) => hasLevel(actor, 'misc', levels.read),
  /** Home hubs, if the tenant has the feature. */
  'see home hubs': (actor) => hasLevel(actor, 'misc', levels.read) && hasFeature(actor, 'HomeHub'),
  /** Claiming and installing devices of any area by handing them over to the mobile app. */
  'install devices': (actor) => mayEditAny(actor),
} satisfies GeneralRights

/** Rights on one device. */
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
  /** Set it as broken, disabled, due for maintenance or repaired. */
  'set condition': {
    any: mayEditAny,
    one: (actor, device) => tagsAllow(actor, device) && isEditable(actor, device) && !device.inWholesale,
  },
  /** Add notes to its records: anyone who may edit it, whatever its status. */
  'write note': {
    any: mayEditAny,
    one: (actor, device) => tagsAllow(actor, device) && isEditable(actor, device),
  },
  /** See its raw messages and commands: developers with access to all areas (core-6-26). */
  'debug device': {
    any: seesEverything,
    one: (actor, device) => seesEverything(actor) && tagsAllow(actor, device),
  },
  /** Tag a device: managers of misc (devices specification, section 6). */
  'tag device': {
    any: mayTag,
    one: (actor, device) => tagsAllow(actor, device) && mayTag(actor),
  },
  uninstall: {
    any: mayEditAny,
    one: (actor, device) => tagsAllow(actor, device) && !isReadOnly(actor, device) && countsAsInstalled(device.status),
  },
  /** Reinstall: anyone who may uninstall it, once it is claimed from wholesale. */
  install: {
    any: mayEditAny,
    one: (actor, device) =>
      tagsAllow(actor, device) && !isReadOnly(actor, device) && !device.inWholesale && !isInService(device.status),
  },
  /** See whether a device may connect, replace its key, and revoke it. */
  'manage device keys': {
    any: managesKeys,
    one: (actor, device) => managesKeys(actor) && tagsAllow(actor, device),
  },
  /** Set its position: anyone who may edit it. */
  'place device': {
    any: mayEditAny,
    one: (actor, device) =>
      tagsAllow(actor, device) &&
      isEditable(actor, device) &&
      !(detailListingOf(device.product) === 'Boilers' && hidesEditing(actor)),
  },
  /**
   * Settings on the page of a boiler or heat pump, of the device and its property (devices specification, section 6).
   */
  'edit boiler': {
    any: mayEditBoilers,
    one: (actor, device) =>
      mayEditBoilers(actor) &&
      detailListingOf(device.product) === 'Boilers' &&
      tagsAllow(actor, device) &&
      !isReadOnly(actor, device) &&
      !isRestricted(device),
  },
  /** The relays of a power switch, shown with the heat pump that they switch. */
  'switch relay': {
    any: mayEditBoilers,
    one: (actor, device) =>
      mayEditBoilers(actor) &&
      familyOf(device.product) === 'powerSwitch' &&
      tagsAllow(actor, device) &&
      !isReadOnly(actor, device),
  },
  /** The schedules of a V-Stat, shown with the property that it heats. */
  'set schedule': {
    any: (actor) => isEngineer(actor, 'misc') && !hidesEditing(actor),
    one: (actor, device) =>
      familyOf(device.product) === 'vStat' &&
      isEngineer(actor, 'misc') &&
      !hidesEditing(actor) &&
      tagsAllow(actor, device) &&
      !isReadOnly(actor, device),
  },
  /** The set point of a connection's thermostat. */
  'change set point': {
    any: (actor) => isEngineer(actor, 'misc') && !hidesEditing(actor),
    one: (actor, device) =>
      familyOf(device.product) === 'thirdParty' &&
      isEngineer(actor, 'misc') &&
      !hidesEditing(actor) &&
      tagsAllow(actor, device) &&
      !isReadOnly(actor, device),
  },
  /** Set the equipment of an emergency light: luminaire, battery, monitored circuit. */
  'equip light': {
    any: (actor) => isEngineer(actor, 'lighting'),
    one: (actor, device) =>
      areaOf(device.product) === 'lighting' && tagsAllow(actor, device) && isEditable(actor, device),
  },
  /** Join and leave the network: emergency lights and repeaters. */
  'change network': {
    any: (actor) => isEngineer(actor, 'lighting') || isEngineer(actor, 'networking'),
    one: (actor, device) =>
      (areaOf(device.product) === 'lighting' || device.product === 'ZR') &&
      tagsAllow(actor, device) &&
      !isReadOnly(actor, device) &&
      countsAsInstalled(device.status),
  },
  /** Reset the lockout of a boiler or autofill. */
  'reset device': {
    any: mayEditAny,
    one: (actor, device) => tagsAllow(actor, device) && !isReadOnly(actor, device) && !device.inWholesale,
  },
  /** The device is not read-only, and its flag or the tenant's capability allows it. */
  'set access rights tag': {
    any: mayUpdateAccessRightsTags,
    one: (actor, device) => tagsAllow(actor, device) && !isReadOnly(actor, device) && mayUpdateAccessRightsTags(actor),
  },
} satisfies SubjectRights<DeviceSubject>
