import classes from './alerts.module.css'

/** How often a rule sent alerts on each of thirty days: a bar if it did, a dash if not. */
export function MonthBars({ days, large = false }: { days: readonly number[]; large?: boolean }) {
  const most = Math.max(1, ...days)
  const height = large ? 40 : 18
  const step = 6
  return (
    <svg
      className={classes.bars}
      data-large={large || undefined}
      viewBox={`0 0 ${days.length * step} ${height}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      {days.map((count, day) => {
        // A single alert is as visible as ten.
        const tall = count === 0 ? 1 : Math.max(height * 0.45, (count / most) * height)
        return (
          <rect
            key={day}
            data-none={count === 0 || undefined}
            x={day * step + 1}
            y={height - tall}
            width={step - 2}
            height={tall}
          />
        )
      })}
    </svg>
  )
}
