import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { packing } from './packing.ts'

/** What one of several who asked gets: a value, or why there is none. */
type Outcome<A> = { value: A } | { refused: unknown }

/** Somebody who asked, and how they are told. */
export interface Waiting<Q, A> {
  asker: Q
  settle(outcome: Outcome<A>): void
}

/**
 * Answers many who ask the same in one go. Who asks first is answered at once; who asks while that is being worked out is answered by
 * the next going, together with all others who came meanwhile: never by what was read before they asked. `answer` tells each of them,
 * whatever goes wrong.
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
    const outcome = await new Promise<Outcome<A>>((settle) => {
      const group = waiting.get(key)
      if (group) return group.push({ asker, settle })
      waiting.set(key, [{ asker, settle }])
      return void work(key)
    })
    if ('refused' in outcome) throw outcome.refused
    return outcome.value
  }
}

const packed = promisify(gzip)

/** An answer that several get: it is written and packed once for all of them. */
export class SharedAnswer {
  readonly #text: () => string
  #written: string | undefined
  #packed: Promise<Buffer> | undefined
  readonly #takers: number

  /** `text` writes the answer in its declared shape; so many get it. */
  constructor(text: () => string, takers: number) {
    this.#text = text
    this.#takers = takers
  }

  /** What is to be sent to one who asked. */
  async for(request: FastifyRequest, reply: FastifyReply): Promise<string | Buffer> {
    void reply.type('application/json; charset=utf-8')
    const text = (this.#written ??= this.#text())
    // Whoever gets it alone gets it as every other answer, packed on its way out.
    if (this.#takers < 2 || !takesGzip.test(request.headers['accept-encoding'] ?? '')) return text
    const bytes = await (this.#packed ??= packed(text, packing))
    void reply.headers({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
    return bytes
  }
}

const takesGzip = /(?:^|,)\s*gzip\s*(?:,|$)/i
