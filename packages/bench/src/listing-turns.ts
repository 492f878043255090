import type { Route } from '@caretaker/contract/route.ts'
import type { CallersReport } from './callers.ts'
import type { Child } from './children.ts'
import { startChild } from './children.ts'
import type { Caller, Estate } from './estate.ts'
import type { Spread } from './figures.ts'
import { percentile, rounded, spreadOf } from './figures.ts'

/** How long the turns of one way to ask may take, in ms. */
const turnsWithin = 600_000
/** Turns before those that count. */
const warmUps = 8

/** Of the calls of one way to ask, in ms. */
export interface Figure extends Spread {
  /** Median of its time ÷ that of the first page in the same turn. */
  ratio?: number
}

/** One way to ask for a list. */
export interface Way {
  name: string
  body: object
  /** What plain SQL finds for it, where that is asked. */
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
  /** Devices send meanwhile: rows change between two answers. */
  isMoving: boolean
}

/** Several callers over real sockets, in a process of their own. */
export class Callers {
  readonly #asking: Asking
  readonly #child: Child<CallersReport>
  /** Ms of all calls that counted, first pages left out. */
  readonly all: number[] = []
  /** Answers whose rows differed from the first answer to the same call. */
  differing = 0

  constructor(asking: Asking) {
    this.#asking = asking
    this.#child = startChild<CallersReport>('callers.ts')
  }

  /** Asks in one way, in turns with the first page where one is given. Fails where rows are not those of plain SQL or of the first answer. */
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
