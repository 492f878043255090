import { useEffect, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'

/** Something that the command palette can do where the person is now. */
export interface Command {
  id: string
  /** In words that name its object, e.g. 'Flick test the 4 selected lights'. */
  label: string
  icon?: ReactNode
  /** The key that does the same without the palette. */
  shortcut?: string
  run: () => void
}

const offered = new Map<symbol, readonly Command[]>()
const listeners = new Set<() => void>()
let all: readonly Command[] = []

function tell(): void {
  all = [...offered.values()].flat()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Offers commands in the palette while the component stands; memoise the list, each new one replaces the last. */
export function useCommands(commands: readonly Command[]): void {
  useEffect(() => {
    const key = Symbol('commands')
    offered.set(key, commands)
    tell()
    return () => {
      offered.delete(key)
      tell()
    }
  }, [commands])
}

/** Every command that is offered now. */
export function useOfferedCommands(): readonly Command[] {
  return useSyncExternalStore(subscribe, () => all)
}
