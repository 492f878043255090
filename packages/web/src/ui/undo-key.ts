import { useEffect, useEffectEvent } from 'react'

/** Ctrl Z, or ⌘ Z. */
export const isUndoKey = ({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): boolean =>
  (ctrlKey || metaKey) && !shiftKey && !altKey && key.toLowerCase() === 'z'

/** Whether the key is for a field of text, which takes back what was typed. */
export function isTyping(target: EventTarget | null): boolean {
  const field = 'input:not([type=checkbox], [type=radio], [type=button]), textarea, [contenteditable]'
  return target instanceof Element && target.closest(field) !== null
}

/**
 * Lets the undo key take back a step of a map. What the browser does by itself takes back the last letter typed into any field of the
 * page, also of one that a dialog covers: a dialog of such a map wants the key while somebody types, too.
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
