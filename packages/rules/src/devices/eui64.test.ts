import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eui64In } from './eui64.ts'

test('the address in the radio network is read however it is written, and not from anything else', () => {
  for (const [told, read] of [
    ['00124b001ca4729e', '00124b001ca4729e'],
    ['00:12:4B:00:1C:A4:72:9E', '00124b001ca4729e'],
    ['00124b001ca4729', null],
    ['00124b001ca4729g', null],
    ['', null],
    [7, null],
    [undefined, null],
  ] as const)
    assert.equal(eui64In({ eui64: told }), read, String(told))
})
