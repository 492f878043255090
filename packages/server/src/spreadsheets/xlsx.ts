import type { Writable } from 'node:stream'
import { Transform } from 'node:stream'
import { ZipFile } from 'yazl'
import { wallTime } from '@caretaker/rules/calendar/days.ts'
import type { Cell, Row, Table } from './table.ts'

export const xlsxType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packaged = 'http://schemas.openxmlformats.org/package/2006'
const kinds = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Most characters that a cell holds. */
const longestCell = 32_767
/** Rows that are looked at for the widths of the columns, which stand before all rows in the file. */
const measuredRows = 1000
/** In characters: a longer text is cut, or runs over an empty cell beside it. */
const widestColumn = 60

/** Rows as an Excel workbook of one sheet. */
export function xlsxTable(name: string, columns: number, zone: string): Table {
  const { sheets, bytes } = xlsxWorkbook([{ name, columns }], zone)
  return { rows: sheets[0]!, bytes }
}

/**
 * Rows as an Excel workbook, written as they come, one sheet after the other and each ended before the next: the first row of
 * a sheet is bold, stays in sight and filters, its columns are as wide as what the first thousand rows have in them.
 */
export function xlsxWorkbook(wanted: readonly { name: string; columns: number }[], zone: string) {
  const zip = new ZipFile()
  const names = wanted.map(({ name }) => name)
  for (const [path, text] of Object.entries(parts(names))) zip.addBuffer(Buffer.from(declaration + text), path)
  const sheets = wanted.map(({ columns }, at): Writable => {
    const sheet = sheetOf(columns, zone)
    zip.addReadStream(sheet, `xl/worksheets/sheet${at + 1}.xml`)
    return sheet
  })
  zip.end()
  return { sheets, bytes: zip.outputStream as Transform }
}

/** The rows of one sheet as XML. */
function sheetOf(columns: number, zone: string): Transform {
  let row = 0
  const written = (rows: readonly Row[]) => rows.map((cells) => rowXml(cells, ++row, zone)).join('')
  let measured: Row[] | undefined = []
  const begun = () => {
    const first = measured ?? []
    measured = undefined
    return sheetHead(first, columns) + written(first)
  }
  return new Transform({
    writableObjectMode: true,
    writableHighWaterMark: 1,
    transform: (rows: readonly Row[], _encoding, done) => {
      if (!measured) return done(null, written(rows))
      measured.push(...rows)
      done(null, measured.length < measuredRows ? undefined : begun())
    },
    flush: (done) => {
      const last = measured ? begun() : ''
      const all = `A1:${columnName(columns - 1)}${Math.max(row, 1)}`
      done(null, `${last}</sheetData><autoFilter ref="${all}"/></worksheet>`)
    },
  })
}

/** Everything of a sheet that stands before its rows. */
function sheetHead(rows: readonly Row[], columns: number): string {
  const widths = Array.from({ length: columns }, (_, at) =>
    // The heading is bold and has the button of the filter beside it.
    Math.max(...rows.map((cells, row) => charactersOf(cells[at] ?? null) + (row === 0 ? 4 : 2)), 6),
  )
  const cols = widths.map(
    (width, at) => `<col min="${at + 1}" max="${at + 1}" width="${Math.min(width, widestColumn)}" customWidth="1"/>`,
  )
  return `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2"
    activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${cols.join('')}</cols><sheetData>`
}

/** How long a cell is on the screen. */
function charactersOf(cell: Cell): number {
  if (cell === null) return 0
  if (typeof cell === 'string') return Math.max(...cell.split('\n').map((line) => line.length))
  if (cell instanceof Date) return 'dd/mm/yyyy hh:mm'.length
  return typeof cell === 'object' ? 'dd/mm/yyyy'.length : String(cell).length
}

/** Which of the formats of `parts` a cell has; texts and numbers have none. */
const styles = { heading: 1, instant: 2, day: 3 }

function rowXml(cells: Row, row: number, zone: string): string {
  const heading = row === 1
  const texts = cells.map((cell, at) => cellXml(cell, `${columnName(at)}${row}`, zone, heading))
  return `<row r="${row}">${texts.join('')}</row>`
}

function cellXml(cell: Cell, place: string, zone: string, heading: boolean): string {
  if (cell === null || cell === '') return ''
  if (typeof cell === 'boolean') return `<c r="${place}" t="b"><v>${cell ? 1 : 0}</v></c>`
  if (typeof cell === 'number') return numberXml(cell, place)
  if (cell instanceof Date) return numberXml(serialOf(wallTime(+cell, zone)), place, styles.instant)
  if (typeof cell === 'object') return numberXml(serialOf(Date.parse(cell.day)), place, styles.day)
  const style = heading ? ` s="${styles.heading}"` : ''
  return `<c r="${place}"${style} t="inlineStr"><is><t xml:space="preserve">${asXml(cell)}</t></is></c>`
}

function numberXml(value: number, place: string, style?: number): string {
  return Number.isFinite(value) ? `<c r="${place}"${style ? ` s="${style}"` : ''}><v>${value}</v></c>` : ''
}

/** Days since the end of 1899, as spreadsheets count them; they know no zones. */
const serialOf = (wall: number) => wall / 86_400_000 + 25_569

/** 0 is A, 25 is Z, 26 is AA. */
function columnName(at: number): string {
  const letter = String.fromCharCode(65 + (at % 26))
  return at < 26 ? letter : columnName(Math.floor(at / 26) - 1) + letter
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** A text for XML; what it cannot hold is left out, and what Excel would take for its own escape is escaped. */
function asXml(text: string): string {
  return (
    text
      .slice(0, longestCell)
      .toWellFormed()
      .replaceAll(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
      // oxlint-disable-next-line no-control-regex -- control characters are what is left out
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
      .replaceAll(/[&<>"]/g, (sign) => entities[sign]!)
  )
}

/** Everything of a workbook but its sheets. */
function parts(names: readonly string[]): Record<string, string> {
  const sheetName = (name: string) => asXml(name.replaceAll(/[[\]:*?/\\]/g, ' ').slice(0, 31))
  const each = (text: (number: number, name: string) => string) => names.map((name, at) => text(at + 1, name)).join('')
  return {
    '[Content_Types].xml': `<Types xmlns="${packaged}/content-types">
      <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
      <Default Extension="xml" ContentType="application/xml"/>
      <Override PartName="/xl/workbook.xml" ContentType="${kinds}.sheet.main+xml"/>
      ${each((number) => `<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="${kinds}.worksheet+xml"/>`)}
      <Override PartName="/xl/styles.xml" ContentType="${kinds}.styles+xml"/></Types>`,
    '_rels/.rels': `<Relationships xmlns="${packaged}/relationships">
      <Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>
      ${each((number, name) => `<sheet name="${sheetName(name)}" sheetId="${number}" r:id="rId${number}"/>`)}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packaged}/relationships">
      ${each((number) => `<Relationship Id="rId${number}" Type="${relations}/worksheet" Target="worksheets/sheet${number}.xml"/>`)}
      <Relationship Id="rId${names.length + 1}" Type="${relations}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${main}">
      <numFmts count="2"><numFmt numFmtId="164" formatCode="dd/mm/yyyy hh:mm"/>
        <numFmt numFmtId="165" formatCode="dd/mm/yyyy"/></numFmts>
      <fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>
        <font><b/><sz val="11"/><name val="Calibri"/></font></fonts>
      <fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>
      <borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>
      <cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
      <cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>
        <xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>
        <xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>
        <xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`,
  }
}
