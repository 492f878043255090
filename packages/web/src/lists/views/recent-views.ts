import { useEffect, useState } from 'react'
import type { View } from '@caretaker/rules/views/view.ts'

/** How many views that were used last have a tab, besides those that always have one. */
const kept = 3

const keyOf = (tenant: string, listing: string) => `caretaker.views.${tenant}.${listing}`

function stored(tenant: string, listing: string): string[] {
  return localStorage.getItem(keyOf(tenant, listing))?.split(' ').filter(Boolean) ?? []
}

/** Ids of the views used last, the one used now among them; one that is there already keeps its place. */
export function recentWith(recent: readonly string[], viewId: string): string[] {
  return recent.includes(viewId) ? [...recent] : [...recent, viewId].slice(-kept)
}

/** Notes the view that is used now and gives the ids of those used last in this browser. */
export function useRecentViews(tenant: string, listing: string, { viewId, builtIn }: View): string[] {
  const [before, setBefore] = useState(() => stored(tenant, listing))
  // System views are found in their usual place, and a link to one is no habit.
  const ids = builtIn ? before : recentWith(before, viewId)
  if (ids.join() !== before.join()) setBefore(ids)
  useEffect(() => localStorage.setItem(keyOf(tenant, listing), before.join(' ')), [tenant, listing, before])
  return ids
}
