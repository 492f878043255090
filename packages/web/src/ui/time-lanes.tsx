import type { PointerEvent, ReactNode } from 'react'
import { useEffect, useId } from 'react'
import { useElementSize } from '@mantine/hooks'
import { eventChartHeight, snapped, ticksFor, timeTicks } from '@caretaker/rules/telemetry/drawing.ts'
import { heldTime, holdOrResume, joinCharts, point, useSelectedTime } from './chart/held-time.ts'
import { labelGutter, rightEdgeFor } from './chart/gutter.ts'
import { timeLabels } from './chart/time-labels.ts'
import { useZone } from './zone.tsx'
import classes from './time-lanes.module.css'

/** A row of a chart with the same time axis as the line charts around it. */
export interface Lane {
  id: string
  label: string
  /** Its content as text for screen readers. */
  words: string
  /** `place` returns the position of an instant (ms) in per cent of the width, limited to the width. */
  draw: (place: (at: number) => number) => ReactNode
}

export interface TimeLanesProps {
  lanes: readonly Lane[]
  /** Milliseconds. */
  from: number
  to: number
  /** Shares the selected time with the charts of this key. */
  syncKey: string
  /** The zone of its times; the page's by default. */
  zone?: string
  labelledBy: string
}

/** Stacked rows over one time axis, with the selected time of all charts of the key. */
export function TimeLanes({ lanes, from, to, syncKey, labelledBy, ...given }: TimeLanesProps) {
  const pageZone = useZone()
  const zone = given.zone ?? pageZone
  const wordsId = useId()
  const { ref: box, width: whole } = useElementSize<HTMLDivElement>()
  const { ref, width } = useElementSize<HTMLDivElement>()
  const time = useSelectedTime(syncKey)
  useEffect(() => joinCharts(syncKey), [syncKey])
  const ticks = timeTicks(from, to, ticksFor(whole), zone)
  const labels = timeLabels(
    ticks.times.map((at) => at / 1000),
    ticks.step / 1000,
    (to - from) / 1000,
    zone,
  )
  const place = (at: number) => ((Math.min(Math.max(at, from), to) - from) / (to - from)) * 100
  const timeAt = (event: PointerEvent<HTMLElement>) => {
    const { left } = event.currentTarget.getBoundingClientRect()
    return from + (snapped(event.clientX - left, width) / width) * (to - from)
  }
  return (
    <div
      ref={box}
      className={classes.plot}
      role="img"
      aria-labelledby={labelledBy}
      aria-describedby={wordsId}
      style={{
        height: eventChartHeight(lanes.length),
        paddingInlineEnd: rightEdgeFor(whole, { wide: true, limits: false }),
      }}
    >
      <div className={classes.labels} style={{ width: labelGutter }} aria-hidden>
        {lanes.map(({ id, label }) => (
          <span key={id} title={label}>
            {label}
          </span>
        ))}
      </div>
      <div
        ref={ref}
        className={classes.rows}
        aria-hidden
        onPointerMove={(event) => {
          if (heldTime(syncKey) === undefined) point(syncKey, { time: timeAt(event), onLines: false })
        }}
        onPointerLeave={() => point(syncKey, undefined)}
        onClick={(event) => {
          const touch = (event.nativeEvent as globalThis.PointerEvent).pointerType === 'touch'
          holdOrResume(syncKey, timeAt(event as unknown as PointerEvent<HTMLElement>), touch)
        }}
      >
        {ticks.times.map((at, index) => (
          <span key={at} className={classes.tick} style={{ insetInlineStart: `${place(at)}%` }}>
            <i>{labels[index]}</i>
          </span>
        ))}
        {lanes.map(({ id, draw }, row) => (
          <div key={id} className={classes.row} style={{ insetBlockStart: row * 30 }}>
            {draw(place)}
          </div>
        ))}
        {time !== undefined && time >= from && time <= to && (
          <span className={classes.cursor} style={{ insetInlineStart: `${place(time)}%` }} />
        )}
      </div>
      <p id={wordsId} className="visually-hidden">
        {lanes.map(({ label, words }) => `${label}: ${words}.`).join(' ')}
      </p>
    </div>
  )
}
