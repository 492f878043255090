import { configDefaults, defineConfig } from 'vitest/config'
import type { TestProjectConfiguration } from 'vitest/config'
import { nodeFlags } from './tools/install.mjs'
import { RandomSequencer, SlowFirstSequencer } from './tools/sequencer.mjs'

/** They measure the memory of their own process, to which files before them have added. */
const alone = ['packages/server/src/mqtt/entrance.test.ts']
const seed = process.env.CARETAKER_TEST_SEED
const except = (...files: string[]) => [...configDefaults.exclude, ...files]

/** A project whose files share their processes, so that each loads its modules once. docs/decisions/0014 has the figures. */
const shared = (name: string, include: string[], more = {}): TestProjectConfiguration => ({
  test: { name, include, isolate: false, ...more },
})

const server = {
  execArgv: nodeFlags,
  globalSetup: 'packages/server/src/testing/one-server.ts',
  // One more than there are cores: they wait for the database, for processes and for times.
  maxWorkers: 3,
  sequence: {
    // Projects with another number of workers need a turn of their own.
    groupOrder: 1,
    // Their files make one world and go through it test by test: only the order of the files is random.
    shuffle: { tests: false },
  },
}

export default defineConfig({
  test: {
    projects: [
      shared('rules', ['packages/rules/**/*.test.ts'], { pool: 'threads' }),
      shared('contract', ['packages/{contract,client}/**/*.test.ts'], { pool: 'threads' }),
      shared('web', ['packages/web/**/*.test.{ts,tsx}'], {
        pool: 'threads',
        exclude: except('**/*.component.test.tsx'),
      }),
      shared('server', ['packages/{server,demo,simulator,bench}/**/*.test.ts', 'tools/*.test.ts'], {
        ...server,
        exclude: except(...alone),
      }),
      { test: { name: 'alone', include: alone, isolate: true, ...server } },
      'packages/web/vitest.components.config.ts',
    ],
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Hooks of one kind run in the order in which they stand, the ones that tidy up too.
    sequence: {
      hooks: 'list',
      sequencer: SlowFirstSequencer,
      ...(seed && { seed: Number(seed), shuffle: { files: true, tests: true }, sequencer: RandomSequencer }),
    },
    reporters: ['./tools/reporter.mjs', ['junit', { outputFile: 'results/junit/unit.xml' }]],
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.{ts,tsx}'],
      exclude: ['**/*.test.{ts,tsx}', '**/testing/**'],
      reporter: ['text-summary', 'html', 'lcovonly'],
      reportsDirectory: 'results/coverage',
    },
  },
})
