import classes from './house-front.module.css'

/** The rows of windows: lit windows, windows with a faint glow, dark ones. */
const storeys = [
  '.L..g..gg',
  '.ggL..gg.',
  'g.LL..Lg.',
  '.LL..L...',
  '..L.gL...',
  '...L...gL',
  '........g',
  '.L.Lgg..g',
  'L.g.....L',
]
const pitch = { x: 62, y: 62 }
const size = { width: 44, height: 40 }
const fills: Record<string, string> = { L: 'url(#house-front-lit)', g: '#2b3957', '.': '#1b2539' }

/** A house front at night with some windows lit: the only picture of the portal, purely decorative. */
export function HouseFront() {
  const columns = storeys[0]!.length
  return (
    <svg
      className={classes.front}
      viewBox={`0 0 ${(columns - 1) * pitch.x + size.width} ${(storeys.length - 1) * pitch.y + size.height}`}
      aria-hidden
    >
      <defs>
        <linearGradient id="house-front-lit" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" stopColor="#c8a25d" />
          <stop offset="1" stopColor="#b48a45" />
        </linearGradient>
      </defs>
      {storeys.flatMap((storey, row) =>
        Array.from(storey, (light, column) => (
          <g key={`${row}-${column}`} transform={`translate(${column * pitch.x} ${row * pitch.y})`}>
            <rect {...size} rx="4" fill={fills[light]} />
            <path d={`M${size.width / 2} 0v${size.height}`} stroke="#101725" strokeOpacity="0.45" strokeWidth="1.5" />
          </g>
        )),
      )}
    </svg>
  )
}
