import { hasCapability, hasFeature } from '../identity/actor.ts'
import type { GeneralRights } from '../identity/rights.ts'

export const propertiesRights = {
  'see properties': (actor) => hasFeature(actor, 'PropertyCentric') && hasCapability(actor, 'ViewProperties'),
  'see managed service': (actor) => hasFeature(actor, 'ManagedService'),
} satisfies GeneralRights
