import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Validator } from './validators.ts'
import {
  faultOf,
  hasAtMost,
  isAtLeast,
  isAtMost,
  isBetween,
  isEmail,
  isIn,
  isNotIn,
  isNotZero,
  isNumeric,
  isWord,
  numberIn,
} from './validators.ts'

/** Every value of the first list passes, each of the second shows the rule's text. */
function takes(rule: (text: string) => Validator, right: string[], wrong: string[]) {
  const validator = rule('the text')
  for (const value of right) assert.equal(validator(value), undefined, `${JSON.stringify(value)} is right`)
  for (const value of wrong) assert.equal(validator(value), 'the text', `${JSON.stringify(value)} is wrong`)
}

test('word: word characters and hyphens only [core-5-15]', () => {
  takes(isWord, ['Unit-7_a', 'x', '-', '42'], ['Unit 7', 'Unit.7', '', 'Ünit', 'Unit7\n', 'Unіt'])
})

test('e-mail: an address and nothing else', () => {
  takes(
    isEmail,
    [
      ...['a@b.co', 'first.last+tag@sub.example.org', "o'neil@x-y.uk", 'r&d@example.org', 'a/b=c@example.org'],
      ...[
        'j\u00F6rg@m\u00FCller.de',
        '\u7528\u6237@\u4F8B\u5B50.\u5E7F\u544A',
        '\u03B4\u03BF\u03BA\u03B9\u03BC\u03AE@\u03C0\u03B1\u03C1.gr',
        'a@xn--mller-kva.xn--p1ai',
      ],
      // Letters with combining marks.
      'jo\u0308rg@mu\u0308ller.de',
    ],
    [
      ...[
        '',
        'a',
        'a@b',
        '@b.co',
        'a@',
        'a b@c.co',
        'a@b.co ',
        'a@b@c.co',
        'a..b@c.co',
        '.a@b.co',
        'а@b.co',
        'a.@b.co',
      ],
      ...[
        'a@b.co\n',
        'a@-b.co',
        'a@b-.co',
        'a@b..co',
        'a@1.2.3.4',
        '"a b"@c.co',
        'a@[1.2.3.4]',
        'a;b@c.co',
        'a,b@c.co',
      ],
      // Invisible characters and direction changes.
      ...['a\u200Bb@c.co', 'a\u202Eb@c.co', 'a@b\u00AD.co', `${'a'.repeat(65)}@b.co`],
    ],
  )
})

test('maximum length: the limit itself passes, one more does not [core-5-18]', () => {
  takes((text) => hasAtMost(5, text), ['', 'abcde', '🏠🏠🏠🏠🏠'], ['abcdef', '🏠🏠🏠🏠🏠🏠'])
})

test('numeric: numbers and no other text [core-5-19]', () => {
  takes(
    isNumeric,
    ['0', '42', '-1.5', '+3', '.5', '4.', ' 7 '],
    ['', ' ', 'x', '1x', '1.2.3', '1e3', '0x10', 'NaN', '٣'],
  )
})

test('minimum: the minimum itself passes, less does not [core-5-20]', () => {
  takes((text) => isAtLeast(30, text), ['30', '30.0', '31', '80'], ['29', '29.999', '-30', '', 'x'])
})

test('maximum: the maximum itself passes, more does not [core-5-21]', () => {
  takes((text) => isAtMost(80, text), ['80', '79.9', '-5'], ['81', '80.001', '', 'x'])
})

test('between: both limits pass, values outside do not [core-5-22]', () => {
  takes((text) => isBetween(40, 65, text), ['40', '65', '52.5'], ['39.9', '65.1', '', 'x'])
})

test('not zero: 0 is rejected in every notation, other numbers pass [core-5-23]', () => {
  takes(isNotZero, ['1', '-1', '0.001'], ['0', '-0', '+0', '0.00', ' 0 ', '000'])
})

test('in list: only values of the list [core-5-24]', () => {
  takes((text) => isIn(['Pass', 'Fail'], text), ['Pass', 'Fail'], ['', 'pass', 'Passed'])
})

test('not in list: anything but values of the list [core-5-25]', () => {
  takes((text) => isNotIn(['Night', 'Day'], text), ['', 'Dusk', 'night'], ['Night', 'Day'])
})

test('a number is parsed from digits only', () => {
  assert.deepEqual(['12', '-0.5', '', 'x', 'Infinity'].map(numberIn), [12, -0.5, undefined, undefined, undefined])
})

test('the first broken rule gives the error', () => {
  const rules = [isNumeric('needs to be a number'), isAtLeast(30, 'should be greater than 30')]
  assert.equal(faultOf('x', rules), 'needs to be a number')
  assert.equal(faultOf('7', rules), 'should be greater than 30')
  assert.equal(faultOf('30', rules), undefined)
})
