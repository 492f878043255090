import { pathTo } from '@caretaker/rules/links/places.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../api/actor.ts'
import { AppLink } from '../../ui/link.tsx'

/** The name of a group as a link to its schedule; plain text for restricted users without Test Schedules. */
export function GroupLink({ groupName }: { groupName: string }) {
  const actor = useActor()
  if (!can(actor, 'see test schedules')) return groupName
  const schedules = pathTo(actor.tenant, 'EmergencyLightSchedules')
  return <AppLink href={`${schedules}?filter=${encodeURIComponent(groupName)}`}>{groupName}</AppLink>
}
