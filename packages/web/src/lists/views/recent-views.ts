import { useEffect, useState } from 'react'
import type { View } from '@caretaker/rules/views/view.ts'

/** The number of recently used views with a tab, in addition to those that always have one. */
const kept = 3

const keyOf = (tenant: string, listing: string) => `caretaker.views.${tenant}.${listing}`

function stored(tenant: string, listing: string): string[] {
  return localStorage.getItem(keyOf(tenant, listing))?.split(' ').filter(Boolean) ?? []
}

/** The ids of recently used views including the current one; one already there keeps its position. */
export function recentWith(recent: readonly string[], viewId: string): string[] {
  return recent.includes(viewId) ? [...recent] : [...recent, viewId].slice(-kept)
}

/** Stores the current view and returns the recently used ones of this browser. */
export function useRecentViews(tenant: string, listing: string, { viewId, builtIn }: View): string[] {
  const [before, setBefore] = useState(() => stored(tenant, listing))
  // System views are easy to find, and following a link to one is not a habit.
  const ids = builtIn ? before : recentWith(before, viewId)
  if (ids.join() !== before.join()) setBefore(ids)
  useEffect(() => localStorage.setItem(keyOf(tenant, listing), before.join(' ')), [tenant, listing, before])
  return ids
}
