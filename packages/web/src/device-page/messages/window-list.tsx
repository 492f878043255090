import type { KeyboardEvent, ReactNode, Ref } from 'react'
import { useImperativeHandle, useRef, useState } from 'react'
import classes from './messages.module.css'

/** Rows rendered above and below the viewport. */
const spare = 12

export interface WindowHandle {
  /** Scrolls a row into view. */
  show: (at: number) => void
}

interface WindowListProps {
  label: string
  count: number
  /** The row height in pixels. */
  height: number
  /** The selected row; -1 for none. */
  chosen: number
  idOf: (at: number) => string
  renderRow: (at: number) => ReactNode
  onChoose: (at: number) => void
  onKey: (event: KeyboardEvent) => void
  /** The user has scrolled away from the first row. */
  onLeave: () => void
  ref: Ref<WindowHandle>
}

/** A virtual list: only the visible rows are rendered. */
export function WindowList(props: WindowListProps) {
  const { label, count, height, chosen, idOf, renderRow, onChoose, onKey, onLeave, ref } = props
  const box = useRef<HTMLDivElement>(null)
  const [seen, setSeen] = useState({ top: 0, height: 800 })
  const first = Math.max(0, Math.floor(seen.top / height) - spare)
  const last = Math.min(count, Math.ceil((seen.top + seen.height) / height) + spare)
  useImperativeHandle(ref, () => ({
    show: (at) => {
      const { current } = box
      if (!current) return
      const [top, bottom] = [at * height, (at + 1) * height]
      if (top < current.scrollTop) current.scrollTop = top
      else if (bottom > current.scrollTop + current.clientHeight) current.scrollTop = bottom - current.clientHeight / 2
    },
  }))
  return (
    <div
      ref={box}
      className={classes.window}
      role="listbox"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={chosen >= first && chosen < last ? `message-${idOf(chosen)}` : undefined}
      onKeyDown={onKey}
      onScroll={({ currentTarget }) => {
        setSeen({ top: currentTarget.scrollTop, height: currentTarget.clientHeight })
        if (currentTarget.scrollTop > height) onLeave()
      }}
    >
      <div style={{ height: count * height }} role="presentation">
        {Array.from({ length: Math.max(0, last - first) }, (_, n) => first + n).map((at) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the list as a whole takes the keys
          <div
            key={idOf(at)}
            id={`message-${idOf(at)}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === chosen}
            aria-posinset={at + 1}
            aria-setsize={count}
            className={classes.row}
            style={{ top: at * height, height }}
            onClick={() => onChoose(at)}
          >
            {renderRow(at)}
          </div>
        ))}
      </div>
    </div>
  )
}
