import type { QueryClient } from '@tanstack/react-query'
import { queryOptions } from '@tanstack/react-query'
import { getSession } from '@caretaker/contract/calls/session.ts'
import { switchCapability, switchFeature } from '@caretaker/contract/calls/tenants.ts'
import {
  addTenant,
  editTenant,
  getTenantSetup,
  inviteManager,
  joinTenant,
  listTenants,
  resumeTenant,
  setLicences,
  setLogo,
  setTimeZone,
  setUnknownMetrics,
  suspendTenant,
} from '@caretaker/contract/calls/tenant-administration.ts'
import { deleteTenantExport, getTenantExports, startTenantExport } from '@caretaker/contract/calls/tenant-exports.ts'
import type { Capability, Feature } from '@caretaker/rules/identity/features.ts'
import { call } from '../../api/call.ts'

// Query keys begin with the client in which the vendor's staff work, followed by the client they view.

export const tenantsQuery = (at: string) =>
  queryOptions({
    queryKey: [at, 'tenants', 'all'],
    meta: { shows: { subjects: ['client'] } },
    queryFn: async ({ signal }) => (await call(listTenants, {}, { signal })).results,
  })

export const setupQuery = (at: string, tenant: string) =>
  queryOptions({
    queryKey: [at, 'tenants', 'one', tenant],
    meta: { shows: { subjects: ['client'] } },
    queryFn: ({ signal }) => call(getTenantSetup, { params: { tenant } }, { signal }),
  })

/** Milliseconds after which a pending export is polled: change events reach only its own client. */
const askedAgain = 3_000

export const exportsQuery = (at: string, tenant: string) =>
  queryOptions({
    queryKey: [at, 'tenants', 'exports', tenant],
    meta: { shows: { subjects: ['client'] } },
    queryFn: async ({ signal }) => (await call(getTenantExports, { params: { tenant } }, { signal })).exports,
    refetchInterval: ({ state }) => (state.data?.some(({ finishedAt }) => !finishedAt) ? askedAgain : false),
  })

export interface TenantRecord {
  id: string
  name: string
  contact: string
}

/** Changes to a client by the vendor's staff; afterwards everything that shows clients is refetched. */
export function tenantChanges(queryClient: QueryClient, at: string, tenant: string) {
  const params = { tenant }
  const done = async (sent: Promise<unknown>) => {
    await sent
    await queryClient.invalidateQueries({ queryKey: [at, 'tenants'] })
  }
  return {
    add: (record: TenantRecord) => done(call(addTenant, { body: record })),
    edit: (record: TenantRecord) => done(call(editTenant, { body: record })),
    unknownMetrics: (areKept: boolean) => done(call(setUnknownMetrics, { params, body: { areKept } })),
    timeZone: (timeZone: string) => done(call(setTimeZone, { params, body: { timeZone } })),
    logo: (logo: { light: string; dark: string | null } | null) => done(call(setLogo, { params, body: { logo } })),
    invite: (manager: { name: string; email: string }) => done(call(inviteManager, { params, body: manager })),
    join: async () => {
      await done(call(joinTenant, { params }))
      await queryClient.invalidateQueries({ queryKey: [getSession.path] })
    },
    licences: (batch: { type: string; startOn: string; periodMonths: number; total: number }) =>
      done(call(setLicences, { params, body: batch })),
    suspend: (reason: string) => done(call(suspendTenant, { params, body: { reason } })),
    startExport: (readings: boolean) => done(call(startTenantExport, { params, body: { readings } })),
    deleteExport: (exportId: string) => done(call(deleteTenantExport, { params: { tenant, exportId } })),
    resume: () => done(call(resumeTenant, { params })),
    feature: (feature: Feature, isEnabled: boolean) =>
      done(call(switchFeature, { params: { tenant, feature }, body: { isEnabled } })),
    capability: (capability: Capability, isEnabled: boolean) =>
      done(call(switchCapability, { params: { tenant, capability }, body: { isEnabled } })),
  }
}
export type TenantChanges = ReturnType<typeof tenantChanges>
