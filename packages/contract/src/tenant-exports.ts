import { z } from 'zod'
import { tenantExportStates } from '@caretaker/rules/tenants/exports.ts'
import { route } from './route.ts'
import { Id, TenantId, Timestamp } from './scalars.ts'
import * as calls from './calls/tenant-exports.ts'

/** A file of everything that a client has, written by the worker. */
export const TenantExport = z
  .object({
    exportId: z.string(),
    state: z.enum(tenantExportStates),
    /** Rows that are written so far, or in the end. */
    rows: z.number().int(),
    /** Which part of it is being written. */
    part: z.string().nullable(),
    /** Why it failed. */
    fault: z.string().nullable(),
    fileName: z.string().nullable(),
    /** In bytes. */
    size: z.number().int().nullable(),
    /** Whether every reading is in it, and not only what there is of each hour. */
    readings: z.boolean(),
    askedBy: z.string(),
    askedAt: Timestamp,
    finishedAt: Timestamp.nullable(),
    /** When the file is deleted. */
    keptUntil: Timestamp,
  })
  .meta({ id: 'TenantExport' })
export type TenantExport = z.infer<typeof TenantExport>

const OneClient = z.object({ tenant: TenantId })
const OneExport = z.object({ tenant: TenantId, exportId: Id })

export const startTenantExport = route({
  ...calls.startTenantExport,
  recentSignIn: true,
  summary:
    'Has everything of a client written into one zip for people to read: a table for each subject, all files, and what is what. It goes on when nobody waits for it, and after a restart; 409 while one is being written.',
  status: 202,
  params: OneClient,
  body: z.object({
    readings: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether every reading that is kept is wanted, and not only what there is of each hour.' }),
  }),
  reply: TenantExport,
})

export const getTenantExports = route({
  ...calls.getTenantExports,
  summary: 'The exports of a client of the last days, the newest first.',
  params: OneClient,
  reply: z.object({ exports: z.array(TenantExport) }),
})

export const getTenantExportFile = route({
  ...calls.getTenantExportFile,
  recentSignIn: true,
  summary: "The file of a client's export, once it is written; who takes it stands in the client's record.",
  params: OneExport,
})

export const deleteTenantExport = route({
  ...calls.deleteTenantExport,
  summary: "Deletes a client's export, with its file.",
  status: 204,
  params: OneExport,
})
