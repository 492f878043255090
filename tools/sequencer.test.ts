import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'vitest'
import type { TestSpecification, Vitest } from 'vitest/node'
import { RandomSequencer, SlowFirstSequencer } from './sequencer.mjs'

const files = ['rules', 'server', 'web'].flatMap((name) =>
  Array.from({ length: 20 }, (_, at) => ({ moduleId: `/packages/${name}/${at}.test.ts`, project: { name } })),
) as unknown as TestSpecification[]

async function orderOf(seed: number, given = files): Promise<string[]> {
  const sequencer = new RandomSequencer({ config: { sequence: { seed } } } as Vitest)
  return (await sequencer.sort(given)).map(({ moduleId }) => moduleId)
}

test('a seed gives one random order of the files, whatever the order in which they were found', async () => {
  const order = await orderOf(1)
  assert.deepEqual(await orderOf(1, [...files].reverse()), order)
  assert.notDeepEqual(await orderOf(2), order)
  assert.deepEqual([...order].sort(), files.map(({ moduleId }) => moduleId).sort())
})

test('the files of a project stay together', async () => {
  const projects = (await orderOf(3)).map((file) => file.split('/')[2])
  assert.equal(projects.filter((name, at) => name !== projects[at - 1]).length, 3)
})

test("the slowest files of a project start first, the others in Vitest's order", async () => {
  const project = { name: 'server', config: { isolate: false, sequence: { groupOrder: 1 } } }
  const known = ['failover.test.ts', 'start.test.ts', 'app.ts', 'server.ts'].map((name) => ({
    moduleId: path.resolve('packages/server/src', name),
    project,
  })) as unknown as TestSpecification[]
  const times: Record<string, number> = { 'app.ts': 1, 'server.ts': 2, 'start.test.ts': 3, 'failover.test.ts': 4 }
  const cache = {
    getTestSpecificationResult: ({ moduleId }: TestSpecification) => ({
      failed: false,
      duration: times[path.basename(moduleId)],
    }),
  }
  const order = await new SlowFirstSequencer({ cache } as unknown as Vitest).sort(known)
  assert.deepEqual(
    order.map(({ moduleId }) => path.basename(moduleId)),
    ['start.test.ts', 'failover.test.ts', 'server.ts', 'app.ts'],
  )
})

test('the shards of a run are complete and disjoint, both with the slowest first and in a random order', async () => {
  const found = Array.from({ length: 103 }, (_, at) => ({
    moduleId: path.resolve('packages/server/src', `${at}.test.ts`),
    project: { name: 'server', config: { root: path.resolve('.') } },
  })) as unknown as TestSpecification[]
  for (const Sequencer of [SlowFirstSequencer, RandomSequencer]) {
    const shards = [1, 2, 3, 4].map((index) =>
      new Sequencer({ config: { root: path.resolve('.'), shard: { index, count: 4 } } } as Vitest).shard(found),
    )
    const files = (await Promise.all(shards)).map((shard) => shard.map(({ moduleId }) => moduleId))
    assert.ok(files.every((shard) => shard.length >= 25 && shard.length <= 26))
    assert.deepEqual(files.flat().sort(), found.map(({ moduleId }) => moduleId).sort())
  }
})
