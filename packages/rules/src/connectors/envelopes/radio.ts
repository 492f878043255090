import type { Radio } from '../types.ts'

/** The reception with the strongest signal: every gateway in range reports the same frame. */
export function strongest(receptions: Radio[]): Radio {
  return receptions.reduce<Radio>(
    (best, one) => ((one.rssi ?? -Infinity) > (best.rssi ?? -Infinity) || !Object.keys(best).length ? one : best),
    {},
  )
}
