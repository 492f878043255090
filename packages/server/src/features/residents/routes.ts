import type { FastifyInstance } from 'fastify'
import {
  approveResidence,
  createResidentAppKey,
  getAppResident,
  getResidentAppKeys,
  getResidentAppSettings,
  getResidents,
  requestResidence,
  revokeResidence,
  revokeResidentAppKey,
  setResidentAppSettings,
} from '@caretaker/contract/residents.ts'
import { serveResidentApp, serveTenant } from '../../http/serve.ts'
import { addAppKey, appKeys, expectAppKey, revokeAppKey } from './app-keys.ts'
import * as service from './service.ts'
import { supportContacts } from './store.ts'
import { withVersion } from '../../edit-version.ts'
import { expectSettings } from '../../tenants/tenants.ts'

/** The actor in the audit for requests of residents. */
const app = { id: null, name: 'Resident app' } as const

export function residentRoutes(server: FastifyInstance): void {
  serveTenant(server, getResidentAppSettings, async ({ tx }) => withVersion(await supportContacts(tx)))
  serveTenant(server, setResidentAppSettings, async (call) => {
    const { version, ...contacts } = call.body
    await expectSettings(call.tx, version, supportContacts)
    await service.setSupportContacts(call, contacts)
    return withVersion(await supportContacts(call.tx))
  })
  serveTenant(server, getResidents, async ({ tx, actor, query }) => ({
    results: await service.residents(tx, actor, query),
  }))
  serveTenant(server, approveResidence, async (call) => service.setApproved(call, call.body, true))
  serveTenant(server, revokeResidence, async (call) => service.setApproved(call, call.body, false))

  serveTenant(server, getResidentAppKeys, async ({ tx }) => ({ results: await appKeys(tx) }))
  serveTenant(server, createResidentAppKey, async ({ tx, person, body }) => ({
    key: await addAppKey(tx, person, body.instead),
  }))
  serveTenant(server, revokeResidentAppKey, ({ tx, person, params }) => revokeAppKey(tx, person, params.keyId))

  serveResidentApp(server, requestResidence, expectAppKey, async ({ tx, params, body }) => {
    await service.requestResidence({ tx, person: app }, { ...body, appUserId: params.userId })
    return service.appResident(tx, params.userId)
  })
  serveResidentApp(server, getAppResident, expectAppKey, async ({ tx, params }) =>
    service.appResident(tx, params.userId),
  )
}
