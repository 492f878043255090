import assert from 'node:assert/strict'
import { test } from 'vitest'
import { logoIn } from './tenant-logo.ts'

const logo = { light: '/logos/light.svg', dark: 'data:image/svg+xml;base64,AAAA' }

test('the logo matches the colour scheme, or is the only one there is', () => {
  assert.equal(logoIn({ logo }, 'light'), logo.light)
  assert.equal(logoIn({ logo }, 'dark'), logo.dark)
  assert.equal(logoIn({ logo: { light: logo.light } }, 'dark'), logo.light)
})

test('without a logo of its own a client has none', () => {
  for (const settings of [{}, { logo: null }, { logo: 'x' }, { logo: {} }, { logo: { light: 7 } }])
    assert.equal(logoIn(settings, 'light'), undefined)
})

test('a picture from another origin is not used', () => {
  for (const light of [
    'https://evil.test/x.png',
    '//evil.test/x.png',
    '/\\evil.test',
    'javascript:alert(1)',
    'data:text/html;,x',
  ])
    assert.equal(logoIn({ logo: { light } }, 'light'), undefined, light)
})
