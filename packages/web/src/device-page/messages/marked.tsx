import { partsFound } from '@caretaker/rules/texts/search-form.ts'

/** A text in which what is searched for stands out. */
export function Marked({ text, find }: { text: string; find: string }) {
  return partsFound(find, text).map(({ part, isFound }, at) =>
    // oxlint-disable-next-line react/no-array-index-key -- parts of one text have nothing else to tell them apart
    isFound ? <mark key={at}>{part}</mark> : part,
  )
}
