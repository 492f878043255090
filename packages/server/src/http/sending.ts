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
  /** The property or resident whose data the file contains, if the call does not name them. */
  about: { propertyId?: string; residentId?: string } = {}
  constructor(send: (reply: FastifyReply) => Promise<unknown>, rows: number | null = null) {
    this.send = send
    this.rows = rows
  }
  of(about: Sending['about']): this {
    this.about = about
    return this
  }
}

/** For a response that is sent within the transaction, because its rows are read at the caller's speed. */
export const begun = (rows: number | null): Sending => new Sending(async () => {}, rows)

const beginnings = new WeakMap<FastifyReply, () => void>()
/** Sets what is done before the first byte of such a response is sent. */
export const beforeSending = (reply: FastifyReply, work: () => void): unknown => beginnings.set(reply, work)
export const begin = (reply: FastifyReply): void => beginnings.get(reply)?.()
