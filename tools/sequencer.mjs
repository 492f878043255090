import { BaseSequencer } from 'vitest/node'

/**
 * The slowest files of the server, slowest first. Without measured times Vitest starts with the largest files, and a slow file
 * that starts last keeps one worker busy while the others are idle.
 */
const slow = [
  'server/src/http/fuzz',
  'demo/src/start',
  'server/src/start',
  'demo/src/backup',
  'server/src/backup/places',
  'server/src/idp/load',
  'server/src/isolation/callers',
  'server/src/failover',
  'server/src/backup/backup',
  'server/src/features/actions/job',
  'server/src/rolling',
  'server/src/backup/operations',
  'server/src/cli/guides',
].map((name) => `/packages/${name}.test.ts`)

/** Starts with the slowest files of a project. */
export class SlowFirstSequencer extends BaseSequencer {
  /** @param {import('vitest/node').TestSpecification[]} files */
  async sort(files) {
    const sorted = await super.sort(files)
    const rank = ({ moduleId }) => {
      const found = slow.findIndex((file) => moduleId.endsWith(file))
      return found < 0 ? slow.length : found
    }
    const projects = [...new Set(sorted.map(({ project }) => project.name))]
    return projects.flatMap((name) =>
      sorted.filter(({ project }) => project.name === name).sort((a, b) => rank(a) - rank(b)),
    )
  }
}

/**
 * Runs test files in random order, project by project: a worker serves one project, and a new worker loads everything again.
 */
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

/** Random numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomNumbers(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
