import type { ReactNode } from 'react'
import classes from './model.module.css'

interface CodecEditorProps {
  source: string
  /** Lines that raised a warning or an error, from 1. */
  marked: ReadonlySet<number>
  onChange: (source: string) => void
  foot: ReactNode
}

/** The source of a codec with line numbers. Long lines scroll sideways. */
export function CodecEditor({ source, marked, onChange, foot }: CodecEditorProps) {
  const lines = source.split('\n')
  return (
    <>
      <div className={classes.editor}>
        <div className={classes.numbers} aria-hidden>
          {lines.map((_, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- a line is its number
            <span key={at} data-marked={marked.has(at + 1) || undefined}>
              {at + 1}
            </span>
          ))}
        </div>
        <textarea
          aria-label="Codec"
          aria-describedby={marked.size > 0 ? 'codec-marked' : undefined}
          rows={Math.max(20, lines.length + 1)}
          wrap="off"
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          value={source}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      </div>
      {marked.size > 0 && (
        <span id="codec-marked" className="visually-hidden">
          Warnings or errors come from line {[...marked].join(', ')}.
        </span>
      )}
      {foot}
    </>
  )
}
