import { useEffect } from 'react'
import { useLocation } from '@tanstack/react-router'
import type { ToastAction } from '../ui/toasts.tsx'
import { isTyping, isUndoKey } from '../ui/undo-key.ts'

/** The last change on this page that can be undone. */
let last: { takeBack: () => void } | undefined

/** Offers to undo a change: by the returned button, and by Ctrl Z while its page is open. */
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

/**
 * Lets a list with frozen rows (because of a selection) show an undone change; returns a function that unsubscribes.
 */
export function afterUndo(show: () => void): () => void {
  shown.add(show)
  return () => void shown.delete(show)
}

/** Reports an undone change, so that lists refresh frozen rows. */
export function undone(): void {
  for (const show of shown) show()
}

/** The change was undone by other means: nothing is left to undo. */
export function forgetUndo(): void {
  last = undefined
}

/** Lets Ctrl Z (⌘ Z) undo the last change on the page, except while typing. */
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
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- an undo belongs to the page of its action
  }, [pathname])
}
