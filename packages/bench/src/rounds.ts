import { SettingError } from '@caretaker/server/config.ts'
import { fewestSamples } from './figures.ts'

/**
 * Parses an option for the number of measurements; rejects a number that is too small for the percentile with a limit.
 */
export function roundsOf(option: string, value: string, bound: keyof typeof fewestSamples): number {
  const rounds = Number(value)
  if (!(rounds >= fewestSamples[bound]))
    throw new SettingError(`--${option} must be at least ${fewestSamples[bound]}: ${bound} of fewer says nothing.`)
  return rounds
}
