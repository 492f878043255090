import type { FastifyReply } from 'fastify'

/**
 * What a handler answers when its answer is a file: `send` is called once the call's transaction has ended, so that nobody
 * holds a connection to the database for as long as a caller takes to fetch it. The reply itself is no answer: it is a
 * promise of its own end, and the transaction would wait for it.
 */
export class Sending {
  readonly send: (reply: FastifyReply) => Promise<unknown>
  constructor(send: (reply: FastifyReply) => Promise<unknown>) {
    this.send = send
  }
}

/** For what has begun to be sent within the transaction, because its rows are read there as the caller takes them. */
export const begun = new Sending(async () => {})
