import type { FastifyInstance } from 'fastify'
import {
  addProperty,
  archiveProperty,
  bringBackProperty,
  exportProperties,
  fetchProperties,
  findAddresses,
  getArchivedProperties,
  getProperty,
  getPropertyChoices,
  getPropertyDevices,
  moveProperty,
  postPropertyAddress,
  postPropertyDetails,
  putPropertyAddress,
  putPropertyDetails,
  setPropertyAccessRightsTag,
} from '@caretaker/contract/properties.ts'
import {
  changeAwaabsLawCase,
  exportBreachRegister,
  getAwaabsLawFigures,
  getBreachRegister,
  putAwaabsLawFigures,
} from '@caretaker/contract/awaabs-law.ts'
import { addHomeAppliance, getPropertySafety, removeHomeAppliance } from '@caretaker/contract/property-safety.ts'
import { getPropertyDamp, getPropertyDampCells } from '@caretaker/contract/damp.ts'
import { askVoidAgain, getPropertyVoid } from '@caretaker/contract/void-mode.ts'
import { getPropertyAudit } from '@caretaker/contract/property-audit.ts'
import { getPropertyLicences } from '@caretaker/contract/property-licences.ts'
import { sendTable } from '../../http/send-table.ts'
import { begun } from '../../http/sending.ts'
import { serveTenant, serveTenantInSteps } from '../../http/serve.ts'
import { oneOfFew } from '../../lists/export.ts'
import { listRoutes } from '../../lists/routes.ts'
import { withVersion } from '../../edit-version.ts'
import { expectSettings } from '../../tenants/tenants.ts'
import { findView } from '../views/store.ts'
import { addressesOf } from './addresses.ts'
import { applianceRecordRoutes } from './appliance-records.ts'
import { awaabsLawFiguresOf } from './awaabs-law.ts'
import { breachRegister, breachShape, patchesOf } from './breaches.ts'
import { registerFile } from './breach-file.ts'
import { propertyList } from './list.ts'
import { auditOfProperty } from './audit.ts'
import { addHome, archivedHomes, archiveHome, moveHome } from './estate.ts'
import { setAwaabsLawFigures } from './law-figures.ts'
import { licencesOfProperty } from './licences.ts'
import { changeDetails, changeLawCase, changePropertyAddress, changePropertyTag, holdProperty } from './save.ts'
import { dampCellsOfHome, dampOfHome } from '../damp/home.ts'
import { askVoidAgain as askAgain } from '../void/again.ts'
import { voidOfHome } from '../void/standing.ts'
import { addAppliance, removeAppliance, safetyOfHome } from './safety.ts'
import { devicesOfProperty, findProperty, propertyInFull } from './store.ts'

const calls = { page: fetchProperties, choices: getPropertyChoices, file: exportProperties } as const

