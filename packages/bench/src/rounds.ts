import { SettingError } from '@caretaker/server/config.ts'
import { fewestSamples } from './figures.ts'

/** An option that says how often something is measured; refused where that is too seldom for the percentile that has a bound. */
export function roundsOf(option: string, value: string, bound: keyof typeof fewestSamples): number {
  const rounds = Number(value)
  if (!(rounds >= fewestSamples[bound]))
    throw new SettingError(`--${option} must be at least ${fewestSamples[bound]}: ${bound} of fewer says nothing.`)
  return rounds
}
