import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import { searchForm as formOf, searchWords, spellingsOf } from '@caretaker/rules/texts/search-form.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { contains, escaped, storedOf } from './conditions.ts'
import type { ListSource } from './source.ts'

/** A text in the form in which texts are searched, where no column holds it. */
export const searchForm = (text: RawBuilder<unknown>): RawBuilder<string> => sql`search_form(${text})`

/** What is typed as one text, as a pattern of the form in which texts are searched. */
export const patternOf = (typed: string): string => `%${escaped(formOf(typed.trim()))}%`

/** That a word of a search stands in one of the forms. */
export const hasWord = (forms: readonly RawBuilder<unknown>[], word: string): RawBuilder<boolean> =>
  either(forms.flatMap((form) => spellingsOf(word).map((spelling) => contains(form, spelling))))

/** That every word of a search stands in one of the forms. */
export const hasWords = (forms: readonly RawBuilder<unknown>[], typed: string): RawBuilder<boolean> => {
  const words = searchWords(typed).map((word) => hasWord(forms, word))
  return words.length ? sql<boolean>`(${sql.join(words, sql` and `)})` : sql<boolean>`true`
}

const either = (some: readonly RawBuilder<boolean>[]) =>
  some.length === 1 ? some[0]! : sql<boolean>`(${sql.join(some, sql` or `)})`

/** The forms that a search looks through, as far as the actor may: what is personal may be hidden. */
export function formsSearched({ fields, searched, ...source }: ListSource, actor: Actor): RawBuilder<string>[] {
  const isHidden = hidesPersonalData(actor)
  if (searched) return searched[isHidden ? 'open' : 'all'].map((column) => sql.raw(column))
  return Object.entries(fields)
    .filter(([, { searchable, personal }]) => searchable && !(personal && isHidden))
    .map(([id]) => searchForm(sql.raw(storedOf({ fields, ...source }, id).value)))
}

/**
 * What a search asks of rows: each word stands in a text of the row, or in a name that it is linked with, such as a tag. Lists, the search
 * over everything and the map all ask by these.
 */
export async function searchConditions(
  source: ListSource,
  tx: TenantTx,
  actor: Actor,
  typed: string,
): Promise<RawBuilder<boolean>[]> {
  if (source.search) return searchWords(typed).length ? source.search(tx, actor, typed) : []
  const forms = formsSearched(source, actor)
  const { soughtNames } = source
  const conditions: RawBuilder<boolean>[] = []
  for (const word of searchWords(typed)) {
    const inTexts = hasWord(forms, word)
    const pattern = patternOf(word)
    // Few words stand in a name, and without the condition the database reads the forms of an index alone.
    const isInName = (await soughtNames?.names(tx, pattern, actor))?.length
    conditions.push(
      either([inTexts, ...(soughtNames && isInName ? [soughtNames.like(pattern, tx.tenant, actor)] : [])]),
    )
  }
  return conditions
}
