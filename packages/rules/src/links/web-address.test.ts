import assert from 'node:assert/strict'
import { test } from 'vitest'
import { holdsWebAddress, withoutLinks } from './web-address.ts'

test('a web address in a name is found, and names of people, companies and places are not taken for one', () => {
  for (const name of [
    'http://evil.example/win',
    'Ann (https://evil.example)',
    'Win at HTTPS://EVIL.EXAMPLE',
    'ftp://evil.example',
    'mailto:ann@evil.example',
    'www.evil.example',
    'Go to WWW.evil.example',
    'evil.example/win',
    'evil.example\\win',
    'ｈｔｔｐ：／／evil.example',
    'www。evil。example',
  ])
    assert.ok(holdsWebAddress(name), name)
  for (const name of [
    'Ann Mill',
    'J.R. Smith',
    'Dr.Jones',
    'St. John’s Homes Ltd.',
    'Booking.com',
    'Flat 2/3, 1.5 Mill Lane',
    'No.5/6 Dock Street',
    'Block A.B/C',
    'Leeds: North/South',
    'T: 0113 496 0000',
    'Wwwilliam',
    'support@north.example',
  ])
    assert.ok(!holdsWebAddress(name), name)
})

test('text in an e-mail becomes no link and is otherwise unchanged', () => {
  for (const [text, shown] of [
    ['http://evil.example/win', 'http: // evil. example/win'],
    ['Hello www.evil.example, bye', 'Hello www. evil. example, bye'],
    ['Booking.com Homes', 'Booking. com Homes'],
    ['ftp://10.0.0.1/x', 'ftp: // 10. 0. 0. 1/x'],
    ['ｈｔｔｐ：／／evil．example', 'http: // evil. example'],
    ['evil。example', 'evil。 example'],
    ['ann@north.example gets no more e-mails', 'ann@north.example gets no more e-mails'],
    ['Ask (ann@north.example).', 'Ask (ann@north.example).'],
    ['http://ann@evil.example', 'http: // ann@evil. example'],
    ['It is 21.5 °C, e.g. in Flat 1.2', 'It is 21.5 °C, e.g. in Flat 1.2'],
    ['One.\nTwo  three…', 'One.\nTwo  three…'],
  ] as const) {
    assert.equal(withoutLinks(text), shown)
    assert.equal(withoutLinks(shown), shown, 'once is enough')
  }
})
