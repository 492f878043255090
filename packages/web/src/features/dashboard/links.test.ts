import assert from 'node:assert/strict'
import { test } from 'vitest'
import { deviceView } from '@caretaker/rules/dashboard/worklist.ts'
import { listings, presetStatuses } from '@caretaker/rules/devices/list.ts'
import { bcmFilterIn, conditionsOf } from '@caretaker/rules/devices/monitoring.ts'
import { homeCaseView } from '@caretaker/rules/properties/attention.ts'
import { builtInViews } from '@caretaker/rules/views/view.ts'
import { bcmLinks, presetLinks, productLinks, worklistLink } from './links.ts'

const queryOf = (href: string) => new URL(href, 'http://localhost').searchParams

test('the figures of a listing lead to its preset views', () => {
  const { uninstalled, ...presets } = presetLinks('northgate', 'EmergencyLights')
  assert.deepEqual(JSON.parse(queryOf(uninstalled!).get('filters')!), [
    { fieldId: 'status', filterOp: 'anyof', value: ['Unknown', 'Factory', 'AwaitingRecycling', 'REMOVED', 'DISPOSED'] },
  ])
  assert.deepEqual(presets, {
    title: '/northgate/EmergencyLights/Listing/emered-main',
    installed: '/northgate/EmergencyLights/Listing/emered-installed',
    inventory: '/northgate/EmergencyLights/Listing/emered-inventory',
    fail: '/northgate/EmergencyLights/Listing/emered-failed',
    warn: '/northgate/EmergencyLights/Listing/emered-warning',
  })
  const grid = presetLinks('northgate', 'MultiDots')
  assert.equal(grid.title, '/northgate/MultiDots')
  assert.ok(builtInViews(listings.MultiDots).some(({ viewId }) => viewId === queryOf(grid.fail!).get('view')))
})

test('the heat pumps lead to the Bcms page with the filter that its address takes', () => {
  const { title, warn } = bcmLinks('northgate', 'ASHP')
  assert.equal(queryOf(title!).get('filter'), '{"type":"ASHP"}')
  assert.deepEqual(conditionsOf(bcmFilterIn(queryOf(warn!).get('filter'))), [
    { fieldId: 'monitoring', filterOp: 'equals', value: 'HeatPump' },
    { fieldId: 'status', filterOp: 'anyof', value: [...presetStatuses.warning] },
  ])
})

test('a family among others leads only to its own rows', () => {
  const { title, fail } = productLinks('northgate', 'Boilers', ['AF', 'AZ'])
  const only = { fieldId: 'product', filterOp: 'anyof', value: ['AF', 'AZ'] }
  assert.deepEqual(JSON.parse(queryOf(title!).get('filters')!), [only])
  assert.deepEqual(JSON.parse(queryOf(fail!).get('filters')!), [
    only,
    { fieldId: 'status', filterOp: 'anyof', value: presetStatuses.failed },
  ])
})

test('a case of the worklist leads to its rows, the oldest first', () => {
  const link = (name: Parameters<typeof deviceView>[0]) =>
    worklistLink('northgate', { viewId: null, columns: null, ...deviceView(name, '2026-11-20') })
  assert.equal(link('failed lights'), '/northgate/EmergencyLights/Listing/emered-failed?sort=failedSince')
  assert.equal(link('failed boilers'), '/northgate/Boilers/Listing/boiler-failed?sort=failedSince')
  const away = queryOf(link('gateways offline'))
  assert.equal(away.get('sort'), 'connectionSince')
  assert.ok(away.get('columns')!.split(',').includes('connectionSince'))
})

test('a case of properties leads to the list of properties with its filters and columns', () => {
  const view = homeCaseView('gas failed', '2026-11-20')
  const link = worklistLink('northgate', { listing: 'Properties', viewId: null, ...view })
  assert.ok(link.startsWith('/northgate/Properties?'))
  assert.deepEqual(JSON.parse(queryOf(link).get('filters')!), view.filters)
  assert.equal(queryOf(link).get('columns'), view.columns.join())
})
