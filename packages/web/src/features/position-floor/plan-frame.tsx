import { useEffect, useEffectEvent, useRef } from 'react'
import { IconArrowsMove, IconRotateClockwise } from '../../icons/index.ts'
import type { Handle, Offset, Plan } from '@caretaker/rules/buildings/geometry.ts'
import { moved, placeOf, resized, signedTurn, turnedTo } from '@caretaker/rules/buildings/geometry.ts'
import type { Pixels } from '@caretaker/rules/maps/mercator.ts'
import { useMapCamera } from '../../map/camera.ts'
import type { MapCamera } from '../../map/camera.ts'
import { boxOf } from '../../plans/plan-box.ts'
import classes from './position-floor.module.css'

/** Pixels between the outline and the frame, so that handles do not hide the corner to be aligned. */
const margin = 9

const handles: readonly Handle[] = [
  { right: -1, down: -1 },
  { right: 0, down: -1 },
  { right: 1, down: -1 },
  { right: 1, down: 0 },
  { right: 1, down: 1 },
  { right: 0, down: 1 },
  { right: -1, down: 1 },
  { right: -1, down: 0 },
]

/** Ten centimetres; north is up regardless of the rotation of the plan. */
const arrows: Record<string, Offset> = {
  ArrowUp: { east: 0, north: 0.1 },
  ArrowDown: { east: 0, north: -0.1 },
  ArrowLeft: { east: -0.1, north: 0 },
  ArrowRight: { east: 0.1, north: 0 },
}
const turns: Record<string, number> = { '[': -1, ']': 1 }

interface PlanFrameProps {
  plan: Plan
  name: string
  /** Called before the first change of a drag or of a key press. */
  onBegin: () => void
  onPlan: (plan: Plan) => void
}

/** The frame around a plan for moving, resizing and rotating it by mouse, touch and keys. */
export function PlanFrame({ plan, name, onBegin, onPlan }: PlanFrameProps) {
  const camera = useMapCamera()
  const { pixelOf, placeAt } = camera
  const drag = useDrag(camera, onBegin)
  const handlePixel = ({ right, down }: Handle) =>
    pixelOf(placeOf(plan, { right: (right * plan.width) / 2, down: (down * plan.height) / 2 }))
  const press = usePress((event) => {
    const arrow = arrows[event.key]
    const degrees = turns[event.key]
    if (event.ctrlKey || event.metaKey || event.altKey || (!arrow && !degrees)) return false
    const by = event.shiftKey ? 10 : 1
    onBegin()
    onPlan(
      arrow
        ? moved(plan, { east: arrow.east * by, north: arrow.north * by })
        : { ...plan, rotation: plan.rotation + degrees! },
    )
    return true
  })
  return (
    <div
      ref={press}
      className={classes.frame}
      style={boxOf(camera, plan, margin)}
      role="application"
      tabIndex={0}
      aria-label={`${name}. Arrow keys move it 10 cm, with Shift 1 m; square brackets turn it by a degree.`}
      {...drag(pixelOf(plan), (to) => onPlan({ ...plan, ...placeAt(to) }))}
    >
      <span className={classes.grip} style={{ rotate: `${-plan.rotation}deg` }} aria-hidden>
        <IconArrowsMove size={20} />
      </span>
      {handles.map((handle) => (
        <span
          key={`${handle.right} ${handle.down}`}
          className={classes.handle}
          data-handle={`${handle.right} ${handle.down}`}
          data-side={handle.right === 0 ? 'level' : handle.down === 0 ? 'upright' : undefined}
          style={{ left: `${(handle.right + 1) * 50}%`, top: `${(handle.down + 1) * 50}%` }}
          aria-hidden
          {...drag(handlePixel(handle), (to) => onPlan(resized(plan, handle, placeAt(to))))}
        />
      ))}
      <span
        className={classes.turn}
        data-handle="turn"
        aria-hidden
        {...drag(handlePixel({ right: 0, down: -1 }), (to) => onPlan(turnedTo(plan, placeAt(to))))}
      >
        <IconRotateClockwise size={16} />
      </span>
      <span className={classes.degrees} aria-hidden>
        <span style={{ rotate: `${-plan.rotation}deg` }}>
          {signedTurn(plan.rotation).toFixed(1).replace('-', '−')}°
        </span>
      </span>
    </div>
  )
}

/** A ref whose element gets keys before the map, which would pan. The handler returns true if it used the key. */
function usePress(onKey: (event: KeyboardEvent) => boolean) {
  const element = useRef<HTMLDivElement>(null)
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (!onKey(event)) return
    event.preventDefault()
    event.stopPropagation()
  })
  useEffect(() => {
    const { current } = element
    current?.addEventListener('keydown', press)
    return () => current?.removeEventListener('keydown', press)
  }, [])
  return element
}

/** Follows one pointer, keeping the offset at which the point was taken. */
function useDrag({ hold }: MapCamera, onBegin: () => void) {
  const held = useRef<{ pointer: number; x: number; y: number; begun: boolean }>(undefined)
  const end = (event: React.PointerEvent) => {
    if (held.current?.pointer !== event.pointerId) return
    held.current = undefined
    hold(false)
  }
  return (point: Pixels, follow: (to: Pixels) => void) => ({
    onPointerDown: (event: React.PointerEvent) => {
      if (event.button !== 0 || held.current) return
      event.stopPropagation()
      event.currentTarget.setPointerCapture(event.pointerId)
      held.current = { pointer: event.pointerId, x: event.clientX - point.x, y: event.clientY - point.y, begun: false }
      hold(true)
    },
    onPointerMove: (event: React.PointerEvent) => {
      const from = held.current
      if (from?.pointer !== event.pointerId || !event.currentTarget.hasPointerCapture(event.pointerId)) return
      event.stopPropagation()
      if (!from.begun) onBegin()
      from.begun = true
      follow({ x: event.clientX - from.x, y: event.clientY - from.y })
    },
    onPointerUp: end,
    onPointerCancel: end,
  })
}
