import assert from 'node:assert/strict'
import { test } from 'vitest'
import { isPlainValue, plainDeclarations, plainSheet } from './style.ts'

function reading<T>(read: (report: (kind: string, example?: string) => void) => T) {
  const reports: string[] = []
  const css = read((kind, example = '') => reports.push(`${kind}: ${example}`))
  return { css, reports }
}

test('each declaration is checked separately', () => {
  const cases: [string, string, string[]][] = [
    ['fill:red;stroke:url(#a)', 'fill:red;stroke:url(#a)', []],
    [`fill:url( "#a" ) red`, `fill:url( "#a" ) red`, []],
    ['fill:url(http://host.example/a;b);stroke:red', 'stroke:red', ['style: fill:url(http://host.example/a;b)']],
    ['fill:url("a;b");stroke:red', 'stroke:red', ['style: fill:url("a;b")']],
    ['fill:u\\72l(a);stroke:red', 'stroke:red', ['style: fill:u\\72l(a)']],
    ['fill:ur/**/l(a);stroke:red', 'stroke:red', ['style: fill:url(a)']],
    ['fill:image-set("a" 1x);x:expression(a)', '', ['style: fill:image-set("a" 1x)', 'style: x:expression(a)']],
    ['behavior:x;-moz-binding:x;stroke:red', 'stroke:red', ['style: behavior:x', 'style: -moz-binding:x']],
    ['stroke:red;nonsense;9:1', 'stroke:red', ['style: nonsense', 'style: 9:1']],
    [`font-family:'Arial; x', "b\\"c"`, `font-family:'Arial; x', "b\\"c"`, []],
    ['fill:light-dark(#fff, var(--dark, #000)) !important', 'fill:light-dark(#fff, var(--dark, #000)) !important', []],
    ['color-scheme:light dark;cursor:url(a);-webkit-x:1', '', []],
    ['a{fill:red}stroke:red', 'stroke:red', ['style: a']],
    ['filter:url(#f);fill:red', 'fill:red', []],
    ['animation:x 1s', '', ['animation: ']],
    ['fill:"a\nstroke:red', '', ['style: fill:"a\nstroke:red']],
  ]
  for (const [given, css, reports] of cases)
    assert.deepEqual(
      reading((report) => plainDeclarations(given, report)),
      { css, reports },
      given,
    )
})

test('each rule is checked separately', () => {
  const cases: [string, string, string[]][] = [
    ['.a, g > .b:hover [x="1"] {fill:red}', '.a, g > .b:hover [x="1"]{fill:red}', []],
    ['<!-- .a{fill:red} -->', '.a{fill:red}', []],
    ['/* } @import url(x) */.a{fill:red}/* open', '.a{fill:red}', []],
    ['@import url("a.css");.a{fill:red}', '.a{fill:red}', ['reference: a.css']],
    ['@IMPORT url(a.css);.a{fill:red}', '.a{fill:red}', ['reference: a.css']],
    ['@font-face{font-family:"X";src:url(x)}.a{fill:red}', '.a{fill:red}', ['font: X']],
    [
      '@media print{.a{fill:url(x);stroke:red}}.b{fill:red}',
      '@media print{.a{stroke:red}}.b{fill:red}',
      ['style: fill:url(x)'],
    ],
    ['@media a"{}".b{fill:red}', '', ['style: @media a"{}".b']],
    ['@keyframes x{from{fill:red}}.a{fill:red}', '.a{fill:red}', ['animation: ']],
    ['@charset "utf-8";@x y;.a{fill:red}', '.a{fill:red}', ['style: @x y']],
    ['\\40 import url("x");.a{fill:red}', '.a{fill:red}', ['style: \\40 import url("x")']],
    ['.a\\:b{fill:red}.c{fill:red', '.a\\:b{fill:red}.c{fill:red', []],
    ['.a;b{fill:red}', 'b{fill:red}', ['style: .a']],
    ['}.a{fill:red}', '', ['style: }.a']],
  ]
  for (const [given, css, reports] of cases) {
    const found = reading((report) => plainSheet(given, report))
    assert.deepEqual(
      { ...found, css: found.css.replace(/\{fill:red$/, '{fill:red}') },
      { css: css.replace(/\{fill:red$/, '{fill:red}'), reports },
      given,
    )
  }
})

test('a value that a browser could interpret differently is rejected', () => {
  for (const value of [
    'url(x)',
    'URL(#a)x(y)',
    'url("#a)',
    'src(x)',
    '@x',
    'a;b',
    'a}b',
    'a:b',
    '\\75rl(#a)',
    '"a',
    '<x',
    'url(#a\\)x)',
  ])
    assert.equal(isPlainValue(value), false, value)
  // Linear time, however long it is.
  assert.equal(isPlainValue('\\a'.repeat(50_000)), false)
  assert.equal(
    plainSheet(`${'\\aaaaaa '.repeat(20_000)};{`, () => {}),
    '',
  )
  assert.equal(
    plainSheet('{'.repeat(100_000), () => {}),
    '',
  )
})
