import { NativeSelect } from '@mantine/core'
import type { Import } from '@caretaker/contract/imports.ts'
import type { Encoding } from '@caretaker/rules/imports/cells.ts'
import { encodingIds, encodings } from '@caretaker/rules/imports/cells.ts'
import { Card } from '../../ui/card.tsx'
import type { Acts } from './use-import.ts'
import classes from './imports.module.css'

/** The encoding of a text file, with example lines to check it. */
export function EncodingCard({ list, acts }: { list: Import; acts: Acts }) {
  const format = list.found?.format
  // ASCII text is the same in every encoding.
  if (!format?.code || (format.examples.length === 0 && acts.wishes.encoding === null)) return undefined
  return (
    <Card title="Encoding">
      <NativeSelect
        className={classes.headRow}
        label="The file is read as"
        description="If letters in the lines below are wrong, choose another encoding."
        value={acts.wishes.encoding ?? format.code}
        onChange={(event) => void acts.wish({ encoding: event.currentTarget.value as Encoding })}
        data={encodingIds.map((code) => ({ value: code, label: encodings[code] }))}
      />
      <ul className={classes.readLines} aria-label="Lines of the file">
        {[...new Set(format.examples)].map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </Card>
  )
}
