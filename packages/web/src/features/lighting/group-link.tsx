import { pathTo } from '@caretaker/rules/links/places.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../api/actor.ts'
import { AppLink } from '../../ui/link.tsx'

/** A group by its name, which leads to its schedule; for limited users, who have no Test Schedules, the name alone. */
export function GroupLink({ groupName }: { groupName: string }) {
  const actor = useActor()
  if (!can(actor, 'see test schedules')) return groupName
  const schedules = pathTo(actor.tenant, 'EmergencyLightSchedules')
  return <AppLink href={`${schedules}?filter=${encodeURIComponent(groupName)}`}>{groupName}</AppLink>
}
