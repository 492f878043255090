import type { ReactNode, UIEvent } from 'react'
import { useMemo, useState } from 'react'
import { codeParts } from './code-parts.ts'
import classes from './model.module.css'

interface CodecEditorProps {
  source: string
  /** Lines that raised a warning or an error, from 1. */
  marked: ReadonlySet<number>
  onChange: (source: string) => void
  foot: ReactNode
}

/**
 * The source of a codec with line numbers. Long lines scroll sideways. The colours lie over the text of an ordinary text field, so that
 * keyboard, screen reader and undo work as everywhere.
 */
export function CodecEditor({ source, marked, onChange, foot }: CodecEditorProps) {
  const lines = source.split('\n')
  const [scrolled, setScrolled] = useState(0)
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
        <div className={classes.source}>
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
            onScroll={(event: UIEvent<HTMLTextAreaElement>) => setScrolled(event.currentTarget.scrollLeft)}
          />
          <pre aria-hidden style={{ transform: `translateX(${-scrolled}px)` }}>
            <Coloured source={source} />
          </pre>
        </div>
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

function Coloured({ source }: { source: string }) {
  const parts = useMemo(() => codeParts(source), [source])
  return parts.map(({ name, text }, at) => (
    // oxlint-disable-next-line react/no-array-index-key -- the parts have no identity
    <span key={at} data-part={name}>
      {text}
    </span>
  ))
}
