import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { Allowances } from './allowance.ts'
import { refilled, takenElsewhere, whole } from './allowance.ts'

/**
 * Lets a limit hold for all processes of an installation together. Each counts for itself, without a word to the database, and
 * takes of an allowance that is whole for it too; so who comes to one process alone has all of it, and who is spread over
 * several no less. What was taken the processes tell each other by announcements of the database, and each takes what it hears off its own.
 *
 * Told is who has taken a hundredth of a limit since, at most once a second and for all of them by one statement. So who is far
 * from the limit costs a statement for every hundredth of it, and an idle process none. Of what is over, as much comes through as is taken
 * before the others have heard of it: within a second, and a hundredth of the limit in each further process. An allowance that grows
 * back, rather than minutes that begin anew, is what can be added up without the processes having the same time.
 *
 * What is lost with a connection or a process is not told again: it counts in the process that took it, as everything does while there
 * is no connection.
 */
export interface Sharing<Name extends string> {
  /** They have taken something of it. */
  took(key: string, allowances: Allowances<Name>): void
  /** On which others are told and heard from here on; undefined once it is lost. */
  connect(connection: pg.ClientBase | undefined): void
  /** What came by the channel. */
  hear(payload: string): void
}

interface Options<Name extends string> {
  /** Of the announcements. */
  channel: string
  limits: Readonly<Record<Name, number>>
  /** How long an allowance takes to grow back, in ms. */
  over: number
  /** Whose key it is; undefined where they are unknown here, and nothing is to be counted. */
  find(key: string): Allowances<Name> | undefined
  /** How often others are told at most, in ms. */
  every?: number
}

/** Worth telling is this share of a limit. */
const worth = 0.01
/** An announcement may have 8000 bytes. */
const keysAtOnce = 100

export function openSharing<Name extends string>({
  channel,
  limits,
  over,
  find,
  every = 1000,
}: Options<Name>): Sharing<Name> {
  const self = randomUUID()
  const names = Object.keys(limits) as Name[]
  const waiting = new Map<string, Allowances<Name>>()
  let connection: pg.ClientBase | undefined
  let timer: NodeJS.Timeout | undefined

  const untold = (allowances: Allowances<Name>) =>
    names.map((name) => {
      const amount = allowances[name]?.untold ?? 0
      if (amount) allowances[name]!.untold = 0
      return amount
    })
  const tell = () => {
    timer = undefined
    const entries = [...waiting].map(([key, allowances]) => [key, ...untold(allowances)].join(' '))
    waiting.clear()
    const payloads: string[] = []
    for (let from = 0; from < entries.length; from += keysAtOnce)
      payloads.push([self, ...entries.slice(from, from + keysAtOnce)].join('\n'))
    // Announcing transactions are committed one after the other, so it does not wait for the disk.
    connection
      ?.query(
        `select set_config('synchronous_commit', 'off', true), pg_notify($1, payload) from unnest($2::text[]) as payload`,
        [channel, payloads],
      )
      .catch(() => {})
  }

  return {
    took: (key, allowances) => {
      if (!names.some((name) => (allowances[name]?.untold ?? 0) >= limits[name] * worth)) return
      if (!connection) return void untold(allowances)
      waiting.set(key, allowances)
      timer ??= setTimeout(tell, every).unref()
    },
    connect: (opened) => {
      connection = opened
    },
    hear: (payload) => {
      const [from, ...entries] = payload.split('\n')
      if (from === self) return
      const now = Date.now()
      for (const entry of entries) {
        const [key = '', ...amounts] = entry.split(' ')
        const allowances = find(key)
        if (!allowances) continue
        for (const [at, name] of names.entries()) {
          const amount = Number(amounts[at])
          if (!(amount > 0)) continue
          const allowance = (allowances[name] ??= whole(limits[name], now))
          refilled(allowance, limits[name], now, over)
          takenElsewhere(allowance, amount, limits[name])
        }
      }
    },
  }
}
