import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import {
  partsOf,
  searchWords,
  shortNumberOf,
  spellingsOf,
  wholeNumberPattern,
} from '@caretaker/rules/texts/search-form.ts'

/** A text in its search form, where no column stores it. */
export const searchForm = (text: RawBuilder<unknown>): RawBuilder<string> => sql`search_form(${text})`

/** The condition that one of the forms contains a search word. */
export const hasWord = (forms: readonly RawBuilder<unknown>[], word: string): RawBuilder<boolean> =>
  either(forms.flatMap((form) => wordConditions(form, word, shortNumberOf(word))))

/** The condition that every search word is in one of the forms. */
export const hasWords = (forms: readonly RawBuilder<unknown>[], typed: string): RawBuilder<boolean> =>
  every(searchWords(typed).map((word) => hasWord(forms, word)))

/**
 * The condition that a text contains all words, with the result of `containsAll`. Most texts match as they are or are
 * already in search form; only the others are converted, which takes ten times as long.
 *
 * @param text in lower case
 */
export function containsWords(text: RawBuilder<unknown>, typed: string): RawBuilder<boolean> {
  const parts = partsOf(typed)
  // Punctuation alone is matched as typed.
  if (!parts.length) return contains(text, typed.toLowerCase())
  return every(
    parts.map(({ word, number }) =>
      either([
        ...wordConditions(text, word, number),
        sql`((octet_length(${text}) > char_length(${text}) or ${text} like any(array[${sql.lit("%'%")}, ${sql.lit('%`%')}]))
          and ${either(wordConditions(searchForm(text), word, number))})`,
      ]),
    ),
  )
}

/**
 * The condition that a name is one of several, or contains the words of the first, depending on the operator; all in
 * lower case.
 */
export const isNamed = (name: RawBuilder<unknown>, op: string, names: readonly string[]): RawBuilder<boolean> =>
  op === 'contains' ? containsWords(name, names[0]!) : sql<boolean>`${name} = any(${names}::text[])`

/** The ways in which a text can contain a word, which may stand for a whole number. */
function wordConditions(text: RawBuilder<unknown>, word: string, number: string | undefined): RawBuilder<boolean>[] {
  if (number === undefined) return spellingsOf(word).map((spelling) => contains(text, spelling))
  // Few texts contain the digits, and searching for them is cheaper than matching the pattern.
  return [sql`(${contains(text, number)} and ${text} ~ ${wholeNumberPattern(number)})`]
}

export const either = (some: readonly RawBuilder<boolean>[]): RawBuilder<boolean> =>
  some.length === 1 ? some[0]! : sql<boolean>`(${sql.join(some, sql` or `)})`

const every = (all: readonly RawBuilder<boolean>[]): RawBuilder<boolean> =>
  all.length ? sql<boolean>`(${sql.join(all, sql` and `)})` : sql<boolean>`true`

const contains = (text: RawBuilder<unknown>, wanted: string): RawBuilder<boolean> =>
  sql`${text} like ${`%${wanted.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`}`
