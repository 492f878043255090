import type { FastifyInstance } from 'fastify'
import {
  findAddresses,
  getProperty,
  getPropertyDevices,
  postPropertyAddress,
  postPropertyDetails,
  putPropertyAddress,
  putPropertyDetails,
} from '@caretaker/contract/properties.ts'
import { getPropertyAudit } from '@caretaker/contract/property-audit.ts'
import { getPropertyLicences } from '@caretaker/contract/property-licences.ts'
import { serveTenant } from '../../http/serve.ts'
import { addressesOf } from './addresses.ts'
import { auditOfProperty } from './audit.ts'
import { licencesOfProperty } from './licences.ts'
import { changeDetails, changePropertyAddress } from './save.ts'
import { devicesOfProperty, propertyInFull } from './store.ts'

export function propertyRoutes(app: FastifyInstance): void {
  serveTenant(app, getProperty, async ({ tx, actor, params }) => propertyInFull(tx, actor, params.propertyId))

  serveTenant(app, getPropertyDevices, async ({ tx, actor, params }) => ({
    results: await devicesOfProperty(tx, actor, params.propertyId),
  }))

  for (const details of [putPropertyDetails, postPropertyDetails])
    serveTenant(app, details, async (caller) => {
      const { tx, actor, params, body } = caller
      await changeDetails(caller, params.propertyId, body, new Date())
      return propertyInFull(tx, actor, params.propertyId)
    })

  for (const address of [putPropertyAddress, postPropertyAddress])
    serveTenant(app, address, async (caller) => {
      const { tx, actor, params, body } = caller
      await changePropertyAddress(caller, params.propertyId, body)
      return propertyInFull(tx, actor, params.propertyId)
    })

  serveTenant(app, getPropertyLicences, async ({ tx, actor, params }) =>
    licencesOfProperty(tx, actor, params.propertyId),
  )

  serveTenant(app, getPropertyAudit, async ({ tx, actor, query }) => auditOfProperty(tx, actor, query))

  serveTenant(app, findAddresses, async ({ tx, actor, query }) => addressesOf(tx, actor, query.postcode))
}
