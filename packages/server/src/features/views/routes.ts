import type { FastifyInstance } from 'fastify'
import { success } from '@caretaker/contract/refusal.ts'
import type { ViewDefinition } from '@caretaker/contract/views.ts'
import {
  countStartPages,
  countViews,
  createViewDefinition,
  deleteViewDefinition,
  getAvailableFields,
  getStartPage,
  getViewDefinitions,
  setStartPage,
  updateViewDefinition,
} from '@caretaker/contract/views.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import { availableFields } from '@caretaker/rules/devices/list.ts'
import { fieldsSeen } from '@caretaker/rules/lists/list.ts'
import type { AnyList } from '@caretaker/rules/views/lists.ts'
import { allLists, listNames } from '@caretaker/rules/views/lists.ts'
import { serveTenant } from '../../http/serve.ts'
import { countRows } from '../../lists/read.ts'
import { asSeen } from '../../lists/validate.ts'
import type { ListSource } from '../../lists/source.ts'
import { wantedOf } from '../../lists/wanted.ts'
import { changeView, countStarts, createView, removeView } from './service.ts'
import type { NamedView } from './store.ts'
import { findStartView, findView, listViews, listOf, setStartView } from './store.ts'

/** Views of every list, whose rows come from one of the sources. */
export function viewRoutes(app: FastifyInstance, sources: readonly ListSource[]): void {
  serveTenant(app, getViewDefinitions, async ({ tx, actor }) => {
    const seen = listNames.map((name) => allLists[name]).filter((list) => can(actor, list.may))
    const fields = seen.map((list) => [list.root, fieldsSeen(list, actor)])
    return success({ views: (await listViews(tx, actor)).map(asDefinition), fields: Object.fromEntries(fields) })
  })

  serveTenant(app, getAvailableFields, async ({ actor }) => success(availableFields(hidesPersonalData(actor))))

  serveTenant(app, createViewDefinition, async (call) => {
    const { root, label, private: isPrivate, columns, filters, sorts } = call.body.view
    const view = { list: listOf({ root }), label, private: isPrivate, columns, filters, sorts }
    return success(asDefinition(await createView(call, view)))
  })

  serveTenant(app, updateViewDefinition, async (call) => {
    const { viewId, version, label, private: isPrivate, authors, columns, filters, sorts } = call.body.view
    const change = { label, private: isPrivate, authors, columns, filters, sorts }
    const view = await changeView(call, viewId, version, change)
    return success(asDefinition(asSeen(view, listOf(view), call.actor)))
  })

  serveTenant(app, deleteViewDefinition, async (call) => {
    await removeView(call, call.body.viewId)
    return success({ viewId: call.body.viewId })
  })

  serveTenant(app, countViews, async ({ tx, actor, body: { viewIds } }) => {
    const counts: Record<string, number> = {}
    const wanted = [...new Set(viewIds)]
    // A view that was just deleted or made private must not fail the others.
    const seen = wanted.length > 1 ? (await listViews(tx, actor)).map((view) => view.viewId) : wanted
    for (const viewId of wanted.filter((id) => seen.includes(id))) {
      const { root } = await findView(tx, actor, viewId)
      const source = sourceOf(listOf({ root }))
      counts[viewId] = await countRows(
        source,
        tx,
        actor,
        await wantedOf(source, tx, actor, { viewId, search: '' }, findView),
      )
    }
    return success(counts)
  })

  serveTenant(app, getStartPage, async ({ tx, actor }) => success({ viewId: await findStartView(tx, actor) }))

  serveTenant(app, setStartPage, async ({ tx, actor, body: { viewId } }) => {
    await setStartView(tx, actor, viewId)
    return success({ viewId })
  })

  serveTenant(app, countStartPages, async (call) => success(await countStarts(call, call.body.viewId)))

  function sourceOf({ name }: AnyList): ListSource {
    const source = sources.find(({ lists }) => Object.hasOwn(lists, name))
    if (!source) throw new Error(`the list ${name} has no source`)
    return source
  }
}

function asDefinition(view: NamedView): ViewDefinition {
  const { filters, sorts, columns, authors, updatedAt: _, ...rest } = view
  return {
    ...rest,
    columns: [...columns],
    filters: filters as ViewDefinition['filters'],
    sorts: [...sorts],
    authors: [...authors],
  }
}
