import assert from 'node:assert/strict'
import { test } from 'vitest'
import { areaOf, productCodes, products } from './products.ts'
import { splitSerialNumber } from './serial-number.ts'

const named = (code: keyof typeof products) => products[code].name.toLowerCase()

test('EM and EL are emergency lighting [core-3-20 dev-9const-17]', () => {
  assert.equal(products.EM.family, 'emered')
  assert.equal(products.EL.family, 'emered')
})
test('BC and BX [core-3-21 dev-9const-18]', () =>
  assert.deepEqual([named('BC'), named('BX')], ['boiler', 'boiler control module']))
test('ASHP and HIU [core-3-22 dev-9const-19]', () => {
  assert.match(named('ASHP'), /heat pump/)
  assert.match(named('HIU'), /heat interface unit/)
})
test('LM and PC [core-3-23 dev-9const-20]', () =>
  assert.deepEqual([named('LM'), named('PC')], ['lift monitor', 'people counter']))
test('MG, ZG and ZR [core-3-24 dev-9const-21]', () =>
  assert.deepEqual([named('MG'), named('ZG'), named('ZR')], ['mqtt gateway', 'zigbee gateway', 'zigbee extender']))
test('AZ and AF [core-3-25 dev-9const-22]', () =>
  assert.deepEqual([named('AZ'), named('AF')], ['zigbee autofill', 'autofill']))
test('MD and ED [core-3-26 dev-9const-23]', () =>
  assert.deepEqual([named('MD'), named('ED')], ['multi-dot', 'enviro-dot']))
test('PM and PS [core-3-27 dev-9const-24]', () =>
  assert.deepEqual([named('PM'), named('PS')], ['power meter', 'power switch']))
test('ZH and TH [core-3-28 dev-9const-21 dev-9const-24]', () =>
  assert.deepEqual([named('ZH'), named('TH')], ['home hub', 'v-stat']))
test('ADEY is third-party [core-3-29 dev-9const-25]', () => {
  assert.equal(products.ADEY.family, 'thirdParty')
  assert.equal(splitSerialNumber('ADEYA00001X').product, 'ADEY')
})

const codesOf = (area: string) => productCodes.filter((code) => areaOf(code) === area).sort()
test('emergency lighting belongs to lighting [core-6-14]', () => assert.deepEqual(codesOf('lighting'), ['EL', 'EM']))
test('boilers belong to boilers [core-6-15]', () => assert.deepEqual(codesOf('boilers'), ['BC', 'BX']))
test('lift monitors belong to liftMonitors [core-6-16]', () => assert.deepEqual(codesOf('liftMonitors'), ['LM']))
test('people counters belong to peopleCounters [core-6-17]', () => assert.deepEqual(codesOf('peopleCounters'), ['PC']))
test('networking devices belong to networking [core-6-18]', () =>
  assert.deepEqual(codesOf('networking'), ['MG', 'ZG', 'ZR']))
test('all others belong to misc [core-6-19]', () =>
  assert.deepEqual(codesOf('misc'), ['ADEY', 'AF', 'ASHP', 'AZ', 'ED', 'HIU', 'MD', 'PM', 'PS', 'TH', 'ZH']))

test('a serial number is split into its parts [core-3-17 core-3-18 core-3-19 dev-9const-14 dev-9const-15 dev-9const-16]', () => {
  assert.deepEqual(splitSerialNumber('EM1004217K'), {
    productCode: 'EM',
    product: 'EM',
    model: '1',
    number: '004217',
    checksum: 'K',
  })
})
test('longer codes take precedence, an unknown one is its first two characters', () => {
  assert.equal(splitSerialNumber('ASHPA00001X').productCode, 'ASHP')
  assert.equal(splitSerialNumber('ASHPA00001X').model, 'A')
  assert.equal(splitSerialNumber('QQ100').productCode, 'QQ')
  assert.equal(splitSerialNumber('QQ100').product, undefined)
  assert.deepEqual(splitSerialNumber(''), { productCode: '', product: undefined, model: '', number: '', checksum: '' })
})
