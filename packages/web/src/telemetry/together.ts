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

/**
 * What fetches a card. Those that are wanted at once come in one call, since each call takes longer than most answers; but lines,
 * which may have much to read, wait for no other card until they are shown. Where the server fails at a call, each of its cards is
 * asked for by itself, so that none fails for another.
 */
export function fetchTogether(
  fetchCards: FetchCards,
): (wanted: CardWanted, signal: AbortSignal) => Promise<CardAnswer | null> {
  let waiting: Waiting[] = []

  const alone = async ({ wanted, signal }: Pick<Waiting, 'wanted' | 'signal'>) =>
    (await fetchCards([wanted], signal))[0] ?? null

  async function fetchAll(all: readonly Waiting[]): Promise<(one: Waiting) => Promise<CardAnswer | null>> {
    if (all.length === 1) return alone
    try {
      const wanted = all.map((one) => one.wanted)
      const answers = await fetchCards(wanted, endOfAll(all))
      return async (one) => answers[all.indexOf(one)] ?? null
    } catch (error) {
      if (!(error instanceof CallError) || error.status < 500) throw error
      return alone
    }
  }

  function send(): void {
    const groups = Map.groupBy(waiting, ({ wanted: { view, range } }) => `${view} ${range?.from} ${range?.to}`)
    waiting = []
    for (const group of groups.values()) {
      const told = fetchAll(group)
      for (const one of group) one.settle(told.then((answerOf) => answerOf(one)))
    }
  }

  return (wanted, signal) => {
    if (wanted.card.type === 'lineGraph' && !wanted.again) return alone({ wanted, signal })
    return new Promise((settle) => {
      if (!waiting.length) setTimeout(send, wanted.again ? gathering : 0)
      waiting.push({ wanted, signal, settle })
    })
  }
}

/** Aborted when nobody waits any more. */
function endOfAll(waiting: readonly { signal: AbortSignal }[]): AbortSignal {
  const end = new AbortController()
  const look = () => waiting.every(({ signal }) => signal.aborted) && end.abort()
  for (const { signal } of waiting) signal.addEventListener('abort', look, { once: true })
  return end.signal
}
