import assert from 'node:assert/strict'
import { test } from 'vitest'
import { emptyDrawingText, leftOutHint, leftOutKinds, leftOutName } from './left-out.ts'

test('the hint about a kind fits one or many', () => {
  // Words that refer to exactly one.
  const single = /^(?:It|This)\b|\bThe (?:linked )?(?:picture|part|style|element|link) is\b/
  for (const kind of leftOutKinds) assert.doesNotMatch(leftOutHint({ kind }), single, kind)
  const leftOut = { kind: 'linked picture', count: 2, examples: ['a.png', 'b.png'] } as const
  const many = { ...leftOut, examples: [...leftOut.examples] }
  assert.equal(leftOutName(many), '2 linked pictures (a.png, b.png)')
  assert.match(
    emptyDrawingText([many]),
    /\(a\.png, b\.png\)\. A linked picture is another file: embed it in the drawing/,
  )
})
