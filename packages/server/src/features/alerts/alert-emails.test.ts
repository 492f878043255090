import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { RuleWords } from '@caretaker/rules/alerts/words.ts'
import { alertLetter, linkTo } from './alert-emails.ts'

const rule: RuleWords = {
  ...{ tagName: 'Phase2', triggerType: 'CONNECTIONSTATUS', triggerCondition: 'NotConnected' },
  ...{ delay: 6, delayUnit: 'hours' },
}
const about = (product: Product, behind = 0, building: string | null = 'Court') => {
  const serial = `${product}1000001X`
  return { device: { id: `id of ${serial}`, serial, product }, home: null, building, behind }
}
const leads = (...alerts: ReturnType<typeof about>[]) => {
  const { label, path } = linkTo('north', rule, alerts)
  return `${label}: ${decodeURIComponent(path)}`
}

test('an e-mail links to just what it is about: a page, the devices connected through a gateway, a listing, or all alerts', () => {
  assert.equal(leads(about('EM')), 'Open the device: /north/EmergencyLights/id of EM1000001X')
  assert.equal(
    leads(about('MG', 9)),
    'Show the devices connected through it: /north/EmergencyLights?filters=[{"fieldId":"tags","filterOp":"equals","value":"Phase2"},{"fieldId":"gateway","filterOp":"anyof","value":["MG1000001X"]}]',
  )
  assert.equal(
    leads(about('EM'), about('EL')),
    'Show the 2 devices: /north/EmergencyLights?filters=[{"fieldId":"serial","filterOp":"anyof","value":["EM1000001X","EL1000001X"]}]',
  )
  assert.equal(leads(about('MG', 9), about('EM')), 'Open the alerts: /north/Alerts')
  assert.match(leads(...Array.from({ length: 100 }, () => about('EM'))), /^Show the 100 devices: /)
  assert.equal(leads(...Array.from({ length: 101 }, () => about('EM'))), 'Open the alerts: /north/Alerts')
  assert.equal(leads(...Array.from({ length: 101 }, () => about('MG', 9))), 'Open the alerts: /north/Alerts')
  // A hub has no lights connected through it: a listing of lights would be empty.
  assert.equal(leads(about('ZH', 3, null)), 'Show the device: /north/HomeHubs?search=ZH1000001X')
})

test('an e-mail has what, where, since when and what to do, the same in plain text and in HTML', () => {
  const at = Date.UTC(2026, 10, 17, 2)
  const light = {
    ...{ ...about('EM'), name: 'Stairwell <B>', where: 'Court, Floor 2', reason: 'Battery T180' },
    ...{ began: at, ended: null, unstable: false },
  }
  const letter = (unsubscribe: string | null) =>
    alertLetter({
      ...{ config: { origin: 'https://portal.test' }, to: 'a@x.test', kind: 'told', alerts: [light], unsubscribe },
      reach: { tenant: 'north', client: 'North', contacts: 'the repairs desk', zone: 'Europe/London' },
      rule: { ...rule, triggerType: 'DEVICESTATUS', triggerCondition: 'FailedEquipment' },
    })
  const { subject, text, html } = letter('a-token')
  assert.equal(subject, 'Failed equipment: Stairwell <B>, Court, Floor 2')
  const expectedLines = ['Stairwell <B> (EM1000001X)', 'Court, Floor 2', 'Battery T180, since 17/11/2026 02:00']
  assert.ok(
    text.includes(
      `${expectedLines.join('\n')}\n\nFind out what has failed, and have it repaired.\n\nOpen the device:\n`,
    ),
    text,
  )
  const shown = expectedLines.map((line) => line.replace('<B>', '&lt;B&gt;'))
  assert.ok(html.includes(`<b>${shown[0]}</b><br>${shown.slice(1).join('<br>')}`), html)
  assert.match(html, /<meta name="viewport" content="width=device-width/)
  assert.equal([...html.matchAll(/href="(.*?)"/g)].length, 2, 'one link, and one to leave')
  assert.match(letter(null).text, /To unsubscribe, ask the repairs desk\./)
  assert.equal([...letter(null).html.matchAll(/href="(.*?)"/g)].length, 1)
})

test('an e-mail does not ask for a repair of something that is over when it is sent', () => {
  const at = Date.UTC(2026, 10, 17, 2)
  const toDo = 'Have the light repaired, and test it again.'
  const text = (...ended: (number | null)[]) =>
    alertLetter({
      ...{ config: { origin: 'https://portal.test' }, to: 'a@x.test', kind: 'told', unsubscribe: null },
      alerts: ended.map((end) => ({
        ...{ ...about('EM'), name: 'Stairwell', where: 'Court', reason: 'Lamp T0' },
        ...{ began: at, ended: end, unstable: false },
      })),
      reach: { tenant: 'north', client: 'North', contacts: 'the repairs desk', zone: 'Europe/London' },
      rule: { ...rule, triggerType: 'ALERTABLEEVENT', triggerCondition: 'testFailed' },
    }).text
  assert.ok(text(null).includes(toDo))
  assert.ok(text(at + 60_000, null).includes(toDo))
  assert.ok(!text(at + 60_000).includes(toDo))
})
