import { useEffect, useEffectEvent } from 'react'

/** Ctrl Z, or ⌘ Z. */
export const isUndoKey = ({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): boolean =>
  (ctrlKey || metaKey) && !shiftKey && !altKey && key.toLowerCase() === 'z'

/** Whether the key belongs to a text field, which undoes typing. */
export function isTyping(target: EventTarget | null): boolean {
  const field = 'input:not([type=checkbox], [type=radio], [type=button]), textarea, [contenteditable]'
  return target instanceof Element && target.closest(field) !== null
}

/**
 * Lets the undo key undo a step of a map. The browser's own undo would affect the last typed letter in any field, even
 * one behind a dialog, so a dialog with such a map also handles the key while typing.
 */
export function useMapUndoKey(undo: (() => void) | undefined, { whileTyping = false } = {}): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (!undo || !isUndoKey(event) || event.defaultPrevented) return
    if (!whileTyping && isTyping(event.target)) return
    event.preventDefault()
    undo()
  })
  useEffect(() => {
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}
