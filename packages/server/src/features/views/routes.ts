import type { FastifyInstance } from 'fastify'
import { success } from '@caretaker/contract/refusal.ts'
import type { ViewDefinition } from '@caretaker/contract/views.ts'
import {
  countViews,
  createViewDefinition,
  deleteViewDefinition,
  getAvailableFields,
  getViewDefinitions,
  updateViewDefinition,
} from '@caretaker/contract/views.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { availableFields, fieldsOf } from '@caretaker/rules/devices/fields.ts'
import { listingNames, listings } from '@caretaker/rules/devices/listings.ts'
import { serveTenant } from '../../http/serve.ts'
import { hidesPersonalData } from '../devices/visible.ts'
import { countRows } from '../listings/store.ts'
import { wantedOf } from '../listings/wanted.ts'
import { asSeen } from './content.ts'
import { changeView, createView, removeView } from './service.ts'
import type { NamedView } from './store.ts'
import { listViews, listingOf } from './store.ts'

export function viewRoutes(app: FastifyInstance): void {
  serveTenant(app, getViewDefinitions, async ({ tx, actor }) => {
    const seen = listingNames.filter((name) => can(actor, listings[name].may))
    const fields = seen.map((name) => [listings[name].root, fieldsOf(name, hidesPersonalData(actor))])
    return success({ views: (await listViews(tx, actor)).map(asDefinition), fields: Object.fromEntries(fields) })
  })

  serveTenant(app, getAvailableFields, async ({ actor }) => success(availableFields(hidesPersonalData(actor))))

  serveTenant(app, createViewDefinition, async (call) => success(asDefinition(await createView(call, call.body))))

  serveTenant(app, updateViewDefinition, async (call) => {
    const { viewId, version, tenant: _, ...change } = call.body
    const view = await changeView(call, viewId, version, change)
    return success(asDefinition(asSeen(view, listingOf(view), call.actor)))
  })

  serveTenant(app, deleteViewDefinition, async (call) => {
    await removeView(call, call.body.viewId)
    return success({ viewId: call.body.viewId })
  })

  serveTenant(app, countViews, async ({ tx, actor, body: { tenant, viewIds } }) => {
    const counts: Record<string, number> = {}
    const wanted = [...new Set(viewIds)]
    // One that somebody has just deleted or made private takes no others along.
    const seen = wanted.length > 1 ? (await listViews(tx, actor)).map((view) => view.viewId) : wanted
    for (const viewId of wanted.filter((id) => seen.includes(id)))
      counts[viewId] = await countRows(tx, actor, await wantedOf(tx, actor, { tenant, viewId, search: '' }))
    return success(counts)
  })
}

function asDefinition(view: NamedView): ViewDefinition {
  const { filters, sorts, columns, authors, ...rest } = view
  return {
    ...rest,
    columns: [...columns],
    filters: filters as ViewDefinition['filters'],
    sorts: [...sorts],
    authors: [...authors],
  }
}
