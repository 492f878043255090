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

/** The id of a view: a preset's name such as 'emered-failed', or the id of a saved view. */
export const ViewId = z
  .string()
  .max(60)
  .regex(/^[a-z0-9-]+$/i, 'must be a view id')
  .transform((id) => id.toLowerCase())

const FieldId = z.string().max(40)

/** A condition on rows. `filterFault` of the list's fields checks that field, operator and value fit together. */
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

/** Which rows of a list are returned, and in which order. */
const queryShape = <N extends string>(names: readonly N[]) => ({
  /** The list; by default the view's list, otherwise the first that the user may see. */
  listing: z.enum(names).optional(),
  /** A view whose filters and order apply where the call specifies none. */
  viewId: ViewId.optional(),
  filters: z.array(Filter).max(viewLimits.filters).optional(),
  sorts: z.array(Sort).max(viewLimits.sorts).optional(),
  /** Rows with this text in one of the searched fields; hidden fields are not searched. */
  search: text(viewLimits.text).default(''),
})

/** The body of a list call: the query with its tenant. */
export const listQuery = <N extends string>(names: readonly N[]) =>
  z.strictObject({ tenant: TenantId, ...queryShape(names) })
export type ListQuery<N extends string = string> = Omit<z.infer<ReturnType<typeof listQuery<N>>>, 'tenant'>

/** The most rows that can be excluded from a selection. */
const mostPicked = 5000

/**
 * The rows that an action applies to: either row ids, or a query, evaluated when it is received, minus any excluded
 * rows. A query keeps the call small, however many rows it matches.
 */
export const selection = <N extends string, K extends string>(names: readonly N[], ids: K) =>
  z.union([
    z.strictObject({ [ids]: z.array(Id).min(1).max(bulkLimit) } as Record<K, z.ZodArray<typeof Id>>),
    z.strictObject({
      query: z.strictObject(queryShape(names)),
      /** Ids of excluded rows. */
      except: z.array(Id).max(mostPicked).default([]),
    }),
  ])

const Count = z.number().int().min(0)

/** The page, view and client that view data belong to (core specification, section 3). */
export const ViewContext = z
  .object({ page: z.number().int().min(1), tenantId: z.string(), viewId: z.string() })
  .meta({ id: 'ViewContext' })

/** One page of a list. */
export const viewData = <R extends z.ZodType>(row: R) =>
  z.object({
    rows: z.array(row),
    /** Rows that match the filters, and all rows of the list. */
    total: Count,
    outOf: Count,
    page: z.number().int().min(1),
    pageSize: z.number().int().min(1),
    updatedAt: Timestamp,
    /** Send it to learn exactly which rows have changed since. */
    position: Position,
    /** The `after` value of the following page; null for a page without rows. */
    next: z.string().nullable(),
  })

export const exportFormats = ['csv', 'xlsx'] as const
export type ExportFormat = (typeof exportFormats)[number]

interface Subject<N extends string, I extends string, R extends z.ZodType> {
  lists: Readonly<Record<N, Pick<List, 'fields' | 'pageSizes'>>>
  fields: readonly I[]
  /** A page of rows, as `viewData` defines it. */
  data: ReturnType<typeof viewData<R>>
}

/**
 * The bodies and responses of a subject's list calls: a page, the values of a field, a file. Anyone who may enter the tenant may
 * call; each list then checks who may see it.
 */
export const listShapes = <N extends string, I extends string, R extends z.ZodType>({
  lists,
  fields,
  data,
}: Subject<N, I, R>) => {
  const names = Object.keys(lists) as N[]
  const known = names.map((name) => lists[name])
  // Only for the API description. The list itself rejects other fields with its own message.
  const fieldsWhere = (is: (field: Field) => boolean) =>
    fields.filter((id) => known.some((list) => id in list.fields && is(list.fields[id]!)))
  const pageSizes = [...new Set(known.flatMap((list) => list.pageSizes))].toSorted((a, b) => a - b)
  const [usual, ...others] = new Set(known.map((list) => list.pageSizes[0]))
  const columnsOf = (name: N) => fields.filter((id) => lists[name].fields[id]?.exportable).join(', ')
  return {
    page: {
      body: listQuery(names).extend({
        /** The first by default; with `after`, the page that follows it. */
        page: z.number().int().min(1).max(100_000).optional(),
        /** One of the list's page sizes; the first by default. */
        pageSize: z
          .number()
          .int()
          .meta({
            ...{ enum: pageSizes, minimum: pageSizes[0], maximum: pageSizes.at(-1) },
            ...(others.length
              ? { description: names.map((name) => `${name}: ${lists[name].pageSizes.join(', ')}`).join('. ') }
              : { default: usual }),
          })
          .optional(),
        /**
         * The `next` of an earlier page of the same rows in the same order. The page continues there, so that no row is repeated or
         * skipped when others are added or removed. After the last row, the page is empty and its `next` is null.
         */
        after: z.string().max(8000).optional(),
      }),
      reply: envelope(data.extend({ context: ViewContext })),
    },
    choices: {
      body: z.strictObject({
        tenant: TenantId,
        listing: z.enum(names),
        /** A text field that can be filtered; each listing allows some of them. */
        fieldId: z
          .enum(fields)
          .meta({ enum: fieldsWhere(({ filterable, dataType }) => filterable && dataType.startsWith('string')) }),
        search: text(viewLimits.text).default(''),
      }),
      reply: envelope(z.array(z.string())),
    },
    file: {
      body: listQuery(names).extend({
        /** A field that can be exported; each listing allows some of them. */
        columns: z
          .array(z.enum(fields).meta({ enum: fieldsWhere(({ exportable }) => exportable) }))
          .min(1)
          .max(viewLimits.columns)
          .meta({ description: names.map((name) => `${name} accepts ${columnsOf(name)}.`).join(' ') }),
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

/** The list calls of a subject, with the shapes above. */
export interface ListCalls<N extends string, I extends string, R extends z.ZodType> {
  page: Call<Shapes<N, I, R>['page']>
  choices: Call<Shapes<N, I, R>['choices']>
  file: Call<Shapes<N, I, R>['file']>
}
