import { wander } from './random.ts'

export interface Place {
  latitude: number
  longitude: number
}

export interface Weather {
  /** °C */
  temperature: number
  /** % */
  humidity: number
}

const hour = 3_600_000
const day = 24 * hour
const year = 365.2425 * day

/**
 * The weather at a time (ms) and place in Great Britain: season, time of day and passing fronts. It is a smooth function of time
 * and place, so that neighbours have the same weather and the result is reproducible.
 */
export function weather(now: number, place: Place): Weather {
  // Coldest about 20 January, warmest half a year later.
  const season = -Math.cos((now / year - 0.055) * 2 * Math.PI)
  // Coldest at about four in the morning, solar time.
  const solarHours = now / hour + place.longitude / 15
  const daily = -Math.cos(((solarHours - 3.5) / 24) * 2 * Math.PI)
  // Fronts come from the south-west, so that they reach places further north-east later.
  const front = wander('front', now - (place.longitude * 2 + place.latitude * 1.5) * hour, 2.6 * day)
  const temperature = 9.8 - 0.55 * (place.latitude - 52.5) + 6.4 * season + (2.6 + 1.4 * season) * daily + 4 * front
  return { temperature, humidity: 79 - 10 * daily - 3 * season - 6 * front }
}
