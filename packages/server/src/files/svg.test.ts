import assert from 'node:assert/strict'
import { test } from 'vitest'
import { png } from '../testing/certificate-files.ts'
import { pngOf } from '../testing/photos.ts'
import { plainPhoto } from './photo.ts'
import { plainDrawing } from './svg.ts'

const dataAddress = (type: string, content: Uint8Array) =>
  `data:image/${type};base64,${Buffer.from(content).toString('base64')}`

/** With a line at its end, because a drawing with nothing left is rejected. */
const svg = (inner: string, more = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9"${more}>${inner}<line/></svg>`
const plain = async (content: string | Uint8Array<ArrayBuffer>) => {
  const read = await plainDrawing(new Blob([content]))
  assert.ok('drawing' in read, JSON.stringify(read))
  return read.drawing
    .replace('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">', '')
    .replace(/<line><\/line><\/svg>$/, '')
}
const fault = async (content: string | Uint8Array<ArrayBuffer>) => {
  const read = await plainDrawing(new Blob([content]))
  assert.ok('fault' in read, 'it was taken')
  return read.fault
}

test('drawing elements stay unchanged', async () => {
  const drawings = [
    '<g id="walls" transform="rotate(3)"><path d="M0 0h9v9z" fill="none" stroke="#123"></path></g>',
    '<defs><linearGradient id="a"><stop offset="1" stop-color="red"></stop></linearGradient></defs><rect fill="url(#a)"></rect>',
    '<symbol id="door"><line x1="1" y2="2"></line></symbol><use href="#door" x="1"></use>',
    '<text x="1">Stairs &amp; <tspan>lift &lt;2&gt;</tspan></text>',
    '<style>.wall{stroke:#000}</style>',
    `<image href="${dataAddress('png', png)}"></image>`,
  ]
  for (const drawing of drawings) assert.equal(await plain(svg(drawing)), drawing)
  const declared = `<?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd"><!-- by hand -->`
  assert.equal(await plain(declared + svg('<rect/>')), '<rect></rect>')
})

test('anything that runs, loads or links elsewhere is removed, and the rest stays', async () => {
  const cases: [string, string][] = [
    ['<script>alert(1)</script><rect/>', '<rect></rect>'],
    ['<svg:script xmlns:svg="http://www.w3.org/2000/svg">alert(1)</svg:script>', ''],
    ['<rect onclick="alert(1)" onload="x()" fill="red"/>', '<rect fill="red"></rect>'],
    ['<foreignObject><div xmlns="http://www.w3.org/1999/xhtml"><img src="x"/></div></foreignObject>', ''],
    ['<foreignObject><path d="M0"/></foreignObject>', ''],
    ['<a xlink:href="javascript:alert(1)"><rect/></a>', '<g><rect></rect></g>'],
    ['<use xlink:href="file:///etc/passwd#a"/><use href="https://host.example/a.svg#b"/>', '<use></use><use></use>'],
    ['<image xlink:href="http://host.example/a.png" width="3"/>', '<image width="3"></image>'],
    ['<image href="data:image/svg+xml;base64,PHN2Zz4="/>', '<image></image>'],
    ['<image href="data:image/png;base64,iVBORw0KGgo="/>', '<image></image>'],
    [`<image href="${dataAddress('gif', Buffer.from('<html>not a picture'))}"/>`, '<image></image>'],
    [
      `<image href="${dataAddress('gif', pngOf([], 'GPS-POSITION'))}"/>`,
      `<image href="${dataAddress('png', plainPhoto(pngOf([], 'GPS-POSITION'), 'image/png')!.content)}"></image>`,
    ],
    [
      '<rect style="fill:url(http://host.example/a)"/><rect fill="url(//host.example/a#b)"/>',
      '<rect></rect><rect></rect>',
    ],
    ['<rect style="fill:u\\72l(http://host.example/a)"/>', '<rect></rect>'],
    ['<style>@import url(http://host.example/a.css);</style>', '<style></style>'],
    ['<style>.a{fill:url(http<!-- -->://host.example)}</style>', '<style>.a{}</style>'],
    ['<style><![CDATA[.a{background:url(x)}.b{fill:red}]]></style>', '<style>.a{}.b{fill:red}</style>'],
    ['<animate attributeName="href" to="javascript:alert(1)"/><set attributeName="onclick" to="x"/>', ''],
    ['<iframe src="x"/><audio/><metadata>me</metadata>loose text', ''],
    ['<rect data-x="1" inkscape:label="x" xmlns:inkscape="http://inkscape.example"/>', '<rect></rect>'],
    ['<handler type="x"/><script xlink:href="a.js"/><?xml-stylesheet href="http://host.example/a.css"?>', ''],
  ]
  for (const [given, kept] of cases) assert.equal(await plain(svg(given)), kept, given)
})

test('pictures in a drawing share a pixel limit, by their content instead of their declared type', async () => {
  const large = pngOf([], '', [9000, 9000])
  assert.match(await plain(svg(`<image href="${dataAddress('png', large)}"/>`)), /^<image href="data:image\/png/)
  const image = (type: string) => `<image href="${dataAddress(type, large)}"/>`
  assert.match(await fault(svg(image('png') + image('gif'))), /more than 100 million pixels/)
  const moving = Buffer.from('GIF89a\xff\xff\xff\xff\0\0\0;', 'latin1')
  assert.match(await fault(svg(`<image href="${dataAddress('gif', moving)}"/>`)), /more than 100 million pixels/)
})

test('a drawing without a viewBox gets one of its size', async () => {
  const read = await plainDrawing(
    new Blob(['<svg xmlns="http://www.w3.org/2000/svg" width="40px" height="20"><line/></svg>']),
  )
  assert.deepEqual(read, {
    drawing: '<svg xmlns="http://www.w3.org/2000/svg" width="40px" height="20" viewBox="0 0 40 20"><line></line></svg>',
    frame: { width: 40, height: 20 },
    leftOut: [],
  })
})

test('the size of a drawing is that of its viewBox, if that is usable', async () => {
  const frameOf = async (attributes: string) => {
    const read = await plainDrawing(
      new Blob([`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}><svg/><line/></svg>`]),
    )
    return 'frame' in read ? read.frame : assert.fail(read.fault)
  }
  assert.deepEqual(await frameOf('viewBox=" -5,-5 400 200 " width="9" height="9"'), { width: 400, height: 200 })
  for (const none of ['', 'width="100%" height="100%"', 'viewBox="0 0 400"', 'viewBox="0 0 0 9"', 'viewBox="a b c d"'])
    assert.equal(await frameOf(none), undefined, none)
})

test('a drawing with entities, a truncated or differently written one, and anything else is rejected with an explanation', async () => {
  const tenfold = (name: string, of: string) => `<!ENTITY ${name} "${`&${of};`.repeat(10)}">`
  const laughs = `<!ENTITY a "ha">${tenfold('b', 'a')}${tenfold('c', 'b')}${tenfold('d', 'c')}${tenfold('e', 'd')}${tenfold('f', 'e')}`
  assert.match(await fault(`<!DOCTYPE svg [${laughs}]>${svg('<text>&f;</text>')}`), /too many parts/)
  const long = `<!DOCTYPE svg [<!ENTITY a "${'ha'.repeat(20_000)}">]>${svg(`<text>${'&a;'.repeat(30)}</text>`)}`
  assert.match(await fault(long), /too many parts/)
  assert.match(await fault(`<!DOCTYPE svg [<!ENTITY a "&b;"><!ENTITY b "&a;">]>${svg('&a;')}`), /too many parts/)
  for (const outside of ['x SYSTEM "file:///etc/passwd"', 'x PUBLIC "-//x" "http://host.example/x"'])
    assert.match(await fault(`<!DOCTYPE svg [<!ENTITY ${outside}>]>${svg('&x;')}`), /entities in another file/)
  const parameter = '<!ENTITY % x SYSTEM "http://host.example/x.dtd"> %x;'
  assert.match(await fault(`<!DOCTYPE svg [${parameter}]>${svg('')}`), /entities in another file/)
  assert.match(await fault(`<!DOCTYPE svg [<!ENTITY % x "y">]>${svg('')}`), /cannot be read/)
  const whole = svg('<rect/><path d="M0 0"/>')
  for (let length = 60; length < whole.length; length += 7)
    assert.match(await fault(whole.slice(0, length)), /not complete|not an SVG/, String(length))
  assert.match(await fault(svg('&nbsp;')), /not a valid SVG/)
  assert.match(await fault(`${whole}<svg/>`), /not a valid SVG/)
  assert.match(await fault(`<?xml version="1.0" encoding="x-own"?>${whole}`), /x-own is not supported/)
  const odd = Buffer.from(`\uFEFF${whole}`, 'utf16le')
  assert.match(await fault(odd.subarray(0, odd.length - 1)), /not in its declared encoding/)
  for (const other of ['<html><svg/></html>', 'hello', '', '{}', '<svg xmlns="http://other.example"/>'])
    assert.match(await fault(other), /not an SVG drawing/, other)
})

test('no drawing can expand beyond the limit when it is opened', async () => {
  assert.match(await fault(svg('<g/>'.repeat(200_000))), /too many parts/)
  assert.match(await fault(svg('<g>'.repeat(500) + '</g>'.repeat(500))), /too many parts/)
  const many = Array.from({ length: 1000 }, (_, at) => `data-${at}="1"`).join(' ')
  assert.match(await fault(svg(`<rect ${many}/>`)), /too many parts/)
  const rest = Array.from(
    { length: 30 },
    (_, at) => `<g id="a${at + 1}">${`<use href="#a${at}"/>`.repeat(2)}</g>`,
  ).join('')
  assert.match(await fault(svg(`<g id="a0"><rect/></g>${rest}`)), /too many parts/)
  assert.match(await fault(svg('<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>')), /too many parts/)
  const pattern = '<pattern id="p0"><rect/></pattern>'
  const patterns = Array.from(
    { length: 20 },
    (_, at) => `<pattern id="p${at + 1}">${`<rect style="fill:url(#p${at})"/>`.repeat(3)}</pattern>`,
  ).join('')
  assert.match(await fault(svg(pattern + patterns)), /too many parts/)
  assert.equal((await plain(svg('<rect/>'.repeat(50_000)))).length, 50_000 * '<rect></rect>'.length)
})

test('entities of inner drawings count towards the limit of the upload', async () => {
  const inner = (entities: string, text: string) =>
    `<image width="9" height="9" href="data:image/svg+xml;base64,${Buffer.from(`<!DOCTYPE svg [${entities}]>${svg(text)}`).toString('base64')}"/>`
  const long = inner(`<!ENTITY a "${'ha'.repeat(20_000)}">`, '<text>&a;&a;</text>')
  assert.match(await plain(svg(long.repeat(9))), /^(?:<image [^>]*><\/image>){9}$/)
  assert.match(await fault(svg(long.repeat(20))), /too many parts/)
  // Even if none of them is used.
  const tenfold = (name: string, of: string) => `<!ENTITY ${name} "${`&${of};`.repeat(10)}">`
  const nested = inner(
    `<!ENTITY a "ha">${tenfold('b', 'a')}${tenfold('c', 'b')}${tenfold('d', 'c')}${tenfold('e', 'd')}`,
    '',
  )
  assert.match(await plain(svg(nested.repeat(9))), /^(?:<image [^>]*><\/image>){9}$/)
  assert.match(await fault(svg(nested.repeat(3000))), /too many parts/)
})

test('the output of a drawing is limited, and so are the pixels of pictures in an inner drawing', async () => {
  // Each character is written as five.
  const address = dataAddress('svg+xml', Buffer.from(svg(`<text><![CDATA[${'&'.repeat(4_000_000)}]]></text>`)))
  assert.match(await fault(svg(`<image href="${address}"/>`)), /larger than 40 MB when its entities/)
  const large = svg(`<image href="${dataAddress('png', pngOf([], '', [9000, 9000]))}"/>`.repeat(2))
  assert.match(
    await fault(svg(`<image href="${dataAddress('svg+xml', Buffer.from(large))}"/>`)),
    /more than 100 million pixels/,
  )
})

test('drawings made to be slow are read quickly', async () => {
  const million = 1_000_000
  const drawings: Record<string, string> = {
    'a document type': `<!DOCTYPE svg ${'['.repeat(million)}>${svg('')}`,
    'a comment in it': `<!DOCTYPE svg [${'<!-- -->'.repeat(million / 8)}]>${svg('')}`,
    'a style': svg(`<rect style="fill:${'('.repeat(million)}"/>`),
    'a style sheet': svg(`<style>a{fill:${'('.repeat(million)}</style>`),
    references: svg(`<rect fill="${'url(#a'.repeat(million / 6)}"/>`),
    'the address of a file': svg(`<image href="${'?'.repeat(million)}&#10;x"/>`),
    'a length': svg(`<rect x="1${' '.repeat(million)}!"/>`),
  }
  for (const [name, drawing] of Object.entries(drawings)) {
    const start = performance.now()
    await plainDrawing(new Blob([drawing]))
    const milliseconds = performance.now() - start
    assert.ok(milliseconds < 4000, `${name}: ${Math.round(milliseconds)} ms`)
  }
})
