import { useEffect, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'

/** A command offered in the palette. */
export interface Command {
  id: string
  /** The text with its object, for example 'Flick test the 4 selected lights'. */
  label: string
  icon?: ReactNode
  /** The keyboard shortcut outside the palette. */
  shortcut?: string
  run: () => void
}

const offered = new Map<symbol, readonly Command[]>()
const listeners = new Set<() => void>()
let all: readonly Command[] = []

function notify(): void {
  all = [...offered.values()].flat()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Offers commands in the palette while the component is mounted; memoise the list, because each new list replaces the
 * last.
 */
export function useCommands(commands: readonly Command[]): void {
  useEffect(() => {
    const key = Symbol('commands')
    offered.set(key, commands)
    notify()
    return () => {
      offered.delete(key)
      notify()
    }
  }, [commands])
}

/** All commands offered now. */
export function useOfferedCommands(): readonly Command[] {
  return useSyncExternalStore(subscribe, () => all)
}
