import { accessActions } from '@caretaker/rules/audit/audit.ts'
import { chargeTime } from '@caretaker/rules/lighting/runs.ts'
import { makeDue } from '../postgres/due.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import type { Work } from '../postgres/work.ts'
import { auditEntryOf } from './audit-trail.ts'
import { changesOf } from './change-feed.ts'
import type { DomainEvent } from './event.ts'
import { isOf } from './event.ts'

/** When each kind of work becomes due because of events; undefined means immediately. */
export function dueWorkOf(events: readonly DomainEvent[]): Map<Work, Date | undefined> {
  const due = new Map<Work, Date | undefined>()
  const isDeletedLater = events.some((event) => {
    const entry = auditEntryOf(event)
    // Entries of people's changes are kept.
    return entry && (!entry.person.id || (accessActions as readonly string[]).includes(entry.action))
  })
  if (isDeletedLater) due.set('forget audit', undefined)
  const setEarliest = (work: Work, times: readonly Date[], after = 0) => {
    if (times.length) due.set(work, new Date(times.reduce((first, at) => Math.min(first, +at), Infinity) + after))
  }
  const emptied = events.filter(isOf('DeviceBatteryEmptied')).map(({ at }) => at)
  // The job checks whether the battery has charged by then.
  setEarliest('watch charge', emptied, chargeTime)
  const plans = events.filter(isOf('GroupPlanned', 'GroupPlansOutdated'))
  setEarliest(
    'plan tests',
    plans.map((event) => (event.type === 'GroupPlanned' ? event.extendAt : event.at)),
  )
  const runs = events.filter(isOf('TestRunsPlanned', 'TestRunRepeated', 'LightTestPlanned'))
  setEarliest(
    'run tests',
    runs.map((event) => (event.type === 'TestRunsPlanned' ? event.firstStartsAt : event.startsAt)),
  )
  const checks = events.filter(isOf('DomainRecordChecked')).flatMap(({ nextCheckAt }) => nextCheckAt ?? [])
  setEarliest('check domains', checks)
  const views = events.filter(isOf('ViewingStarted'))
  setEarliest(
    'end views',
    views.map(({ endsAt }) => endsAt),
  )
  // Which records are due depends on what is monitored.
  if (events.filter(isOf('DeviceStateReported')).some(({ monitoring }) => monitoring !== null))
    due.set('count due days', undefined)
  if (events.some(isOf('DeviceUninstalled'))) due.set('erase readings', undefined)
  // The status and tags of a property are those of its current devices; a new one has neither yet.
  const changes = changesOf(events)
  if (changes.has('device') || changes.has('property')) due.set('settle homes', undefined)
  return due
}

export async function makeWorkDue(tx: TenantTx, events: readonly DomainEvent[]): Promise<void> {
  for (const [work, at] of dueWorkOf(events)) await makeDue(tx, work, at)
}
