import type { ApiKeyEvent } from './events/api-keys.ts'
import type { AuditEvent } from './events/audit.ts'
import type { BuildingEvent } from './events/buildings.ts'
import type { ConditionEvent } from './events/conditions.ts'
import type { DeviceEvent } from './events/devices.ts'
import type { GroupEvent } from './events/groups.ts'
import type { PeopleEvent } from './events/people.ts'
import type { PropertyEvent } from './events/properties.ts'
import type { ProvisioningEvent } from './events/provisioning.ts'
import type { SignInEvent } from './events/sign-in.ts'
import type { TagEvent } from './events/tags.ts'
import type { TenantEvent } from './events/tenants.ts'
import type { TestRunEvent } from './events/test-runs.ts'
import type { EndpointEvent } from './events/webhooks.ts'

/** All events of a tenant's data, as far as the owning module has commands. Each subject has a file in `events`. */
export type DomainEvent =
  | ApiKeyEvent
  | AuditEvent
  | BuildingEvent
  | ConditionEvent
  | DeviceEvent
  | EndpointEvent
  | GroupEvent
  | PeopleEvent
  | PropertyEvent
  | ProvisioningEvent
  | SignInEvent
  | TagEvent
  | TenantEvent
  | TestRunEvent
export type EventType = DomainEvent['type']

/** The events of one type. */
export type EventOf<Type extends EventType> = Extract<DomainEvent, { type: Type }>

export const isOf =
  <Type extends EventType>(...types: readonly Type[]) =>
  (event: DomainEvent): event is EventOf<Type> =>
    (types as readonly EventType[]).includes(event.type)
