import { refuseTooMany } from '@caretaker/contract/refusal.ts'

/** Maximum number of a client's writes that wait for their turn. */
export const mostWaiting = 30

/** Runs a client's writes one after the other: waiting ones hold no database connection, which others need. */
export class Turns {
  readonly #last = new Map<string, { waiting: number; end: Promise<unknown> }>()

  async take<T>(tenant: string, work: () => Promise<T>): Promise<T> {
    const line = this.#last.get(tenant) ?? { waiting: 0, end: Promise.resolve() }
    if (line.waiting > mostWaiting) throw refuseTooMany({ limit: mostWaiting, retryAfter: 2 })
    this.#last.set(tenant, line)
    line.waiting++
    const done = line.end.then(work)
    line.end = done.catch(() => undefined)
    try {
      return await done
    } finally {
      if (--line.waiting === 0) this.#last.delete(tenant)
    }
  }
}

const turns = new WeakMap<object, Turns>()

/** The turns of a process, which its routes share. */
export function turnsOf(context: object): Turns {
  const known = turns.get(context) ?? new Turns()
  turns.set(context, known)
  return known
}
