import type { Command } from '@caretaker/contract/lighting.ts'
import { statusAt } from '@caretaker/rules/commands/life.ts'

interface Around {
  /** ms since the epoch */
  now: number
  /** Formats an instant for display. */
  time: (at: string) => string
  /** As the thermostat reports it, in °C; null before its first report. */
  reported: number | null
}

/** The state of a requested set point: its heading, whether it needs attention, and the details. */
export interface SetPointState {
  text: string
  is: 'confirmed' | 'pending' | 'failed'
  details: string
}

const wantedBy = ({ args }: Command): number | undefined =>
  typeof args['setPoint'] === 'number' ? args['setPoint'] : undefined

/** Only the thermostat's own report confirms a set point; an acknowledgement of the network server does not. */
export function setPointState(command: Command, { now, time, reported }: Around): SetPointState {
  const { message, sentAt, answeredAt, expiresAt, requestedBy, createdAt, lateAnswer } = command
  const wanted = wantedBy(command)
  const reports =
    reported === null ? 'The thermostat has not reported a set point.' : `The thermostat reports ${reported} °C.`
  const asked = `Requested${requestedBy === null ? '' : ` by ${requestedBy}`} at ${time(createdAt)}.`
  const why = message ? ` ${message.replace(/\.?$/, '.')}` : ''
  const status = lateAnswer ?? statusAt(command, now)
  switch (status) {
    case 'confirmed':
      return wanted === reported
        ? {
            is: 'confirmed',
            text: 'Confirmed by the thermostat',
            details: `At ${time(answeredAt ?? createdAt)}. ${asked}`,
          }
        : {
            is: 'failed',
            text: 'Changed since',
            details: `${reports} ${wanted} °C was confirmed at ${time(answeredAt ?? createdAt)}.`,
          }
    case 'queued':
      return {
        ...{ is: message ? 'failed' : 'pending', text: 'Not sent yet' },
        details: `${why.trimStart()}${why && ' '}It is sent until ${time(expiresAt)}. ${asked}`,
      }
    case 'sent':
      return {
        ...{ is: 'pending', text: "Waiting for the sensor's next message" },
        details: `Sent to the network server at ${time(sentAt ?? createdAt)}. ${reports} It expires at ${time(expiresAt)}. ${asked}`,
      }
    case 'failed':
      return { is: 'failed', text: 'Not sent', details: `${why.trimStart()}${why && ' '}${asked}` }
    case 'expired':
      return {
        ...{ is: 'failed', text: 'Expired' },
        details:
          sentAt === null
            ? `It could not be sent until ${time(expiresAt)}.${why} ${asked}`
            : `The thermostat did not report ${wanted} °C until ${time(expiresAt)}. ${reports} ${asked}`,
      }
    case 'withdrawn':
      return { is: 'failed', text: 'Taken back', details: `${reports} ${asked}` }
  }
}
