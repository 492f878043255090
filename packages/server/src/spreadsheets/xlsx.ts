import type { Writable } from 'node:stream'
import { Transform } from 'node:stream'
import { ZipFile } from 'yazl'
import { localTime } from '@caretaker/rules/calendar/days.ts'
import { withoutFormula } from '@caretaker/rules/files/csv.ts'
import type { Cell, Row, Table } from './table.ts'
import { dayIn } from './table.ts'

export const xlsxType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packaged = 'http://schemas.openxmlformats.org/package/2006'
const kinds = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

const drawn = 'application/vnd.openxmlformats-officedocument.drawing'
const drawing = 'http://schemas.openxmlformats.org/drawingml/2006'

/** Maximum characters in a cell. */
const longestCell = 32_767
/** Rows measured for the column widths, which come before all rows in the file. */
const measuredRows = 1000
/** In characters: a longer text is cut off, or overflows into an empty cell next to it. */
const widestColumn = 60

/** A sheet of a workbook. */
export interface Sheet {
  name: string
  columns: number
  /** Shown first, whenever its rows are written. */
  isFirst?: boolean
  /** A bar chart of a range of rows, counted from 1: names from the first column, values from the second. */
  chart?: { title: string; from: number; to: number }
}

/** Rows as an Excel workbook of one sheet. */
export function xlsxTable(name: string, columns: number, zone: string): Table {
  const { sheets, bytes } = xlsxWorkbook([{ name, columns }], zone)
  return { rows: sheets[0]!, bytes }
}

/**
 * Rows as an Excel workbook, written as they arrive, sheet by sheet. The first row of a sheet is bold, frozen and has
 * filters; column widths fit the first thousand rows.
 */
export function xlsxWorkbook(wanted: readonly Sheet[], zone: string) {
  const zip = new ZipFile()
  for (const [path, text] of Object.entries({ ...parts(wanted), ...chartParts(wanted) }))
    zip.addBuffer(Buffer.from(declaration + text), path)
  const sheets = wanted.map((one, at): Writable => {
    const sheet = sheetOf(one, zone)
    zip.addReadStream(sheet, `xl/worksheets/sheet${at + 1}.xml`)
    return sheet
  })
  zip.end()
  return { sheets, bytes: zip.outputStream as Transform }
}

/** The rows of one sheet as XML. */
function sheetOf({ columns, chart }: Sheet, zone: string): Transform {
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
      // A summary is not a list and has no filters.
      const after = chart ? `<drawing r:id="rId1"/>` : `<autoFilter ref="${all}"/>`
      done(null, `${last}</sheetData>${after}</worksheet>`)
    },
  })
}

/** The part of a sheet before its rows. */
function sheetHead(rows: readonly Row[], columns: number): string {
  const widths = Array.from({ length: columns }, (_, at) =>
    // The header is bold and has a filter button.
    Math.max(...rows.map((cells, row) => charactersOf(cells[at] ?? null) + (row === 0 ? 4 : 2)), 6),
  )
  const cols = widths.map(
    (width, at) => `<col min="${at + 1}" max="${at + 1}" width="${Math.min(width, widestColumn)}" customWidth="1"/>`,
  )
  return `${declaration}<worksheet xmlns="${main}" xmlns:r="${relations}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2"
    activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${cols.join('')}</cols><sheetData>`
}

/** The displayed length of a cell. */
function charactersOf(cell: Cell): number {
  if (cell === null) return 0
  if (typeof cell === 'string') return Math.max(...cell.split('\n').map((line) => line.length))
  if (cell instanceof Date) return 'dd/mm/yyyy hh:mm'.length
  return typeof cell === 'object' ? 'dd/mm/yyyy'.length : String(cell).length
}

/** A cell's format (see `parts`); texts and numbers have none. */
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
  if (cell instanceof Date) return numberXml(serialOf(localTime(+cell, zone)), place, styles.instant)
  if (typeof cell === 'object') return numberXml(serialOf(Date.parse(dayIn(cell, zone))), place, styles.day)
  const style = heading ? ` s="${styles.heading}"` : ''
  return `<c r="${place}"${style} t="inlineStr"><is><t xml:space="preserve">${asXml(guarded(cell))}</t></is></c>`
}

/**
 * A text in a workbook is not a formula and needs no apostrophe. One that already starts with an apostrophe gets
 * another, because an import removes one: people save CSV files as workbooks.
 */
const guarded = (text: string) => (text.startsWith("'") ? withoutFormula(text) : text)

function numberXml(value: number, place: string, style?: number): string {
  return Number.isFinite(value) ? `<c r="${place}"${style ? ` s="${style}"` : ''}><v>${value}</v></c>` : ''
}

/** Days since the end of 1899, as in spreadsheets, without time zones. */
const serialOf = (localTime: number) => localTime / 86_400_000 + 25_569

