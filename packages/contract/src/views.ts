import { z } from 'zod'
import { dataTypes, filterOps } from '@caretaker/rules/lists/fields.ts'
import { viewLimits } from '@caretaker/rules/lists/filters.ts'
import { viewCategories } from '@caretaker/rules/lists/list.ts'
import { definitionRoots, viewFieldIds } from '@caretaker/rules/views/lists.ts'
import { Filter, Sort, ViewId } from './lists.ts'
import { Id, TenantId, inTenant, line, Version } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import * as calls from './calls/views.ts'

const viewContent = {
  columns: z.array(z.enum(viewFieldIds)).min(1, 'A view needs at least one column').max(viewLimits.columns),
  filters: z.array(Filter).max(viewLimits.filters),
  sorts: z.array(Sort).max(viewLimits.sorts).default([]),
}
/** Columns, filters and order of a view; also the content of a saved list view document. */
export const ViewContent = z.strictObject(viewContent)
export type ViewContent = z.infer<typeof ViewContent>

export const ViewName = line(200).pipe(
  z
    .string()
    .min(1, 'Please enter view name')
    .max(viewLimits.label, `A view name can have at most ${viewLimits.label} characters`),
)

export const ViewDefinition = z
  .object({
    viewId: z.string(),
    label: z.string(),
    root: z.string(),
    category: z.enum(viewCategories),
    builtIn: z.boolean(),
    private: z.boolean(),
    /** User ids; the caller's own id is the memberId of the session. */
    authors: z.array(z.string()),
    /** Null for a built-in view, and when the owner has left the tenant. */
    owner: z.string().nullable(),
    ownerName: z.string().nullable(),
    columns: z.array(z.string()),
    filters: z.array(Filter),
    sorts: z.array(z.object({ fieldId: z.string(), descending: z.boolean() })),
    version: z.number().int(),
  })
  .meta({ id: 'ViewDefinition' })
export type ViewDefinition = z.infer<typeof ViewDefinition>

export const FieldDefinition = z
  .object({
    fieldId: z.enum(viewFieldIds),
    label: z.string(),
    dataType: z.enum(dataTypes),
    sortable: z.boolean(),
    viewFilterable: z.boolean(),
    viewable: z.boolean(),
    filterOps: z.array(z.enum(filterOps)).readonly(),
    filterSuggests: z.boolean(),
    filterSuggestsExhaustive: z.boolean(),
  })
  .meta({ id: 'FieldDefinition' })

export const getViewDefinitions = route({
  ...calls.getViewDefinitions,
  summary: 'The views of the listings that the user may see, built-in views first, and the fields of each root.',
  body: inTenant,
  reply: envelope(z.object({ views: z.array(ViewDefinition), fields: z.record(z.string(), z.array(FieldDefinition)) })),
})

export const getAvailableFields = route({
  ...calls.getAvailableFields,
  summary:
    'The available fields: those of all devices, and those of boilers, emergency lights and third-party devices.',
  body: inTenant,
  reply: envelope(
    z.object({
      device: z.array(FieldDefinition),
      boiler: z.array(FieldDefinition),
      emered: z.array(FieldDefinition),
      thirdParty: z.array(FieldDefinition),
    }),
  ),
})

/** The fields of a view as the calls return it, so that a caller can send a whole view back. */
const returned = ViewDefinition.partial().shape

export const createViewDefinition = route({
  ...calls.createViewDefinition,
  summary:
    "Creates a view of the listing with this root, owned by the user. Fails with 'View name already in use' if the user sees a view of that name. Accepts a whole view; id, owner, authors and version are ignored.",
  body: z.strictObject({
    tenant: TenantId,
    view: z.strictObject({
      ...returned,
      version: Version.optional(),
      root: z.enum(definitionRoots),
      label: ViewName,
      private: z.boolean().default(true),
      ...viewContent,
    }),
  }),
  reply: envelope(ViewDefinition),
})

export const updateViewDefinition = route({
  ...calls.updateViewDefinition,
  summary:
    'Changes a view; 409 if someone else has saved it since the given version. Accepts a whole view, or the changed fields with id and version; root, category and owner are ignored.',
  body: z.strictObject({
    tenant: TenantId,
    view: z.strictObject({
      ...returned,
      viewId: ViewId,
      /** The version that the user saw. */
      version: Version,
      label: ViewName.optional(),
      authors: z.array(Id).max(100).optional(),
      columns: viewContent.columns.optional(),
      filters: viewContent.filters.optional(),
      sorts: z.array(Sort).max(viewLimits.sorts).optional(),
    }),
  }),
  reply: envelope(ViewDefinition),
})

export const deleteViewDefinition = route({
  ...calls.deleteViewDefinition,
  summary: 'Deletes a view. Built-in views cannot be deleted.',
  body: z.strictObject({ tenant: TenantId, viewId: ViewId }),
  reply: envelope(z.object({ viewId: z.string() })),
})

export const countViews = route({
  ...calls.countViews,
  internal: true,
  summary: 'The current number of rows in each of these views. Views that do not exist are left out.',
  body: z.strictObject({ tenant: TenantId, viewIds: z.array(ViewId).min(1).max(50) }),
  reply: envelope(z.record(z.string(), z.number().int())),
})

const StartPage = z.object({ viewId: z.string().nullable() })

export const getStartPage = route({
  ...calls.getStartPage,
  internal: true,
  peopleOnly: true,
  summary: 'The view that opens when the user next signs in to the client; null for the Dashboard.',
  body: inTenant,
  reply: envelope(StartPage),
})

export const setStartPage = route({
  ...calls.setStartPage,
  internal: true,
  peopleOnly: true,
  summary: 'Sets the view that opens at the next sign-in; null for the Dashboard.',
  body: z.strictObject({ tenant: TenantId, viewId: ViewId.nullable() }),
  reply: envelope(StartPage),
})

export const countStartPages = route({
  ...calls.countStartPages,
  internal: true,
  peopleOnly: true,
  summary: 'The number of other users who have a view as their start page, for users who may delete the view.',
  body: z.strictObject({ tenant: TenantId, viewId: ViewId }),
  reply: envelope(
    z.object({
      people: z.number().int(),
      /** Those who would no longer see the view if it became private. */
      losingAccess: z.number().int(),
    }),
  ),
})
