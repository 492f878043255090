import { relaysIn } from './details.ts'

/** The loads switched by the relays of a heat saviour, by relay number. */
const relayNames: Readonly<Record<string, string>> = { 1: 'Air source heat pump', 2: 'Immersion heater' }

export function relayName(relayId: string): string {
  return relayNames[relayId] ?? `Relay ${relayId}`
}

/** The reported and desired state of one relay; null if unknown. */
export interface RelayState {
  relayId: string
  desiredPoweredOn: boolean | null
  reportedPoweredOn: boolean | null
}

/** The relays of a power switch by number: those reported and those for which a state was requested. */
export function relayStates(
  desired: Readonly<Record<string, unknown>>,
  reported: Readonly<Record<string, unknown>>,
): RelayState[] {
  const [desiredRelays, reportedRelays] = [relaysIn(desired), relaysIn(reported)]
  return [...new Set([...Object.keys(desiredRelays), ...Object.keys(reportedRelays)])].sort().map((relayId) => ({
    relayId,
    // Without a request, the desired state is the reported one.
    desiredPoweredOn: desiredRelays[relayId] ?? reportedRelays[relayId] ?? null,
    reportedPoweredOn: reportedRelays[relayId] ?? null,
  }))
}
