import { mayUpdateAccessRightsTags } from '../devices/rights.ts'
import type { Actor } from '../identity/actor.ts'
import {
  hasCapability,
  hasFeature,
  hasLevel,
  hidesPersonalData,
  isEngineer,
  isManager,
  seesTenant,
  tagsAllow,
} from '../identity/actor.ts'
import { levels } from '../identity/roles.ts'
import type { GeneralRights, SubjectRights } from '../identity/rights.ts'
import { areas } from '../identity/roles.ts'

const seesProperties = (actor: Actor) => hasFeature(actor, 'PropertyCentric') && hasCapability(actor, 'ViewProperties')
/** Managers of the property list, which requires access to all properties. */
const managesHomes = (actor: Actor) => seesProperties(actor) && isManager(actor, 'misc') && seesTenant(actor)

/** Engineers who edit devices in properties: boilers, or areas without a trade. */
const editsHomes = (actor: Actor) =>
  seesProperties(actor) && (isEngineer(actor, 'misc') || isEngineer(actor, 'boilers'))

const makesVoid = (actor: Actor) => editsHomes(actor) && hasFeature(actor, 'VoidFlag')

const keepsLaw = (actor: Actor) => editsHomes(actor) && hasFeature(actor, 'AwaabsLaw')

const managesRecords = (actor: Actor) => isManager(actor, 'misc') || isManager(actor, 'boilers')
const keepsRecords = (actor: Actor) => editsHomes(actor) && hasFeature(actor, 'PropertyRecords')

export const propertiesRights = {
  'see properties': seesProperties,
  'see managed service': (actor) => hasFeature(actor, 'ManagedService'),
  /**
   * Import lists of properties, buildings and devices, which may refer to any that the tenant has and disclose
   * addresses.
   */
  'import homes': (actor) => managesHomes(actor) && !hidesPersonalData(actor),
  /** A new property has only an address, which is personal data. */
  'add property': (actor) => managesHomes(actor) && !hidesPersonalData(actor),
  /** Set the location of a property, archive it and restore it. */
  'manage properties': managesHomes,
  "see Awaab's Law": (actor) => seesProperties(actor) && hasFeature(actor, 'AwaabsLaw'),
  /** Missed deadlines, for the board. */
  'see breach register': (actor) =>
    seesProperties(actor) && hasFeature(actor, 'AwaabsLaw') && hasLevel(actor, 'reports', levels.read),
  /** Set the deadlines for steps under Awaab's Law. */
  "manage Awaab's Law": (actor) => managesHomes(actor) && hasFeature(actor, 'AwaabsLaw'),
  /**
   * The edit controls of a property's Info tab: for everyone but guests; the server checks each edit (estate gaps A4).
   */
  'be offered edits of homes': (actor) => areas.some((area) => isEngineer(actor, area)),
  /** Tabs of a property page with rights of their own. */
  'see property services': (actor) => seesProperties(actor) && hasFeature(actor, 'ManagedService'),
  'see property records': (actor) => seesProperties(actor) && hasFeature(actor, 'PropertyRecords'),
  'see property audit': (actor) => seesProperties(actor) && hasFeature(actor, 'AuditTab'),
} satisfies GeneralRights

/** The facts about a property that rights depend on. */
export interface PropertySubject {
  accessRightsTags: readonly string[]
  /** For a photograph: whether the actor added it. */
  isOwnRecord?: boolean
}

/** Rights on one property. */
export const propertyRights = {
  /** Edit details, address and dates. */
  'edit property': {
    any: editsHomes,
    one: (actor, property) => editsHomes(actor) && tagsAllow(actor, property),
  },
  /** A void property can be released even without the feature: otherwise its heating would stay limited. */
  'make property void': {
    any: makesVoid,
    one: (actor, property) => makesVoid(actor) && tagsAllow(actor, property),
  },
  /** An open case can be closed even without the feature. */
  "keep case of Awaab's Law": {
    any: keepsLaw,
    one: (actor, property) => keepsLaw(actor) && tagsAllow(actor, property),
  },
  /**
   * Only users who see the whole tenant: restricted users could otherwise lift their own restrictions, as with devices.
   */
  'set access rights tag of property': {
    any: (actor) => editsHomes(actor) && mayUpdateAccessRightsTags(actor),
    one: (actor, property) => editsHomes(actor) && mayUpdateAccessRightsTags(actor) && tagsAllow(actor, property),
  },
  'add property record': {
    any: keepsRecords,
    one: (actor, property) => keepsRecords(actor) && tagsAllow(actor, property),
  },
  /** A photograph may be evidence: only the user who added it or a manager can delete it. */
  'delete property record': {
    any: keepsRecords,
    one: (actor, property) =>
      keepsRecords(actor) && tagsAllow(actor, property) && (property.isOwnRecord === true || managesRecords(actor)),
  },
} satisfies SubjectRights<PropertySubject>
