import { useSyncExternalStore } from 'react'

/** The time that is held on all charts of a key, in milliseconds: a click holds it, another click or Esc lets it go. */
const held = new Map<string, number>()
const charts = new Map<string, number>()
const listeners = new Set<() => void>()

function tell(): void {
  for (const listener of listeners) listener()
}

function onKey(event: KeyboardEvent): void {
  if (event.key !== 'Escape' || event.defaultPrevented) return
  for (const key of held.keys()) resume(key)
}

export function heldTime(key: string): number | undefined {
  return held.get(key)
}

export function hold(key: string, time: number): void {
  held.set(key, time)
  document.addEventListener('keydown', onKey)
  tell()
}

export function resume(key: string): void {
  if (!held.delete(key)) return
  if (held.size === 0) document.removeEventListener('keydown', onKey)
  tell()
}

export function onHeldChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Counts a chart of the key in, and out again when it goes: a held time ends with the last of its charts. */
export function joinCharts(key: string): () => void {
  charts.set(key, (charts.get(key) ?? 0) + 1)
  return () => {
    const left = (charts.get(key) ?? 1) - 1
    if (left > 0) {
      charts.set(key, left)
      return
    }
    charts.delete(key)
    resume(key)
  }
}

export function useHeldTime(key: string): number | undefined {
  return useSyncExternalStore(onHeldChange, () => held.get(key))
}
