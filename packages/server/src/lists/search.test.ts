import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { inNaturalOrder } from '@caretaker/rules/texts/natural-order.ts'
import { searchForm } from '@caretaker/rules/texts/search-form.ts'
import { chanceOf } from '../testing/chance.ts'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

const written = [
  ...[
    '',
    ' ',
    'Flat 2',
    'St. Mary’s',
    "O'Neill",
    'O´Neill',
    '`quoted`',
    'Café',
    'Cafe\u0301',
    'CAFÉ',
    'Ångström',
    'Łódź',
  ],
  ...['Straße', 'STRAẞE', 'Ærø', 'Þór', 'œuvre', 'İstanbul', 'ısı', 'ΣΊΣΥΦΟΣ', 'ЁЛКА', 'йод', 'tiếng Việt', 'ñandú'],
  ...['10–12', 'a\u2011b', 'a\u2212b', 'Leeds, LS9;\u00A0x', 'tab\there\r\nthere', 'ＨＸ１\u3000５ＴＸ', 'ﬁre ⅓ ㎏ ﷺ'],
  ...[
    'soft\u00ADhyphen',
    'zero\u200B\u200D\uFEFFwidth',
    '\u202Eright to left',
    '한국어',
    '가',
    'がぎぐ',
    'שָׁלוֹם',
    'مَرْحَبًا',
  ],
  ...['नमस्ते', 'ก็', '🏠 home 👩‍👩‍👧', 'a\u0323\u0307', 'ｶﾞ', 'Ω Ω K Å', '½ Mill', '№ 5', '“quoted”', '¨', 'a  b   c'],
]

/** Random texts of letters from all scripts that people write. */
function* generated(many: number): Generator<string> {
  const chance = chanceOf('forms')
  const pieces = [...written.flatMap((text) => Array.from(text)), ..."abcXYZ0123456789 '’,-./%_\\".split('')]
  for (let at = 0; at < many; at++)
    yield Array.from(
      { length: 1 + Math.floor(chance() * 20) },
      () => pieces[Math.floor(chance() * pieces.length)],
    ).join('')
}
const corpus = [...written, ...generated(2000)]

test('the database and the program compute the same search form of every text', async () => {
  const { rows } = await database.owner.query<{ form: string }>(
    'select search_form(text) as form from unnest($1::text[]) with ordinality as given (text, at) order by at',
    [corpus],
  )
  for (const [at, text] of corpus.entries()) assert.equal(rows[at]!.form, searchForm(text), JSON.stringify(text))
})

test('the database and the program sort texts in the same order', async () => {
  const names = [
    'Flat 10',
    'flat 2',
    'Flat 2',
    'Café',
    'Cafe',
    'Cafes',
    'cab',
    'Zoo',
    'Élan',
    'elan 3',
    '12 Mill',
    '2 Mill',
    'Flat 010',
  ]
  const { rows } = await database.owner.query<{ name: string }>(
    'select name from unnest($1::text[]) as given (name) order by name collate natural_order',
    [names],
  )
  assert.deepEqual(
    rows.map(({ name }) => name),
    names.toSorted((a, b) => inNaturalOrder(a, b) || (a < b ? -1 : 1)),
  )
})
