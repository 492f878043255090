import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { codeParts } from './code-parts.ts'

test('comments, texts, numbers and keywords are found', () => {
  const source = `// high byte\nfunction decode(a) { return a[0x0F] * 1.5e3 + "it's" + o.in } /* end`
  const named = codeParts(source).flatMap(({ name, text }) => (name ? [[name, text]] : []))
  assert.deepEqual(named, [
    ['comment', '// high byte'],
    ['keyword', 'function'],
    ['keyword', 'return'],
    ['number', '0x0F'],
    ['number', '1.5e3'],
    ['text', `"it's"`],
    ['comment', '/* end'],
  ])
})

test('a text that is not closed ends with its line', () => {
  assert.deepEqual(
    codeParts(`a = 'b\nlet c`).map(({ text }) => text),
    ['a = ', `'b`, '\n', 'let', ' c'],
  )
})

test('the parts together are always the source', () => {
  const source = fc.string({ unit: fc.constantFrom("'", '"', '`', '/', '*', '\\', '\n', 'let', ' ', '1', 'x', '.') })
  fc.assert(
    fc.property(source, (text) =>
      assert.equal(
        codeParts(text)
          .map((part) => part.text)
          .join(''),
        text,
      ),
    ),
  )
})
