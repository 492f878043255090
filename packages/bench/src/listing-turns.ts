import type { Route } from '@caretaker/contract/route.ts'
import type { CallersReport } from './callers.ts'
import type { Child } from './children.ts'
import { startChild } from './children.ts'
import type { Caller, Estate } from './estate.ts'
import type { Spread } from './figures.ts'
import { percentile, rounded, spreadOf } from './figures.ts'

/** How long all turns of one query may take, in ms. */
const turnsWithin = 600_000
/** The number of unmeasured warm-up turns. */
const warmUps = 8

/** The times of one query's calls, in ms. */
export interface Figure extends Spread {
  /** The median ratio of its time to that of the first page in the same turn. */
  ratio?: number
}

/** One query of a list. */
export interface Way {
  name: string
  body: object
  /** The rows that plain SQL returns, if they are compared. */
  expected?: Expected
}
export interface Expected {
  total: number
  ids: readonly string[]
}

interface Asking {
  estate: Estate
  callers: number
  turns: number
  /** Whether devices send meanwhile, so that rows change between two responses. */
  isMoving: boolean
}

/** Several callers over real sockets, in a separate process. */
export class Callers {
  readonly #asking: Asking
  readonly #child: Child<CallersReport>
  /** The times in ms of all measured calls, except first pages. */
  readonly all: number[] = []
  /** Responses whose rows differ from the first response to the same call. */
  differing = 0

  constructor(asking: Asking) {
    this.#asking = asking
    this.#child = startChild<CallersReport>('callers.ts')
  }

  /**
   * Runs one query, in turns with the first page if one is given. Fails if the rows differ from those of plain SQL or of the first
   * response.
   */
  async ask(route: Route, caller: Caller, way: Way, first?: Way): Promise<{ figure: Figure; firsts: number[] }> {
    const { estate, callers, turns, isMoving } = this.#asking
    const authorization = await caller.authorization()
    const ways = first ? [way, first] : [way]
    this.#child.send({
      ...{ origin: estate.origin, callers, turns, warmUps },
      calls: ways.map(({ body }) => ({ method: route.method, path: route.path, body, authorization })),
    })
    const { samples, answers, differing } = await this.#child.next(turnsWithin)
    for (const [at, { name, expected }] of ways.entries()) {
      this.differing += differing[at]!
      if (differing[at] && !isMoving)
        throw new Error(`${name}: ${differing[at]} answers have other rows than the first`)
      if (expected) checkRows(name, answers[at]!, expected)
    }
    const [own = [], firsts = []] = samples
    this.all.push(...own)
    const figure: Figure = spreadOf(own)
    if (first)
      figure.ratio = rounded(
        percentile(
          own.map((ms, turn) => ms / firsts[turn]!),
          0.5,
        ),
        2,
      )
    return { figure, firsts }
  }

  close(): Promise<void> {
    return this.#child.kill()
  }
}

function checkRows(name: string, { total, ids }: CallersReport['answers'][number], expected: Expected): void {
  if (total !== expected.total) throw new Error(`${name}: ${total} rows in all, ${expected.total} by plain SQL`)
  if (JSON.stringify(ids) !== JSON.stringify(expected.ids)) throw new Error(`${name}: other rows than by plain SQL`)
}
