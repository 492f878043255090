import assert from 'node:assert/strict'
import { test } from 'vitest'
import { columnFault, dataTypes } from '../lists/fields.ts'
import { fieldsOf } from '../lists/list.ts'
import { availableFields, deviceFields, fieldIds, listingNames, listings } from './list.ts'

test('every field of a listing has id, label, type and permissions [est-3-53 est-3-54 est-3-55]', () => {
  for (const listing of listingNames)
    for (const field of fieldsOf(listings[listing], false)) {
      assert.deepEqual(
        Object.keys(field).sort(),
        [
          ...['dataType', 'fieldId', 'label', 'sortable', 'viewFilterable', 'viewable'],
          ...['filterOps', 'filterSuggests', 'filterSuggestsExhaustive'],
        ].sort(),
      )
      assert.equal(field.filterOps.length > 0, field.viewFilterable, field.fieldId)
      assert.ok(dataTypes.includes(field.dataType))
      if (listing !== 'VStats') assert.equal(field.label, deviceFields[field.fieldId].label)
    }
  const filtering = Object.fromEntries(
    fieldsOf(listings.EmergencyLights, false).map(
      ({ fieldId, filterOps, filterSuggests, filterSuggestsExhaustive }) => [
        fieldId,
        [filterOps.join(' '), filterSuggests, filterSuggestsExhaustive],
      ],
    ),
  )
  assert.deepEqual(filtering['building'], ['equals anyof noneof contains present', true, false])
  assert.deepEqual(filtering['status'], ['equals anyof noneof contains present', true, true])
  assert.deepEqual(filtering['tags'], ['equals anyof noneof', true, false])
  assert.deepEqual(filtering['lastTest'], ['equals from to present', false, false])
  assert.deepEqual(filtering['latitude'], ['equals from to', false, false])
  assert.deepEqual(filtering['inWholesale'], ['equals', false, false])
  assert.deepEqual(filtering['firmware'], ['', false, false])
})

test('a listing returns the fields of its devices only', () => {
  const ids = (listing: (typeof listingNames)[number]) =>
    fieldsOf(listings[listing], false).map((field) => field.fieldId)
  assert.ok(ids('EmergencyLights').includes('lastTest'))
  assert.ok(!ids('EmergencyLights').includes('monitoring'))
  assert.ok(ids('Boilers').includes('fault'))
  assert.ok(!ids('Boilers').includes('lastTest'))
  assert.ok(!ids('NetworkingDevices').includes('propertyReference'))
  for (const listing of listingNames) assert.equal(new Set(ids(listing)).size, ids(listing).length, listing)
})

test('V-Stats has its own labels and order, and shows four columns at first [est-2.4-8] [est-2.4-10] [est-2.4-11]', () => {
  const known = fieldsOf(listings.VStats, false)
  assert.deepEqual(
    known.map(({ label }) => label),
    [
      'Property REF',
      'Device Status',
      'Serial Number',
      'Product',
      'Postcode',
      'Address',
      'Device Id',
      'Location',
      'Location Details',
      'Product Id',
      'Tags',
      'Firmware Version',
      'Access Right Tag',
      'Connection Status',
    ],
  )
  assert.ok(known.every(({ viewable }) => viewable))
  const shown = listings.VStats.columns.map((id) => known.find(({ fieldId }) => fieldId === id)!.label)
  assert.deepEqual(shown, ['Property REF', 'Device Status', 'Serial Number', 'Product Id'])
  for (const preset of listings.VStats.presets) assert.ok(!('columns' in preset), preset.id)
})

test('address and postcode are removed from every listing if personal data is hidden, and nothing else', () => {
  for (const listing of listingNames) {
    const all = fieldsOf(listings[listing], false).map((field) => field.fieldId)
    const left = fieldsOf(listings[listing], true).map((field) => field.fieldId)
    assert.deepEqual(all.filter((id) => !left.includes(id)).toSorted(), ['address', 'postcode'])
  }
})

test('columns that are not viewable, unknown or repeated are rejected [core-3-36]', () => {
  const known = fieldsOf(listings.EmergencyLights, false)
  const hidden = known.filter((field) => !field.viewable).map((field) => field.fieldId)
  assert.deepEqual(hidden, ['luminaire', 'anyReason', 'latitude', 'longitude'])
  for (const id of hidden) assert.match(columnFault(id, known, [id])!, /cannot be a column/)
  for (const id of known.filter((field) => field.viewable).map((field) => field.fieldId))
    assert.equal(columnFault(id, known, [id]), undefined, id)
  for (const id of ['monitoring', 'nonsense', '__proto__', '']) assert.match(columnFault(id, known, [id])!, /no field/)
  assert.match(columnFault('serial', known, ['serial', 'name', 'serial'])!, /twice/)
})

test('the columns of built-in views are columns of their listing', () => {
  for (const listing of listingNames)
    for (const id of listings[listing].columns)
      assert.equal(
        columnFault(id, fieldsOf(listings[listing], false), listings[listing].columns),
        undefined,
        `${listing} ${id}`,
      )
})

test('fields are returned as four lists; the device list contains all others [core-3-34]', () => {
  const lists = availableFields(false)
  assert.deepEqual(Object.keys(lists).sort(), ['boiler', 'device', 'emered', 'thirdParty'])
  assert.deepEqual(lists.boiler, fieldsOf(listings.Boilers, false))
  assert.deepEqual(lists.emered, fieldsOf(listings.EmergencyLights, false))
  assert.deepEqual(lists.thirdParty, fieldsOf(listings.ThirdParty, false))
  assert.deepEqual(
    lists.device.map((field) => field.fieldId),
    fieldIds,
  )
  assert.ok(!availableFields(true).device.some((field) => field.fieldId === 'address'))
})

test('views have categories and roots, including third party [core-3-31 core-3-32]', () => {
  const categories = new Set(listingNames.map((name) => listings[name].category))
  assert.deepEqual([...categories].sort(), ['boiler', 'device', 'emered', 'networking'])
  assert.equal(listings.ThirdParty.root, 'thirdParty')
  assert.equal(new Set(listingNames.map((name) => listings[name].root)).size, listingNames.length)
})
