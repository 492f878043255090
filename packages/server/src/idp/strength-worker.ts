import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import * as common from '@zxcvbn-ts/language-common'
import * as english from '@zxcvbn-ts/language-en'

/** Runs in its own thread: the dictionaries take 0.3 s to load, and a difficult password 0.1 s to estimate. */
const estimator = new ZxcvbnFactory({
  dictionary: { ...common.dictionary, ...english.dictionary },
  graphs: common.adjacencyGraphs,
  // Each doubles the time of an estimate; more substitutions do not matter for passwords that people choose.
  l33tMaxSubstitutions: 10,
  maxLength: 64,
})

export interface Estimate {
  /** From 0, guessed at once, to 4. */
  score: number
  /** The library's key for the weakness. */
  warning: string | null
}

export default function estimate({ password, personal }: { password: string; personal: string[] }): Estimate {
  const { score, feedback } = estimator.check(password, personal)
  return { score, warning: feedback.warning }
}
