import { Outlet, useMatches } from '@tanstack/react-router'
import type { Action } from '@caretaker/rules/rights/can.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { whyRefused } from '@caretaker/rules/rights/refused.ts'
import { useActor } from '../api/actor.ts'
import { NotFound, Refused } from '../ui/states.tsx'
import { usePageTitle } from '../api/page-title.ts'

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The right required for the screen. */
    may?: Action
  }
}

function useWayBack() {
  return { href: pathTo(useActor().tenant, 'Dashboard'), label: 'Dashboard' }
}

/** The screen of the address; nothing is rendered or fetched without the right to see it. */
export function TenantScreens() {
  const actor = useActor()
  const asked = useMatches({ select: (matches) => matches.flatMap((match) => match.staticData.may ?? []) })
  return asked.every((action) => can(actor, action)) ? <Outlet /> : <RefusedScreen why={whyRefused(actor, asked)} />
}

function RefusedScreen({ why }: { why: string }) {
  usePageTitle('No permission')
  return <Refused back={useWayBack()} hint={why} />
}

export function NotFoundScreen() {
  usePageTitle('Not found')
  return <NotFound back={useWayBack()} />
}
