import type { DecodedValue, Radio, RejectedValue, SensorMessage } from '../connectors/types.ts'

/** The credentials with which Caretaker signs in to a broker. */
export interface BrokerSecrets {
  password?: string
  /** PEM */
  authority?: string
  certificate?: string
  privateKey?: string
}

/** A message as stored, without its bytes, which have their own column. */
export type StoredMessage = Omit<SensorMessage, 'bytes' | 'radio'> & { radio: Radio }

/** The result of a message. */
export interface StoredOutcome {
  readings?: { path: string; metric: string; value: number; at: number }[]
  rejected?: (Pick<RejectedValue, 'path' | 'value' | 'text'> & { metric: string | null })[]
  unused?: { path: string; value: DecodedValue }[]
}
