import type { PersonalDataRead } from '@caretaker/contract/reads.ts'
import { notByHome, readKinds } from '@caretaker/rules/audit/reads.ts'
import { roleWords } from '@caretaker/rules/tenants/clients.ts'
import type { Row } from '../../spreadsheets/table.ts'

const heading: Row = [
  ...['Name', 'Role', 'API key', 'Viewing as', 'Page, list or file', 'Kind', 'First', 'Last', 'Times'],
  ...['Properties', 'Residents', 'Rows', 'Parameters'],
]

/** The log as rows of a file. That of a property or resident ends with a row about its gaps. */
export async function* readsFile(
  pages: AsyncIterable<readonly PersonalDataRead[]>,
  { isOfUser }: { isOfUser: boolean },
): AsyncGenerator<Row[]> {
  yield [heading]
  for await (const reads of pages) yield reads.map(rowOf)
  if (!isOfUser) yield [[notByHome]]
}

const rowOf = (read: PersonalDataRead): Row => [
  ...[read.name, read.role && roleWords(read.role), read.isKey, read.viewingAs, read.page, readKinds[read.kind]],
  ...[new Date(read.firstAt), new Date(read.lastAt), read.times],
  read.properties.map(({ propertyId, reference }) => reference ?? propertyId).join(', '),
  ...[read.residents, read.rows, read.question],
]
