import type { ChangeSubject } from '@caretaker/rules/changes/changes.ts'
import { detailSubjects } from '@caretaker/rules/changes/changes.ts'
import { writeChanges } from '../changes/changed.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { auditEntryOf } from './audit-trail.ts'
import type { DomainEvent } from './event.ts'
import { isOf } from './event.ts'
import type { PropertyEvent } from './events/properties.ts'
import { propertyEventTypes } from './events/properties.ts'

const isOfProperty = isOf(...propertyEventTypes)

/** The visible subjects of devices that an event changes; empty if it is shown nowhere. */
function deviceSubjectsOf(event: Exclude<DomainEvent, PropertyEvent>): readonly ChangeSubject[] {
  switch (event.type) {
    case 'DeviceUninstalled':
      return ['device', ...detailSubjects]
    case 'DeviceInstalled':
      return ['device', 'device state']
    case 'DeviceStateReported':
      return [event.isListed ? 'device' : 'device state']
    case 'DeviceDesiredStateChanged':
      return ['device state']
    case 'SubjectAudited':
    case 'FaultBegan':
    case 'FaultEnded':
    case 'DeviceBatteryEmptied':
      return []
    default:
      return ['device']
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
  const add = (subject: ChangeSubject, id: string) => {
    const ids = changes.get(subject) ?? new Set()
    changes.set(subject, ids.add(id))
  }
  for (const event of events) {
    if (isOfProperty(event)) add('property', event.propertyId)
    else for (const subject of deviceSubjectsOf(event)) add(subject, (event as { deviceId: string }).deviceId)
    for (const tag of reachOf(event)) add('reach', tag)
    if (auditEntryOf(event)) changes.set('audit', null)
  }
  return changes
}

/** Notifies open pages what to reload, in one statement. */
export async function writeChangeFeed(tx: TenantTx, events: readonly DomainEvent[]): Promise<void> {
  await writeChanges(
    tx,
    [...changesOf(events)].map(([subject, ids]) => ({ subject, ids })),
  )
}
