import { generator, uuid } from '../random.ts'
import type { Answer, Context, EventMessage, Reported } from './model.ts'
import { number, word } from './model.ts'

export interface Fault {
  code: string
  description: string
  source: 'boiler' | 'autofill'
  isResettable: boolean
  /** ms since the epoch */
  since: number
  eventId: string
}

/** The permanent fault of a scenario. Its id is the same at every start, so that it remains one fault. */
export function storiedFault(
  context: Context,
  fault: Pick<Fault, 'code' | 'description' | 'source' | 'isResettable'>,
): Fault {
  const { device, now } = context
  return {
    ...fault,
    code: word(device, 'faultCode', fault.code),
    since: Math.floor(number(device, 'faultSince', now)),
    eventId: word(device, 'faultEventId', uuid(generator(`${device.deviceId} ${fault.source} fault`))),
  }
}

/** The reported fault, in the field names of the boiler pages (devices specification, section 3, Fault). */
export function reportedFault(fault: Fault | undefined): Reported {
  if (!fault) return { faultCode: 'None', fault: null }
  return {
    faultCode: fault.code,
    fault: {
      faultCode: fault.code,
      description: fault.description,
      timestamp: new Date(fault.since).toISOString(),
      faultSource: fault.source,
      isResettable: fault.isResettable,
    },
  }
}

export function faultEvent(fault: Fault): EventMessage {
  return {
    eventId: fault.eventId,
    start: fault.since,
    severity: 'High',
    category: fault.source === 'boiler' ? 'Boiler' : 'Autofill',
    description: `${fault.code}: ${fault.description}`,
  }
}

/** Clears a lockout remotely, if the fault allows it. The burner or valve resumes with the next step. */
export function reset<State extends { fault: Fault | undefined }>(state: State, { now }: Context): Answer<State> {
  const { fault } = state
  if (!fault) return { state, status: 'failed', message: 'There is no fault to reset' }
  if (!fault.isResettable)
    return { state, status: 'failed', message: `${fault.code} cannot be reset from afar: ${fault.description}` }
  return {
    state: { ...state, fault: undefined },
    status: 'confirmed',
    events: [{ ...faultEvent(fault), end: now }],
    next: 1,
  }
}
