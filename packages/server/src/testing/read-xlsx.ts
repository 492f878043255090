import assert from 'node:assert/strict'
import { strFromU8, unzipSync } from 'fflate'

/** A value as displayed by a spreadsheet program, from its type and format; dates count from the end of 1899. */
function shown(value: string, type: string | undefined, format: string | undefined): string {
  if (type === 'inlineStr') return value
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE'
  if (!format) return value
  const [day, time] = new Date(Math.round((Number(value) - 25_569) * 86_400_000)).toISOString().split(/[T.]/)
  const [year, month, date] = day!.split('-')
  return format.replace('dd/mm/yyyy', `${date}/${month}/${year}`).replace('hh:mm', time!.slice(0, 5))
}

/** The cells of a sheet of a workbook (default: the first) as displayed by a spreadsheet program. */
export function readXlsx(bytes: Buffer, sheet = 1): { name: string; rows: string[][] } {
  const files = unzipSync(bytes)
  const part = (path: string) => strFromU8(files[path]!)
  assert.ok(part('[Content_Types].xml').includes(`worksheets/sheet${sheet}.xml`))
  const text = (xml: string) =>
    xml
      .replaceAll(/&(lt|gt|quot|amp);/g, (_, name: string) => ({ lt: '<', gt: '>', quot: '"', amp: '&' })[name]!)
      .replaceAll(/_x([0-9A-F]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  const codes = new Map(
    [...part('xl/styles.xml').matchAll(/numFmtId="(\d+)" formatCode="(.*?)"/g)].map(([, id, code]) => [id, code]),
  )
  const [cellFormats] = /<cellXfs.*<\/cellXfs>/s.exec(part('xl/styles.xml'))!
  const formats = [...cellFormats.matchAll(/<xf numFmtId="(\d+)"/g)].map(([, id]) => codes.get(id))
  const rows = [...part(`xl/worksheets/sheet${sheet}.xml`).matchAll(/<row r="(\d+)">(.*?)<\/row>/gs)].map(
    ([, , row]) => {
      const cells: string[] = []
      for (const [, column, style, type, value] of row!.matchAll(
        /<c r="([A-Z]+)\d+"(?: s="(\d)")?(?: t="(\w+)")?>(?:<v>|<is><t xml:space="preserve">)(.*?)</gs,
      ))
        cells[[...column!].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1] = shown(
          text(value!),
          type,
          style && formats[Number(style)],
        )
      return Array.from(cells, (cell) => cell ?? '')
    },
  )
  return { name: /<sheet name="([^"]*)"/.exec(part('xl/workbook.xml'))![1]!, rows }
}
