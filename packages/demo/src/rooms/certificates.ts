import { pngOf } from './png.ts'

/** A one-page PDF with lines of text, the first in large type; uncompressed, so that tests can read it. */
export function pdfPage(title: string, lines: readonly string[]): Buffer<ArrayBuffer> {
  const shown = (text: string) => `(${text.replaceAll(/[\\()]/g, String.raw`\$&`)}) Tj`
  const content = [
    'BT /F1 20 Tf 56 770 Td',
    shown(title),
    '/F1 11 Tf 0 -40 Td 18 TL',
    ...lines.map((line) => `${shown(line)} T*`),
    'ET',
    '0.6 w 40 752 m 555 752 l S 40 40 515 762 re S',
  ].join('\n')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 5 0 R >> >> /Contents 4 0 R >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let text = '%PDF-1.4\n'
  const places = objects.map((object, at) => {
    const place = text.length
    text += `${at + 1} 0 obj\n${object}\nendobj\n`
    return place
  })
  const entries = ['0000000000 65535 f ', ...places.map((place) => `${String(place).padStart(10, '0')} 00000 n `)]
  const end = `xref\n0 ${entries.length}\n${entries.join('\n')}\ntrailer\n<< /Size ${entries.length} /Root 1 0 R >>\n`
  return Buffer.from(`${text}${end}startxref\n${text.length}\n%%EOF\n`, 'latin1')
}

/** A photograph of a test strip, drawn as coloured fields: 240 by 160 pixels. */
export function stripPhoto(colour: readonly [number, number, number]): Buffer<ArrayBuffer> {
  return pngOf(240, 160, (x, y) => {
    if (y < 40 || y > 120 || x < 20 || x > 220) return [214, 217, 222]
    const field = Math.floor((x - 20) / 40)
    const [red, green, blue] = colour.map((part) => Math.min(255, part + field * 22))
    return (x - 20) % 40 < 4 ? [250, 250, 247] : [red!, green!, blue!]
  })
}
