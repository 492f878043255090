import { shuffled } from './figures.ts'

/**
 * Concurrent API callers in a separate process, over keep-alive connections. Each compares the rows of every response with those of
 * the first response to the same call.
 */
export interface CallersOrder {
  origin: string
  /** In each turn, a caller makes all of these calls in random order. */
  calls: Call[]
  callers: number
  /** The total number of measured turns of all callers, and the warm-up turns before them. */
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
  /** Ms for each call and turn; the same index in each array is the same turn. */
  samples: number[][]
  /** The first response to each call; rows are null for a response without rows. */
  answers: { total: number | null; ids: string[] | null }[]
  /** The number of responses for each call whose rows differ from those of its first response. */
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
