import { useEffect, useState } from 'react'
import type { RefObject } from 'react'
import { IconChevronRight } from '../../icons/index.ts'
import classes from '../data-table.module.css'

/**
 * Indicates columns beyond the edge and scrolls to them. Only for pointers: arrow keys and assistive technology reach
 * every column.
 */
export function MoreColumns({ scroller }: { scroller: RefObject<HTMLElement | null> }) {
  const [isMore, setMore] = useState(false)
  useEffect(() => {
    const box = scroller.current!
    const look = () => setMore(box.scrollLeft + box.clientWidth < box.scrollWidth - 1)
    const observer = new ResizeObserver(look)
    for (const one of [box, ...box.children]) observer.observe(one)
    box.addEventListener('scroll', look, { passive: true })
    return () => {
      observer.disconnect()
      box.removeEventListener('scroll', look)
    }
  }, [scroller])
  if (!isMore) return undefined
  return (
    <button
      type="button"
      className={classes.more}
      tabIndex={-1}
      aria-hidden
      title="More columns"
      onClick={() => scroller.current?.scrollBy({ left: scroller.current.clientWidth / 2, behavior: 'smooth' })}
    >
      <IconChevronRight size={16} />
    </button>
  )
}
