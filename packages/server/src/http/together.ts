import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { packing } from './packing.ts'

/** The outcome for one caller: a value, or the refusal. */
type Outcome<A> = { value: A } | { refused: unknown }

/** A waiting caller, and how they receive the outcome. */
export interface Waiting<Q, A> {
  asker: Q
  complete(outcome: Outcome<A>): void
}

/**
 * Computes identical calls together. The first is computed immediately; calls that arrive meanwhile share the next
 * run, so that no caller gets data read before their call. `answer` must complete each of them, whatever happens.
 */
export function inOneGo<Q, A>(answer: (asking: readonly Waiting<Q, A>[]) => Promise<void>) {
  const waiting = new Map<string, Waiting<Q, A>[]>()

  const work = async (key: string) => {
    for (let group = waiting.get(key)!; group.length; group = waiting.get(key)!) {
      waiting.set(key, [])
      await answer(group)
    }
    waiting.delete(key)
  }

  return async (key: string, asker: Q): Promise<A> => {
    const outcome = await new Promise<Outcome<A>>((complete) => {
      const group = waiting.get(key)
      if (group) return group.push({ asker, complete })
      waiting.set(key, [{ asker, complete }])
      return void work(key)
    })
    if ('refused' in outcome) throw outcome.refused
    return outcome.value
  }
}

const packed = promisify(gzip)

/** A shared response: it is serialised and compressed once for all. */
export class SharedAnswer {
  readonly #text: () => string
  #written: string | undefined
  #packed: Promise<Buffer> | undefined
  readonly #takers: number
  readonly value: unknown

  /** `text` serialises the response `value`; `takers` is the number of callers. */
  constructor(value: unknown, text: () => string, takers: number) {
    this.value = value
    this.#text = text
    this.#takers = takers
  }

  /** The body for one caller. */
  async for(request: FastifyRequest, reply: FastifyReply): Promise<string | Buffer> {
    void reply.type('application/json; charset=utf-8')
    const text = (this.#written ??= this.#text())
    // For a single caller, the response is compressed while it is sent, like any other.
    if (this.#takers < 2 || !takesGzip.test(request.headers['accept-encoding'] ?? '')) return text
    const bytes = await (this.#packed ??= packed(text, packing))
    void reply.headers({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
    return bytes
  }
}

const takesGzip = /(?:^|,)\s*gzip\s*(?:,|$)/i
