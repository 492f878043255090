import { useEffect, useRef, useState } from 'react'
import type { FocusEvent, MouseEvent } from 'react'
import type { DataTableProps } from './props.ts'
import { isPlainClick, useGoTo, usePrefetch } from '../link.tsx'

/** The largest number of pinned rows (core specification, 2.7). */
export const pinLimit = 5
const hoverDelay = 60
/** The end of a row range to choose, where there is no Shift key. */
export type RangeStep = 'first' | 'last'

/** Opens, selects, pins and prefetches rows by events that bubble to the body: rows need no handlers. */
export function useRowEvents<Row>(props: DataTableProps<Row>, ordered: Row[]) {
  const goTo = useGoTo()
  const prefetch = usePrefetch()
  /** The start row of a Shift selection. */
  const anchor = useRef<string>(undefined)
  const [step, setStep] = useState<RangeStep>()
  const hover = useRef<{ id?: string; timer?: ReturnType<typeof setTimeout> }>({})
  useEffect(() => {
    const { current } = hover
    return () => clearTimeout(current.timer)
  }, [])

  const idOf = (target: EventTarget) => (target as Element).closest<HTMLElement>('tr[data-row]')?.dataset['row']
  const rowOf = (target: EventTarget) => {
    const id = idOf(target)
    return id === undefined ? undefined : ordered.find((row) => props.rowId(row) === id)
  }

  function open(row: Row, elsewhere: boolean): void {
    const href = props.rowHref?.(row)
    if (props.rowHref && href === undefined) return
    if (elsewhere && href) window.open(href, '_blank', 'noopener')
    else if (props.onOpen) props.onOpen(row)
    else if (href) goTo(href)
  }

  /** Toggles the selection of the row; with Shift, applies it to all rows from the last clicked one. */
  function select(row: Row, reaches: boolean): void {
    const { selection } = props
    if (!selection || selection.fault(row) !== undefined) return
    const id = props.rowId(row)
    const isLast = step === 'last'
    const from = reaches || isLast ? ordered.findIndex((one) => props.rowId(one) === anchor.current) : -1
    const to = ordered.indexOf(row)
    const rows = from < 0 ? [row] : ordered.slice(Math.min(from, to), Math.max(from, to) + 1)
    selection.onSelect(
      rows.filter((one) => selection.fault(one) === undefined),
      step !== undefined || !selection.has(id),
    )
    anchor.current = id
    if (step) setStep(isLast ? undefined : 'last')
  }

  function onClick(event: MouseEvent): void {
    const row = rowOf(event.target)
    if (!row) return
    const control = (event.target as Element).closest('a, button, input, select, textarea, label, summary')
    if (control?.hasAttribute('data-select')) select(row, event.shiftKey)
    if (control?.hasAttribute('data-pin')) pin(props, props.rowId(row))
    const isRowLink = control?.hasAttribute('data-row-link')
    if (control && !isRowLink) return
    if (isPlainClick(event)) {
      // Selecting the text of a cell is not a click.
      if (!isRowLink && window.getSelection()?.isCollapsed === false) return
      event.preventDefault()
      open(row, false)
    } else if (!isRowLink && (event.ctrlKey || event.metaKey)) open(row, true)
  }

  function onAuxClick(event: MouseEvent): void {
    const row = rowOf(event.target)
    if (row && event.button === 1 && !(event.target as Element).closest('a, button, input')) open(row, true)
  }

  function rest(target: EventTarget): void {
    const row = rowOf(target)
    const id = row && props.rowId(row)
    if (id === hover.current.id) return
    clearTimeout(hover.current.timer)
    hover.current.id = id
    if (!row) return
    hover.current.timer = setTimeout(() => {
      const href = props.rowHref?.(row)
      if (href !== undefined) prefetch(href)
      props.onHover?.(row)
    }, hoverDelay)
  }

  return {
    range: { step, onStep: setStep },
    keys: {
      onOpen(target: EventTarget, elsewhere: boolean) {
        const row = rowOf(target)
        if (row) open(row, elsewhere)
      },
      onSelect(target: EventTarget, reaches: boolean): boolean {
        const row = rowOf(target)
        if (!row || !props.selection) return false
        select(row, reaches)
        return true
      },
    },
    handlers: {
      onClick,
      onAuxClick,
      onMouseOver: (event: MouseEvent) => rest(event.target),
      onMouseLeave: () => {
        clearTimeout(hover.current.timer)
        hover.current.id = undefined
      },
      onFocus: (event: FocusEvent) => rest(event.target),
    },
  }
}

function pin<Row>({ pinned = [], onPin }: DataTableProps<Row>, id: string): void {
  if (pinned.includes(id)) onPin?.(pinned.filter((one) => one !== id))
  else if (pinned.length < pinLimit) onPin?.([...pinned, id])
}
