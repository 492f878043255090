import { alertsRights } from '../alerts/rights.ts'
import { apiKeysRights } from '../api-keys/rights.ts'
import { boilerRights, boilersRights } from '../boilers/rights.ts'
import { buildingsRights } from '../buildings/rights.ts'
import { connectionsRights } from '../connections/rights.ts'
import type { DeviceSubject } from '../devices/rights.ts'
import { deviceRights, devicesRights } from '../devices/rights.ts'
import type { Actor } from '../identity/actor.ts'
import type { Role } from '../identity/roles.ts'
import { lightingRights } from '../lighting/rights.ts'
import { peopleRights } from '../people/rights.ts'
import type { PropertySubject } from '../properties/rights.ts'
import { propertiesRights, propertyRights } from '../properties/rights.ts'
import { residentsRights } from '../residents/rights.ts'
import { tagsRights } from '../tags/rights.ts'
import { tenantRights, vendorRights } from '../tenants/rights.ts'
import { webhooksRights } from '../webhooks/rights.ts'
import type { GeneralRights, SubjectRight } from '../identity/rights.ts'

/** Rights on the tenant as a whole. */
const general = {
  ...tenantRights,
  ...peopleRights,
  ...tagsRights,
  ...alertsRights,
  ...devicesRights,
  ...boilersRights,
  ...lightingRights,
  ...buildingsRights,
  ...propertiesRights,
  ...residentsRights,
  ...apiKeysRights,
  ...webhooksRights,
  ...connectionsRights,
} as const satisfies GeneralRights

/** Rights on single objects. A module with objects of its own adds its rights here and their type to `Subjects`. */
const ofSubjects = { ...deviceRights, ...boilerRights, ...propertyRights } as const
interface Subjects {
  device: { subject: DeviceSubject; action: keyof typeof deviceRights | keyof typeof boilerRights }
  property: { subject: PropertySubject; action: keyof typeof propertyRights }
}

export type GeneralAction = keyof typeof general
export type DeviceAction = Subjects['device']['action']
export type SubjectAction = Subjects[keyof Subjects]['action']
export type Action = GeneralAction | SubjectAction
export type VendorAction = keyof typeof vendorRights
/** The object of an action; none for actions on the tenant as a whole. */
export type SubjectOf<A extends Action> = {
  [S in keyof Subjects]: A extends Subjects[S]['action'] ? Subjects[S]['subject'] : never
}[keyof Subjects]

export const actions = [...Object.keys(general), ...Object.keys(ofSubjects)] as Action[]
export const vendorActions = Object.keys(vendorRights) as VendorAction[]

export const isVendorAction = (may: string): may is VendorAction => Object.hasOwn(vendorRights, may)

/**
 * The only permission check, used by the server before it acts and by the web client before it offers. Without a
 * subject, it returns whether the actor may perform the action on any object.
 */
export function can<A extends Action>(actor: Actor, action: A, subject?: SubjectOf<A>): boolean {
  if (Object.hasOwn(general, action)) return general[action as GeneralAction](actor)
  const right = ofSubjects[action as SubjectAction] as SubjectRight<unknown>
  return subject === undefined ? right.any(actor) : right.one(actor, subject)
}

/** The same for the vendor's staff, by a person's roles in all clients. */
export function vendorCan(roles: readonly Role[], action: VendorAction): boolean {
  return vendorRights[action](roles)
}