/** 0 is A, 25 is Z, 26 is AA. */
function columnName(at: number): string {
  const letter = String.fromCharCode(65 + (at % 26))
  return at < 26 ? letter : columnName(Math.floor(at / 26) - 1) + letter
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/**
 * A text for XML: characters that it cannot contain are left out, and text that looks like an Excel escape is
 * escaped.
 */
function asXml(text: string): string {
  return (
    text
      .slice(0, longestCell)
      .toWellFormed()
      .replaceAll(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
      // oxlint-disable-next-line no-control-regex -- control characters are left out
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
      .replaceAll(/[&<>"]/g, (sign) => entities[sign]!)
  )
}

const sheetName = (name: string) => asXml(name.replaceAll(/[[\]:*?/\\]/g, ' ').slice(0, 31))

/** All parts of a workbook except its sheets and their drawings. */
function parts(wanted: readonly Sheet[]): Record<string, string> {
  const numbered = wanted.map((sheet, at) => ({ ...sheet, number: at + 1 }))
  const each = (text: (number: number, sheet: Sheet) => string) =>
    numbered.map((sheet) => text(sheet.number, sheet)).join('')
  const inSight = numbered.toSorted((a, b) => Number(b.isFirst ?? false) - Number(a.isFirst ?? false))
  return {
    '[Content_Types].xml': `<Types xmlns="${packaged}/content-types">
      <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
      <Default Extension="xml" ContentType="application/xml"/>
      <Override PartName="/xl/workbook.xml" ContentType="${kinds}.sheet.main+xml"/>
      ${each((number) => `<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="${kinds}.worksheet+xml"/>`)}
      ${each((number, { chart }) =>
        chart
          ? `<Override PartName="/xl/drawings/drawing${number}.xml" ContentType="${drawn}.drawing+xml"/>
      <Override PartName="/xl/charts/chart${number}.xml" ContentType="${drawn}ml.chart+xml"/>`
          : '',
      )}
      <Override PartName="/xl/styles.xml" ContentType="${kinds}.styles+xml"/></Types>`,
    '_rels/.rels': `<Relationships xmlns="${packaged}/relationships">
      <Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>
      ${inSight.map(({ number, name }) => `<sheet name="${sheetName(name)}" sheetId="${number}" r:id="rId${number}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packaged}/relationships">
      ${each((number) => `<Relationship Id="rId${number}" Type="${relations}/worksheet" Target="worksheets/sheet${number}.xml"/>`)}
      <Relationship Id="rId${wanted.length + 1}" Type="${relations}/styles" Target="styles.xml"/></Relationships>`,
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

/** Charts, each drawn next to the rows that it shows (ECMA-376, parts 20.5 and 21.2). */
function chartParts(wanted: readonly Sheet[]): Record<string, string> {
  const link = (type: string, target: string) => `<Relationships xmlns="${packaged}/relationships">
    <Relationship Id="rId1" Type="${relations}/${type}" Target="${target}"/></Relationships>`
  return Object.assign(
    {},
    ...wanted.map(({ name, columns, chart }, at) => {
      const number = at + 1
      if (!chart) return {}
      return {
        [`xl/worksheets/_rels/sheet${number}.xml.rels`]: link('drawing', `../drawings/drawing${number}.xml`),
        [`xl/drawings/_rels/drawing${number}.xml.rels`]: link('chart', `../charts/chart${number}.xml`),
        [`xl/drawings/drawing${number}.xml`]: anchorXml(columns + 1, chart.title),
        [`xl/charts/chart${number}.xml`]: barsXml(sheetName(name), chart),
      }
    }),
  )
}

const anchorXml = (column: number, title: string) => `<xdr:wsDr xmlns:xdr="${drawing}/spreadsheetDrawing"
  xmlns:a="${drawing}/main" xmlns:r="${relations}"><xdr:twoCellAnchor>
  <xdr:from><xdr:col>${column}</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>1</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:from>
  <xdr:to><xdr:col>${column + 8}</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>19</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:to>
  <xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="2" name="Chart" descr="${asXml(title)}"/><xdr:cNvGraphicFramePr/>
  </xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic>
  <a:graphicData uri="${drawing}/chart"><c:chart xmlns:c="${drawing}/chart" r:id="rId1"/></a:graphicData></a:graphic>
  </xdr:graphicFrame><xdr:clientData/></xdr:twoCellAnchor></xdr:wsDr>`

function barsXml(sheet: string, { title, from, to }: NonNullable<Sheet['chart']>): string {
  const cells = (column: string) => `<c:f>'${sheet}'!$${column}$${from}:$${column}$${to}</c:f>`
  const axis = (kind: 'cat' | 'val', id: number, other: number, more: string) =>
    `<c:${kind}Ax><c:axId val="${id}"/><c:scaling><c:orientation val="minMax"/></c:scaling><c:delete val="0"/>
    <c:axPos val="${kind === 'cat' ? 'b' : 'l'}"/>${more}<c:crossAx val="${other}"/></c:${kind}Ax>`
  return `<c:chartSpace xmlns:c="${drawing}/chart" xmlns:a="${drawing}/main" xmlns:r="${relations}"><c:chart>
    <c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:rPr lang="en-GB"/><a:t>${asXml(title)}</a:t></a:r></a:p></c:rich></c:tx>
    <c:overlay val="0"/></c:title><c:autoTitleDeleted val="0"/><c:plotArea><c:layout/>
    <c:barChart><c:barDir val="col"/><c:grouping val="clustered"/><c:varyColors val="0"/>
    <c:ser><c:idx val="0"/><c:order val="0"/><c:cat><c:strRef>${cells('A')}</c:strRef></c:cat>
    <c:val><c:numRef>${cells('B')}</c:numRef></c:val></c:ser><c:axId val="1"/><c:axId val="2"/></c:barChart>
    ${axis('cat', 1, 2, '')}${axis('val', 2, 1, '<c:majorGridlines/><c:numFmt formatCode="General" sourceLinked="0"/>')}
    </c:plotArea><c:plotVisOnly val="1"/></c:chart></c:chartSpace>`
}
