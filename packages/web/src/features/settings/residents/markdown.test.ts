import assert from 'node:assert/strict'
import { test } from 'vitest'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { Markdown } from './markdown.ts'

const shown = (text: string) => renderToStaticMarkup(createElement(Markdown, { text }))

test('headings, emphasis, lists and links are shown', () => {
  assert.equal(
    shown('## Warm\n\nBelow **16 °C** and *18*\n\n- a\n- b\n\n[call](tel:+441134960142)'),
    '<h2>Warm</h2><p>Below <strong>16 °C</strong> and <em>18</em></p><ul><li>a</li><li>b</li></ul>' +
      '<p><a href="tel:+441134960142" target="_blank" rel="noopener noreferrer nofollow">call</a></p>',
  )
})

test('scripts do not run, and nothing is fetched', () => {
  for (const text of [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](&#106;avascript:alert(1))',
    '[x](data:text/html,<script>alert(1)</script>)',
    '[x](vbscript:x)',
    '![x](https://evil.test/pixel.png)',
    '<javascript:alert(1)>',
    '[x]: javascript:alert(1)\n\n[x]',
  ])
    assert.doesNotMatch(shown(text), /<(script|img|iframe)|href="(?!https:)/i, text)
})

test('endless nesting or repetition is limited', () => {
  const many = 20_000
  for (const text of [
    '>'.repeat(many),
    '- '.repeat(many / 2),
    '*a_'.repeat(many / 3),
    '['.repeat(many),
    '- a\n'.repeat(many / 4),
  ])
    assert.ok(shown(text).length < many * 20)
  const nested = Array.from({ length: 200 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n')
  assert.ok((shown(nested).match(/<ul>/g) ?? []).length <= 20)
})

test('a megabyte of nested or repeated markup is parsed quickly', () => {
  const megabyte = 1_000_000
  const nested = `${Array.from({ length: 40 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n')}\n`
  const begun = process.cpuUsage()
  for (const part of [nested, '- a\n', '- ', '> - ', '1. ', '>', '[', '[a](b', '*a_', '`'])
    assert.ok(shown(part.repeat(megabyte / part.length)).length > 0)
  // CPU time, which hardly depends on the load of the machine: without a limit, one of these alone takes a minute.
  assert.ok(process.cpuUsage(begun).user / 1_000_000 < 10)
})
