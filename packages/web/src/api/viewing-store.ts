import { useSyncExternalStore } from 'react'
import type { Role } from '@caretaker/rules/identity/roles.ts'

/** The user as whom a manager sees a client in this tab. */
export interface Viewing {
  tenant: string
  viewingId: string
  name: string
  role: Role
  endsAt: string
}

const key = 'caretaker.viewing'
const listeners = new Set<() => void>()
let known: { text: string | null; value: Viewing | undefined } = { text: null, value: undefined }

/** This tab's current view; it survives a reload. */
export function currentViewing(): Viewing | undefined {
  const text = sessionStorage.getItem(key)
  if (text !== known.text) known = { text, value: text === null ? undefined : (JSON.parse(text) as Viewing) }
  return known.value
}

export function setViewing(next: Viewing | undefined): void {
  if (next) sessionStorage.setItem(key, JSON.stringify(next))
  else sessionStorage.removeItem(key)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useViewing(): Viewing | undefined {
  return useSyncExternalStore(subscribe, currentViewing)
}
