import type { Encoding } from '@caretaker/rules/imports/cells.ts'
import type { OpenFile } from './open-file.ts'
import { readText } from './read-text.ts'
import { readWorkbook } from './read-workbook.ts'
import { UnreadableFile } from './unreadable.ts'

/**
 * Opens an Excel workbook or a text file by its content, whatever its name; a text file in the chosen encoding.
 * Throws `UnreadableFile`.
 */
export async function openFile(bytes: Buffer, encoding: Encoding | null = null): Promise<OpenFile> {
  if (bytes.length === 0) throw new UnreadableFile('empty')
  if (bytes.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004'))) return readWorkbook(bytes)
  // The format of Excel before 2007, and of newer encrypted workbooks.
  if (bytes.subarray(0, 4).equals(Buffer.from([0xd0, 0xcf, 0x11, 0xe0]))) throw new UnreadableFile('old')
  return readText(bytes, encoding)
}
