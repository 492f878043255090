import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import * as common from '@zxcvbn-ts/language-common'
import * as english from '@zxcvbn-ts/language-en'

/** Estimates run in a thread of their own: the dictionaries take 0.3 s to load, and an awkward password 0.1 s to estimate. */
const estimator = new ZxcvbnFactory({
  dictionary: { ...common.dictionary, ...english.dictionary },
  graphs: common.adjacencyGraphs,
  // The time of an estimate doubles with each; more substitutions make no password weaker that people choose.
  l33tMaxSubstitutions: 10,
  maxLength: 64,
})

export interface Estimate {
  /** From 0, guessed at once, to 4. */
  score: number
  /** The library's name of what makes it weak. */
  warning: string | null
}

export default function estimate({ password, personal }: { password: string; personal: string[] }): Estimate {
  const { score, feedback } = estimator.check(password, personal)
  return { score, warning: feedback.warning }
}
