import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { test } from 'vitest'
import { leftOutName } from '@caretaker/rules/drawings/left-out.ts'
import { png } from '../testing/certificate-files.ts'
import { contentTypeOf } from './content-type.ts'
import { plainDrawing } from './svg.ts'

const folder = new URL('../testing/samples/drawings/', import.meta.url)
const sample = (name: string) => new Uint8Array(readFileSync(new URL(name, folder)))
const read = async (content: string | Uint8Array<ArrayBuffer>) => {
  const found = await plainDrawing(new Blob([content]))
  return 'drawing' in found
    ? { ...found, text: found.drawing, leftOut: found.leftOut.map(leftOutName) }
    : assert.fail(found.fault)
}
const fault = async (content: string | Uint8Array<ArrayBuffer>) => {
  const found = await plainDrawing(new Blob([content]))
  return 'fault' in found ? found.fault : assert.fail(found.drawing)
}
const drawing = (inner: string, more = 'viewBox="0 0 400 300"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${more}>${inner}</svg>`
const rectangle = '<rect width="400" height="300" fill="#fff" stroke="#222"/>'

interface Expected {
  has?: RegExp[]
  hasNot?: RegExp[]
  leftOut?: string[]
  frame?: { width: number; height: number }
  refused?: RegExp
}

/** The expected result for each file from other programs. */
const samples: Record<string, Expected> = {
  'visio-style.svg': {
    has: [/\.st2\{fill:#dfefff;stroke:#3366aa/, /marker-end:url\(#mrkr4-1\)/, /id="mrkr4-1"/, /Plant room/],
    hasNot: [/documentProperties/],
    frame: { width: 576, height: 432 },
  },
  'mm-no-viewbox.svg': { has: [/viewBox="0 0 1122\.52 793\.701"/], frame: { width: 1122.52, height: 793.701 } },
  'drawio.svg': {
    has: [/>Corridor</, /href="data:image\/png/],
    hasNot: [/cannot display/, /foreignObject/],
    frame: { width: 401, height: 301 },
  },
  'illustrator-entities.svg': {
    has: [/Level 2/, /stroke-width="10"/],
    hasNot: [/&ns_/],
    frame: { width: 800, height: 600 },
  },
  'plan.svgz': {},
  'latin1.svg': { has: [/>Café</] },
  'linked-picture-only.svg': { refused: /1 linked picture \(C3331D436824319F\.png\).*embed it in the drawing/ },
  'style-comment.svg': { has: [/\.wall\{fill:#fff;stroke:#222;stroke-width:6\}/] },
  'style-smallest.svg': { has: [/\.w\{fill:#fff;stroke:#222\}/, /\.c\{clip-path:url\(#k\)\}/] },
}

test('every drawing of the corpus has its expected result', async () => {
  assert.deepEqual(readdirSync(folder).sort(), Object.keys(samples).sort())
  for (const [name, { has = [], hasNot = [], leftOut = [], frame, refused }] of Object.entries(samples)) {
    if (refused) {
      assert.match(await fault(sample(name)), refused, name)
      continue
    }
    const found = await read(sample(name))
    for (const text of has) assert.match(found.text, text, name)
    for (const text of hasNot) assert.doesNotMatch(found.text, text, name)
    assert.deepEqual(found.leftOut, leftOut, name)
    if (frame) assert.deepEqual(found.frame, frame, name)
  }
})

test('200 ways to write sizes and styles keep the drawing and its frame, and nothing external', async () => {
  const sizes = [
    ...['', 'width="100%" height="100%"', 'width="297mm" height="210mm"', 'width="11in" height="8.5in"'].map(
      (size) => `viewBox="0 0 400 300" ${size}`,
    ),
    'viewBox="0,0,400,300"',
    // Values that browsers ignore.
    ...['viewBox="none"', 'viewBox="0 0 0 0"', 'viewBox=""'].map((box) => `width="400" height="300" ${box}`),
    'width="400" height="300"',
    'width="400px" height="300px"',
    'width="4e2" height="+300.0"',
    'width="105.8333mm" height="79.375mm"',
    'width="10.58333cm" height="7.9375cm"',
    'width="4.166667in" height="3.125in"',
    'width="300pt" height="225pt"',
    'width="25pc" height="18.75pc"',
    'width="100%" height="100%"',
    'width="100%" height="300"',
    'width="0" height="0"',
    '',
  ]
  const outside = 'http://host.example/x'
  const rect = (more: string) => `<rect id="r" width="400" height="300" ${more}/>`
  const sheet = (text: string) => `<style type="text/css">${text}</style>${rect('class="w"')}`
  const styles = [
    rect('stroke="#123456"'),
    rect('style="stroke:#123456"'),
    rect(`style="stroke:#123456; fill:url(${outside}); stroke-width:2"`),
    sheet('.w{stroke:#123456}'),
    sheet('<![CDATA[ .w { stroke : #123456 ; } ]]>'),
    sheet(`/* office@cad.example; } */ @import "${outside}"; .w{stroke:#123456}`),
    sheet(`@font-face{font-family:"CAD";src:url(${outside})} .w{stroke:#123456;font-family:'CAD'}`),
    sheet(`.v{fill:u\\72l(${outside});marker-end:url(#m)} .w{stroke:#123456}`),
    sheet(`@media screen{.w{stroke:#123456;background:image-set("${outside}" 1x)}}`),
    `<!-- --><g style="stroke:#123456">${rect('')}</g>`,
  ]
  assert.equal(sizes.length * styles.length, 200)
  for (const size of sizes)
    for (const style of styles) {
      const title = `${size} ${style}`
      const { text, frame } = await read(drawing(style, size))
      assert.match(text, /stroke(?:=|:)"?#123456/, title)
      assert.doesNotMatch(text, /host\.example/, title)
      // A drawing without any size gets a margin around its content.
      assert.ok(
        frame && Math.abs(frame.width - 408) <= 8.5 && Math.abs(frame.height - 308) <= 8.5,
        `${title} ${JSON.stringify(frame)}`,
      )
      assert.match(text, /viewBox="/, title)
    }
})

test('left-out elements are named, replaced ones are not', async () => {
  const cases: [string, string[]][] = [
    [rectangle, []],
    ['<script>x()</script><rect onclick="x()" width="9" height="9"/>', ['2 scripts']],
    [
      '<image href="C:\\plans\\north%20wing.png?1"/><image href="http://host.example/b.png"/>',
      ['2 linked pictures (north%20wing.png, b.png)'],
    ],
    ['<image href="data:image/tiff;base64,SUkqAA=="/>', ['1 embedded picture (tiff)']],
    ['<foreignObject><p xmlns="http://www.w3.org/1999/xhtml">Lift</p></foreignObject>', ['1 HTML text box']],
    ['<filter id="f"><feGaussianBlur/></filter><g filter="url(#f)"/>', ['1 effect']],
    ['<rect style="filter:drop-shadow(1px 1px red)"/>', ['1 effect']],
    ['<animate/><set/>', ['2 animations']],
    ['<use href="doors.svg#a"/>', ['1 reference to another file (doors.svg#a)']],
    ['<a href="https://host.example/"><line/></a><a href="#top"/>', ['1 link (https://host.example/)']],
    ['<hatch/><meshgradient/>', ['2 unsupported elements (hatch, meshgradient)']],
    ['<style>@font-face{font-family:Virgil;src:url(a.woff2)}</style>', ['1 font (Virgil)']],
    [
      '<style>@import url("a.css");.a{fill:url(b.svg#c)}</style>',
      ['1 style declaration (fill:url(b.svg#c))', '1 reference to another file (a.css)'],
    ],
    ['<rect fill="url(b.svg#c)"/>', ['1 style declaration (fill="url(b.svg#c)")']],
    ['<metadata>me</metadata><e:view xmlns:e="http://editor.example"/><p:x/>', []],
    // A switch shows the first child that can be shown, and loses something only if none can.
    ['<switch><foreignObject/><text>Lift</text></switch>', []],
    ['<switch><foreignObject/><image href="a.png"/></switch>', ['1 linked picture (a.png)', '1 HTML text box']],
    [
      '<switch><g requiredExtensions="http://ns.adobe.com/x"/><g systemLanguage="de"/><text>Lift</text><text>No</text></switch>',
      [],
    ],
  ]
  for (const [given, leftOut] of cases)
    assert.deepEqual((await read(drawing(given + rectangle))).leftOut, leftOut, given)
  const many = (
    await read(drawing(Array.from({ length: 5 }, (_, at) => `<image href="${at}.png"/>`).join('') + rectangle))
  ).leftOut
  assert.deepEqual(many, ['5 linked pictures (0.png, 1.png, 2.png, …)'])
  const { text } = await read(drawing('<switch><foreignObject/><text>Lift</text><text>No</text></switch>'))
  assert.match(text, /<g><text>Lift<\/text><\/g>/)
})

test('a drawing within a drawing is judged once, with the outer one', async () => {
  const inner = `<svg xmlns="http://www.w3.org/2000/svg" width="9mm" height="9mm"><script>x()</script><circle r="9"/><image href="a.png"/></svg>`
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const data = (text: string) => `data:image/svg+xml;base64,${base64(text)}`
  const image = (href: string) => `<image width="9" height="9" xlink:href="${href}"/>`
  for (const href of [
    data(inner),
    `data:image/svg+xml,${encodeURIComponent(inner)}`,
    `data:image/svg+xml;utf8,${encodeURIComponent(inner)}`,
  ]) {
    const { text, leftOut } = await read(drawing(image(href)))
    const [, kept = ''] = /href="data:image\/svg\+xml;base64,([^"]*)"/.exec(text)!
    assert.match(
      Buffer.from(kept, 'base64').toString(),
      /^<svg [^>]*viewBox="0 0 34\.016 34\.016"><circle r="9"><\/circle><image><\/image><\/svg>$/,
    )
    assert.deepEqual(leftOut, ['1 linked picture (a.png)', '1 script'])
  }
  const deep = drawing(image(data(drawing(image(data(inner)) + rectangle))))
  assert.deepEqual((await read(deep)).leftOut, ['1 embedded picture (svg+xml)'])
  for (const none of ['<svg/>', '<html/>', drawing('<g/>'), `<!DOCTYPE svg [<!ENTITY a SYSTEM "b">]>${inner}`])
    assert.deepEqual(
      (await read(drawing(image(data(none)) + rectangle))).leftOut,
      ['1 embedded picture (svg+xml)'],
      none,
    )
  // Its elements count wherever it is used.
  const many = drawing('<g/>'.repeat(5000) + rectangle)
  const uses = '<use href="#a"/>'.repeat(100)
  assert.match(await fault(drawing(`<g id="a">${image(data(many))}</g>${uses}`)), /too many parts/)
})

test('a drawing that shows nothing is rejected with what was left out', async () => {
  assert.equal(await fault(drawing('')), 'The drawing is empty.')
  for (const nothing of [
    '<defs><rect width="9" height="9"/></defs>',
    '<g display="none"><path d="M0 0h9"/></g>',
    '<g style="fill:red;display:none"><path d="M0 0h9"/></g>',
    '<text> </text><title>Level 2</title>',
    '<clipPath id="a"><rect/></clipPath><use href="#b"/>',
  ])
    assert.equal(await fault(drawing(nothing)), 'The drawing is empty.', nothing)
  assert.match(await fault(drawing('<foreignObject/>')), /Left out: 1 HTML text box\. Export text as SVG text/)
  // Shown where it is used.
  await read(drawing('<defs><rect id="a" width="9" height="9"/></defs><use href="#a"/>'))
  await read(drawing('<symbol id="a"><text>A</text></symbol><use href="#a"/>'))
})

test('encodings, compression and picture types are taken from the content', async () => {
  const cafe = (declared: string) =>
    `${declared && `<?xml version="1.0" encoding="${declared}"?>\n`}${drawing(`${rectangle}<text>Café</text>`)}`
  const utf16 = (text: string) => Buffer.from(text, 'utf16le')
  const cases: Record<string, Uint8Array<ArrayBuffer>> = {
    'UTF-16 of Windows': utf16(`\uFEFF${cafe('UTF-16')}`),
    'UTF-16 the other way round': utf16(`\uFEFF${cafe('utf-16')}`).swap16(),
    'UTF-16 without a mark': utf16(cafe('UTF-16')),
    'UTF-8 that says UTF-16': Buffer.from(cafe('utf-16')),
    'UTF-8 with a mark': Buffer.from(`\uFEFF${cafe('UTF-8')}`),
    'Latin-1': Buffer.from(cafe('ISO-8859-1'), 'latin1'),
    'Windows-1252': Buffer.from(cafe('windows-1252'), 'latin1'),
    'a blank line first': Buffer.from(`\r\n${cafe('UTF-8')}`),
    packed: gzipSync(cafe('UTF-8')),
    'packed UTF-16': gzipSync(utf16(`\uFEFF${cafe('UTF-16')}`)),
  }
  for (const [title, content] of Object.entries(cases)) {
    const { text, leftOut } = await read(content)
    assert.match(text, />Café</, title)
    assert.deepEqual(leftOut, [], title)
  }
  for (const declared of ['UTF-8', '']) {
    const { text, leftOut } = await read(Buffer.from(cafe(declared), 'latin1'))
    assert.match(text, />Café</)
    assert.deepEqual(leftOut, ['1 wrong encoding'])
  }
  assert.match(await fault(gzipSync(Buffer.alloc(50_000_000, 32))), /larger than 40 MB when it is unpacked/)
  assert.match(await fault(gzipSync(cafe('')).subarray(0, 80)), /compressed drawing is damaged/)
  const data = Buffer.from(png).toString('base64')
  for (const type of [
    'image/png',
    'image/jpg',
    'image/x-png',
    'img/png',
    '',
    'image/png;charset=utf-8',
    'application/octet-stream',
  ])
    assert.match(
      (await read(drawing(`<image xlink:href="data:${type};base64,${data}"/>`))).text,
      /href="data:image\/png;base64,/,
      type,
    )
  // Links of programs that forget to declare their prefix.
  const undeclared = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect id="a"/><use xlink:href="#a" i:knockout="Off"/></svg>`
  assert.match((await read(undeclared)).text, /<use href="#a">/)
})

test('entities are expanded as text', async () => {
  const declared = (entities: string, inner: string) => `<!DOCTYPE svg [${entities}]>${drawing(`${rectangle}${inner}`)}`
  const style = declared(
    `<!-- "office" --><!ENTITY st0 "fill:none;stroke:&blue;;"><!ENTITY blue '#00f'><!ENTITY st0 "fill:red"><!ATTLIST svg a CDATA #IMPLIED>`,
    '<path d="M0 0h9" style="&st0;"/><text>&blue; &amp; &#233;</text>',
  )
  const { text, leftOut } = await read(style)
  assert.match(text, /<path d="M0 0h9" style="fill:none;stroke:#00f">/)
  assert.match(text, /<text>#00f &amp; é<\/text>/)
  assert.deepEqual(leftOut, [])
  const held = await read(declared(`<!ENTITY door "<script>x()</script>">`, '<g>&door;</g>'))
  assert.doesNotMatch(held.text, /script/)
  assert.deepEqual(held.leftOut, ['1 XML entity that contains drawing elements (door)'])
})

test('a file is a drawing if its first element is, in any encoding', async () => {
  for (const name of ['visio-style.svg', 'latin1.svg', 'drawio.svg'])
    assert.equal(await contentTypeOf(new Blob([sample(name)])), 'image/svg+xml', name)
  assert.equal(await contentTypeOf(new Blob([Buffer.from(`\uFEFF${drawing(rectangle)}`, 'utf16le')])), 'image/svg+xml')
  assert.equal(await contentTypeOf(new Blob(['<!DOCTYPE html><!-- <svg --><html><svg/></html>'])), undefined)
})
