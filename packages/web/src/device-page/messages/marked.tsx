/** A text in which what is searched for stands out. */
export function Marked({ text, find }: { text: string; find: string }) {
  const wanted = find.trim().toLowerCase()
  const at = wanted ? text.toLowerCase().indexOf(wanted) : -1
  if (at < 0) return text
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + wanted.length)}</mark>
      <Marked text={text.slice(at + wanted.length)} find={find} />
    </>
  )
}
