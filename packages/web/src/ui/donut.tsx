import type { CSSProperties, ReactNode } from 'react'
import { percentages } from '@caretaker/rules/dashboard/percentages.ts'
import { displayGroupWords } from '@caretaker/rules/devices/status.ts'
import { AppLink } from './link.tsx'
import { visibleShares } from './shares.ts'
import { StatusIcon } from './status-icon.tsx'
import type { StatusTone } from './tokens.ts'
import classes from './donut.module.css'

/** One part of a whole. `accent` and `muted` are for counts without a status. */
export interface Segment {
  id: string
  label: string
  count: number
  tone: StatusTone | 'accent' | 'muted'
  /** The link of the count; zero is not a link. */
  href?: string | undefined
}

/** Passed, warning and failed in order, from the counts of a device family. */
export function statusSegments(
  counts: { pass: number; warn: number; fail: number },
  hrefs: { warn?: string; fail?: string } = {},
): Segment[] {
  return [
    { id: 'pass', label: displayGroupWords.Passed, count: counts.pass, tone: 'passed' },
    { id: 'warn', label: displayGroupWords.Warning, count: counts.warn, tone: 'warning', href: hrefs.warn },
    { id: 'fail', label: displayGroupWords.Failed, count: counts.fail, tone: 'failed', href: hrefs.fail },
  ]
}

function colourOf(tone: Segment['tone']): string {
  if (tone === 'accent') return 'var(--accent)'
  return tone === 'muted' ? 'var(--line-strong)' : `var(--status-${tone}-solid)`
}

/** 'Emergency lights: 1,121 passed (96%), …': a status chart as text for screen readers. */
function inWords(label: string, segments: readonly Segment[]): string {
  const shares = percentages(segments.map((segment) => segment.count))
  const parts = segments.map(
    ({ label: word, count }, index) => `${count.toLocaleString('en-GB')} ${word.toLowerCase()} (${shares[index]}%)`,
  )
  return `${label}: ${parts.join(', ')}`
}

const size = 120
const thick = 13
const thin = 7
const radius = (size - thick) / 2
const circumference = 2 * Math.PI * radius
/** The gap between arcs, and the shortest arc: about half the thickness. */
const gap = 3
const shortest = thick / 2 + gap

interface DonutProps {
  /** The subject, for the text alternative. */
  label: string
  segments: readonly Segment[]
  /** In pixels. */
  width?: number
  /** The centre; by default the percentage of the first segment with its label. */
  children?: ReactNode
}

/** A ring of counts, clockwise from the top: healthy is thin, the rest thick and never too short to see. */
export function Donut({ label, segments, width = 120, children }: DonutProps) {
  const counts = segments.map((segment) => segment.count)
  const shares = visibleShares(counts, shortest / circumference)
  const ends = shares.map((_, index) => shares.slice(0, index + 1).reduce((sum, share) => sum + share, 0))
  const first = segments[0]
  const total = counts.reduce((sum, count) => sum + count, 0)
  const rounded = percentages(counts)
  return (
    <div
      className={classes.donut}
      role="img"
      aria-label={inWords(label, segments)}
      style={{ width, height: width, '--donut': `${width / size}` } as CSSProperties}
    >
      <svg viewBox={`0 0 ${size} ${size}`} aria-hidden>
        {total === 0 && <Ring colour="var(--line)" thickness={thin} />}
        {segments.map((segment, index) => {
          const share = shares[index]!
          if (share === 0) return null
          const thickness = segment.tone === 'passed' ? thin : thick
          const ring = { colour: colourOf(segment.tone), thickness, dashed: segment.tone === 'not-installed' }
          if (share === 1) return <Ring key={segment.id} {...ring} />
          return <Arc key={segment.id} {...ring} from={ends[index]! - share} to={ends[index]!} />
        })}
      </svg>
      <div className={classes.middle} aria-hidden>
        {children ?? (
          <>
            <b>{total === 0 ? '–' : `${rounded[0]}%`}</b>
            <span>{first?.label.toLowerCase()}</span>
          </>
        )}
      </div>
    </div>
  )
}

interface RingProps {
  colour: string
  thickness: number
  dashed?: boolean
}

function Ring({ colour, thickness, dashed }: RingProps) {
  return (
    <circle
      cx={size / 2}
      cy={size / 2}
      r={radius}
      fill="none"
      stroke={colour}
      strokeWidth={dashed ? thin : thickness}
      strokeDasharray={dashed ? `${circumference / 80} ${circumference / 80}` : undefined}
    />
  )
}

function Arc({ colour, thickness, dashed, from, to }: RingProps & { from: number; to: number }) {
  const half = gap / 2 / circumference
  const [start, end] = [from + half, to - half]
  const point = (share: number) => {
    const angle = share * 2 * Math.PI - Math.PI / 2
    return `${(size / 2 + radius * Math.cos(angle)).toFixed(2)} ${(size / 2 + radius * Math.sin(angle)).toFixed(2)}`
  }
  return (
    <path
      d={`M${point(start)}A${radius} ${radius} 0 ${end - start > 0.5 ? 1 : 0} 1 ${point(end)}`}
      fill="none"
      stroke={colour}
      strokeWidth={dashed ? thin : thickness}
      strokeDasharray={dashed ? `${circumference / 80} ${circumference / 80}` : undefined}
    />
  )
}

/** The same as a bar: passed thin, the rest at full height, none too short to see. */
export function StatusBar({ label, segments }: { label: string; segments: readonly Segment[] }) {
  const total = segments.reduce((sum, segment) => sum + segment.count, 0)
  return (
    <div className={classes.bar} role="img" aria-label={inWords(label, segments)}>
      {total === 0 && <span className={classes.none} />}
      {segments.map(
        ({ id, count, tone }) =>
          count > 0 && (
            <span
              key={id}
              data-thin={tone === 'passed' || undefined}
              style={{ flexGrow: count, background: colourOf(tone) }}
            />
          ),
      )}
    </div>
  )
}

interface StatusLegendProps {
  segments: readonly Segment[]
  /** `rows` with percentages beside a donut, `columns` under a bar in a card, `line` in little space. */
  layout: 'rows' | 'columns' | 'line'
}

/** The counts of a status chart. A zero is dimmed, not hidden, so that cards keep their shape. */
export function StatusLegend({ segments, layout }: StatusLegendProps) {
  const shares = percentages(segments.map((segment) => segment.count))
  return (
    <ul className={classes.legend} data-layout={layout}>
      {segments.map((segment, index) => {
        const parts = (
          <>
            <LegendMark tone={segment.tone} />
            <span className={classes.word}>{segment.label}</span>
            <b className={classes.count}>{segment.count.toLocaleString('en-GB')}</b>
            {layout === 'rows' && <span className={classes.share}>{shares[index]}%</span>}
          </>
        )
        return (
          <li key={segment.id} data-zero={segment.count === 0 || undefined}>
            {segment.href && segment.count > 0 ? (
              <AppLink href={segment.href} className={classes.item}>
                {parts}
              </AppLink>
            ) : (
              <span className={classes.item}>{parts}</span>
            )}
          </li>
        )
      })}
    </ul>
  )
}

function LegendMark({ tone }: { tone: Segment['tone'] }) {
  if (tone !== 'accent' && tone !== 'muted') return <StatusIcon tone={tone} />
  return <span className={classes.swatch} style={{ background: colourOf(tone) }} aria-hidden />
}
