import { useSyncExternalStore } from 'react'
import type { PropertySelection } from '@caretaker/contract/property-selection.ts'
import type { BulkAction } from '@caretaker/rules/actions/actions.ts'
import type { HomeAction } from '@caretaker/rules/actions/home-actions.ts'
import type { Picked } from './picked.ts'
import type { ActionTarget } from './target.ts'

/** Actions that open a dialog first. */
export type AskedAction =
  | 'repair'
  | 'update tags'
  | 'update access rights tag'
  | 'reset boiler'
  | 'reset autofill'
  | 'uninstall'

/** The dialog to show. */
export type OpenAction =
  | { kind: 'single'; action: AskedAction; target: ActionTarget }
  | {
      kind: 'bulk'
      action: BulkAction
      picked: Picked
      /** The number of devices. */
      count: number
      /** Called when the dialog closes after an action. */
      onDone?: (action: BulkAction) => void
    }
  | ({ kind: 'homes'; onDone?: () => void } & HomesAsked)

/** A selection of properties. */
export interface HomesAsked {
  action: HomeAction
  selection: PropertySelection
  /** The number of properties. */
  count: number
  /** Selected properties with devices, and others with an open Awaab's Law case. Neither can be archived. */
  occupied: number
  openCases: number
}

let opened: OpenAction | undefined
const listeners = new Set<() => void>()

/**
 * Opens the dialog of an action from anywhere. The dialog is independent of the row, which may disappear on a refresh.
 */
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
