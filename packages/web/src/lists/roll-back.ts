import { useEffect, useRef } from 'react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useReach } from '../api/reach.ts'
import { showError } from '../ui/toasts.tsx'
import type { ListSearch } from './list-place.ts'

/**
 * Returns the address to the rows on the screen when the requested ones cannot be fetched, so that no control shows a
 * state that was not applied.
 * @param shown the place of the rows on the screen, if there are any
 * @param wanted the place that the address names
 */
export function useRollBack(shown: string | undefined, wanted: string, isError: boolean): void {
  const search: ListSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const { lost } = useReach()
  const last = useRef(search)
  useEffect(() => {
    if (shown === wanted) last.current = search
  }, [shown, wanted, search])
  const isUndone = shown !== undefined && shown !== wanted && (lost || isError)
  useEffect(() => {
    if (!isUndone) return
    showError(`The list was not updated: ${lost ? 'the server cannot be reached' : 'the data could not be loaded'}.`)
    void navigate({ to: '.', search: last.current as never, replace: true, resetScroll: false })
    // oxlint-disable-next-line react/exhaustive-deps -- once for each change that came to nothing
  }, [isUndone])
}
