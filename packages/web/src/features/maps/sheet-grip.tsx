import { useRef } from 'react'
import classes from './maps.module.css'

/** Pixels: a shorter movement is a click. */
const pull = 24

/** On a phone, expands or collapses the list by dragging or clicking. */
export function SheetGrip({ isUp, onUp }: { isUp: boolean; onUp: (isUp: boolean) => void }) {
  const from = useRef<number>(undefined)
  const wasPulled = useRef(false)
  return (
    <button
      type="button"
      className={classes.grip}
      aria-expanded={isUp}
      aria-label={isUp ? 'Collapse the list' : 'Expand the list'}
      onPointerDown={(event) => {
        from.current = event.clientY
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerUp={(event) => {
        const by = event.clientY - (from.current ?? event.clientY)
        wasPulled.current = Math.abs(by) > pull
        if (wasPulled.current) onUp(by < 0)
      }}
      onClick={() => {
        if (wasPulled.current) wasPulled.current = false
        else onUp(!isUp)
      }}
    >
      <span aria-hidden />
    </button>
  )
}
