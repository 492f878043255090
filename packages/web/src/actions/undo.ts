import { useEffect } from 'react'
import { useLocation } from '@tanstack/react-router'
import type { ToastAction } from '../ui/toasts.tsx'
import { isTyping, isUndoKey } from '../ui/undo-key.ts'

/** The last change of this page that can be taken back. */
let last: { takeBack: () => void } | undefined

/** Offers to take a change back: by the button that this gives, and by Ctrl Z while its page is open. */
export function undoable(takeBack: () => void): ToastAction {
  const change = {
    takeBack: () => {
      if (last === change) last = undefined
      takeBack()
    },
  }
  last = change
  return { label: 'Undo', onPress: change.takeBack }
}

const shown = new Set<() => void>()

/** Lets a list that holds its rows, because some are selected, show what was taken back; gives the way to end it. */
export function afterUndo(show: () => void): () => void {
  shown.add(show)
  return () => void shown.delete(show)
}

/** A change was taken back: whoever holds rows shows them as they are now. */
export function undone(): void {
  for (const show of shown) show()
}

/** The change was taken back by another way: there is nothing left to take back. */
export function forgetUndo(): void {
  last = undefined
}

/** Lets Ctrl Z (⌘ Z) take back the last change that was made on the page, outside of what is being typed. */
export function useUndoKey(): void {
  const pathname = useLocation({ select: (location) => location.pathname })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isUndoKey(event) || event.defaultPrevented || !last || isTyping(event.target)) return
      event.preventDefault()
      last.takeBack()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => {
      window.removeEventListener('keydown', onKeyDown)
      last = undefined
    }
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- what was done belongs to the page on which it was
  }, [pathname])
}
