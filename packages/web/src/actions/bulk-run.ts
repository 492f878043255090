/** The result of one device of a bulk action. */
export interface Outcome {
  state: 'loading' | 'success' | 'error'
  /** The error, or another remark. */
  message?: string
}

/** The answer for one device. */
export interface Answered {
  deviceId: string
  error?: string
  message?: string
}

export interface BulkPlan {
  /** Devices per call, and parallel calls. */
  chunk: number
  parallel: number
  /** Registers the action on the server; if it throws, all devices fail. */
  begin: (deviceIds: readonly string[]) => Promise<void>
  /** Cancels the devices whose call failed; errors are ignored. */
  giveUp: () => Promise<void>
  /** Runs the action on these devices and returns one answer per device; if it throws, all of them fail. */
  send: (deviceIds: string[]) => Promise<readonly Answered[]>
  /** The message for devices whose call failed. */
  failureOf: (error: unknown) => string
}

export interface BulkCounts {
  done: number
  failed: number
  loading: number
}

/** A running bulk action: the result of each device, and a retry for failed ones. */
export interface BulkRun {
  outcomeOf(deviceId: string): Outcome
  counts(): BulkCounts
  /** Sends the action for these devices again; resolves when each has a result. */
  send(deviceIds: readonly string[]): Promise<void>
  failed(): string[]
}

const loading: Outcome = { state: 'loading' }
const noAnswer = 'The server returned no result for this device.'

/** Starts a bulk action; `onChange` is called whenever results change. */
export function bulkRun(deviceIds: readonly string[], plan: BulkPlan, onChange: () => void): BulkRun {
  const outcomes = new Map<string, Outcome>(deviceIds.map((id) => [id, loading]))
  const counts: BulkCounts = { done: 0, failed: 0, loading: deviceIds.length }
  const nameOfState = { success: 'done', error: 'failed', loading: 'loading' } as const

  function setOutcome(id: string, outcome: Outcome): void {
    counts[nameOfState[outcomes.get(id)!.state]]--
    counts[nameOfState[outcome.state]]++
    outcomes.set(id, outcome)
  }

  let begun = false
  let unanswered = false
  async function begin(): Promise<void> {
    if (begun) return
    await plan.begin(deviceIds)
    begun = true
  }

  function fail(ids: readonly string[], error: unknown): void {
    const message = plan.failureOf(error)
    for (const id of ids) setOutcome(id, { state: 'error', message })
    onChange()
  }

  async function sendChunk(ids: string[]): Promise<void> {
    try {
      const answers = new Map((await plan.send(ids)).map((answer) => [answer.deviceId, answer]))
      for (const id of ids) setOutcome(id, outcomeIn(answers.get(id)))
      onChange()
    } catch (error) {
      unanswered = true
      fail(ids, error)
    }
  }

  return {
    outcomeOf: (id) => outcomes.get(id) ?? loading,
    counts: () => ({ ...counts }),
    failed: () => deviceIds.filter((id) => outcomes.get(id)?.state === 'error'),
    async send(ids) {
      for (const id of ids) setOutcome(id, loading)
      onChange()
      try {
        await begin()
      } catch (error) {
        return fail(ids, error)
      }
      const chunks = chunked(ids, plan.chunk)
      unanswered = false
      const next = async (): Promise<void> => {
        for (let ahead = chunks.shift(); ahead; ahead = chunks.shift()) await sendChunk(ahead)
      }
      await Promise.all(Array.from({ length: plan.parallel }, next))
      if (unanswered) await plan.giveUp().catch(() => {})
    },
  }
}

function outcomeIn(answer: Answered | undefined): Outcome {
  if (!answer) return { state: 'error', message: noAnswer }
  if (answer.error !== undefined) return { state: 'error', message: answer.error }
  return answer.message === undefined ? { state: 'success' } : { state: 'success', message: answer.message }
}

function chunked(ids: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, at) => ids.slice(at * size, (at + 1) * size))
}