export function propertyRoutes(app: FastifyInstance): void {
  listRoutes(app, calls, propertyList, findView)
  applianceRecordRoutes(app)

  serveTenant(app, getProperty, async ({ tx, actor, params }) => propertyInFull(tx, actor, params.propertyId))

  serveTenant(app, getPropertySafety, async ({ tx, actor, params }) =>
    safetyOfHome(tx, actor, params.propertyId, new Date()),
  )

  serveTenant(app, addHomeAppliance, async (caller) => ({
    applianceId: await addAppliance(caller, caller.params.propertyId, caller.body.name, new Date()),
  }))

  serveTenant(app, removeHomeAppliance, async (caller) => ({
    isRemoved: await removeAppliance(caller, { ...caller.params, ...caller.body }, new Date()),
  }))

  serveTenant(app, getPropertyDevices, async ({ tx, actor, params }) => ({
    results: await devicesOfProperty(tx, actor, params.propertyId),
  }))

  serveTenant(app, getPropertyVoid, async ({ tx, actor, params: { propertyId } }) => {
    await findProperty(tx, actor, propertyId)
    return voidOfHome(tx, actor, propertyId, Date.now())
  })

  serveTenant(app, askVoidAgain, async (caller) => {
    const { tx, actor, params, body } = caller
    const now = new Date()
    const home = await holdProperty(caller, params.propertyId)
    await askAgain(caller, home, body, now)
    return voidOfHome(tx, actor, home.id, +now)
  })

  serveTenant(app, getPropertyDamp, async ({ tx, actor, params: { propertyId } }) => {
    await findProperty(tx, actor, propertyId)
    return dampOfHome(tx, actor, propertyId)
  })

  serveTenant(app, getPropertyDampCells, async ({ tx, actor, params: { propertyId }, query }) => {
    await findProperty(tx, actor, propertyId)
    return dampCellsOfHome(tx, actor, propertyId, { from: +query.from, to: +query.to })
  })

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

  serveTenant(app, setPropertyAccessRightsTag, async (caller) => {
    const { tx, actor, params, body } = caller
    await changePropertyTag(caller, params.propertyId, body)
    return propertyInFull(tx, actor, params.propertyId)
  })

  serveTenant(app, changeAwaabsLawCase, async (caller) => {
    const { tx, actor, params, body } = caller
    const changes = body.changes.map(({ at, ...change }) => ({ ...change, at: at && +at }))
    await changeLawCase(caller, params.propertyId, { ...body, changes }, new Date())
    return propertyInFull(tx, actor, params.propertyId)
  })

  serveTenant(app, getBreachRegister, async ({ tx, actor, query: { patch, ...period } }) => {
    const {
      rows,
      zone: _,
      now: __,
      ...summary
    } = await breachRegister(tx, actor, {
      ...period,
      patches: patch ? [patch] : [],
    })
    return { ...summary, choices: await patchesOf(tx, actor), rows: rows.map(breachShape) }
  })

  serveTenant(app, exportBreachRegister, async ({ tx, actor, person, reply, query }) => {
    const { patch, state, format, ...period } = query
    return oneOfFew(tx, person.id, async () => {
      const register = await breachRegister(tx, actor, { ...period, patches: patch ? [patch] : [] })
      const chosen = (await patchesOf(tx, actor)).find(({ id }) => id === patch)?.name ?? (patch ? 'Unknown' : 'All')
      const { file, table, pieces, count } = registerFile(register, { ...period, patch: chosen, state, format })
      await sendTable(reply, file, table, pieces)
      return begun(count)
    })
  })

  serveTenant(app, getAwaabsLawFigures, async ({ tx }) => withVersion(await awaabsLawFiguresOf(tx)))

  serveTenant(app, putAwaabsLawFigures, async ({ tx, person, body: { version, ...figures } }) => {
    await expectSettings(tx, version, awaabsLawFiguresOf)
    await setAwaabsLawFigures({ tx, person }, figures)
    return withVersion(await awaabsLawFiguresOf(tx))
  })

  serveTenant(app, addProperty, async ({ tx, actor, person, body }) =>
    propertyInFull(tx, actor, await addHome({ tx, person }, body)),
  )

  serveTenant(app, moveProperty, async (caller) => {
    const { tx, actor, params, body } = caller
    await moveHome(caller, params.propertyId, body)
    return propertyInFull(tx, actor, params.propertyId)
  })

  const archiving = [
    [archiveProperty, () => new Date()],
    [bringBackProperty, () => null],
  ] as const
  for (const [route, at] of archiving)
    serveTenant(app, route, async (caller) => {
      const { tx, actor, params, body } = caller
      await archiveHome(caller, params.propertyId, { ...body, archivedAt: at() })
      return propertyInFull(tx, actor, params.propertyId)
    })

  serveTenant(app, getArchivedProperties, async ({ tx, actor, query }) => ({
    results: await archivedHomes(tx, actor, query.search),
  }))

  serveTenant(app, getPropertyLicences, async ({ tx, actor, params }) =>
    licencesOfProperty(tx, actor, params.propertyId),
  )

  serveTenant(app, getPropertyAudit, async ({ tx, actor, query }) => auditOfProperty(tx, actor, query))

  serveTenantInSteps(app, findAddresses, async (call) => addressesOf(call, call.query.postcode))
}
