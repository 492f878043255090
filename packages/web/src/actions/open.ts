import { useSyncExternalStore } from 'react'
import type { PropertySelection } from '@caretaker/contract/property-selection.ts'
import type { BulkAction } from '@caretaker/rules/actions/actions.ts'
import type { HomeAction } from '@caretaker/rules/actions/home-actions.ts'
import type { Picked } from './picked.ts'
import type { ActionTarget } from './target.ts'

/** Actions that ask in a dialog before they are done. */
export type AskedAction =
  | 'repair'
  | 'update tags'
  | 'update access rights tag'
  | 'reset boiler'
  | 'reset autofill'
  | 'uninstall'

/** What the one place of dialogs shows. */
export type OpenAction =
  | { kind: 'single'; action: AskedAction; target: ActionTarget }
  | {
      kind: 'bulk'
      action: BulkAction
      picked: Picked
      /** How many devices that is. */
      count: number
      /** Called when the dialog is closed after something was done. */
      onDone?: (action: BulkAction) => void
    }
  | ({ kind: 'homes'; onDone?: () => void } & HomesAsked)

/** Homes that something is done with. */
export interface HomesAsked {
  action: HomeAction
  selection: PropertySelection
  /** How many homes it is done to. */
  count: number
  /** Homes of the selection with devices, and others with an open case of Awaab's Law: neither are archived. */
  occupied: number
  openCases: number
}

let opened: OpenAction | undefined
const listeners = new Set<() => void>()

/** Opens the dialog of an action, wherever it was asked for: rows come and go while a person reads. */
export function openAction(next: OpenAction | undefined): void {
  opened = next
  for (const listener of listeners) listener()
}

export function useOpenAction(): OpenAction | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => opened,
  )
}
