import { z } from 'zod'
import { photoTypes, recordLimits } from '@caretaker/rules/properties/records.ts'
import { listNames } from '@caretaker/rules/views/lists.ts'
import { AppUserId } from './residents.ts'
import { Id, Instant, TenantId, Timestamp, line, text } from './scalars.ts'
import { route } from './route.ts'
import { ViewContent, ViewName } from './views.ts'
import * as calls from './calls/documents.ts'

/** What the list of views shows of a saved list view. */
export const DocumentMetadata = z.strictObject({
  userViewName: ViewName,
  /** The grid it belongs to. */
  userViewType: z.enum(listNames),
})

/** A list view that a person keeps for themselves. */
export const UserDocument = z
  .object({
    id: z.string(),
    /** The person's, as the session gives it. */
    userId: z.string(),
    documentType: z.literal('ListingViewConfig'),
    contentType: z.literal('application/json'),
    metadata: DocumentMetadata,
    content: ViewContent,
    updatedAt: Timestamp,
  })
  .meta({ id: 'UserDocument' })
export type UserDocument = z.infer<typeof UserDocument>

/** A photograph of a home (estate specification, section 3): what is said of it. Its bytes are fetched by its id. */
export const PropertyRecord = z
  .object({
    id: z.string(),
    documentType: z.literal('PropertyRecords'),
    contentType: z.enum(photoTypes),
    propertyId: z.string(),
    /** Where in the home it was taken; null where nobody has said. */
    propertyLocationId: z.string().nullable(),
    /** The name of whoever added it, as it was then. */
    createdBy: z.string(),
    metadata: z.object({
      title: z.string(),
      /** When it was taken, as far as it tells that itself; else when it was added. */
      timestamp: Timestamp,
      note: z.string().nullable(),
    }),
    /** In bytes. */
    size: z.number().int(),
    /** Where its bytes are. */
    resourceLocation: z.string(),
    userCanDelete: z.boolean(),
  })
  .meta({ id: 'PropertyRecord' })
export type PropertyRecord = z.infer<typeof PropertyRecord>

/** What is written for a resident in Markdown (estate specification, section 3). Its text is fetched by its id. */
export const SavingsAndTips = z
  .object({
    id: z.string(),
    documentType: z.literal('SavingsAndTips'),
    contentType: z.literal('text/markdown'),
    /** How the resident app names the resident. */
    userId: z.string(),
    fileName: z.string(),
    updatedAt: Timestamp,
    /** Where its text is. */
    resourceLocation: z.string(),
  })
  .meta({ id: 'SavingsAndTips' })
export type SavingsAndTips = z.infer<typeof SavingsAndTips>

/** A document of any kind: its `documentType` says of which. A new kind is added here and to the two inputs below. */
export const AnyDocument = z.discriminatedUnion('documentType', [UserDocument, PropertyRecord, SavingsAndTips])

const oneDocument = z.object({ tenant: TenantId, id: Id })

export const getDocuments = route({
  ...calls.getDocuments,
  summary:
    "Documents of a kind: a person's saved list views of the grids, only one's own, the photographs of a property, the latest first, or what is written for a resident.",
  params: z.object({ tenant: TenantId }),
  query: z.discriminatedUnion('documentType', [
    z.strictObject({
      userId: Id,
      contentType: z.literal('application/json').default('application/json'),
      documentType: z.literal('ListingViewConfig'),
    }),
    z.strictObject({
      propertyId: Id,
      /** As photographs are asked for, in whichever format each is. */
      contentType: z.literal('image/jpeg').default('image/jpeg'),
      documentType: z.literal('PropertyRecords'),
    }),
    z.strictObject({
      userId: AppUserId,
      contentType: z.literal('text/markdown').default('text/markdown'),
      documentType: z.literal('SavingsAndTips'),
    }),
  ]),
  reply: z.object({ results: z.array(AnyDocument) }),
})

export const getDocument = route({
  ...calls.getDocument,
  summary: 'One saved list view, or the content of a file.',
  params: oneDocument,
  reply: z.union([UserDocument, z.instanceof(File)]),
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

const Title = line(200).pipe(
  z
    .string()
    .min(1, 'Please enter a title')
    .max(recordLimits.title, `A title has at most ${recordLimits.title} characters`),
)

export const saveDocument = route({
  ...calls.saveDocument,
  summary:
    'Creates a saved list view, or replaces the one that documentId names; adds a photograph to a property; or writes for a resident, in the place of what was there. The Location header has its address.',
  status: 201,
  limit: recordLimits.bytes + 100_000,
  params: z.object({ tenant: TenantId }),
  form: z.discriminatedUnion('documentType', [
    z.strictObject({
      documentType: z.literal('ListingViewConfig').optional(),
      /** JSON of columns, filters and sorts, of at most 64 kB. */
      content: z.instanceof(File),
      documentId: Id.optional(),
      /** The version replaced, as its updatedAt: 409 when somebody saved after it. */
      updatedAt: Timestamp.optional(),
      userId: Id.optional(),
      contentType: z.literal('application/json').default('application/json'),
      metadata: json(DocumentMetadata),
    }),
    z.strictObject({
      documentType: z.literal('PropertyRecords'),
      /** A JPEG, PNG or WebP. Where it was taken on the globe is taken out of it, with all else that it says of itself. */
      content: z.instanceof(File, { error: 'Choose a photograph' }),
      contentType: z.enum(photoTypes).default('image/jpeg'),
      propertyId: Id,
      propertyLocationId: line(recordLimits.location).optional(),
      metadata: json(
        z.strictObject({
          title: Title,
          /** When it was taken; unless given what the photograph says itself, else now. */
          timestamp: Instant.optional(),
          note: text(recordLimits.note).optional(),
        }),
      ),
    }),
    z.strictObject({
      documentType: z.literal('SavingsAndTips'),
      /** Markdown in UTF-8, of at most 20,000 characters. */
      content: z.instanceof(File),
      contentType: z.literal('text/markdown').default('text/markdown'),
      /** The one that is replaced. */
      documentId: Id.optional(),
      userId: AppUserId,
    }),
  ]),
  reply: AnyDocument,
})

export const deleteDocument = route({
  ...calls.deleteDocument,
  summary:
    'Deletes a saved list view, a photograph of a property, which whoever added it may, and managers, or what is written for a resident.',
  status: 204,
  params: oneDocument,
})
