import { CallError } from '@caretaker/contract/error-texts.ts'
import type { CardAnswer, CardWanted } from './source.ts'

/** Fetches cards of one view over one range, in one call; null for a card for which the server has nothing. */
type FetchCards = (wanted: readonly CardWanted[], signal: AbortSignal) => Promise<(CardAnswer | null)[]>

interface Waiting {
  wanted: CardWanted
  signal: AbortSignal
  settle: (answer: Promise<CardAnswer | null>) => void
}

/** So long, in ms, what changed is waited for, since each card is asked anew by a timer of its own. */
const gathering = 15
/** So long a card that is not shown yet waits for an answer that it shares with others. */
const patience = 1000

/**
 * What fetches a card. Those that are wanted at once come in few calls, since each call takes longer than most answers: figures and events
 * in one, the lines of single devices in one, and lines of several devices, which have much to read, each by itself. What is shown already
 * comes in one call. Where the server fails at a call, or takes long for it, each of its cards is asked for by itself, so that none fails or
 * waits for another.
 */
export function fetchTogether(
  fetchCards: FetchCards,
): (wanted: CardWanted, signal: AbortSignal) => Promise<CardAnswer | null> {
  /** What waits to be sent: what is not shown yet until whoever asks has asked for all, what has changed a little longer. */
  const waiting = { new: [] as Waiting[], changed: [] as Waiting[] }

  const alone = async ({ wanted, signal }: Pick<Waiting, 'wanted' | 'signal'>) =>
    (await fetchCards([wanted], signal))[0] ?? null

  async function together(all: readonly Waiting[], signal: AbortSignal): Promise<AnswerOf> {
    try {
      const answers = await fetchCards(
        all.map((one) => one.wanted),
        signal,
      )
      return async (one) => answers[all.indexOf(one)] ?? null
    } catch (error) {
      if (!(error instanceof CallError) || error.status < 500) throw error
      return alone
    }
  }

  async function fetchAll(all: readonly Waiting[]): Promise<AnswerOf> {
    if (all.length === 1) return alone
    const done = new AbortController()
    const told = together(all, AbortSignal.any([endOfAll(all), done.signal]))
    if (all[0]!.wanted.again) return told
    let left = all.length
    const slow = new Promise<AnswerOf>((resolve) => {
      const answerOf: AnswerOf = async (one) => {
        const own = alone(one)
        const shared = told.then((of) => (of === alone ? own : of(one)))
        // What all of them have by now is awaited no longer.
        return firstOf(own, shared).finally(() => --left === 0 && done.abort())
      }
      const timer = setTimeout(resolve, patience, answerOf)
      const stop = () => clearTimeout(timer)
      told.then(stop, stop)
    })
    return Promise.race([told, slow])
  }

  function send(which: keyof typeof waiting): void {
    const groups = Map.groupBy(waiting[which], ({ wanted }) => groupOf(wanted))
    waiting[which] = []
    for (const group of groups.values()) {
      const told = fetchAll(group)
      for (const one of group) one.settle(told.then((answerOf) => answerOf(one)))
    }
  }

  return (wanted, signal) =>
    new Promise((settle) => {
      const which = wanted.again ? 'changed' : 'new'
      const isFirst = waiting[which].push({ wanted, signal, settle }) === 1
      if (isFirst && wanted.again) setTimeout(send, gathering, which)
      else if (isFirst) queueMicrotask(() => send(which))
    })
}

type AnswerOf = (one: Waiting) => Promise<CardAnswer | null>

/** What succeeds first; where neither does, why the first of them does not. */
async function firstOf<A>(one: Promise<A>, other: Promise<A>): Promise<A> {
  try {
    return await Promise.any([one, other])
  } catch (error) {
    throw (error as AggregateError).errors[0]
  }
}

/** Cards of one group come in one call. */
function groupOf({ view, range, card, again }: CardWanted): string {
  const part = again ? '' : card.type !== 'lineGraph' ? 'figures' : card.deviceIds.length > 1 ? card.id : 'lines'
  return `${view} ${range?.from} ${range?.to} ${part}`
}

/** Aborted when nobody waits any more. */
function endOfAll(waiting: readonly { signal: AbortSignal }[]): AbortSignal {
  const end = new AbortController()
  const look = () => waiting.every(({ signal }) => signal.aborted) && end.abort()
  for (const { signal } of waiting) signal.addEventListener('abort', look, { once: true })
  return end.signal
}
