import type { FastifyReply } from 'fastify'

/**
 * The result of a handler that responds with a file: `send` is called after the call's transaction has ended, so that
 * no database connection is held while the caller downloads. The reply itself cannot be returned: it is a promise of
 * its own end, for which the transaction would wait.
 */
export class Sending {
  readonly send: (reply: FastifyReply) => Promise<unknown>
  /** The number of rows sent, if it is known. */
  readonly rows: number | null
  constructor(send: (reply: FastifyReply) => Promise<unknown>, rows: number | null = null) {
    this.send = send
    this.rows = rows
  }
}

/** For a response that is sent within the transaction, because its rows are read as the caller takes them. */
export const begun = (rows: number): Sending => new Sending(async () => {}, rows)
