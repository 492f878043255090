import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import { searchForm as formOf, searchWords, spellingsOf } from '@caretaker/rules/texts/search-form.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { columnOf, contains, escaped, folded, storedOf } from './conditions.ts'
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
  const forms = formsSearched(source, actor)
  const linked = source.soughtNames === undefined ? undefined : columnOf(source, source.soughtNames)
  const conditions: RawBuilder<boolean>[] = []
  for (const word of searchWords(typed)) {
    const inTexts = hasWord(forms, word)
    const names = linked && 'names' in linked ? await linked.names(tx, patternOf(word), actor) : []
    const byName =
      names.length && linked && 'names' in linked ? [linked.meets('anyof', names.map(folded), tx.tenant, actor)] : []
    conditions.push(either([inTexts, ...byName]))
  }
  return conditions
}
