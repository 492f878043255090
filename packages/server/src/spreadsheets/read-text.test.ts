import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { Encoding } from '@caretaker/rules/imports/cells.ts'
import { readText } from './read-text.ts'

const latin1 = (text: string) => Buffer.from(text, 'latin1')

async function read(bytes: Buffer, chosen: Encoding | null = null) {
  const { format, sheets, rows } = readText(bytes, chosen)
  const cells = []
  for await (const batch of rows(sheets[0]!)) for (const row of batch) cells.push(...row.cells)
  return { ...format!, cells: cells.map((cell) => cell?.text), mixed: cells.filter((cell) => cell?.isMixed).length }
}

describe('the encoding of a list is detected from its bytes', () => {
  const list = 'Ref,Address\n1,5 Café Road\n2,St John’s Yard £5\n'
  const cases: [name: string, code: Encoding, bytes: Buffer][] = [
    ['UTF-8', 'utf-8', Buffer.from(list)],
    ['UTF-8 with its mark', 'utf-8', Buffer.from(`\uFEFF${list}`)],
    ['UTF-16 with its mark', 'utf-16le', Buffer.from(`\uFEFF${list}`, 'utf16le')],
    ['UTF-16 without a mark', 'utf-16le', Buffer.from(list, 'utf16le')],
    ['UTF-16 of a big-endian machine without a mark', 'utf-16be', Buffer.from(list, 'utf16le').swap16()],
    ['Windows-1252', 'windows-1252', latin1('Ref,Address\n1,5 Caf\xe9 Road\n2,St John\x92s Yard \xa35\n')],
    [
      'Mac Roman with the lines of a Mac',
      'macintosh',
      latin1('Ref,Address\r1,5 Caf\x8e Road\r2,St John\xd5s Yard \xa35\r'),
    ],
    ['Mac Roman with other lines', 'macintosh', latin1('Ref,Address\n1,5 Caf\x8e Road\n2,St John\xd5s Yard \xa35\n')],
  ]
  for (const [name, code, bytes] of cases)
    test(name, async () => {
      const { code: detected, cells, examples, mixed } = await read(bytes)
      assert.equal(detected, code)
      assert.deepEqual(cells, ['Ref', 'Address', '1', '5 Café Road', '2', 'St John’s Yard £5'])
      assert.deepEqual(examples, ['1,5 Café Road', '2,St John’s Yard £5'])
      assert.equal(mixed, 0)
    })
  test('code page 850 is read as MS-DOS writes it, with its end-of-file character', async () => {
    const { code, cells } = await read(latin1('Ref,Address\r\n1,5 Caf\x82 Road \x9c5\r\n\x1a'))
    assert.deepEqual([code, cells], ['cp850', ['Ref', 'Address', '1', '5 Café Road £5']])
  })
})

test('UTF-8 with some Windows-1252 bytes keeps all letters, with and without a byte-order mark, and reports where', async () => {
  const mixed = Buffer.concat([
    Buffer.from('Ref,Address\n1,Café A\n2,'),
    latin1('Caf\xe9 B\n'),
    Buffer.from('3,Plain\n'),
  ])
  for (const bytes of [mixed, Buffer.concat([Buffer.from('\uFEFF'), mixed])]) {
    const { code, cells, mixed: marked } = await read(bytes)
    assert.deepEqual([code, marked], ['utf-8', 1])
    assert.deepEqual(cells, ['Ref', 'Address', '1', 'Café A', '2', 'Café B', '3', 'Plain'])
  }
})

test('a chosen encoding takes precedence over the bytes', async () => {
  const bytes = latin1('Ref\n\x8e\xd5\xa3\n')
  assert.deepEqual((await read(bytes, 'windows-1252')).cells, ['Ref', 'ŽÕ£'])
  assert.deepEqual((await read(bytes, 'macintosh')).cells, ['Ref', 'é’£'])
  assert.deepEqual((await read(bytes, 'cp850')).cells, ['Ref', 'Äıú'])
  assert.deepEqual((await read(Buffer.from('\uFEFFRef\né\n'), 'windows-1252')).cells, ['Ref', 'Ã©'])
})

test('lines end with line feeds if most do; a carriage return in a cell is then part of it', async () => {
  assert.deepEqual((await read(Buffer.from('a,b\r\n1,2\n3,4\r\n'))).cells, ['a', 'b', '1', '2', '3', '4'])
  assert.deepEqual((await read(Buffer.from('a,b\n1,2\r3\n'))).cells, ['a', 'b', '1', '2\r3'])
  assert.deepEqual((await read(Buffer.from('a,b\r1,"x\ny"\r3,4'))).cells, ['a', 'b', '1', 'x\ny', '3', '4'])
})
