import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { PageTab } from '../ui/page-head.tsx'

/** The tabs of the test schedules for an actor: restricted users see the results of their lights, and no groups. */
export const scheduleTabs = (actor: Actor): PageTab[] => [
  ...(can(actor, 'see test schedules')
    ? [
        { id: 'groups', label: 'Groups', href: pathTo(actor.tenant, 'EmergencyLightSchedules') },
        { id: 'plan', label: 'Plan', href: pathTo(actor.tenant, 'EmergencyLightSchedules', 'Plan') },
      ]
    : []),
  ...(can(actor, 'see lighting')
    ? [{ id: 'results', label: 'Results', href: pathTo(actor.tenant, 'EmergencyLightSchedules', 'Results') }]
    : []),
]
