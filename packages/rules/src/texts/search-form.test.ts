import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { containsAll, isFound, partsFound, searchForm, searchWords, spellingsOf } from './search-form.ts'

test('text search ignores case, accents, apostrophes, dashes and composition', () => {
  for (const [text, form] of [
    ['Café Noir', 'cafe noir'],
    ['Cafe\u0301 Noir', 'cafe noir'],
    ['St. Mary’s', 'st. marys'],
    ["St. Mary's", 'st. marys'],
    ['O`Neill O´Neill OʼNeill', 'oneill oneill oneill'],
    ['Ångström Øst Łódź', 'angstrom ost lodz'],
    ['STRASSE Straße', 'strasse strasse'],
    ['Cæsar', 'caesar'],
    ['İstanbul ısı', 'istanbul isi'],
    ['ΣΊΣΥΦΟΣ', 'σισυφοσ'],
    ['ЁЛКА', 'елка'],
    ['10–12 Mill‑Row', '10-12 mill-row'],
    ['1 Mill Row, Leeds;\u00A0LS9', '1 mill row leeds ls9'],
    ['ＨＸ１\u3000５ＴＸ', 'hx1 5tx'],
    ['soft\u00ADhyphen zero\u200Bwidth', 'softhyphen zerowidth'],
    ['한국', '한국'],
    ['ﬁre', 'fire'],
  ] as const)
    assert.equal(searchForm(text), form, text)
})

test('composed and decomposed text have the same form, and the form of a form is itself', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), (text) => {
      assert.equal(searchForm(text.normalize('NFD')), searchForm(text.normalize('NFC')))
    }),
  )
})

test('each word of a search occurs once, and a postcode in both spellings', () => {
  assert.deepEqual(searchWords('  Mill, mill ROW '), ['mill', 'row'])
  assert.deepEqual(searchWords('’ , '), [])
  for (const [word, spellings] of [
    ['hx15tx', ['hx15tx', 'hx1 5tx']],
    ['hx15', ['hx15', 'hx1 5']],
    ['w1a0ax', ['w1a0ax', 'w1a 0ax']],
    ['ec1a1bb', ['ec1a1bb', 'ec1a 1bb']],
    ['gir0aa', ['gir0aa', 'gir 0aa']],
    ['bfpo61', ['bfpo61', 'bfpo 61']],
    ['hx1', ['hx1']],
    ['pr-7781', ['pr-7781']],
  ] as const)
    assert.deepEqual(spellingsOf(word), spellings, word)
})

test('texts match a search if each of its words occurs in one of them, in any order', () => {
  const home = ['PR-1', '5 St. Mary’s Café', 'HX1 5TX', null]
  for (const typed of ['cafe marys', 'HX15TX', 'hx1 5tx', 'pr-1 cafe', 'St Mary', '', 'hx15t'])
    assert.ok(isFound(typed, home), typed)
  for (const typed of ['cafe oak', 'hx16tx', '.*', '%']) assert.ok(!isFound(typed, home), typed)
})

test('a word of one or two digits matches a whole number, with or without leading zeros', () => {
  const light = ['EM0010203X', 'Light 7', 'Level 0', 'Room 012a', 'HX1 5TX']
  for (const typed of ['level 0', '00', 'light 7', '07', '12', '012', 'room 12', '1', 'hx1 5', '102'])
    assert.ok(isFound(typed, light), typed)
  for (const typed of ['10', '2', 'light 3', '20', 'light 12 9']) assert.ok(!isFound(typed, light), typed)
  assert.ok(isFound('2', ['2', 'x']) && !isFound('2', ['12', '21', '020']))
})

test('a contains filter finds single digits inside a longer number, and words in any order', () => {
  for (const typed of ['10', 'cafe', 'CAFÉ mary’s', '03x marys'])
    assert.ok(containsAll("EM0010203X St Mary's Café", typed), typed)
  for (const typed of ['99', 'cafes', 'cafe 10']) assert.ok(!containsAll("EM0010203X St Mary's Café", typed), typed)
})

test('search matches are marked in the original text', () => {
  const marked = (typed: string, text: string) =>
    partsFound(typed, text)
      .map(({ part, isFound }) => (isFound ? `[${part}]` : part))
      .join('')
  for (const [typed, text, as] of [
    ['court', 'Kestrel Court', 'Kestrel [Court]'],
    ['(B', 'A (b)', 'A [(b])'],
    ['', 'Kestrel', 'Kestrel'],
    ['flo floor', 'Floors', '[Floor]s'],
    ['marys cafe', 'St Mary’s Cafe\u0301 2', 'St [Mary’s] [Cafe\u0301] 2'],
    ['hx15tx', 'at HX1 5TX, Halifax', 'at [HX1 5TX], Halifax'],
    ['2', 'Flat 02, 12 Row', 'Flat [02], 12 Row'],
    ['strasse', 'Die Straße', 'Die [Straße]'],
  ] as const)
    assert.equal(marked(typed, text), as, typed)
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), fc.string({ maxLength: 5 }), (text, typed) => {
      const parts = partsFound(typed, text)
      assert.equal(parts.map(({ part }) => part).join(''), text)
    }),
  )
})
