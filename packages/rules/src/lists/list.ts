import type { Actor } from '../identity/actor.ts'
import { hasFeature, hidesPersonalData } from '../identity/actor.ts'
import type { Field, FieldDefinition, Fields, Filterable, Viewable } from './fields.ts'
import { definitionsOf } from './fields.ts'
import type { Filter } from './filters.ts'

/** What a list keeps its views as: view definitions, or documents of type ListingViewConfig (devices gaps A12). */
export type ViewKind = 'definitions' | 'documents'

/** Category of a list's views in the calls (core specification, section 3). */
export const viewCategories = ['device', 'emered', 'boiler', 'networking'] as const
export type ViewCategory = (typeof viewCategories)[number]

/** A view that everybody finds there, besides the main one, which is the whole list. */
export interface Preset<Id extends string = string> {
  id: string
  label: string
  filters: readonly (Filter & { fieldId: Id })[]
  /** Its columns, made of those of the list; the same unless it says so. */
  columns?: (columns: readonly string[]) => readonly string[]
}

interface Declared<F extends Fields> {
  /** What its main view, and with it the page, is called. */
  label: string
  /** What views of this list say they belong to; never changed, because saved views name it. */
  root: string
  category: ViewCategory
  /** The right of whoever may see it. */
  may: string
  views: ViewKind
  /** Rows a page may have; the first is what it has unless chosen (devices specification, section 9). */
  pageSizes: readonly number[]
  /** Which of the subject's fields it knows; a list that calls them by words of its own has an order of its own too. */
  fields: readonly (keyof F & string)[] | { readonly [Id in keyof F & string]?: string }
  /** The columns of its built-in views. */
  columns: readonly Viewable<F>[]
  presets: readonly Preset<Filterable<F>>[]
}

/** A table of things of one subject, as every floor knows it. */
export interface List<May extends string = string> {
  /** The first part of its address. */
  name: string
  label: string
  root: string
  category: ViewCategory
  may: May
  views: ViewKind
  pageSizes: readonly number[]
  /** The fields it knows, in the order in which the subject declares them unless it has its own. */
  fields: Readonly<Record<string, Field>>
  columns: readonly string[]
  presets: readonly Preset[]
}

type Known<F extends Fields, D> = (D extends readonly (infer Id)[] ? Id : keyof D) & keyof F
type Made<F extends Fields, L extends Record<string, Declared<F>>> = {
  readonly [N in keyof L & string]: Omit<L[N], 'fields'> & {
    readonly name: N
    readonly fields: { readonly [Id in Known<F, L[N]['fields']>]: Omit<F[Id], 'label'> & Pick<Field, 'label'> }
  }
}

/** Declares the lists of a subject over its fields, each by the first part of its address. */
export function lists<const F extends Fields, const L extends Record<string, Declared<F>>>(
  fields: F,
  declared: L,
): Made<F, L> {
  const made = Object.entries(declared).map(([name, list]) => {
    const own = list.fields
    const known = Array.isArray(own)
      ? Object.entries(fields).filter(([id]) => own.includes(id))
      : Object.entries(own).map(([id, label]) => [id, { ...fields[id], label }] as const)
    return [name, { ...list, name, fields: Object.fromEntries(known) }]
  })
  return Object.fromEntries(made) as Made<F, L>
}

type IdsOf<L> = L extends { fields: infer F } ? keyof F & string : never

/** The fields of a list as the calls tell of them, without personal ones where those are hidden. */
export function fieldsOf<L extends List>(list: L, hidesPersonalData: boolean): FieldDefinition<IdsOf<L>>[] {
  return definitionsOf(list.fields, hidesPersonalData) as FieldDefinition<IdsOf<L>>[]
}

/** Those of them that somebody is told of: none of a feature that their tenant lacks. */
export function fieldsSeen<L extends List>(
  list: L,
  actor: Pick<Actor, 'role' | 'features'>,
): FieldDefinition<IdsOf<L>>[] {
  return fieldsOf(list, hidesPersonalData(actor)).filter(({ fieldId }) => {
    const { feature } = list.fields[fieldId]!
    return feature === undefined || hasFeature(actor, feature)
  })
}
