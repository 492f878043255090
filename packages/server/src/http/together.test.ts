import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { test } from 'vitest'
import { inOneGo } from './together.ts'

/** Responses that are released on request, with the calls that they answer. */
function held() {
  const goes: { askers: readonly string[]; let: (error?: Error) => void }[] = []
  const ask = inOneGo<string, string>(
    (asking) =>
      new Promise((resolve) => {
        const at = goes.length
        const release = (error?: Error) => {
          for (const { asker, complete } of asking)
            complete(error ? { refused: error } : { value: `${asker} in ${at}` })
          resolve()
        }
        goes.push({ askers: asking.map(({ asker }) => asker), let: release })
      }),
  )
  return { ask, goes }
}

test('the first call is computed immediately, and calls during it share the next run', async () => {
  const { ask, goes } = held()
  const asked = ['a', 'b', 'c'].map((one) => ask('same', one))
  assert.deepEqual(
    goes.map(({ askers }) => askers),
    [['a']],
  )
  goes[0]!.let()
  assert.equal(await asked[0], 'a in 0')
  await turn()
  assert.deepEqual(goes[1]!.askers, ['b', 'c'])
  const late = ask('same', 'd')
  goes[1]!.let()
  assert.deepEqual(await Promise.all(asked), ['a in 0', 'b in 1', 'c in 1'])
  await turn()
  goes[2]!.let()
  assert.equal(await late, 'd in 2')
})

test('another call does not wait, and a later call is computed again', async () => {
  const { ask, goes } = held()
  const [one, other] = [ask('same', 'a'), ask('other', 'b')]
  assert.equal(goes.length, 2)
  goes[1]!.let()
  assert.equal(await other, 'b in 1')
  goes[0]!.let()
  await one
  const again = ask('same', 'a')
  goes[2]!.let()
  assert.equal(await again, 'a in 2')
})

test('a failure affects all callers of its run and nobody later', async () => {
  const { ask, goes } = held()
  const [first, ...others] = ['a', 'b', 'c'].map((one) => ask('same', one))
  goes[0]!.let(new Error('away'))
  await assert.rejects(first!, /away/)
  await turn()
  goes[1]!.let()
  assert.deepEqual(await Promise.all(others), ['b in 1', 'c in 1'])
})
