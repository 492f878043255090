import { mostAddedAtOnce } from '@caretaker/rules/connections/connections.ts'

export interface ImportRow {
  deviceKey: string
  maker: string
  model: string
  propertyReference: string
  room: string
  name?: string
}

/** The columns of a row, in order; the last one may be missing. */
export const importColumns = ['DevEUI', 'Maker', 'Model', 'Property reference', 'Room', 'Name'] as const

/**
 * The rows of a pasted list: one sensor per line, with commas, semicolons or tabs between the values; a heading line is
 * skipped.
 */
export function readImportRows(text: string): { rows: ImportRow[]; faults: string[] } {
  const lines = text.split(/\r?\n/).map((line, at) => ({ line: line.trim(), number: at + 1 }))
  const rows: ImportRow[] = []
  const faults: string[] = []
  for (const { line, number } of lines.filter(({ line }) => line !== '')) {
    const cells = line
      .split(line.includes('\t') ? '\t' : line.includes(';') ? ';' : ',')
      .map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'))
    if (number === 1 && /^(dev ?eui|device ?key|address)$/i.test(cells[0] ?? '')) continue
    const [deviceKey = '', maker = '', model = '', propertyReference = '', room = '', name = ''] = cells
    const missing = importColumns.filter((column, at) => column !== 'Name' && !cells[at])
    if (missing.length > 0) faults.push(`Line ${number}: ${missing.join(', ')} missing`)
    else if (cells.length > importColumns.length)
      faults.push(`Line ${number}: more than ${importColumns.length} columns`)
    else rows.push({ deviceKey, maker, model, propertyReference, room, ...(name && { name }) })
  }
  if (rows.length > mostAddedAtOnce) faults.push(`At most ${mostAddedAtOnce} sensors can be imported at once.`)
  return { rows, faults }
}
