import classes from './connections.module.css'

const [width, height] = [120, 20]

/** The messages of the last 24 hours, one bar per hour; an hour without messages is a dash. The count is beside it. */
export function HourBars({ counts }: { counts: readonly number[] }) {
  const most = Math.max(1, ...counts)
  const step = width / Math.max(1, counts.length)
  return (
    <svg className={classes.bars} viewBox={`0 0 ${width} ${height}`} aria-hidden>
      {counts.map((count, hour) => {
        const high = count === 0 ? 1 : Math.max(2, (height * count) / most)
        return (
          <rect
            // oxlint-disable-next-line react/no-array-index-key -- hours have fixed positions
            key={hour}
            data-empty={count === 0 || undefined}
            x={hour * step + 0.5}
            y={height - high}
            width={step - 1.5}
            height={high}
            rx={count === 0 ? 0 : 1}
          />
        )
      })}
    </svg>
  )
}
