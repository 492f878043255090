import type { ChangeSubject } from '@caretaker/rules/changes/changes.ts'
import { detailSubjects } from '@caretaker/rules/changes/changes.ts'
import { writeChanges } from '../changes/changed.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { auditEntryOf } from './audit-trail.ts'
import type { DomainEvent } from './event.ts'
import { isOf } from './event.ts'
import { propertyEventTypes } from './events/properties.ts'

const isOfProperty = isOf(...propertyEventTypes)

/** The changed items by subject; null means all items of the subject. */
type Items = readonly (readonly [subject: ChangeSubject, ids: readonly string[] | null])[]

/** The visible items that an event changes, by subject; empty if it is shown nowhere. */
function itemsOf(event: DomainEvent): Items {
  if (isOfProperty(event)) return [['property', [event.propertyId]]]
  switch (event.type) {
    case 'SubjectAudited':
    case 'FaultBegan':
    case 'FaultEnded':
    case 'DeviceBatteryEmptied':
    case 'TestRunsPlanned':
    case 'GroupPlansOutdated':
    case 'WebhookMessagesResent':
    case 'UserSignInChanged':
    case 'StartViewChosen':
    case 'ViewingStarted':
    case 'ViewingEnded':
      return []
    case 'DeviceUninstalled':
      return (['device', ...detailSubjects] as const).map((subject) => [subject, [event.deviceId]])
    case 'DeviceInstalled':
      return [
        ['device', [event.deviceId]],
        ['device state', [event.deviceId]],
      ]
    case 'DeviceStateReported':
      return [[event.isListed ? 'device' : 'device state', [event.deviceId]]]
    case 'DeviceDesiredStateChanged':
    case 'DeviceKeyMade':
    case 'DeviceKeyReplaced':
    case 'DeviceKeyRevoked':
      return [['device state', [event.deviceId]]]
    case 'BuildingAdded':
    case 'BuildingChanged':
    case 'BuildingSaved':
    case 'BuildingImported':
    case 'FloorMoved':
    case 'FloorPlanUploaded':
      return [['building', [event.buildingId]]]
    case 'FloorsImported':
      return [['building', null]]
    case 'FloorRemoved':
      return [['building', [event.floorId]]]
    case 'LightTestPlanned':
    case 'LightTestWithdrawn':
    case 'TestedLightChanged':
      return [['device tests', [event.deviceId]]]
    case 'GroupTestTypesChanged':
      return [['device tests', event.deviceIds]]
    case 'TestRunRepeated':
    case 'TestRunBegan':
      return [
        ['group', [event.groupId]],
        ['device tests', event.deviceIds],
      ]
    case 'TestRunEnded':
    case 'GroupAdded':
    case 'GroupChanged':
    case 'GroupDeleted':
    case 'GroupPlanned':
    case 'GroupLightsUninstalled':
      return [['group', [event.groupId]]]
    case 'TagCreated':
    case 'TagRenamed':
    case 'TagDeleted':
      return [['tag', [event.tagId]]]
    case 'SignInSettingsChanged':
    case 'DomainRecordChecked':
    case 'TenantChanged':
    case 'TenantSaved':
      return [['client', null]]
    case 'TagsImported':
      return [['tag', null]]
    case 'UserCreated':
    case 'UserDetailsChanged':
    case 'UserRoleChanged':
    case 'UserTagsChanged':
    case 'UserDeleted':
    case 'UserInvitedAgain':
    case 'UserIssuerChanged':
    case 'InvitationAccepted':
      return [['user', [event.userId]]]
    case 'ProvisionedUserChanged':
    case 'ProvisionedGroupChanged':
      return [['user', [event.provisionedId]]]
    case 'ApiKeyCreated':
    case 'ApiKeyRevoked':
      return [['api key', [event.apiKeyId]]]
    case 'ProvisioningKeyCreated':
    case 'ProvisioningKeyRevoked':
      return [['api key', [event.provisioningKeyId]]]
    case 'WebhookAdded':
    case 'WebhookChanged':
    case 'WebhookDeleted':
    case 'WebhookDisabled':
    case 'WebhookSecretReplaced':
    case 'WebhookDeliveriesEnded':
      return [['webhook', [event.webhookId]]]
    case 'AccessRightsTagCreated':
    case 'AccessRightsTagDeleted':
      return [['access rights tag', [event.accessRightsTagId]]]
    default:
      return [['device', [event.deviceId]]]
  }
}

/** The access rights tags whose holders see more or fewer devices after the event. */
function reachOf(event: DomainEvent): string[] {
  if (event.type === 'DeviceUninstalled') return [event.accessRightsTagId].filter((id) => id !== null)
  if (event.type === 'DeviceAccessRightsTagChanged')
    return [event.beforeTagId, event.afterTagId].filter((id) => id !== null)
  return []
}

/** The feed rows of events, one per subject. Null means all items of the subject. */
export function changesOf(events: readonly DomainEvent[]): Map<ChangeSubject, Set<string> | null> {
  const changes = new Map<ChangeSubject, Set<string> | null>()
  const add = (subject: ChangeSubject, added: readonly string[] | null) => {
    const ids = changes.get(subject)
    if (added === null || ids === null) changes.set(subject, null)
    else if (added.length) {
      const all = ids ?? new Set()
      for (const id of added) all.add(id)
      changes.set(subject, all)
    }
  }
  for (const event of events) {
    for (const [subject, ids] of itemsOf(event)) add(subject, ids)
    add('reach', reachOf(event))
    if (auditEntryOf(event)) add('audit', null)
  }
  return changes
}

/** The users whose own start page events change: only their other tabs and browsers are notified. */
export const startPagesOf = (events: readonly DomainEvent[]): string[] =>
  events.filter(isOf('StartViewChosen')).map(({ userId }) => userId)

/** Notifies open pages of what to reload, in one statement. */
export async function writeChangeFeed(tx: TenantTx, events: readonly DomainEvent[]): Promise<void> {
  const changes = [...changesOf(events)].map(([subject, ids]) => ({ subject, ids, audience: null }))
  const audience = startPagesOf(events)
  await writeChanges(tx, audience.length ? [...changes, { subject: 'view', ids: null, audience }] : changes)
}
