import type { Actor } from '../identity/actor.ts'
import { hasFeature, hidesPersonalData } from '../identity/actor.ts'
import type { Field, FieldDefinition, Fields, Filterable, Viewable } from './fields.ts'
import { definitionsOf } from './fields.ts'
import type { Filter } from './filters.ts'

/** How a list stores its views: as view definitions, or as documents of type ListingViewConfig (devices gaps A12). */
export type ViewKind = 'definitions' | 'documents'

/** The category of a list's views in API calls (core specification, section 3). */
export const viewCategories = ['device', 'emered', 'boiler', 'networking'] as const
export type ViewCategory = (typeof viewCategories)[number]

/** A built-in view in addition to the main one, which shows the whole list. */
export interface Preset<Id extends string = string> {
  id: string
  label: string
  filters: readonly (Filter & { fieldId: Id })[]
  /** Derives its columns from the list's; the same by default. */
  columns?: (columns: readonly string[]) => readonly string[]
}

interface Declared<F extends Fields> {
  /** Title of the main view and the page. */
  label: string
  /** The identifier stored in saved views of this list; it must never change. */
  root: string
  category: ViewCategory
  /** The right needed to see it. */
  may: string
  views: ViewKind
  /** Page sizes, default first (devices specification, section 9). */
  pageSizes: readonly number[]
  /** The subject's fields in this list; with its own labels, a list also has its own order. */
  fields: readonly (keyof F & string)[] | { readonly [Id in keyof F & string]?: string }
  /** Columns of the built-in views. */
  columns: readonly Viewable<F>[]
  presets: readonly Preset<Filterable<F>>[]
}

/** A table of one subject's objects, shared by all packages. */
export interface List<May extends string = string> {
  /** First part of its URL. */
  name: string
  label: string
  root: string
  category: ViewCategory
  may: May
  views: ViewKind
  pageSizes: readonly number[]
  /** Its fields, in the order of the subject's declaration unless the list has its own. */
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

/** Declares the lists of a subject over its fields, by first part of the URL. */
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

/** The fields of a list for the API, without personal ones if those are hidden. */
export function fieldsOf<L extends List>(list: L, hidesPersonalData: boolean): FieldDefinition<IdsOf<L>>[] {
  return definitionsOf(list.fields, hidesPersonalData) as FieldDefinition<IdsOf<L>>[]
}

/** The fields visible to an actor: without fields of features that their tenant lacks. */
export function fieldsSeen<L extends List>(
  list: L,
  actor: Pick<Actor, 'role' | 'features'>,
): FieldDefinition<IdsOf<L>>[] {
  return fieldsOf(list, hidesPersonalData(actor)).filter(({ fieldId }) => {
    const { feature } = list.fields[fieldId]!
    return feature === undefined || hasFeature(actor, feature)
  })
}
