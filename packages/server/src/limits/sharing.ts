import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { Allowances } from './allowance.ts'
import { refilled, takenElsewhere, whole } from './allowance.ts'

/**
 * Makes a limit apply to all processes of an installation together. Each process counts by itself, without querying
 * the database, and starts with the full allowance; so a caller gets the same whether they use one process or
 * several. The processes report usage to each other through Postgres notifications, and each deducts what the others
 * report.
 *
 * A process reports callers who have used a hundredth of a limit since the last report, at most once a second and all
 * in one statement. So a caller far from the limit costs one statement per hundredth, and an idle process none. The
 * limit can be exceeded by what is used before the others are informed: within a second, and a hundredth of the limit
 * in each further process. Refilling allowances, unlike fixed minutes, can be added up without synchronised clocks.
 *
 * A report lost with a connection or process is not repeated: the usage counts only in the process where it happened,
 * as all usage does without a connection.
 */
export interface Sharing<Name extends string> {
  /** Notes that part of the allowances was used. */
  took(key: string, allowances: Allowances<Name>): void
  /** The connection for reports; undefined once it is lost. */
  connect(connection: pg.ClientBase | undefined): void
  /** Handles a report received on the channel. */
  hear(payload: string): void
}

interface Options<Name extends string> {
  /** The Postgres channel of the reports. */
  channel: string
  limits: Readonly<Record<Name, number>>
  /** How long an allowance takes to refill, in ms. */
  over: number
  /** The allowances of a key; undefined if it is unknown here and nothing is to be counted. */
  find(key: string): Allowances<Name> | undefined
  /** The minimum interval between reports, in ms. */
  every?: number
}

/** Usage is reported once it reaches this share of the limit. */
const worth = 0.01
/** A notification may have 8000 bytes. */
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

  const unreported = (allowances: Allowances<Name>) =>
    names.map((name) => {
      const amount = allowances[name]?.unreported ?? 0
      if (amount) allowances[name]!.unreported = 0
      return amount
    })
  const announce = () => {
    timer = undefined
    const entries = [...waiting].map(([key, allowances]) => [key, ...unreported(allowances)].join(' '))
    waiting.clear()
    const payloads: string[] = []
    for (let from = 0; from < entries.length; from += keysAtOnce)
      payloads.push([self, ...entries.slice(from, from + keysAtOnce)].join('\n'))
    // Transactions that notify are committed one after the other, so it does not wait for the disk.
    connection
      ?.query(
        `select set_config('synchronous_commit', 'off', true), pg_notify($1, payload) from unnest($2::text[]) as payload`,
        [channel, payloads],
      )
      .catch(() => {})
  }

  return {
    took: (key, allowances) => {
      if (!names.some((name) => (allowances[name]?.unreported ?? 0) >= limits[name] * worth)) return
      if (!connection) return void unreported(allowances)
      waiting.set(key, allowances)
      timer ??= setTimeout(announce, every).unref()
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
