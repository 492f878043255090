import { useSyncExternalStore } from 'react'

/** The held time of all charts of a key, in milliseconds: a click holds it, another click or Esc releases it. */
const held = new Map<string, number>()
/** The time under the pointer, and the kind of chart. */
const pointed = new Map<string, Pointed>()
const charts = new Map<string, number>()
const listeners = new Set<() => void>()

interface Pointed {
  time: number
  /** Whether the pointer is over lines, which share their cursor in the library. */
  onLines: boolean
}

function notify(): void {
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
  notify()
}

export function resume(key: string): void {
  if (!held.delete(key)) return
  if (held.size === 0) document.removeEventListener('keydown', onKey)
  notify()
}

/** A click at a time holds it or releases the held one. On touch, each tap holds its time. */
export function holdOrResume(key: string, time: number | undefined, isTouch: boolean): void {
  if (held.has(key) && !isTouch) resume(key)
  else if (time !== undefined) hold(key, time)
}

/** Records the pointer's time on the charts of a key, or that it has left them. */
export function point(key: string, to: Pointed | undefined): void {
  if (to) pointed.set(key, to)
  else if (!pointed.delete(key)) return
  notify()
}

export const pointedAt = (key: string): Pointed | undefined => pointed.get(key)

export function onHeldChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Registers a chart of the key; returns a function that unregisters it. A held time ends with the last chart. */
export function joinCharts(key: string): () => void {
  charts.set(key, (charts.get(key) ?? 0) + 1)
  return () => {
    const left = (charts.get(key) ?? 1) - 1
    if (left > 0) {
      charts.set(key, left)
      return
    }
    charts.delete(key)
    pointed.delete(key)
    resume(key)
  }
}

export function useHeldTime(key: string): number | undefined {
  return useSyncExternalStore(onHeldChange, () => held.get(key))
}

/** The time shown by all charts of a key: the held time, otherwise the pointer's. */
export function useSelectedTime(key: string): number | undefined {
  return useSyncExternalStore(onHeldChange, () => held.get(key) ?? pointed.get(key)?.time)
}
