import type { TestSeries } from '@caretaker/contract/lighting.ts'

/** One axis of a test chart, from the lowest to the highest value, with the position of a value. */
export interface Axis {
  low: number
  high: number
  y(this: void, value: number): number
}

/** An axis that fits all values of these series, with some margin. */
export function axisOf(series: readonly TestSeries[], { from, to }: { from: number; to: number }): Axis {
  const values = series.flatMap((one) => one.series.map(({ value }) => value))
  const [least, most] = values.length ? [Math.min(...values), Math.max(...values)] : [0, 1]
  const air = (most - least || Math.abs(most) || 1) * 0.08
  const low = least >= 0 ? Math.max(0, least - air) : least - air
  const high = most + air
  return { low, high, y: (value) => from + ((value - low) / (high - low)) * (to - from) }
}

/** Round tick values, four or five of them. */
export function ticksOf({ low, high }: Axis): number[] {
  const rough = (high - low) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? rough
  const first = Math.ceil(low / step)
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, at) =>
    Number(((first + at) * step).toPrecision(6)),
  )
}

export function pathOf({ series }: TestSeries, x: (seconds: number) => number, y: (value: number) => number): string {
  return series
    .map(({ seconds, value }, at) => `${at === 0 ? 'M' : 'L'}${x(seconds).toFixed(1)} ${y(value).toFixed(1)}`)
    .join('')
}
