import assert from 'node:assert/strict'
import { test } from 'vitest'
import { axisOf, isMetricKey, metricKeys, metrics, powerMetrics } from './metrics.ts'

test('charts have units [dev-9const-32] [est-9-23]', () => {
  const units = new Set<string>(metricKeys.map((key) => metrics[key].unit))
  for (const unit of ['°C', 'l/min', 'RPM', 'bar', 'kW', '%', 'Hours', 'count', 'W', 'V', 'ppm'])
    assert.ok(units.has(unit), unit)
})

test('inherited object properties are no metrics', () => {
  assert.ok(isMetricKey('temperature'))
  for (const key of ['constructor', '__proto__', 'toString', '']) assert.ok(!isMetricKey(key), key)
})

test('a power meter of model A or B has one series, others one for each clamp circuit [dev-9const-26 dev-9const-27] [est-5-29] [est-5-30]', () => {
  for (const model of ['A', 'B', 'a']) assert.deepEqual(powerMetrics(model), ['power'])
  for (const model of ['1', 'C', '']) assert.deepEqual(powerMetrics(model), ['power1', 'power2', 'power3'])
})

test('axes have limits [dev-9const-28 dev-9const-29 dev-9const-30 dev-9const-31] [est-9-19] [est-9-20] [est-9-21] [est-9-22]', () => {
  assert.deepEqual(axisOf(['gsmSignal']), { min: null, max: -50 })
  assert.deepEqual(axisOf(['linkQuality']), { min: 0, max: 100 })
  assert.deepEqual(axisOf(['co2']), { min: 400, max: null })
  for (const key of metricKeys.filter((one) => metrics[one].unit === '°C'))
    assert.deepEqual(axisOf([key]), { min: 0, max: null }, key)
  // Metrics drawn together have the wider axis, and none if one of them has none.
  assert.deepEqual(axisOf(['linkQuality', 'co2']), { min: 0, max: null })
  assert.deepEqual(axisOf(['temperature', 'systemPressure']), { min: null, max: null })
  assert.deepEqual(axisOf([]), { min: null, max: null })
})

test('axis limits are within the range of devices, and every metric has a product', () => {
  for (const key of metricKeys) {
    const { min, max } = axisOf([key])
    assert.ok((min ?? -Infinity) < metrics[key].max && (max ?? Infinity) > metrics[key].min, key)
    assert.ok(metrics[key].products.length > 0, key)
  }
})
