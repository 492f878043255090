import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chartLayouts, isMetricKey, metricKeys, metrics } from './metrics.ts'

test('the units of charts [dev-9const-32]', () => {
  const units = new Set<string>(metricKeys.map((key) => metrics[key].unit))
  for (const unit of ['°C', 'l/min', 'RPM', 'bar', 'kW', '%', 'Hours', 'count', 'W', 'V', 'ppm'])
    assert.ok(units.has(unit), unit)
})

test('a chart draws metrics of one unit, each of them known, and no chart of a device has the id of another', () => {
  for (const [product, layouts] of Object.entries(chartLayouts)) {
    assert.equal(new Set(layouts.map((layout) => layout.id)).size, layouts.length, product)
    for (const layout of layouts)
      assert.equal(new Set(layout.metrics.map((key) => metrics[key].unit)).size, 1, `${product} ${layout.id}`)
  }
})

test('the names of an object are no metrics', () => {
  assert.ok(isMetricKey('temperature'))
  for (const key of ['constructor', '__proto__', 'toString', '']) assert.ok(!isMetricKey(key), key)
})
