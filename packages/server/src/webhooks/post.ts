import { isIP } from 'node:net'
import http from 'node:http'
import https from 'node:https'
import { answerKept, answerRead, isTaken, deliveryTimeout } from '@caretaker/rules/webhooks/webhooks.ts'
import type { Reach } from './reach.ts'
import { lookupWithin, OutOfReach } from './reach.ts'

/** The result of one attempt. */
export interface Attempt {
  taken: boolean
  status: number | null
  /** Why the message was not accepted, in words. */
  fault: string | null
  answer: string | null
  /** In ms; null if nothing was reached, because the time would reveal whether a port is open. */
  duration: number | null
  /** The exact failure, for the operator only. */
  cause?: string
}

export interface Poster {
  post(url: string, headers: Record<string, string>, body: string): Promise<Attempt>
  close(): void
}

/**
 * Sends messages over kept-alive connections. The host name is resolved when the connection is made, and exactly that
 * address is called, so that changing the name's address after the check does not help an attacker.
 */
export function openPoster(reach: Reach, { timeout = deliveryTimeout } = {}): Poster {
  const options = { keepAlive: true, maxFreeSockets: 64, timeout: 30_000 }
  const secure = new https.Agent({ ...options, lookup: lookupWithin(reach, true) })
  const plain = new http.Agent({ ...options, lookup: lookupWithin(reach, false) })
  return {
    post: async (url, headers, body) => {
      const begun = performance.now()
      const target = new URL(url)
      const tls = target.protocol === 'https:'
      const signal = AbortSignal.timeout(timeout)
      try {
        // An IP address is connected to without a lookup, so it is checked here.
        if (isIP(target.hostname.replace(/^\[(.*)\]$/, '$1'))) await reach.addressesOf(target.hostname, tls)
        const sending = { method: 'POST', headers, signal, agent: tls ? secure : plain }
        const begin = () => (tls ? https : http).request(target, sending)
        const { status, answer } = await exchange(begin(), body).catch((error: NodeJS.ErrnoException & Failure) => {
          // The other side has closed a kept-alive connection meanwhile: nothing was received.
          if (error.code === 'ECONNRESET' && error.reused) return exchange(begin(), body)
          throw error
        })
        const taken = isTaken(status)
        return { taken, status, fault: taken ? null : faultOf(status), answer, duration: since(begun) }
      } catch (error) {
        const failure = error as NodeJS.ErrnoException & Failure
        const late = signal.aborted ? `No response within ${timeout / 1000} seconds.` : undefined
        const fault = failure.reached ? (late ?? afterConnecting(failure)) : beforeConnecting(failure)
        const duration = failure.reached ? since(begun) : null
        const cause = late ?? [failure.code, failure.message].filter(Boolean).join(': ')
        return { taken: false, status: null, fault, answer: null, duration, cause }
      }
    },
    close: () => {
      secure.destroy()
      plain.destroy()
    },
  }
}

interface Failure {
  /** Whether the connection had been used before. */
  reused?: boolean
  /** Whether the connection was established, including TLS. */
  reached?: boolean
}

const since = (begun: number) => Math.round(performance.now() - begun)

/** Sends a request and reads as much of the response as needed; the rest of a longer one is not awaited. */
function exchange(request: http.ClientRequest, body: string): Promise<{ status: number; answer: string }> {
  return new Promise((resolve, reject) => {
    let reached = false
    request.on('socket', (socket) => {
      if (request.reusedSocket) reached = true
      else socket.once(request.protocol === 'https:' ? 'secureConnect' : 'connect', () => (reached = true))
    })
    const fail = (error: Error) => reject(Object.assign(error, { reused: request.reusedSocket, reached }))
    request.on('error', fail)
    request.on('response', (response) => {
      const kept: Buffer[] = []
      let [read, size] = [0, 0]
      const done = () => {
        const text = Buffer.concat(kept).toString('utf8')
        resolve({ status: response.statusCode ?? 0, answer: readable(text) })
      }
      response.on('data', (chunk: Buffer) => {
        if (size < answerKept) {
          const part = chunk.subarray(0, answerKept - size)
          kept.push(part)
          size += part.length
        }
        read += chunk.length
        if (read < answerRead) return
        done()
        response.destroy()
      })
      response.on('end', done)
      response.on('error', fail)
    })
    request.end(body)
  })
}

/** Text that the database accepts: control characters are left out. */
// oxlint-disable-next-line no-control-regex -- control characters are removed
const readable = (text: string) => text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '').toWellFormed()

const faultOf = (status: number) =>
  status >= 300 && status < 400 ? `It responded ${status}: redirects are not followed.` : `It responded ${status}.`

/** Faults that the client's users can fix: the name or the certificate. */
const words: Record<string, string> = {
  ENOTFOUND: 'There is no such host.',
  EAI_AGAIN: 'The host could not be looked up.',
  CERT_HAS_EXPIRED: 'Its certificate has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'Its certificate is not signed by a trusted authority.',
  SELF_SIGNED_CERT_IN_CHAIN: 'Its certificate is not signed by a trusted authority.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'Its certificate is not signed by a trusted authority.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Its certificate belongs to another host.',
}

/** One text for all other faults: users must not see whether a port is open. */
export function beforeConnecting(error: NodeJS.ErrnoException, otherwise = 'It could not be reached.'): string {
  if (error instanceof OutOfReach) return error.message
  return words[error.code ?? ''] ?? otherwise
}

function afterConnecting({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ECONNRESET') return 'The connection was cut.'
  return `The connection failed (${code ?? message}).`.slice(0, 300)
}
