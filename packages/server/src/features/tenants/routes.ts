import type { FastifyInstance } from 'fastify'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import {
  getCapabilities,
  getFeatures,
  getSignInPolicy,
  getTenantInfo,
  setSignInPolicy,
  switchCapability,
  switchFeature,
} from '@caretaker/contract/tenants.ts'
import {
  addTenant,
  editTenant,
  getTenantSetup,
  listTenants,
  resumeTenant,
  setLicences,
  setLogo,
  setTimeZone,
  setUnknownMetrics,
  suspendTenant,
} from '@caretaker/contract/tenant-administration.ts'
import {
  deleteTenantExport,
  getTenantExportFile,
  getTenantExports,
  startTenantExport,
} from '@caretaker/contract/tenant-exports.ts'
import type { Capability, Feature } from '@caretaker/rules/identity/features.ts'
import { featureGroups } from '@caretaker/rules/identity/features.ts'
import type { Recorded } from '../../audit/audit.ts'
import { audit } from '../../audit/audit.ts'
import { sendFile } from '../../files/files.ts'
import { serveTenant, serveVendor, serveVendorWide } from '../../http/serve.ts'
import { deleteExport, listExports, orderExport, storedExport } from './export/store.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { withVersion } from '../../edit-version.ts'
import { expectSettings } from '../../tenants/tenants.ts'
import { policyIn } from '../../identity/sign-in-policy.ts'
import * as service from './service.ts'
import * as store from './store.ts'
import { flagsOf, switchFlag, tenantInfo } from './store.ts'

export function tenantRoutes(app: FastifyInstance): void {
  serveTenant(app, getTenantInfo, async ({ tx }) => success(await tenantInfo(tx)))

  serveTenant(app, getFeatures, async ({ actor }) => byArea(actor.features))

  serveTenant(app, getCapabilities, async ({ actor }) => byGroup(actor.capabilities))

  serveTenant(app, getSignInPolicy, async ({ tx, context }) => {
    const policy = await signInPolicyOf(tx, context.config.demo)
    return { ...withVersion(policy), isEmbedded: context.config.oidc.embedded }
  })
  serveTenant(app, setSignInPolicy, async ({ tx, person, actor, context, body }) => {
    const { version, ...policy } = body
    await expectSettings(tx, version, () => signInPolicyOf(tx, context.config.demo))
    await service.setSignInPolicy({ tx, person, role: actor.role, demo: context.config.demo }, policy)
  })

  serveVendor(app, switchFeature, async ({ tx, person, params, body }) => {
    const { features } = await flagsOf(tx)
    await switchFlag(tx, person, 'feature', params.feature, body.isEnabled)
    return byArea(switched(features, params.feature, body.isEnabled))
  })

  serveVendor(app, switchCapability, async ({ tx, person, params, body }) => {
    const { capabilities } = await flagsOf(tx)
    await switchFlag(tx, person, 'capability', params.capability, body.isEnabled)
    return byGroup(switched(capabilities, params.capability, body.isEnabled))
  })

  serveVendorWide(app, listTenants, async ({ context }) => ({ results: await store.listTenants(context.db) }))
  serveVendor(app, getTenantSetup, async ({ tx, person }) => store.tenantSetup(tx, person.id))
  serveVendorWide(app, addTenant, async ({ context, person, body }) =>
    success({ id: await service.addTenant(context.db, person, body) }),
  )
  serveVendorWide(app, editTenant, async ({ context, person, body }) =>
    success(await service.editTenant(context.db, person, body)),
  )
  serveVendor(app, setTimeZone, async (call) => {
    await expectSettings(call.tx, call.body.version, store.editedOfTenant)
    await service.setTimeZone(call, call.body.timeZone)
  })
  serveVendor(app, setUnknownMetrics, async (call) => {
    await expectSettings(call.tx, call.body.version, store.editedOfTenant)
    await service.setUnknownMetrics(call, call.body.areKept)
  })
  serveVendor(app, setLogo, async (call) => service.setLogo(call, call.body.logo))
  serveVendor(app, setLicences, async (call) => service.setLicences(call, call.body))
  serveVendor(app, suspendTenant, async (call) => service.suspend(call, call.body.reason))
  serveVendor(app, resumeTenant, async (call) => service.suspend(call, null))

  serveVendor(app, startTenantExport, async ({ tx, person, body: { readings } }) => {
    const wanted = await orderExport(tx, person, { readings, now: new Date() })
    await auditExport(tx, person, 'asked for', readings)
    return wanted
  })
  serveVendor(app, getTenantExports, async ({ tx }) => ({ exports: await listExports(tx) }))
  serveVendor(app, getTenantExportFile, async ({ tx, context, person, params }) => {
    const { file_id: file, file_name: name, with_readings: readings } = await storedExport(tx, params.exportId)
    if (!file || !name) throw refuse('not found')
    await auditExport(tx, person, 'downloaded', readings)
    return sendFile({ tx, context }, file, { name })
  })
  serveVendor(app, deleteTenantExport, async ({ tx, person, params }) => {
    const { with_readings: readings } = await deleteExport(tx, params.exportId)
    await auditExport(tx, person, 'deleted', readings)
  })
}

async function signInPolicyOf(tx: TenantTx, demo: boolean) {
  const { secondFactorRoles, ...limits } = policyIn((await tenantInfo(tx)).settings, demo)
  return { ...limits, secondFactorRoles: [...secondFactorRoles] }
}

type Exported = 'asked for' | 'downloaded' | 'deleted'
const auditExport = (tx: TenantTx, person: Recorded, what: Exported, readings: boolean) =>
  audit(tx, {
    person,
    action: 'client exported',
    subject: { type: 'client', id: tx.tenant, name: tx.tenant },
    after: { export: what, readings: readings ? 'every one' : 'by the hour' },
  })

/**
 * In a distributed database the writes of its function, which has another role, are visible only to later
 * transactions.
 */
const switched = <Flag>(before: readonly Flag[], flag: Flag, on: boolean): Flag[] => [
  ...before.filter((other) => other !== flag),
  ...(on ? [flag] : []),
]

const byArea = (on: readonly Feature[]) => ({
  areas: Object.entries(featureGroups).map(([name, features]) => ({
    name,
    features: features.map((feature) => ({ name: feature, isEnabled: on.includes(feature) })),
  })),
})

const byGroup = (on: readonly Capability[]) => ({
  devices: { EditAccessRightsTags: on.includes('EditAccessRightsTags') },
  properties: { ViewProperties: on.includes('ViewProperties') },
})
