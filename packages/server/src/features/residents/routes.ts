import type { FastifyInstance } from 'fastify'
import {
  approveResidence,
  getAppResident,
  getResidentAppSettings,
  getResidents,
  requestResidence,
  revokeResidence,
  setResidentAppSettings,
} from '@caretaker/contract/residents.ts'
import { serveResidentApp, serveTenant } from '../../http/serve.ts'
import { expectAppKey } from './app-keys.ts'
import * as service from './service.ts'
import { supportContacts } from './store.ts'

/** Who asks in the name of residents, in the record of changes. */
const app = { id: null, name: 'Resident app' } as const

export function residentRoutes(server: FastifyInstance): void {
  serveTenant(server, getResidentAppSettings, async ({ tx }) => supportContacts(tx))
  serveTenant(server, setResidentAppSettings, async (call) => {
    await service.setSupportContacts(call, call.body)
    return supportContacts(call.tx)
  })
  serveTenant(server, getResidents, async ({ tx, actor, query }) => ({
    results: await service.residents(tx, actor, query),
  }))
  serveTenant(server, approveResidence, async (call) => service.setApproved(call, call.body, true))
  serveTenant(server, revokeResidence, async (call) => service.setApproved(call, call.body, false))

  serveResidentApp(server, requestResidence, expectAppKey, async ({ tx, params, body }) => {
    await service.requestResidence({ tx, person: app }, { ...body, appUserId: params.userId })
    return service.appResident(tx, params.userId)
  })
  serveResidentApp(server, getAppResident, expectAppKey, async ({ tx, params }) =>
    service.appResident(tx, params.userId),
  )
}
