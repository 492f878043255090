import { z } from 'zod'
import { listingNames } from '@caretaker/rules/devices/listings.ts'
import { Id, TenantId, Timestamp, line } from './scalars.ts'
import { route } from './route.ts'
import { ViewContent } from './views.ts'

/** Kinds of documents that people keep for themselves. */
export const documentTypes = ['ListingViewConfig'] as const

/** What the list of views shows of a saved list view. */
export const DocumentMetadata = z.strictObject({
  userViewName: line(200).pipe(z.string().min(1, 'Please enter view name').max(60)),
  /** The grid it belongs to. */
  userViewType: z.enum(listingNames),
})

export const UserDocument = z
  .object({
    id: z.string(),
    /** The person's, as the session gives it. */
    userId: z.string(),
    documentType: z.enum(documentTypes),
    contentType: z.literal('application/json'),
    metadata: DocumentMetadata,
    content: ViewContent,
    updatedAt: Timestamp,
  })
  .meta({ id: 'UserDocument' })
export type UserDocument = z.infer<typeof UserDocument>

const documents = '/api/tenants/{tenant}/documents'
const oneDocument = z.object({ tenant: TenantId, id: Id })

export const getDocuments = route({
  method: 'GET',
  path: documents,
  may: 'enter tenant',
  summary: "A person's saved list views of the grids; only one's own.",
  params: z.object({ tenant: TenantId }),
  query: z.strictObject({
    userId: Id,
    contentType: z.literal('application/json').default('application/json'),
    documentType: z.enum(documentTypes),
  }),
  reply: z.object({ results: z.array(UserDocument) }),
})

export const getDocument = route({
  method: 'GET',
  path: `${documents}/{id}`,
  may: 'enter tenant',
  summary: 'One saved list view.',
  params: oneDocument,
  reply: UserDocument,
})

/** A text of a form that holds JSON of a shape. */
const json = <T extends z.ZodType>(shape: T) =>
  z.string().transform((value, context): z.output<T> => {
    try {
      const result = shape.safeParse(JSON.parse(value))
      if (result.success) return result.data
      for (const issue of result.error.issues)
        context.addIssue({ code: 'custom', message: issue.message, path: issue.path })
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON' })
    }
    return z.NEVER
  })

export const saveDocument = route({
  method: 'POST',
  path: documents,
  may: 'enter tenant',
  summary: 'Creates a saved list view, or replaces the one that documentId names; the Location header has its address.',
  status: 201,
  limit: 65_536,
  params: z.object({ tenant: TenantId }),
  form: z.strictObject({
    /** JSON of columns, filters and sorts. */
    content: z.instanceof(File),
    documentId: Id.optional(),
    /** The version replaced, as its updatedAt: 409 when somebody saved after it. */
    updatedAt: Timestamp.optional(),
    userId: Id.optional(),
    contentType: z.literal('application/json').default('application/json'),
    documentType: z.enum(documentTypes).default('ListingViewConfig'),
    metadata: json(DocumentMetadata),
  }),
  reply: UserDocument,
})

export const deleteDocument = route({
  method: 'DELETE',
  path: `${documents}/{id}`,
  may: 'enter tenant',
  summary: 'Deletes a saved list view.',
  status: 204,
  params: oneDocument,
})
