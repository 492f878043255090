import { BaseSequencer } from 'vitest/node'

/** A random order of test files. Those of a project stay together: a worker serves one project, and a new one loads everything again. */
export class RandomSequencer extends BaseSequencer {
  /** @param {import('vitest/node').TestSpecification[]} files */
  async sort(files) {
    const random = randomNumbers(this.ctx.config.sequence.seed)
    const keyed = [...files]
      .sort((a, b) => (a.moduleId < b.moduleId ? -1 : 1))
      .map((file) => ({ file, project: file.project.name, key: random() }))
    return keyed
      .sort((a, b) => (a.project === b.project ? a.key - b.key : a.project < b.project ? -1 : 1))
      .map(({ file }) => file)
  }
}

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
function randomNumbers(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
