import { sql } from 'kysely'
import type { AuditAction, Changed } from '@caretaker/rules/audit/audit.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import type { DomainEvent, EventOf } from './event.ts'
import type { AuditEntry } from './events/audit.ts'

/**
 * The audit action for each event caused by a person. Changes to a tenant, its sign-in settings or a user's sign-in
 * name their own action.
 */
const actions = {
  DeviceCreated: 'device added',
  DeviceRemoved: 'device removed',
  DeviceInstalled: 'device installed',
  DeviceUninstalled: 'device uninstalled',
  DeviceMoved: 'device moved',
  DeviceShifted: 'device moved',
  DeviceTagsChanged: 'device tags changed',
  DeviceAccessRightsTagChanged: 'device access rights tag changed',
  DeviceKeyMade: 'device key made',
  DeviceKeyReplaced: 'device key replaced',
  DeviceKeyRevoked: 'device key revoked',
  LightTestPlanned: 'light test planned',
  LightTestWithdrawn: 'light test withdrawn',
  BuildingAdded: 'building added',
  BuildingChanged: 'building changed',
  FloorMoved: 'floor moved',
  FloorPlanUploaded: 'floor plan uploaded',
  GroupAdded: 'group added',
  GroupChanged: 'group changed',
  GroupDeleted: 'group deleted',
  TagCreated: 'tag created',
  TagRenamed: 'tag renamed',
  TagDeleted: 'tag deleted',
  AccessRightsTagCreated: 'access rights tag created',
  AccessRightsTagDeleted: 'access rights tag deleted',
  UserCreated: 'user created',
  UserDetailsChanged: 'user details changed',
  UserRoleChanged: 'user role changed',
  UserTagsChanged: 'user tags changed',
  UserDeleted: 'user deleted',
  UserInvitedAgain: 'user invited again',
  UserIssuerChanged: 'user moved to another identity provider',
  ApiKeyCreated: 'API key made',
  ApiKeyRevoked: 'API key revoked',
  ProvisioningKeyCreated: 'provisioning key made',
  ProvisioningKeyRevoked: 'provisioning key revoked',
  WebhookAdded: 'webhook added',
  WebhookChanged: 'webhook changed',
  WebhookDeleted: 'webhook deleted',
  WebhookDisabled: 'webhook disabled',
  WebhookSecretReplaced: 'webhook secret rotated',
  WebhookMessagesResent: 'webhook messages sent again',
  ViewingStarted: 'viewing as user started',
  ViewingEnded: 'viewing as user ended',
} as const satisfies Partial<Record<DomainEvent['type'], AuditAction>>

function subjectOf(
  event: EventOf<keyof typeof actions | 'SignInSettingsChanged' | 'TenantChanged' | 'UserSignInChanged'>,
): AuditEntry['subject'] {
  if ('serial' in event) return { type: 'device', id: event.deviceId, name: event.serial }
  if ('buildingId' in event) return { type: 'building', id: event.buildingId, name: event.buildingName }
  if ('groupId' in event) return { type: 'group', id: event.groupId, name: event.groupName }
  if ('userId' in event) return { type: 'user', id: event.userId, name: event.userName }
  if ('webhookId' in event) return { type: 'webhook', id: event.webhookId, name: event.webhookName }
  if ('apiKeyId' in event) return { type: 'API key', id: event.apiKeyId, name: event.apiKeyName }
  if ('tagId' in event) return { type: 'tag', id: event.tagId, name: event.tagName }
  if ('tenantId' in event) return { type: 'client', id: event.tenantId, name: event.tenantName }
  return { type: 'access rights tag', id: event.accessRightsTagId, name: event.tagName }
}

/** The audit entry of an event; undefined if no person caused it. */
export function auditEntryOf(event: DomainEvent): AuditEntry | undefined {
  if (event.type === 'SubjectAudited') return event
  if (!('by' in event)) return undefined
  const { by, before, after } = event
  return {
    person: by,
    action: 'action' in event ? event.action : actions[event.type],
    subject: subjectOf(event),
    before,
    after,
  }
}

export const auditEntriesOf = (events: readonly DomainEvent[]): AuditEntry[] =>
  events.flatMap((event) => auditEntryOf(event) ?? [])

/** Writes the audit entries of events in order. */
export async function writeAuditEntries(tx: TenantTx, events: readonly DomainEvent[]): Promise<void> {
  const entries = auditEntriesOf(events)
  if (!entries.length) return
  const json = (fields: Changed | null | undefined) => (fields ? JSON.stringify(fields) : null)
  const column = <T>(of: (entry: AuditEntry) => T) => entries.map(of)
  await sql`
    insert into audit_entry (tenant_id, person_id, person_name, action, subject_type, subject_id, subject_name, before, after)
    select ${tx.tenant}, person_id, person_name, action, type, id, name, before, after
    from unnest(
      ${column(({ person }) => person.id)}::uuid[], ${column(({ person }) => person.name)}::text[],
      ${column(({ action }) => action)}::text[], ${column(({ subject }) => subject.type)}::text[],
      ${column(({ subject }) => subject.id)}::text[], ${column(({ subject }) => subject.name)}::text[],
      ${column(({ before }) => json(before))}::jsonb[], ${column(({ after }) => json(after))}::jsonb[]
    ) with ordinality as entry (person_id, person_name, action, type, id, name, before, after, place)
    order by place
    on conflict do nothing`.execute(tx)
}
