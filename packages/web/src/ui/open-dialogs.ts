import { useSyncExternalStore } from 'react'

// Apart from the dialogs themselves: a list asks whether one is open before any is loaded.
let open = 0
const listeners = new Set<() => void>()

/** How many dialogs are open. */
export const openDialogs = (): number => open

/** Counts a dialog that opens or closes. */
export function countDialogs(change: 1 | -1): void {
  open += change
  for (const listener of listeners) listener()
}

/** Whether a dialog is open anywhere on the page: what is behind it should not change meanwhile. */
export function useDialogIsOpen(): boolean {
  return useSyncExternalStore(subscribe, () => open > 0)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
