import { z } from 'zod'
import { bulkLimit } from '@caretaker/rules/actions/actions.ts'
import type { Field } from '@caretaker/rules/lists/fields.ts'
import { filterOps } from '@caretaker/rules/lists/fields.ts'
import type { List } from '@caretaker/rules/lists/list.ts'
import { viewLimits } from '@caretaker/rules/lists/filters.ts'
import { Position } from './changes.ts'
import { Id, TenantId, Timestamp, text } from './scalars.ts'
import { envelope } from './refusal.ts'
import type { Route } from './route.ts'

/** A view's id: a preset's name such as 'emered-failed', or the id of a saved one. */
export const ViewId = z
  .string()
  .max(60)
  .regex(/^[a-z0-9-]+$/i, 'must be a view id')
  .transform((id) => id.toLowerCase())

const FieldId = z.string().max(40)

/** A condition on rows; whether field, operator and value go together is asked by `filterFault` of the list's fields. */
export const Filter = z.strictObject({
  fieldId: FieldId,
  filterOp: z.enum(filterOps).default('equals'),
  value: z.union([
    text(viewLimits.text),
    z.number(),
    z.boolean(),
    z.array(text(viewLimits.text)).min(1).max(viewLimits.values),
  ]),
})
export const Sort = z.strictObject({ fieldId: FieldId, descending: z.boolean().default(false) })

/** What of a list is wanted: which rows, in which order. */
const queried = <N extends string>(names: readonly N[]) => ({
  /** The list; without it that of the view, else the first that the person may see. */
  listing: z.enum(names).optional(),
  /** A view, whose filters and order hold where the call gives none of its own. */
  viewId: ViewId.optional(),
  filters: z.array(Filter).max(viewLimits.filters).optional(),
  sorts: z.array(Sort).max(viewLimits.sorts).optional(),
  /** Rows that have this text in one of the fields that are searched, of which hidden ones are none. */
  search: text(viewLimits.text).default(''),
})

/** The same of a list of a client, as calls take it. */
export const listQuery = <N extends string>(names: readonly N[]) =>
  z.strictObject({ tenant: TenantId, ...queried(names) })
export type ListQuery<N extends string = string> = Omit<z.infer<ReturnType<typeof listQuery<N>>>, 'tenant'>

/** Most rows that are chosen one by one, and most that are taken out of a question. */
const mostPicked = 5000

/**
 * Rows that something is done with: some that were picked, or all that a question finds when it is asked, but for a few. So
 * it is the question that is sent, however many rows it finds.
 */
export const selection = <N extends string, K extends string>(names: readonly N[], ids: K) =>
  z.union([
    z.strictObject({ [ids]: z.array(Id).min(1).max(bulkLimit) } as Record<K, z.ZodArray<typeof Id>>),
    z.strictObject({
      query: z.strictObject(queried(names)),
      /** Ids of rows that were taken out again. */
      except: z.array(Id).max(mostPicked).default([]),
    }),
  ])

const Count = z.number().int().min(0)

/** Which page of which view in which client view data are of (core specification, section 3). */
export const ViewContext = z
  .object({ page: z.number().int().min(1), tenantId: z.string(), viewId: z.string() })
  .meta({ id: 'ViewContext' })

/** One page of a list. */
export const viewData = <R extends z.ZodType>(row: R) =>
  z.object({
    rows: z.array(row),
    /** Rows that meet the filters, and rows of the list without any. */
    total: Count,
    outOf: Count,
    page: z.number().int().min(1),
    pageSize: z.number().int().min(1),
    updatedAt: Timestamp,
    /** With which it is answered exactly what has changed since. */
    position: Position,
    /** For `after` of a later page: where this one ends; null of a page without rows. */
    next: z.string().nullable(),
  })

export const exportFormats = ['csv', 'xlsx'] as const
export type ExportFormat = (typeof exportFormats)[number]

interface Subject<N extends string, I extends string, R extends z.ZodType> {
  lists: Readonly<Record<N, Pick<List, 'fields' | 'pageSizes'>>>
  fields: readonly I[]
  /** A page of rows, as `viewData` makes it. */
  data: ReturnType<typeof viewData<R>>
}

/**
 * What the calls of the lists of a subject take and answer: for a page, for the values of a field, for a file. Who may call
 * is whoever may enter the tenant; who may see a list says the list.
 */
export const listShapes = <N extends string, I extends string, R extends z.ZodType>({
  lists,
  fields,
  data,
}: Subject<N, I, R>) => {
  const names = Object.keys(lists) as N[]
  const known = names.map((name) => lists[name])
  // Named in the document; the list refuses the others with a message of its own.
  const having = (is: (field: Field) => boolean) =>
    fields.filter((id) => known.some((list) => id in list.fields && is(list.fields[id]!)))
  const pageSizes = [...new Set(known.flatMap((list) => list.pageSizes))].toSorted((a, b) => a - b)
  return {
    page: {
      body: listQuery(names).extend({
        page: z.number().int().min(1).max(100_000).default(1),
        /** One of the list's own page sizes; the first unless given. */
        pageSize: z.number().int().meta({ enum: pageSizes }).optional(),
        /**
         * `next` of an earlier page of the same rows in the same order: the page goes on where that one ended, so that no row comes twice
         * or is left out because others came or went meanwhile. Where no more rows follow, the page is empty and its `next` is null.
         */
        after: z.string().max(8000).optional(),
      }),
      reply: envelope(data.extend({ context: ViewContext })),
    },
    choices: {
      body: z.strictObject({
        tenant: TenantId,
        listing: z.enum(names),
        /** A text that can be filtered by; which of them a listing has, it tells itself. */
        fieldId: z
          .enum(fields)
          .meta({ enum: having(({ filterable, dataType }) => filterable && dataType.startsWith('string')) }),
        search: text(viewLimits.text).default(''),
      }),
      reply: envelope(z.array(z.string())),
    },
    file: {
      body: listQuery(names).extend({
        /** What can be exported; which of them a listing has, it tells itself. */
        columns: z
          .array(z.enum(fields).meta({ enum: having(({ exportable }) => exportable) }))
          .min(1)
          .max(viewLimits.columns),
        format: z.enum(exportFormats).default('csv'),
      }),
    },
  }
}

type Shapes<N extends string, I extends string, R extends z.ZodType> = ReturnType<typeof listShapes<N, I, R>>
type Call<S> = Route<
  undefined,
  undefined,
  S extends { body: infer B } ? B : never,
  undefined,
  S extends { reply: infer A } ? A : undefined
>

/** The calls of the lists of a subject, which have the shapes above. */
export interface ListCalls<N extends string, I extends string, R extends z.ZodType> {
  page: Call<Shapes<N, I, R>['page']>
  choices: Call<Shapes<N, I, R>['choices']>
  file: Call<Shapes<N, I, R>['file']>
}
