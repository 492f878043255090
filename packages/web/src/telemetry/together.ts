import { CallError } from '@caretaker/contract/error-texts.ts'
import type { CardAnswer, CardWanted } from './source.ts'

/** Fetches cards of one view and range in one call; null for a card without data. */
type FetchCards = (wanted: readonly CardWanted[], signal: AbortSignal) => Promise<(CardAnswer | null)[]>

interface Waiting {
  wanted: CardWanted
  signal: AbortSignal
  resolveWith: (answer: Promise<CardAnswer | null>) => void
}

/** Milliseconds for which changed cards are collected, because each is refetched by its own timer. */
const gathering = 15
/** Milliseconds that a card not shown yet waits for a shared response. */
const patience = 1000

/**
 * Returns a card fetcher that batches. Cards requested at once come in few calls, because each call takes longer than
 * most answers: figures and events in one, lines of single devices in one, and lines of several devices, which are
 * large, in separate calls. Shown cards come in one call. If a call fails or is slow, each of its cards is requested
 * separately, so that no card fails or waits because of another.
 */
export function fetchTogether(
  fetchCards: FetchCards,
): (wanted: CardWanted, signal: AbortSignal) => Promise<CardAnswer | null> {
  /** Pending cards: new ones until the caller has requested all, changed ones a little longer. */
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
    const sharedCall = together(all, AbortSignal.any([endOfAll(all), done.signal]))
    if (all[0]!.wanted.again) return sharedCall
    let left = all.length
    const slow = new Promise<AnswerOf>((resolve) => {
      const answerOf: AnswerOf = async (one) => {
        const own = alone(one)
        const shared = sharedCall.then((of) => (of === alone ? own : of(one)))
        // Once all have a result, the shared call is not needed any more.
        return firstOf(own, shared).finally(() => --left === 0 && done.abort())
      }
      const timer = setTimeout(resolve, patience, answerOf)
      const stop = () => clearTimeout(timer)
      sharedCall.then(stop, stop)
    })
    return Promise.race([sharedCall, slow])
  }

  function send(which: keyof typeof waiting): void {
    const groups = Map.groupBy(waiting[which], ({ wanted }) => groupOf(wanted))
    waiting[which] = []
    for (const group of groups.values()) {
      const sharedCall = fetchAll(group)
      for (const one of group) one.resolveWith(sharedCall.then((answerOf) => answerOf(one)))
    }
  }

  return (wanted, signal) =>
    new Promise((resolveWith) => {
      const which = wanted.again ? 'changed' : 'new'
      const isFirst = waiting[which].push({ wanted, signal, resolveWith }) === 1
      if (isFirst && wanted.again) setTimeout(send, gathering, which)
      else if (isFirst) queueMicrotask(() => send(which))
    })
}

type AnswerOf = (one: Waiting) => Promise<CardAnswer | null>

/** The first success; if both fail, the error of the first. */
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

/** Aborted once nothing is waiting any more. */
function endOfAll(waiting: readonly { signal: AbortSignal }[]): AbortSignal {
  const end = new AbortController()
  const look = () => waiting.every(({ signal }) => signal.aborted) && end.abort()
  for (const { signal } of waiting) signal.addEventListener('abort', look, { once: true })
  return end.signal
}
