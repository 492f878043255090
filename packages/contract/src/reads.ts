import { z } from 'zod'
import { readKinds } from '@caretaker/rules/audit/reads.ts'
import type { ReadKind } from '@caretaker/rules/audit/reads.ts'
import { roles } from '@caretaker/rules/identity/roles.ts'
import * as calls from './calls/reads.ts'
import { route } from './route.ts'
import { Id, TenantId, Timestamp, text } from './scalars.ts'

/** One log entry. Repetitions of the same read within a quarter of an hour are counted in it. */
export const PersonalDataRead = z
  .object({
    readId: z.string(),
    /** The id of the person or key, by which their entries can be found after their removal. */
    personId: z.string(),
    /** The person or API key, with the role at that time; null for vendor staff who are not users of the client. */
    name: z.string(),
    role: z.enum(roles).nullable(),
    isKey: z.boolean(),
    /** The user that a manager viewed the portal as; null otherwise. */
    viewingAs: z.string().nullable(),
    /** The page, list or file. */
    page: z.string(),
    kind: z.enum(Object.keys(readKinds) as ReadKind[]),
    /** The parameters of a file or a long list, as JSON; null otherwise. */
    question: z.string().nullable(),
    /** The properties shown, if a user or API key was asked about; empty for a long list. Only properties that exist have a reference. */
    properties: z.array(z.object({ propertyId: z.string(), reference: z.string().nullable() })),
    /** The number of residents shown. */
    residents: z.number().int(),
    /** The number of rows shown; null for a file of unknown length. */
    rows: z.number().int().nullable(),
    firstAt: Timestamp,
    lastAt: Timestamp,
    times: z.number().int(),
  })
  .meta({ id: 'PersonalDataRead' })
export type PersonalDataRead = z.infer<typeof PersonalDataRead>

/** Exactly one of them. */
const about = {
  propertyId: Id.optional(),
  /** The id of a resident, as in the list of residents. */
  residentId: text(200).optional(),
  /** The id of a user or of an API key, or the `personId` of an entry. */
  userId: Id.optional(),
}
const params = z.object({ tenant: TenantId })

export const getPersonalDataReads = route({
  ...calls.getPersonalDataReads,
  summary: 'The views of the personal data of a property or resident, or those by a user or API key; newest first.',
  params,
  query: z.strictObject({
    ...about,
    page: z.coerce.number().int().min(1).max(100_000).default(1),
    pageSize: z.coerce.number().int().min(1).max(100).default(25),
  }),
  reply: z.object({ results: z.array(PersonalDataRead), total: z.number().int() }),
})

export const exportPersonalDataReads = route({
  ...calls.exportPersonalDataReads,
  recentSignIn: true,
  summary: 'The same entries as a CSV file. The export is recorded in the audit log.',
  params,
  query: z.strictObject(about),
})
