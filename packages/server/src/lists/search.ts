import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import { searchWords } from '@caretaker/rules/texts/search-form.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { storedOf } from './conditions.ts'
import type { ListSource } from './source.ts'
import { either, hasWord, searchForm } from './words.ts'

/** The search forms available to the actor: personal fields may be hidden. */
export function formsSearched({ fields, searched, ...source }: ListSource, actor: Actor): RawBuilder<string>[] {
  const isHidden = hidesPersonalData(actor)
  if (searched) return searched[isHidden ? 'open' : 'all'].map((column) => sql.raw(column))
  return Object.entries(fields)
    .filter(([, { searchable, personal }]) => searchable && !(personal && isHidden))
    .map(([id]) => searchForm(sql.raw(storedOf({ fields, ...source }, id).value)))
}

/**
 * The conditions of a search: each word must be in a text of the row, or in a linked name such as a tag. Used by
 * lists, the global search and the map.
 */
export async function searchConditions(
  source: ListSource,
  tx: TenantTx,
  actor: Actor,
  typed: string,
): Promise<RawBuilder<boolean>[]> {
  if (source.search) return searchWords(typed).length ? source.search(tx, actor, typed) : []
  const forms = formsSearched(source, actor)
  const { searchedNames } = source
  const conditions: RawBuilder<boolean>[] = []
  for (const word of searchWords(typed)) {
    const inTexts = hasWord(forms, word)
    // Few words are in a name; without the condition the database only reads an index of search forms.
    const isInName = (await searchedNames?.names(tx, word, actor))?.length
    conditions.push(
      either([inTexts, ...(searchedNames && isInName ? [searchedNames.have(word, tx.tenant, actor)] : [])]),
    )
  }
  return conditions
}
