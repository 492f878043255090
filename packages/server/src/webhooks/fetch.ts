import http from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import type { Reach } from './reach.ts'
import { lookupWithin } from './reach.ts'

export interface FetchOptions {
  method?: string
  headers?: Headers | Record<string, string>
  body?: { toString(): string } | null | undefined
}

/** Bytes of a response. */
const longest = 1_000_000

/** A `fetch` that reaches only the allowed addresses, follows no redirects and waits ten seconds at most. */
export function openFetch(reach: Reach, { timeout = 10_000 } = {}) {
  const agents = {
    'https:': new https.Agent({ lookup: lookupWithin(reach, true) }),
    'http:': new http.Agent({ lookup: lookupWithin(reach, false) }),
  }
  return async (address: string, { method = 'GET', headers = {}, body }: FetchOptions = {}): Promise<Response> => {
    const url = new URL(address)
    const secure = url.protocol === 'https:'
    if (!secure && !(url.protocol === 'http:' && reach.allowsPlain)) throw new Error('The address is not https.')
    // An IP address is connected to without a lookup.
    if (isIP(url.hostname.replace(/^\[(.*)\]$/, '$1'))) await reach.addressesOf(url.hostname, secure)
    const agent = agents[secure ? 'https:' : 'http:']
    const options = { method, headers: Object.fromEntries(new Headers(headers)), agent }
    const sent = body?.toString()
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(timeout)
      const request = (secure ? https : http).request(url, { ...options, signal })
      request.on('error', reject)
      request.on('response', (response) => {
        const parts: Buffer[] = []
        let size = 0
        response.on('data', (part: Buffer) => {
          size += part.length
          if (size > longest) response.destroy(new Error('The response is too long.'))
          else parts.push(part)
        })
        response.on('error', reject)
        response.on('end', () => {
          try {
            resolve(responseOf(response, Buffer.concat(parts)))
          } catch (error) {
            // Outside of this listener an error would end the process.
            reject(error)
          }
        })
      })
      request.end(sent)
    })
  }
}

function responseOf({ statusCode = 502, headers }: http.IncomingMessage, body: Buffer): Response {
  if (statusCode < 200 || statusCode > 599) throw new Error(`The status ${statusCode} does not exist.`)
  const given = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || Array.isArray(value) ? [] : [[name, value] as [string, string]],
  )
  const isEmpty = [204, 205, 304].includes(statusCode)
  return new Response(isEmpty ? null : new Uint8Array(body), { status: statusCode, headers: given })
}
