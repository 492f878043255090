import type { ConnectionKind, EnvelopeResult } from '../types.ts'

import { connectionKinds } from '../types.ts'

/** Such as 'This message is not from ChirpStack: field deviceInfo is missing'. */
export function notFrom(kind: ConnectionKind, field: string): EnvelopeResult {
  return {
    refusal: {
      reason: 'wrong kind',
      text: `This message is not from ${connectionKinds[kind].name}: field ${field} is missing`,
      field,
    },
  }
}

export function missing(field: string, use: string): EnvelopeResult {
  return { refusal: { reason: 'missing field', text: `Field ${field} is missing: ${use}`, field } }
}

export function wrong(field: string, expected: string): EnvelopeResult {
  return { refusal: { reason: 'wrong value', text: `Field ${field} is not ${expected}`, field } }
}
