import { z } from 'zod'
import { photoTypes, recordLimits } from '@caretaker/rules/properties/records.ts'
import { listNames } from '@caretaker/rules/views/lists.ts'
import { AppUserId } from './residents.ts'
import { Id, Instant, TenantId, Timestamp, line, text } from './scalars.ts'
import { route } from './route.ts'
import { ViewContent, ViewName } from './views.ts'
import * as calls from './calls/documents.ts'

/** The part of a saved list view that the list of views shows. */
export const DocumentMetadata = z.strictObject({
  userViewName: ViewName,
  userViewType: z.enum(listNames),
})

/** A private list view of a user. */
export const UserDocument = z
  .object({
    id: z.string(),
    /** The user's id, as in the session. */
    userId: z.string(),
    documentType: z.literal('ListingViewConfig'),
    contentType: z.literal('application/json'),
    metadata: DocumentMetadata,
    content: ViewContent,
    updatedAt: Timestamp,
  })
  .meta({ id: 'UserDocument' })
export type UserDocument = z.infer<typeof UserDocument>

/** A photograph of a property (estate specification, section 3), without its content, which GetDocument returns. */
export const PropertyRecord = z
  .object({
    id: z.string(),
    documentType: z.literal('PropertyRecords'),
    contentType: z.enum(photoTypes),
    propertyId: z.string(),
    /** Where in the property it was taken; null when not recorded. */
    propertyLocationId: z.string().nullable(),
    /** The name of the user who added it, as it was then. */
    createdBy: z.string(),
    metadata: z.object({
      title: z.string(),
      /** When it was taken, according to the photograph; otherwise when it was added. */
      timestamp: Timestamp,
      note: z.string().nullable(),
    }),
    /** In bytes. */
    size: z.number().int(),
    /** The address of its content. */
    resourceLocation: z.string(),
    userCanDelete: z.boolean(),
  })
  .meta({ id: 'PropertyRecord' })
export type PropertyRecord = z.infer<typeof PropertyRecord>

/** A Markdown text for a resident (estate specification, section 3), without its content, which GetDocument returns. */
export const SavingsAndTips = z
  .object({
    id: z.string(),
    documentType: z.literal('SavingsAndTips'),
    contentType: z.literal('text/markdown'),
    /** The id of the resident in the resident app. */
    userId: z.string(),
    fileName: z.string(),
    updatedAt: Timestamp,
    /** The address of its text. */
    resourceLocation: z.string(),
  })
  .meta({ id: 'SavingsAndTips' })
export type SavingsAndTips = z.infer<typeof SavingsAndTips>

/** A document of any kind, distinguished by `documentType`. Add new kinds here and to the two inputs below. */
export const AnyDocument = z.discriminatedUnion('documentType', [UserDocument, PropertyRecord, SavingsAndTips])

const oneDocument = z.object({ tenant: TenantId, id: Id })

export const getDocuments = route({
  ...calls.getDocuments,
  looksAt: { of: 'home', as: 'list', name: 'Photographs' },
  summary:
    "Documents of one kind: the user's own saved list views, the photographs of a property, latest first, or the texts for a resident.",
  params: z.object({ tenant: TenantId }),
  query: z.discriminatedUnion('documentType', [
    z.strictObject({
      userId: Id,
      contentType: z.literal('application/json').default('application/json'),
      documentType: z.literal('ListingViewConfig'),
    }),
    z.strictObject({
      propertyId: Id,
      /** The value that callers send for photographs, whatever their format. */
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
  looksAt: { of: 'home', as: 'file', name: 'Photograph or text for a resident' },
  summary: 'One saved list view, or the content of a file.',
  params: oneDocument,
  reply: z.union([UserDocument, z.instanceof(File)]),
})

/** A form field that contains JSON of the given shape. */
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
    .max(recordLimits.title, `A title can have at most ${recordLimits.title} characters`),
)

export const saveDocument = route({
  ...calls.saveDocument,
  summary:
    'Creates a saved list view or replaces the one with documentId, adds a photograph to a property, or replaces the text for a resident. The Location header contains the address of the document.',
  status: 201,
  limit: recordLimits.bytes + 100_000,
  params: z.object({ tenant: TenantId }),
  form: z.discriminatedUnion('documentType', [
    z.strictObject({
      documentType: z.literal('ListingViewConfig').optional(),
      /** JSON with columns, filters and sorts, up to 64 kB. */
      content: z.instanceof(File),
      documentId: Id.optional(),
      /** The updatedAt of the version being replaced: 409 if someone saved the view after that. */
      updatedAt: Timestamp.optional(),
      userId: Id.optional(),
      contentType: z.literal('application/json').default('application/json'),
      metadata: json(DocumentMetadata),
    }),
    z.strictObject({
      documentType: z.literal('PropertyRecords'),
      /** A JPEG, PNG or WebP. Its metadata, including the GPS position, is removed. */
      content: z.instanceof(File, { error: 'Choose a photograph' }),
      contentType: z.enum(photoTypes).default('image/jpeg'),
      propertyId: Id,
      propertyLocationId: line(recordLimits.location).optional(),
      metadata: json(
        z.strictObject({
          title: Title,
          /** When it was taken; otherwise the time in the photograph's metadata, otherwise now. */
          timestamp: Instant.optional(),
          note: text(recordLimits.note).optional(),
        }),
      ),
    }),
    z.strictObject({
      documentType: z.literal('SavingsAndTips'),
      /** Markdown in UTF-8, up to 20,000 characters. */
      content: z.instanceof(File),
      contentType: z.literal('text/markdown').default('text/markdown'),
      /** The document to replace. */
      documentId: Id.optional(),
      userId: AppUserId,
    }),
  ]),
  reply: AnyDocument,
})

export const deleteDocument = route({
  ...calls.deleteDocument,
  summary:
    'Deletes a saved list view, a photograph of a property, or a text for a resident. A photograph can be deleted by the user who added it and by managers.',
  status: 204,
  params: oneDocument,
})
