import assert from 'node:assert/strict'
import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { test } from 'vitest'
import { plainDrawing } from './svg.ts'

const elements = [
  ...['g', 'a', 'switch', 'defs', 'use', 'path', 'rect', 'text', 'tspan', 'style', 'pattern', 'image', 'title', 'svg'],
  ...[
    'script',
    'foreignObject',
    'iframe',
    'animate',
    'set',
    'handler',
    'feImage',
    'filter',
    'SCRIPT',
    'h:script',
    'x:a',
  ],
] as const
const attributes = [
  ...['id', 'class', 'style', 'fill', 'd', 'href', 'xlink:href', 'x:href', 'transform', 'clip-path', 'marker-end'],
  ...[
    'onload',
    'onclick',
    'ONLOAD',
    'onbegin',
    'src',
    'xml:base',
    'xmlns:evil',
    'formaction',
    'attributeName',
    'values',
  ],
] as const
const values = [
  ...['#a', 'a', 'red', 'url(#a)', 'M0 0h9', 'translate(1 2)', 'fill:red', '0.5', '', 'none'],
  ...[
    'javascript:alert(1)',
    ' java\tscript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'https://evil.example/a.svg#b',
    '//evil.example/a',
  ],
  ...[
    'url(https://evil.example/a)',
    'u\\72l(//evil.example/a)',
    'fill:url( "//evil.example" )',
    '@import "//evil.example/a.css"',
  ],
  ...[
    'data:text/html,<script>alert(1)</script>',
    'data:image/svg+xml,<svg onload="alert(1)"/>',
    'expression(alert(1))',
  ],
  ...[
    'file:///etc/passwd',
    'image-set("//evil.example/a" 1x)',
    'fill:red;behavior:url(//evil.example/a)',
    '</style><script>',
  ],
] as const
const texts = [
  ...['Stairs', '&lt;script&gt;', '<![CDATA[<script>alert(1)</script>]]>', '<!-- <script> -->', '&#x3c;script&#x3e;'],
  ...[
    '@import url(//evil.example/a.css);',
    '.a{fill:url(//evil.example/a)}',
    '.a{fill:red}',
    ']]&gt;',
    '<?x javascript:?>',
  ],
] as const

const escaped = (value: string) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

interface Node {
  name: string
  given: [string, string][]
  content: (Node | string)[]
}
const { tree } = fc.letrec<{ tree: Node }>((tie) => ({
  tree: fc.record({
    name: fc.constantFrom(...elements),
    given: fc.uniqueArray(fc.tuple(fc.constantFrom(...attributes), fc.constantFrom(...values)), {
      maxLength: 4,
      selector: ([name]) => name,
    }),
    content: fc.array(fc.oneof({ depthSize: 'small' }, fc.constantFrom(...texts), tie('tree')), { maxLength: 4 }),
  }),
}))
const markup = ({ name, given, content }: Node): string =>
  `<${name}${given.map(([attribute, value]) => ` ${attribute}="${escaped(value)}"`).join('')}>${content
    .map((part) => (typeof part === 'string' ? part : markup(part)))
    .join('')}</${name}>`
const document = (nodes: Node[]) =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:h="http://www.w3.org/1999/xhtml" xmlns:x="urn:x" viewBox="0 0 9 9">${nodes
    .map(markup)
    .join('')}<path d="M0 0h9"/></svg>`

/** Ways in which CSS and presentation attributes name another place, or hide that they do. */
const leadsElsewhere = /url\s*\(\s*["']?(?!#)|image-set|expression|behavio|@|\\/i
/** Attributes in which a browser reads no address. */
const namesAndNumbers = ['id', 'class', 'd', 'points']

/**
 * The parts that a browser would run or load, judged without the sanitizer's own lists; undefined if there is nothing.
 */
function dangerIn(drawing: string): string | undefined {
  let danger: string | undefined
  let inStyle = false
  const parser = new SaxesParser({ xmlns: true })
  parser.on('error', (error) => (danger ??= `not well-formed: ${error.message}`))
  parser.on('opentag', ({ local, uri, attributes: given }) => {
    inStyle = local === 'style'
    if (uri !== 'http://www.w3.org/2000/svg') danger ??= `namespace ${uri}`
    if (/^(?:script|foreignobject|iframe|animate.*|set|handler|feimage|filter|a)$/i.test(local)) danger ??= local
    for (const { local: name, value } of Object.values(given)) {
      if (/^on/i.test(name) || ['src', 'base', 'formaction'].includes(name)) danger ??= name
      if (name === 'href' && !value.startsWith('#')) danger ??= `href ${value}`
      if (!namesAndNumbers.includes(name) && leadsElsewhere.test(value)) danger ??= `${name} ${value}`
    }
  })
  parser.on('closetag', () => (inStyle = false))
  const checkText = (text: string) => {
    if (inStyle && (text.includes('<') || leadsElsewhere.test(text))) danger ??= `style ${text}`
  }
  parser.on('text', checkText)
  parser.on('cdata', checkText)
  parser.on('processinginstruction', ({ target }) => (danger ??= `instruction ${target}`))
  parser.on('doctype', () => (danger ??= 'doctype'))
  parser.write(drawing).close()
  return danger
}

test('no drawing of hostile parts keeps anything that runs or loads, and a sanitized one stays as it is', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(tree, { minLength: 1, maxLength: 4 }), async (nodes) => {
      const first = await plainDrawing(new Blob([document(nodes)]))
      if ('fault' in first) return
      assert.equal(dangerIn(first.drawing), undefined, first.drawing)
      const second = await plainDrawing(new Blob([first.drawing]))
      assert.ok('drawing' in second, JSON.stringify(second))
      assert.equal(second.drawing, first.drawing)
    }),
    { numRuns: 500 },
  )
})

test('the judge of these drawings recognises what must not pass', () => {
  const around = (inner: string) => `<svg xmlns="http://www.w3.org/2000/svg">${inner}</svg>`
  for (const inner of [
    '<script/>',
    '<rect onload="x()"/>',
    '<use href="https://evil.example/a"/>',
    '<style>@import "a"</style>',
    '<rect fill="url(//evil.example)"/>',
    '<a/>',
    '<h:p xmlns:h="http://www.w3.org/1999/xhtml"/>',
  ])
    assert.notEqual(dangerIn(around(inner)), undefined, inner)
  assert.equal(dangerIn(around('<g><path d="M0 0"/></g>')), undefined)
})
