import assert from 'node:assert/strict'
import { test } from 'vitest'
import { withNewer } from './newer.ts'

const of = (text: string) =>
  text
    .split(' ')
    .filter(Boolean)
    .map((one) => ({ messageId: one.slice(0, 2), time: `2026-11-24T10:00:0${one[1]}.000Z`, text: one }))
const texts = (messages: readonly { text: string }[]) => messages.map(({ text }) => text).join(' ')

for (const [known, newer, all] of [
  ['a5 a3 a1', '', 'a5 a3 a1'],
  ['', 'a5 a3', 'a5 a3'],
  ['a5 a3 a1', 'a9', 'a9 a5 a3 a1'],
  ['a5 a3 a1', 'a4 a2', 'a5 a4 a3 a2 a1'],
  ['a5 a3 a1', 'a0', 'a5 a3 a1 a0'],
  ['a5 a3 a1', 'a3+', 'a5 a3+ a1'],
  ['a5', 'b5', 'b5 a5'],
] as const)
  test(`'${known}' merged with the newer '${newer}' gives '${all}'`, () => {
    assert.equal(texts(withNewer(of(known), of(newer))), all)
  })
