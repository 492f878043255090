import { useEffect, useEffectEvent } from 'react'

/**
 * Ctrl+Z takes back a step of a map. What the browser does by itself takes back the last letter typed into any field of the
 * page, also of one that a dialog covers: a dialog of such a map wants the key while somebody types, too.
 */
export function useUndoKey(undo: (() => void) | undefined, { whileTyping = false } = {}): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const isUndo =
      event.key.toLowerCase() === 'z' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey
    if (!undo || !isUndo || event.defaultPrevented) return
    if (
      !whileTyping &&
      event.target instanceof Element &&
      event.target.matches('input[type="search"], input[type="text"]')
    )
      return
    event.preventDefault()
    undo()
  })
  useEffect(() => {
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}
