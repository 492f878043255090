import { relaysIn } from './details.ts'

/** What a heat saviour's relays switch, by their number. */
const relayNames: Readonly<Record<string, string>> = { 1: 'Air source heat pump', 2: 'Immersion heater' }

export function relayName(relayId: string): string {
  return relayNames[relayId] ?? `Relay ${relayId}`
}

/** One relay with its two truths; null where either is not known. */
export interface RelayState {
  relayId: string
  desiredPoweredOn: boolean | null
  reportedPoweredOn: boolean | null
}

/** The relays of a power switch by their number: those that it tells of, and those that something was asked of. */
export function relayStates(
  desired: Readonly<Record<string, unknown>>,
  reported: Readonly<Record<string, unknown>>,
): RelayState[] {
  const [asked, told] = [relaysIn(desired), relaysIn(reported)]
  return [...new Set([...Object.keys(asked), ...Object.keys(told)])].sort().map((relayId) => ({
    relayId,
    // Of what nobody has asked anything, nothing else is desired than what is.
    desiredPoweredOn: asked[relayId] ?? told[relayId] ?? null,
    reportedPoweredOn: told[relayId] ?? null,
  }))
}
