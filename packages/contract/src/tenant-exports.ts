import { z } from 'zod'
import { tenantExportStates } from '@caretaker/rules/tenants/exports.ts'
import { route } from './route.ts'
import { Id, TenantId, Timestamp } from './scalars.ts'
import * as calls from './calls/tenant-exports.ts'

/** A file with all of a client's data, written by the worker. */
export const TenantExport = z
  .object({
    exportId: z.string(),
    state: z.enum(tenantExportStates),
    /** Rows written so far, or in total. */
    rows: z.number().int(),
    /** The part that is currently being written. */
    part: z.string().nullable(),
    /** Why it failed. */
    fault: z.string().nullable(),
    fileName: z.string().nullable(),
    /** In bytes. */
    size: z.number().int().nullable(),
    /** Whether it contains every reading, or only the hourly values. */
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
    'Starts an export of all data of a client as a zip file: a CSV table for each subject, all files, and a description. It continues in the background and after a restart; 409 while another export is running.',
  status: 202,
  params: OneClient,
  body: z.object({
    readings: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether to include every stored reading, or only the hourly values.' }),
  }),
  reply: TenantExport,
})

export const getTenantExports = route({
  ...calls.getTenantExports,
  summary: 'The recent exports of a client, newest first.',
  params: OneClient,
  reply: z.object({ exports: z.array(TenantExport) }),
})

export const getTenantExportFile = route({
  ...calls.getTenantExportFile,
  looksAt: { of: 'home', as: 'file', name: 'Client export' },
  recentSignIn: true,
  summary: "The file of a client's export, once it is written. The download is recorded in the client's audit log.",
  params: OneExport,
})

export const deleteTenantExport = route({
  ...calls.deleteTenantExport,
  summary: "Deletes a client's export and its file.",
  status: 204,
  params: OneExport,
})
