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
  columns: z.array(z.enum(viewFieldIds)).min(1, 'A view needs a column').max(viewLimits.columns),
  filters: z.array(Filter).max(viewLimits.filters),
  sorts: z.array(Sort).max(viewLimits.sorts).default([]),
}
/** Columns, filters and order of a view: also what the document of a grid's view holds. */
export const ViewContent = z.strictObject(viewContent)
export type ViewContent = z.infer<typeof ViewContent>

export const ViewName = line(200).pipe(
  z
    .string()
    .min(1, 'Please enter view name')
    .max(viewLimits.label, `A view name has at most ${viewLimits.label} characters`),
)

export const ViewDefinition = z
  .object({
    viewId: z.string(),
    label: z.string(),
    root: z.string(),
    category: z.enum(viewCategories),
    builtIn: z.boolean(),
    private: z.boolean(),
    /** Ids of users: the own one is the session's memberId. */
    authors: z.array(z.string()),
    /** Null for a built-in one, and when they have left the tenant. */
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
  summary: 'The views of the listings that the person may see, built-in ones first, and the fields of each root.',
  body: inTenant,
  reply: envelope(z.object({ views: z.array(ViewDefinition), fields: z.record(z.string(), z.array(FieldDefinition)) })),
})

export const getAvailableFields = route({
  ...calls.getAvailableFields,
  summary:
    'What is known of devices: the fields of all, and those of boilers, emergency lights and third-party devices.',
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

/** The fields of a view as the calls return it, so that a whole one can be sent back. */
const returned = ViewDefinition.partial().shape

export const createViewDefinition = route({
  ...calls.createViewDefinition,
  summary:
    "Creates a view of the listing with this root, owned by the person: 'View name already in use' when they see one of that name. Takes a whole view, of which id, owner, authors and version are ignored.",
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
    'Changes a view: 409 if someone else saved it after the version that was changed. Takes a whole view or the changed fields with id and version; root, category and owner are ignored.',
  body: z.strictObject({
    tenant: TenantId,
    view: z.strictObject({
      ...returned,
      viewId: ViewId,
      /** The version that the person saw. */
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
  summary: 'Deletes a view; built-in ones are refused.',
  body: z.strictObject({ tenant: TenantId, viewId: ViewId }),
  reply: envelope(z.object({ viewId: z.string() })),
})

export const countViews = route({
  ...calls.countViews,
  internal: true,
  summary: 'How many rows each of these views has now; of several, those that there are not are left out.',
  body: z.strictObject({ tenant: TenantId, viewIds: z.array(ViewId).min(1).max(50) }),
  reply: envelope(z.record(z.string(), z.number().int())),
})

const StartPage = z.object({ viewId: z.string().nullable() })

export const getStartPage = route({
  ...calls.getStartPage,
  internal: true,
  peopleOnly: true,
  summary: "The view that the person's next sign-in to the client opens; null for the Dashboard.",
  body: inTenant,
  reply: envelope(StartPage),
})

export const setStartPage = route({
  ...calls.setStartPage,
  internal: true,
  peopleOnly: true,
  summary: 'Sets the view that the next sign-in opens; null for the Dashboard.',
  body: z.strictObject({ tenant: TenantId, viewId: ViewId.nullable() }),
  reply: envelope(StartPage),
})

export const countStartPages = route({
  ...calls.countStartPages,
  internal: true,
  peopleOnly: true,
  summary: 'How many other people have a view as their start page, for those who may delete it.',
  body: z.strictObject({ tenant: TenantId, viewId: ViewId }),
  reply: envelope(
    z.object({
      people: z.number().int(),
      /** Those of them who would not see the view any more if it became private. */
      strangers: z.number().int(),
    }),
  ),
})
