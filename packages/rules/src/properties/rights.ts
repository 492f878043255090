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
/** Whoever says which homes there are: it takes sight of all of them. */
const managesHomes = (actor: Actor) => seesProperties(actor) && isManager(actor, 'misc') && seesTenant(actor)

/** Whoever edits what stands in homes: boilers, or what is of no trade. */
const editsHomes = (actor: Actor) =>
  seesProperties(actor) && (isEngineer(actor, 'misc') || isEngineer(actor, 'boilers'))

const makesVoid = (actor: Actor) => editsHomes(actor) && hasFeature(actor, 'VoidFlag')

const keepsLaw = (actor: Actor) => editsHomes(actor) && hasFeature(actor, 'AwaabsLaw')

const managesRecords = (actor: Actor) => isManager(actor, 'misc') || isManager(actor, 'boilers')
const keepsRecords = (actor: Actor) => editsHomes(actor) && hasFeature(actor, 'PropertyRecords')

export const propertiesRights = {
  'see properties': seesProperties,
  'see managed service': (actor) => hasFeature(actor, 'ManagedService'),
  /** Bringing in lists of homes, buildings and devices, which may name any of the tenant's and tell their addresses. */
  'import homes': (actor) => managesHomes(actor) && !hidesPersonalData(actor),
  /** A new home is its address. */
  'add property': (actor) => managesHomes(actor) && !hidesPersonalData(actor),
  /** Where a home stands, and taking it out of the lists and back. */
  'manage properties': managesHomes,
  "see Awaab's Law": (actor) => seesProperties(actor) && hasFeature(actor, 'AwaabsLaw'),
  /** Deadlines that were missed, for the board. */
  'see breach register': (actor) =>
    seesProperties(actor) && hasFeature(actor, 'AwaabsLaw') && hasLevel(actor, 'reports', levels.read),
  /** In which time steps under Awaab's Law are done. */
  "manage Awaab's Law": (actor) => managesHomes(actor) && hasFeature(actor, 'AwaabsLaw'),
  /** The edit controls of a home's Info tab: for everyone but guests, who may edit nothing anywhere; the server decides (estate gaps A4). */
  'be offered edits of homes': (actor) => areas.some((area) => isEngineer(actor, area)),
  /** The tabs of a home's page that have a gate of their own. */
  'see property services': (actor) => seesProperties(actor) && hasFeature(actor, 'ManagedService'),
  'see property records': (actor) => seesProperties(actor) && hasFeature(actor, 'PropertyRecords'),
  'see property audit': (actor) => seesProperties(actor) && hasFeature(actor, 'AuditTab'),
} satisfies GeneralRights

/** What a permission question needs to know of a home. */
export interface PropertySubject {
  accessRightsTags: readonly string[]
  /** Of a photograph of it: whether the actor has added it. */
  isOwnRecord?: boolean
}

/** Questions about one home. */
export const propertyRights = {
  /** Its details, address and dates. */
  'edit property': {
    any: editsHomes,
    one: (actor, property) => editsHomes(actor) && tagsAllow(actor, property),
  },
  /** One that is void is released also where the feature was taken away since: its heating would stay held. */
  'make property void': {
    any: makesVoid,
    one: (actor, property) => makesVoid(actor) && tagsAllow(actor, property),
  },
  /** A case that is open is closed also where the feature was taken away since. */
  "keep case of Awaab's Law": {
    any: keepsLaw,
    one: (actor, property) => keepsLaw(actor) && tagsAllow(actor, property),
  },
  /** Who sees a home: whoever is limited could otherwise lift what holds for themselves, as with devices. */
  'set access rights tag of property': {
    any: (actor) => editsHomes(actor) && mayUpdateAccessRightsTags(actor),
    one: (actor, property) => editsHomes(actor) && mayUpdateAccessRightsTags(actor) && tagsAllow(actor, property),
  },
  'add property record': {
    any: keepsRecords,
    one: (actor, property) => keepsRecords(actor) && tagsAllow(actor, property),
  },
  /** A photograph may be evidence: only whoever added it, or a manager, takes it away. */
  'delete property record': {
    any: keepsRecords,
    one: (actor, property) =>
      keepsRecords(actor) && tagsAllow(actor, property) && (property.isOwnRecord === true || managesRecords(actor)),
  },
} satisfies SubjectRights<PropertySubject>
