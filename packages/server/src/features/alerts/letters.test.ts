import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { RuleWords } from '@caretaker/rules/alerts/words.ts'
import { linkTo } from './letters.ts'

const rule: RuleWords = {
  ...{ tagName: 'Phase2', triggerType: 'CONNECTIONSTATUS', triggerCondition: 'NotConnected' },
  ...{ delay: 6, delayUnit: 'hours' },
}
const about = (product: Product, behind = 0, building: string | null = 'Court') => {
  const serial = `${product}1000001X`
  return { deviceId: `id of ${serial}`, serial, product, building, behind }
}
const leads = (...alerts: ReturnType<typeof about>[]) => {
  const { label, path } = linkTo('north', rule, alerts)
  return `${label}: ${decodeURIComponent(path)}`
}

test('an e-mail leads to just what it tells of: a page, the devices behind a gateway, a listing, or all alerts', () => {
  assert.equal(leads(about('EM')), 'Open the device: /north/EmergencyLights/id of EM1000001X')
  assert.equal(
    leads(about('MG', 9)),
    'Show the devices behind it: /north/EmergencyLights?filters=[{"fieldId":"tags","filterOp":"equals","value":"Phase2"},{"fieldId":"gateway","filterOp":"anyof","value":["MG1000001X"]}]',
  )
  assert.equal(
    leads(about('EM'), about('EM')),
    'Show the 2 devices: /north/EmergencyLights?filters=[{"fieldId":"tags","filterOp":"equals","value":"Phase2"},{"fieldId":"building","filterOp":"equals","value":"Court"},{"fieldId":"connection","filterOp":"equals","value":"NotConnected"}]',
  )
  assert.equal(leads(about('MG', 9), about('EM')), 'Open the alerts: /north/Alerts')
  // Behind a hub are no lights: a listing of those would be empty.
  assert.equal(leads(about('ZH', 3, null)), 'Show the device: /north/HomeHubs?search=ZH1000001X')
})
