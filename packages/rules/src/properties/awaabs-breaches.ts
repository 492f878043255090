import type { Day } from '../calendar/days.ts'
import type { BreachState } from './breach-states.ts'
import type { LawDeadline } from './awaabs-deadlines.ts'
import { isMissed } from './awaabs-deadlines.ts'

export const breachStateWords: Record<BreachState, string> = {
  'not done': 'Not done',
  'done late': 'Done late',
  closed: 'Case closed',
  moved: 'Moved since',
}

/** The state of a missed deadline; undefined if it was met or is not over yet. */
export function breachState(deadline: LawDeadline, now: number, zone: string): BreachState | undefined {
  if (deadline.moved) return 'moved'
  if (!isMissed(deadline, now, zone)) return undefined
  return deadline.done ? 'done late' : deadline.ended ? 'closed' : 'not done'
}

/** Whether a missed deadline is counted: one moved by a correction stays in the register but is not counted. */
export const isCounted = (state: BreachState | undefined): boolean => state !== undefined && state !== 'moved'

/** The months of a period, 'YYYY-MM', in order. */
export function monthsOf(from: Day, to: Day): string[] {
  const months: string[] = []
  for (let month = from.slice(0, 7); month <= to.slice(0, 7);) {
    months.push(month)
    const [year, number] = month.split('-').map(Number) as [number, number]
    month = new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 7)
  }
  return months
}

/** The facts about a deadline that the register needs. */
export interface Registered extends LawDeadline {
  caseId: string
  number: string
  patch: { id: string; name: string } | null
}

const rank: Record<BreachState, number> = { 'not done': 0, 'done late': 1, closed: 1, moved: 1 }

/** Open breaches first, then by due day, newest first; the rows of one case stay together. */
export function orderBreaches<B extends Registered & { state: BreachState }>(breaches: readonly B[]): B[] {
  const byRank = (a: B, b: B) =>
    rank[a.state] - rank[b.state] ||
    (a.due.on < b.due.on ? 1 : a.due.on > b.due.on ? -1 : (b.due.at ?? 0) - (a.due.at ?? 0)) ||
    (a.number < b.number ? 1 : a.number > b.number ? -1 : 0)
  return [...Map.groupBy(breaches.toSorted(byRank), ({ caseId }) => caseId).values()].flat()
}

/** Counts of deadlines due in a period: met, missed, by month and by patch. */
export function summariseDeadlines(
  deadlines: readonly Registered[],
  { from, to, now, zone }: { from: Day; to: Day; now: number; zone: string },
) {
  const months = monthsOf(from, to)
  const judged = deadlines.map((one) => ({ one, state: breachState(one, now, zone) }))
  const missed = judged.filter(({ state }) => isCounted(state))
  // Deadlines that still run, or whose case was closed before they were due, are neither met nor missed.
  const met = judged.filter(({ one, state }) => state === undefined && one.done).length
  const countsOf = (some: typeof missed) =>
    months.map((month) => some.filter(({ one }) => one.due.on.startsWith(month)).length)
  const patches = [...Map.groupBy(missed, ({ one }) => one.patch?.id ?? null)].map(([id, some]) => ({
    ...{ id, name: some[0]!.one.patch?.name ?? 'No patch', months: countsOf(some), missed: some.length },
  }))
  return {
    ...{ due: met + missed.length, met, missed: missed.length },
    cases: new Set(missed.map(({ one }) => one.caseId)).size,
    notDone: missed.filter(({ state }) => state === 'not done').length,
    months: countsOf(missed).map((count, at) => ({ month: months[at]!, missed: count })),
    patches: patches.toSorted((a, b) => Number(a.id === null) - Number(b.id === null) || (a.name < b.name ? -1 : 1)),
  }
}
