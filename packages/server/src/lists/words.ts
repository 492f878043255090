import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import {
  partsOf,
  searchWords,
  shortNumberOf,
  spellingsOf,
  wholeNumberPattern,
} from '@caretaker/rules/texts/search-form.ts'

/** A text in the form in which texts are searched, where no column holds it. */
export const searchForm = (text: RawBuilder<unknown>): RawBuilder<string> => sql`search_form(${text})`

/** That a word of a search stands in one of the forms. */
export const hasWord = (forms: readonly RawBuilder<unknown>[], word: string): RawBuilder<boolean> =>
  either(forms.flatMap((form) => waysToHave(form, word, shortNumberOf(word))))

/** That every word of a search stands in one of the forms. */
export const hasWords = (forms: readonly RawBuilder<unknown>[], typed: string): RawBuilder<boolean> =>
  every(searchWords(typed).map((word) => hasWord(forms, word)))

/**
 * That a text of one field contains the words, as `containsAll` decides. Most texts have a word as they stand, or are in their search form
 * already: the others alone are brought into it, which takes ten times as long.
 * @param text in lower case
 */
export function containsWords(text: RawBuilder<unknown>, typed: string): RawBuilder<boolean> {
  const parts = partsOf(typed)
  // Signs alone are no words: the text has them as they are typed.
  if (!parts.length) return contains(text, typed.toLowerCase())
  return every(
    parts.map(({ word, number }) =>
      either([
        ...waysToHave(text, word, number),
        sql`((octet_length(${text}) > char_length(${text}) or ${text} like any(array[${sql.lit("%'%")}, ${sql.lit('%`%')}]))
          and ${either(waysToHave(searchForm(text), word, number))})`,
      ]),
    ),
  )
}

/** That a name is one of some, or contains the words of the first, as a filter asks; all in lower case. */
export const isNamed = (name: RawBuilder<unknown>, op: string, names: readonly string[]): RawBuilder<boolean> =>
  op === 'contains' ? containsWords(name, names[0]!) : sql<boolean>`${name} = any(${names}::text[])`

/** The ways in which a text can have a word, which may stand for a whole number. */
function waysToHave(text: RawBuilder<unknown>, word: string, number: string | undefined): RawBuilder<boolean>[] {
  if (number === undefined) return spellingsOf(word).map((spelling) => contains(text, spelling))
  // Few texts have the digits, and to look for them is cheaper than for the pattern.
  return [sql`(${contains(text, number)} and ${text} ~ ${wholeNumberPattern(number)})`]
}

export const either = (some: readonly RawBuilder<boolean>[]): RawBuilder<boolean> =>
  some.length === 1 ? some[0]! : sql<boolean>`(${sql.join(some, sql` or `)})`

const every = (all: readonly RawBuilder<boolean>[]): RawBuilder<boolean> =>
  all.length ? sql<boolean>`(${sql.join(all, sql` and `)})` : sql<boolean>`true`

const contains = (text: RawBuilder<unknown>, wanted: string): RawBuilder<boolean> =>
  sql`${text} like ${`%${wanted.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`}`
