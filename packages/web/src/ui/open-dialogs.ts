import { useSyncExternalStore } from 'react'

// Separate from the dialogs, because a list needs it before any dialog is loaded.
let open = 0
const listeners = new Set<() => void>()

/** The number of open dialogs. */
export const openDialogs = (): number => open

/** Counts a dialog that opens or closes. */
export function countDialogs(change: 1 | -1): void {
  open += change
  for (const listener of listeners) listener()
}

/** Whether a dialog is open: content behind it should not change meanwhile. */
export function useDialogIsOpen(): boolean {
  return useSyncExternalStore(subscribe, () => open > 0)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
