import type { FastifyInstance } from 'fastify'
import {
  dashboardPaths,
  getBcm,
  getBcms,
  getDashboardSummary,
  getGateways,
  getLicenceSummary,
  getMultidots,
  getPowerSwitch,
  getProperties,
  getTenantDashboardData,
  getThirdPartySummary,
  getVstats,
  getWorklist,
} from '@caretaker/contract/dashboard.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import { serveTenant, serveTogether } from '../../http/serve.ts'
import { countDevices, countThirdParty } from './counts.ts'
import { licenceSummary, listProperties } from './homes.ts'
import { findBcm, findPowerSwitch, listBcms, listGateways, listProducts, listVstats } from './lists.ts'
import { countHomesNeeding, worklistOf } from './worklist.ts'

export function dashboardRoutes(app: FastifyInstance): void {
  serveTogether(app, getTenantDashboardData, async ({ tx, actor }) =>
    success({ ...(await countDevices(tx, actor)), homesNeedingAttention: await countHomesNeeding(tx, actor) }),
  )
  serveTogether(app, getWorklist, async ({ tx, actor }) => success(await worklistOf(tx, actor)))

  serveTenant(app, getThirdPartySummary, async ({ tx, actor }) => ({
    adeyDeviceSummary: await countThirdParty(tx, actor),
  }))
  serveTenant(app, getDashboardSummary, async ({ tx, actor, params }) => {
    if (!(dashboardPaths as readonly string[]).includes(params.path.toLowerCase())) throw refuse('not found')
    return { adeyDeviceSummary: await countThirdParty(tx, actor) }
  })

  serveTenant(app, getBcms, async ({ tx, actor, query: { filter, ...paging } }) => listBcms(tx, actor, filter, paging))
  serveTenant(app, getBcm, async ({ tx, actor, params }) => findBcm(tx, actor, params.id))
  serveTenant(app, getGateways, async ({ tx, actor, query }) => listGateways(tx, actor, query))
  serveTenant(app, getMultidots, async ({ tx, actor, query }) =>
    listProducts(tx, actor, listings.MultiDots.products, query),
  )
  serveTenant(app, getVstats, async ({ tx, actor, query }) => listVstats(tx, actor, query))
  serveTenant(app, getPowerSwitch, async ({ tx, actor, params }) => findPowerSwitch(tx, actor, params.id))

  serveTenant(app, getProperties, async ({ tx, actor, query }) => listProperties(tx, actor, query))
  serveTenant(app, getLicenceSummary, async ({ tx, actor }) => licenceSummary(tx, actor))
}
