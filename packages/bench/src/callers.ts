import { shuffled } from './figures.ts'

/**
 * Callers of the API in a process of their own, over sockets that stay open, several at once. Each compares the rows of every answer with
 * those of the first answer to the same call.
 */
export interface CallersOrder {
  origin: string
  /** Of each call: in one turn a caller makes all of them, one after the other in random order. */
  calls: Call[]
  callers: number
  /** Turns that count, of all callers together, and those before them that do not. */
  turns: number
  warmUps: number
}
export interface Call {
  method: string
  path: string
  body: object
  authorization: string
}

export interface CallersReport {
  /** Ms of each turn, for each of the calls: the same index in each array is the same turn. */
  samples: number[][]
  /** The first answer to each call; rows only where it has some. */
  answers: { total: number | null; ids: string[] | null }[]
  /** Answers of each call whose rows differ from those of its first answer. */
  differing: number[]
}

interface Answer {
  data: { total?: number; rows?: { deviceId?: string; propertyId?: string }[] } | null
}

process.on('disconnect', () => process.exit(0))
process.on('message', (order: CallersOrder) => {
  callAll(order).then(
    (report) => process.send!(report),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})

async function callAll({ origin, calls, callers, turns, warmUps }: CallersOrder): Promise<CallersReport> {
  const samples = calls.map((): number[] => [])
  const differing = calls.map(() => 0)
  const first = calls.map((): string | undefined => undefined)
  const answers = calls.map((): CallersReport['answers'][number] => ({ total: null, ids: null }))
  const make = async (at: number): Promise<number> => {
    const { method, path, body, authorization } = calls[at]!
    const begun = performance.now()
    const response = await fetch(origin + path, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    const taken = performance.now() - begun
    if (response.status !== 200)
      throw new Error(`${path} ${JSON.stringify(body)}: ${response.status} ${text.slice(0, 500)}`)
    if (!response.headers.get('content-type')?.startsWith('application/json')) return taken
    const { data } = JSON.parse(text) as Answer
    if (!data?.rows) return taken
    const rows = JSON.stringify([data.total, data.rows])
    if (first[at] === undefined) {
      first[at] = rows
      answers[at] = { total: data.total ?? null, ids: data.rows.map((row) => row.deviceId ?? row.propertyId ?? '') }
    } else if (first[at] !== rows) differing[at]!++
    return taken
  }
  const indexes = calls.map((_, at) => at)
  let turn = -warmUps
  const caller = async () => {
    while (turn < turns) {
      const isCounted = turn++ >= 0
      const taken = new Map<number, number>()
      for (const at of shuffled(indexes)) taken.set(at, await make(at))
      if (isCounted) for (const at of indexes) samples[at]!.push(taken.get(at)!)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return { samples, answers, differing }
}
